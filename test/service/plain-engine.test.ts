/** Withdrawals and the store on a PostgreSQL that lacks what distributed engines lack, and refuses statements and commits for conflicts as they do. */
import { afterAll, expect, test } from "vitest";
import { makePlain } from "./plain-engine.ts";
import { createPlace, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { waysIn } from "./withdrawal-ways.ts";
import { createWorld, type World } from "./world.ts";

/** Notices are tried and given up, a lock on a table where time has run back: nothing else may be asked for. */
const mayBeTried = /^(LISTEN|SELECT pg_notify|LOCK TABLE)/;
const lives = 12;

if (!stores.includes("postgres")) test.skip("on PostgreSQL alone");
else {
  const seen = makePlain(29);
  afterAll(seen.giveBack);
  afterAll(() => expect([...seen.refused].filter((text) => !mayBeTried.test(text))).toEqual([]));

  test("whole lives, each statement and each commit of which may be refused", async () => {
    const place = await createPlace("postgres");
    // Repeats pause by the store's clock, deadlines pass by the world's.
    const store = await place.open();
    const clock = new VirtualClock();
    const world: World = await createWorld(store, { clock });
    [seen.conflictShare, seen.statementShare] = [0.2, 0.03];
    try {
      const { leadTo } = waysIn(
        () => world,
        () => clock,
      );
      const ends = ["linked", "undelivered", "rejected", "declined"] as const;
      for (const end of ends)
        for (let n = 0; n < lives / ends.length; n += 1) expect((await leadTo[end]()).status).toBe(end);
      expect(seen.conflicts).toBeGreaterThan(lives / 2);
      expect(seen.statementConflicts).toBeGreaterThan(lives / 2);
    } finally {
      [seen.conflictShare, seen.statementShare] = [0, 0];
      await world.service.stop();
    }
    await expectWholeHistory(store);
    await place.dispose();
  });

  await import("./shared-commits.test.ts");
  await import("./withdrawals.test.ts");
}
