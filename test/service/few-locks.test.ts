/** When a start says that PostgreSQL has too few locks for the months of data that there are. */
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { checkMigrated } from "../../backend/store/postgres-migrate.ts";
import { saidOf } from "./database-says.ts";
import { createPlace, stores } from "./stores.ts";

describe.runIf(stores.includes("postgres"))("on PostgreSQL", () => {
  test.each([
    [3, 11, true],
    [3, 12, false],
    [100, 255, true],
    [100, 256, false],
    [100, null, false],
  ])("%d months with %s locks for a transaction are too few: %s", async (months, locks, isSaid) => {
    const place = await createPlace("postgres");
    const partitions = Array(months).fill({ name: "x", bound: "" });
    const endings = [
      saidOf("max_locks_per_transaction", async () => ({ rows: [{ locks }] })),
      saidOf("whole.relname = 'archived_withdrawals'", async () => ({ rows: partitions })),
    ];
    onTestFinished(async () => {
      for (const end of endings.toReversed()) end();
      await place.dispose();
    });
    const lines: string[] = [];
    const report = (line: string) => void lines.push(line);
    await checkMigrated({ url: place.url, clock: systemClock, connectTimeoutMs: 5_000, report });
    const words = `set max_locks_per_transaction to 256 (now ${locks}) at PostgreSQL's next restart`;
    expect(lines).toEqual(isSaid ? [words] : []);
  });
});
