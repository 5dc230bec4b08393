/** A service on PostgreSQL, whose clock the test moves, with a connection that looks into its tables. */
import pg from "pg";
import { afterEach, beforeEach } from "vitest";
import { type DividedTable, partitionsOf, type Run } from "../../backend/store/partitions.ts";
import { databasePerTest, type Stage } from "./world-stage.ts";

/** What a test finds. */
export interface PartitionStage extends Stage {
  readonly client: pg.Client;
  /** Runs a statement over it. */
  readonly run: Run;
  readonly namesOf: (table: DividedTable) => Promise<readonly string[]>;
  readonly count: (table: string) => Promise<number>;
  /** Waits for work while virtual time goes on, as its pauses need. */
  readonly drive: <T>(work: Promise<T>) => Promise<T>;
}

/** A database and a service for each test. */
export const partitionsPerTest = (set: (stage: PartitionStage) => void): void => {
  let stage: Stage;
  let client: pg.Client;
  databasePerTest("postgres", { options: { pollMs: 1e9 } }, (made) => {
    stage = made;
  });
  beforeEach(async () => {
    client = new pg.Client({ connectionString: stage.place.url });
    await client.connect();
    const run: Run = async (text) => (await client.query(text)).rows;
    set({
      ...stage,
      client,
      run,
      namesOf: async (table) => (await partitionsOf(run, table)).map(({ name }) => name),
      count: async (table) => Number((await run(`SELECT count(*) AS rows FROM ${table}`))[0]?.rows),
      drive: (work) => stage.clock.drive(work),
    });
  });
  afterEach(() => client.end());
};
