/** Writes and reads of the embedded store over an engine that does what a test says. */
import {
  createSqliteReads,
  createSqliteWrites,
  createTurns,
  SqliteFailure,
  type SqliteFailureKind,
} from "../../../backend/store/sqlite.ts";
import type { Query, Tx } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

/** A failure of this kind. */
export const failure = (kind: SqliteFailureKind) => new SqliteFailure(kind, new Error(kind));
const query = (name: string): Query<unknown> => ({ kind: "query", name, sql: () => ({ text: name, values: [] }) });
/** How what is refused for want of a database ends. */
export const unavailable = { status: "rejected", reason: { code: "unavailable" } };

/** Both queues over one engine; `failWith` says what a statement throws, `said` keeps what was asked, `unkept` what of it was not to stay prepared. */
export const queuesStage = (unitsPerCommit?: number) => {
  const clock = new VirtualClock();
  const ticks = { asked: 0 };
  const soon = (run: () => void): void => {
    ticks.asked += 1;
    clock.soon(run);
  };
  const ticking = { now: () => clock.now(), after: clock.after.bind(clock), soon };
  const said: string[] = [];
  const unkept: string[] = [];
  const seen: string[] = [];
  let open = false;
  let failing: (text: string) => unknown = () => null;
  const say = (text: string) => {
    said.push(text);
    const error = failing(text);
    if (error !== null && error !== undefined) throw error;
    if (text.startsWith("BEGIN")) open = true;
    if (text === "COMMIT" || text === "ROLLBACK") open = false;
  };
  const db = {
    exec: say,
    query(text: string, _: unknown, keep: boolean) {
      if (!keep) unkept.push(text);
      say(text);
      return { rows: [], changes: 0 };
    },
    inTransaction: () => open,
    close() {},
  };
  const answer = (asked: Query<unknown>) => {
    say(asked.name ?? "");
    return { rows: [asked.name], changes: 1 };
  };
  const inTurn = createTurns();
  const onChanged = (id: string) => void seen.push(id);
  return {
    clock,
    ticks,
    said,
    unkept,
    seen,
    close: () => {
      open = false;
    },
    failWith: (how: (text: string) => unknown) => {
      failing = how;
    },
    writes: createSqliteWrites(db, ticking, answer, inTurn, onChanged, unitsPerCommit),
    reads: createSqliteReads(db, ticking, answer, inTurn),
  };
};
/** A unit that changes the withdrawal of its name, and answers 1. */
export const add = (name: string) => async (tx: Tx) => {
  tx.changed(name);
  return tx.run(query(name));
};
/** Lets what was asked for a later turn happen. */
export const turns = async (): Promise<void> => {
  for (let n = 0; n < 4; n += 1) await new Promise((resolve) => setImmediate(resolve));
};
