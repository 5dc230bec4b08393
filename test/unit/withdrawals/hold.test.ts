/** A read that is held: it misses no change, asks no more than it must, and leaves nothing behind. */

import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import type { Service } from "../../../backend/context.ts";
import type { Store } from "../../../backend/store/store.ts";
import { getTransaction, type Wait } from "../../../backend/withdrawals/get.ts";
import type { Row } from "../../../backend/withdrawals/store.ts";
import { scriptedTx } from "../../service/test-tx.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { till } from "../../service/world.ts";

const id = "0000000000000000";
const startMs = 50_000;
const turns = async (): Promise<void> => {
  for (let n = 0; n < 5; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A store of one row, which a test changes. */
const stage = (changes: Partial<Row> = {}) => {
  const clock = new VirtualClock(startMs);
  const listeners = new Set<(row?: Row) => void>();
  let row: Row | undefined = rowWith({ id, status: "awaiting_sca", deadline_at: null, ...changes });
  let reads = 0;
  let whileRead = () => {};
  const store = {
    async read(unit: Parameters<Store["read"]>[0]) {
      reads += 1;
      const rows = row === undefined ? [] : [row];
      const found = await unit(scriptedTx(() => rows));
      whileRead();
      whileRead = () => {};
      return found;
    },
    /** Another process writes deadlines here. */
    write: async () => ({ late: undefined, latest: row }),
    onChange(_: string, run: (row?: Row) => void) {
      listeners.add(run);
      return () => void listeners.delete(run);
    },
  };
  const service = { store, clock } as unknown as Service;
  const change = (to: Partial<Row> | null, isOwn = false) => {
    row = to === null || row === undefined ? undefined : { ...row, ...to };
    for (const run of listeners) run(isOwn ? row : undefined);
  };
  return {
    clock,
    listeners,
    change,
    reads: () => reads,
    whileRead: (happens: () => void) => {
      whileRead = happens;
    },
    /** Starts a read; `status()` is null while it is held. */
    async ask(wait: Wait) {
      let status: string | null = null;
      const answer = getTransaction(service, till, id, wait);
      void answer.then((transaction) => {
        status = transaction.status;
      });
      await turns();
      return { status: () => status, answer };
    },
    service,
  };
};

const ways: readonly [string, Wait][] = [
  ["while a status is named", { waitMs: 1_000, whileStatus: "awaiting_sca" }],
  ["while it stays as it is", { waitMs: 1_000 }],
];

test.each(ways)("%s: a change is answered, and no listener and no timer is left", async (_, wait) => {
  const { ask, change, clock, listeners, reads } = stage();
  const asked = await ask(wait);
  expect([asked.status(), listeners.size, clock.timers]).toEqual([null, 1, 1]);
  expect(reads()).toBe(wait.whileStatus === undefined ? 2 : 1);
  change({ status: "settling" });
  await turns();
  expect([asked.status(), listeners.size, clock.timers]).toEqual(["settling", 0, 0]);
});

test.each(ways)("%s: held to the very end of the wait, with no read in between", async (_, wait) => {
  const { ask, clock, listeners, reads } = stage();
  const asked = await ask(wait);
  const readsBefore = reads();
  await clock.advance(999);
  await turns();
  expect([asked.status(), reads()]).toEqual([null, readsBefore]);
  await clock.advance(1);
  await turns();
  expect([asked.status(), listeners.size, reads()]).toEqual(["awaiting_sca", 0, readsBefore + 1]);
});

test.each(ways)("%s: a change that comes while the row is read is not missed", async (_, wait) => {
  const { ask, change, whileRead } = stage();
  whileRead(() => change({ status: "settling" }));
  expect((await ask(wait)).status()).toBe("settling");
});

test("a change while it is read again is not missed either", async () => {
  const { ask, change, whileRead } = stage();
  const asked = await ask({ waitMs: 1_000, whileStatus: "awaiting_sca" });
  whileRead(() => change({ status: "settling" }));
  change({});
  await turns();
  expect(asked.status()).toBe("settling");
});

test.each(ways)("%s: what this process has changed is answered as it was written, without a read", async (_, wait) => {
  const { ask, change, reads } = stage();
  const asked = await ask(wait);
  const readsBefore = reads();
  change({ status: "settling" }, true);
  await turns();
  expect([asked.status(), reads()]).toEqual(["settling", readsBefore]);
});

test("another process's change after that is read", async () => {
  const { ask, change, reads } = stage();
  const asked = await ask({ waitMs: 1_000, whileStatus: "awaiting_sca" });
  const readsBefore = reads();
  change({ status: "settling" }, true);
  change({ status: "settled" });
  await turns();
  expect([asked.status(), reads()]).toEqual(["settled", readsBefore + 1]);
});

test("a change of something else is read once, and it is held on", async () => {
  const { ask, change, reads } = stage();
  const asked = await ask({ waitMs: 1_000, whileStatus: "awaiting_sca" });
  const readsBefore = reads();
  change({ cashier: "C2" });
  await turns();
  expect([asked.status(), reads()]).toEqual([null, readsBefore + 1]);
});

test("a reader who leaves is answered with what it is, and its signal is let go", async () => {
  const { ask, listeners, clock } = stage();
  const leaving = new AbortController();
  const asked = await ask({ waitMs: 1_000, whileStatus: "awaiting_sca", signal: leaving.signal });
  expect(getEventListeners(leaving.signal, "abort")).toHaveLength(1);
  leaving.abort();
  await turns();
  expect([asked.status(), listeners.size, clock.timers]).toEqual(["awaiting_sca", 0, 0]);
  expect(getEventListeners(leaving.signal, "abort")).toEqual([]);
});

test("a clock that is set back ends the wait at the next look: it would be held for as long again", async () => {
  const { ask, change, clock } = stage();
  const asked = await ask({ waitMs: 1_000, whileStatus: "awaiting_sca" });
  clock.jump(-60_000);
  change({});
  await turns();
  expect(asked.status()).toBe("awaiting_sca");
});

test("a deadline is looked at when it comes, and not before", async () => {
  const { ask, clock, reads } = stage({ deadline_at: startMs + 400 });
  await ask({ waitMs: 1_000, whileStatus: "awaiting_sca" });
  const readsBefore = reads();
  await clock.advance(399, turns);
  expect(reads()).toBe(readsBefore);
  await clock.advance(1, turns);
  expect(reads()).toBe(readsBefore + 1);
});

test("what has another status than the one to wait out is answered after one read", async () => {
  const { ask, listeners, reads } = stage();
  const asked = await ask({ waitMs: 1_000, whileStatus: "ready" });
  expect([asked.status(), reads(), listeners.size]).toEqual(["awaiting_sca", 1, 0]);
});

test.each(ways)("%s: one that is gone meanwhile is answered as it was seen", async (_, wait) => {
  const { ask, change, clock } = stage();
  const asked = await ask(wait);
  change(null);
  await turns();
  expect(asked.status()).toBeNull();
  await clock.advance(1_000);
  await turns();
  expect(asked.status()).toBe("awaiting_sca");
});

test("what cannot be an id is not looked for", async () => {
  const { service, reads } = stage();
  await expect(getTransaction(service, till, "'; DROP TABLE")).rejects.toMatchObject({ code: "transaction_not_found" });
  expect(reads()).toBe(0);
});

test("one that is unknown leaves no listener", async () => {
  const { service, change, listeners } = stage();
  change(null);
  const asked = getTransaction(service, till, id, { waitMs: 1_000, whileStatus: "ready" });
  await expect(asked).rejects.toMatchObject({ code: "transaction_not_found" });
  expect(listeners.size).toBe(0);
});
