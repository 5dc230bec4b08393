/** How the proof reads the history and the withdrawals: all of them once and in order, in pages, while they go on. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkAudit } from "../../backend/operate/audit.ts";
import {
  countedBefore,
  countedFrom,
  lastDay,
  nextDayOf,
  provenRowsOf,
  rowsOf,
} from "../../backend/operate/proven-rows.ts";
import { adhoc, type Store, type Tx } from "../../backend/store/store.ts";
import { firstTime } from "../../backend/withdrawals/history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { historyStage } from "./history-stage.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { rowWith } from "./withdrawal-row.ts";
import { confirmIt, placeOrder, testKeys, till, type World } from "./world.ts";

describe.each(stores)("on %s", (dialect) => {
  /** A page ends within a millisecond, the next millisecond is more than two pages, and what follows is less than one. */
  const times = [
    ...Array.from({ length: 990 }, (_, n) => n),
    ...Array.from({ length: 20 }, () => 995),
    ...Array.from({ length: 2_345 }, () => 1_000),
    ...Array.from({ length: 600 }, (_, n) => 1_001 + n),
  ];
  const idAt = (n: number) => `7${String((n * 7_919) % 10_000).padStart(5, "0")}`;
  const inOrder = times
    .map((at, n) => ({ at, id: idAt(n) }))
    .toSorted((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  let place: Place;
  let store: Store;
  const insert = (table: "withdrawals" | "archived_withdrawals" | "withdrawal_events", rows: readonly object[]) =>
    store.write(async (tx) => {
      for (let from = 0; from < rows.length; from += 500)
        await tx.run(adhoc((db) => db.insertInto(table).values(rows.slice(from, from + 500) as never)));
    });
  beforeAll(async () => {
    place = await createPlace(dialect);
    store = await place.open();
    const ids = times.map((at, n) => ({ id: idAt(n), created_at: at }));
    await insert(
      "withdrawals",
      ids.map(({ id, created_at }) => ({
        ...rowWith({ id, created_at }),
        idempotency_key: id,
        transaction_id_partner: id,
        history_length: 2,
      })),
    );
    await insert(
      "withdrawal_events",
      ids.flatMap(({ id, created_at }) =>
        [1, 2].map((sequence) => ({
          ...{
            transaction_id: id,
            sequence,
            kind: "transition",
            at: created_at,
            from_status: sequence === 1 ? null : "ready",
          },
          ...{
            to_status: "ready",
            actor: "partner",
            asked_at: created_at,
            day: sequence === 1 ? 5 : 6,
            hash: `${id}/${sequence}`,
          },
        })),
      ),
    );
  });
  afterAll(() => place.dispose());

  test("a day's rows come once, in order, however many are of one millisecond", async () => {
    const found: { at: number; id: string }[] = [];
    for await (const page of rowsOf(store, { isDated: true, day: 5 })) {
      expect([page.length > 0, page.length <= 1_000]).toEqual([true, true]);
      found.push(...page.map(({ at, transaction_id: id }) => ({ at, id })));
    }
    expect(found).toEqual(inOrder);
  });

  test("every row is found in its day, and once, whenever it says that it was written and its withdrawal asked for", async () => {
    const [dayMs, hourMs] = [86_400_000, 3_600_000];
    const day = 20_700;
    const starts = [day, day + 1, lastDay].map((of) => of * dayMs);
    const asked = [0, -dayMs, 2 ** 52, ...starts.flatMap((start) => [start, start + 1.5 * hourMs, start + dayMs - 1])];
    const after = [-(2 ** 51), -1, 0, 1, hourMs - 1, hourMs, 2 * hourMs - 1, 2 * hourMs, 3 * hourMs, dayMs, 2 ** 51];
    const forged = [day, day + 1, lastDay, lastDay + 1, 2 ** 40].flatMap((of) =>
      asked.flatMap((asked_at) =>
        after.map((ms) => ({
          ...{ transaction_id: `F${of}/${asked_at}/${ms}`, sequence: 5, kind: "transition", at: asked_at + ms },
          ...{ from_status: "ready", to_status: "ready", actor: "partner", asked_at, day: of },
        })),
      ),
    );
    await insert("withdrawal_events", forged);
    const found: string[] = [];
    for (let next: number | null = 1; ; next += 1) {
      next = await nextDayOf(store, next);
      if (next === null) break;
      let last = Number.NEGATIVE_INFINITY;
      for await (const page of rowsOf(store, { isDated: true, day: next }))
        for (const row of page) {
          expect(row.day).toBe(next);
          expect(row.at).toBeGreaterThanOrEqual(last);
          last = row.at;
          if (row.transaction_id.startsWith("F")) found.push(row.transaction_id);
        }
    }
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("day", ">", 7))));
    expect(found.toSorted()).toEqual(forged.map((row) => row.transaction_id).toSorted());
  });

  test("a day's rows come in the order in which they were written, not in that of the requests", async () => {
    const [day, dayMs] = [30_000, 86_400_000];
    const written = Array.from({ length: 3_000 }, (_, n) => {
      // Pages end within a second, and some are of one millisecond.
      const asked_at = day * dayMs + (n < 1_000 || n > 2_200 ? n : 2_200) * 110;
      // Each fifth ends within the hour, each seventh later, and for each ninth a clock was set back.
      const late = n % 9 === 0 ? -40_000 : n % 7 === 0 ? 9_000_000 : n % 5 === 0 ? 900_000 : 700;
      return [0, late].map((ms, of) => ({
        ...{ transaction_id: `O${n}`, sequence: of + 1, kind: "transition", at: asked_at + ms, from_status: null },
        ...{ to_status: "ready", actor: "partner", asked_at, day },
      }));
    }).flat();
    // Asked for the day before: at first a page that comes before all others, then more than a page among them.
    for (let n = 0; n < 2_500; n += 1) {
      const at = day * dayMs + (n < 1_000 ? -1_000 + n : n * 120);
      written.push({
        ...{ transaction_id: `B${n}`, sequence: 5, kind: "transition", at, from_status: null },
        ...{ to_status: "ready", actor: "partner", asked_at: day * dayMs - 5_000, day },
      });
    }
    await insert("withdrawal_events", written);
    const found: string[] = [];
    let pages = 0;
    for await (const page of rowsOf(store, { isDated: true, day })) {
      pages += 1;
      expect(page.length).toBeGreaterThan(0);
      found.push(...page.map((row) => `${row.at} ${row.transaction_id} ${row.sequence}`));
    }
    expect(pages).toBeGreaterThan(6);
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("day", "=", day))));
    const expected = written.toSorted(
      (one, other) =>
        one.at - other.at || (one.transaction_id < other.transaction_id ? -1 : 1) || one.sequence - other.sequence,
    );
    expect(found).toEqual(expected.map((row) => `${row.at} ${row.transaction_id} ${row.sequence}`));
  });

  test("a day's rows of a release that wrote no day are found among those of other days, more than a page of them", async () => {
    const [day, dayMs] = [20_800, 86_400_000];
    const written = [1, 1_100, 2].flatMap((count, n) =>
      Array.from({ length: count }, (_, row) => ({
        ...{ transaction_id: `U${n}/${row}`, sequence: 1, kind: "transition", at: (day + n) * dayMs + row },
        ...{ from_status: null, to_status: "ready", actor: "partner", asked_at: 0, day: 0 },
      })),
    );
    await insert("withdrawal_events", written);
    const counts: number[] = [];
    for (const n of [-1, 0, 1, 2, 3]) {
      let count = 0;
      for await (const page of rowsOf(store, { isDated: false, day: day + n })) {
        expect(page.length).toBeGreaterThan(0);
        expect(page.every(({ at }) => Math.floor(at / dayMs) === day + n)).toBe(true);
        count += page.length;
      }
      counts.push(count);
    }
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("day", "=", 0))));
    expect(counts).toEqual([0, 1, 1_100, 2, 0]);
  });

  test("a full page of one millisecond is no empty page behind it, and what follows keeps its order", async () => {
    const [day, dayMs] = [20_900, 86_400_000];
    const row = (transaction_id: string, at: number, asked_at: number) => ({
      ...{ transaction_id, sequence: 1, kind: "transition", at, from_status: null, to_status: "ready" },
      ...{ actor: "partner", asked_at, day },
    });
    const start = day * dayMs;
    const written = [
      ...Array.from({ length: 1_000 }, (_, n) => row(`A${1_000 + n}`, start, start - 1)),
      row("B", start + 1, start + 1),
      row("C", start + 2, start - 1),
    ];
    await insert("withdrawal_events", written);
    const found: string[] = [];
    for await (const page of rowsOf(store, { isDated: true, day })) {
      expect(page.length).toBeGreaterThan(0);
      found.push(...page.map(({ transaction_id: id }) => id));
    }
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("day", "=", day))));
    expect(found).toEqual(written.map(({ transaction_id: id }) => id));
  });

  test("the last day of all is one too", async () => {
    const at = lastDay * 86_400_000;
    const last = { transaction_id: "LAST", sequence: 1, kind: "transition", at, from_status: null, to_status: "ready" };
    await insert("withdrawal_events", [{ ...last, actor: "partner", asked_at: at, day: lastDay }]);
    const found = [await nextDayOf(store, lastDay), await nextDayOf(store, lastDay + 1)];
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("day", "=", lastDay))));
    expect(found).toEqual([lastDay, null]);
  });

  test("a row goes on from the one before it, in whichever order they were written, and from none of another time of asking", async () => {
    const id = "CHAIN";
    const row = (sequence: number, at: number, more: object = {}) => ({
      ...{ transaction_id: id, sequence, kind: "transition", at, from_status: null, to_status: "ready" },
      ...{ actor: "partner", asked_at: 9_000, day: 7, hash: `${id}/${sequence}`, ...more },
    });
    await insert("withdrawals", [
      { ...rowWith({ id, created_at: 9_000 }), idempotency_key: id, transaction_id_partner: id, history_length: 9 },
    ]);
    await insert("withdrawal_events", [
      ...[row(1, 10), row(3, 20), row(2, 30), row(4, 40, { asked_at: 9_001 }), row(5, 50)],
      row(6, 60, { day: 0, asked_at: 0 }),
    ]);
    const found: unknown[] = [];
    for (const day of [
      { isDated: true, day: 7 },
      { isDated: false, day: 0 },
    ])
      for await (const page of provenRowsOf(store, day))
        found.push(...page.map(({ event, before }) => [event.sequence, before?.hash]));
    await store.write(async (tx) => {
      await tx.run(adhoc((db) => db.deleteFrom("withdrawals").where("id", "=", id)));
      await tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", id)));
    });
    expect(found).toEqual([
      [1, undefined],
      [3, `${id}/2`],
      [2, `${id}/1`],
      [4, undefined],
      [5, undefined],
      [6, `${id}/5`],
    ]);
  });

  test("each has its withdrawal, and the hash of a row before that lies in another day", async () => {
    let rows = 0;
    for await (const page of provenRowsOf(store, { isDated: true, day: 6 }))
      for (const { event, withdrawal, before, isThereTwice } of page) {
        rows += 1;
        expect([withdrawal?.id, before?.hash, isThereTwice]).toEqual([
          event.transaction_id,
          `${event.transaction_id}/1`,
          false,
        ]);
      }
    expect(rows).toBe(times.length);
  });

  test("each that has ended has its withdrawal, whenever in the month it was asked for", async () => {
    // The last one's row says another time of asking.
    const ended = [3, 8_000, 5, 7].map((created_at, n) => ({ id: `M${n}`, created_at }));
    await insert(
      "archived_withdrawals",
      ended.map((of) => ({ ...rowWith(of), archived_at: 9_000 })),
    );
    await insert(
      "withdrawal_events",
      ended.map(({ id, created_at }) => ({
        ...{ transaction_id: id, sequence: 1, kind: "transition", at: created_at, from_status: null },
        ...{ to_status: "ready", actor: "partner", asked_at: id === "M3" ? 6 : created_at, day: 4 },
      })),
    );
    const found: unknown[] = [];
    for await (const page of provenRowsOf(store, { isDated: true, day: 4 }))
      found.push(...page.map(({ withdrawal }) => withdrawal?.id));
    await store.write(async (tx) => {
      await tx.run(adhoc((db) => db.deleteFrom("archived_withdrawals").where("id", "like", "M%")));
      await tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("day", "=", 4)));
    });
    expect(found).toEqual(["M0", "M2", undefined, "M1"]);
  });

  test("a database that fails after somebody has stopped reading ends no process", async () => {
    const unhandled: unknown[] = [];
    const keep = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", keep);
    let failures = 0;
    for (let answered = 0; answered < 8; answered += 1) {
      const reads: Promise<unknown>[] = [];
      const read: Store["read"] = (unit, isShort) => {
        const isGone = reads.length >= answered;
        if (isGone) failures += 1;
        const result = isGone ? Promise.reject(new Error("the database is gone")) : store.read(unit, isShort);
        reads.push(result);
        return result;
      };
      const pages = provenRowsOf({ ...store, read }, { isDated: true, day: 5 });
      await pages.next().catch(() => {});
      for (let seen = -1; seen !== reads.length; await new Promise<void>((resolve) => void setImmediate(resolve))) {
        seen = reads.length;
        await Promise.allSettled(reads);
      }
    }
    process.off("unhandledRejection", keep);
    expect(failures).toBeGreaterThan(0);
    expect(unhandled).toEqual([]);
  });

  test("one that has gone on since it was looked up is looked up again", async () => {
    const id = "GROWING";
    const change = (history_length: number) =>
      store.write((tx) =>
        tx.run(adhoc((db) => db.updateTable("withdrawals").set({ history_length }).where("id", "=", id))),
      );
    const rows = [1, 2, 3].map((sequence) => ({
      ...{ transaction_id: id, sequence, kind: "transition", at: sequence === 1 ? 0 : 5_000, from_status: null },
      ...{ to_status: "ready", actor: "partner", asked_at: 9_000, day: sequence === 2 ? 8 : 7 },
      hash: `${id}/${sequence}`,
    }));
    const between = inOrder
      .slice(0, 1_500)
      .map((one) => ({ ...rows[0], transaction_id: one.id, sequence: 3, asked_at: one.at, at: 1 + one.at }));
    await insert("withdrawals", [
      { ...rowWith({ id, created_at: 9_000 }), idempotency_key: id, transaction_id_partner: id, history_length: 2 },
    ]);
    await insert("withdrawal_events", [...rows, ...between]);
    let isChanged = false;
    const goesOn: Store = {
      ...store,
      read: async (unit, isShort) => {
        let isFound = false;
        const watched = (tx: Tx): Tx => ({
          ...tx,
          all: async (query) => {
            const rows = await tx.all(query);
            isFound ||= query.name === "proof_withdrawals_of" && rows.some((row) => (row as { id?: string }).id === id);
            return rows;
          },
        });
        const result = await store.read((tx) => unit(watched(tx)), isShort);
        // Once it was looked up for the first page; reads of others may be under way beside it.
        if (isFound && !isChanged) {
          isChanged = true;
          await change(3);
        }
        return result;
      },
    };
    const found: unknown[] = [];
    for await (const page of provenRowsOf(goesOn, { isDated: true, day: 7 }))
      for (const { event, withdrawal, before } of page)
        if (event.transaction_id === id) found.push([event.sequence, withdrawal?.history_length, before?.hash]);
    await store.write(async (tx) => {
      await tx.run(adhoc((db) => db.deleteFrom("withdrawals").where("id", "=", id)));
      await tx.run(adhoc((db) => db.deleteFrom("withdrawal_events").where("day", "in", [7, 8])));
    });
    expect(found).toEqual([
      [1, 2, undefined],
      [3, 3, `${id}/2`],
    ]);
  });

  /** As if each of them had one row more than there is. */
  const cutOff = (history_length: number) =>
    store.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawals").set({ history_length }))));

  test("withdrawals that lack a row come once, in order, each with the number of its rows", async () => {
    await cutOff(3);
    const found: { at: number; id: string }[] = [];
    for await (const page of countedFrom(store, firstTime)) {
      expect(page.length).toBeLessThanOrEqual(1_000);
      expect(page.every(({ rows, beginnings }) => rows === 2 && beginnings === 1)).toBe(true);
      found.push(...page.map(({ created_at: at, id }) => ({ at, id })));
    }
    await cutOff(2);
    expect(found).toEqual(inOrder);
  });

  test("of withdrawals that lack nothing the last of each page comes alone", async () => {
    const found: string[] = [];
    for await (const page of countedFrom(store, firstTime)) found.push(...page.map(({ id }) => id));
    expect(found).toEqual([999, 1_999, 2_999, inOrder.length - 1].map((n) => inOrder[n]?.id));
  });

  test("of those asked for before a time each comes once that is open, or has ended since", async () => {
    const before = 1_400;
    // More than a page of one millisecond; every second one was asked for later, as all of a page are.
    const ended = Array.from({ length: 4_000 }, (_, n) => ({
      id: `E${n + 1_000}`,
      created_at: n % 2 === 0 && (n < 1_500 || n >= 3_000) ? 7 : before,
      archived_at: n < 1_500 ? 2_000 : n + 1_000,
    }));
    await insert(
      "archived_withdrawals",
      ended.map(({ id, created_at, archived_at }) => ({ ...rowWith({ id, created_at }), archived_at })),
    );
    const found: string[] = [];
    await cutOff(3);
    for await (const page of countedBefore(store, before))
      found.push(...page.filter(({ created_at }) => created_at < before).map(({ id }) => id));
    const asked = [...inOrder.map(({ at, id }) => ({ created_at: at, id })), ...ended];
    expect(found).toEqual(asked.filter(({ created_at }) => created_at < before).map(({ id }) => id));
  });
});

describe.each(stores)("beside a service on %s", (dialect) => {
  let store: Store;
  let clock: VirtualClock;
  let world: World;
  const { settle } = historyStage(dialect, (stage) => {
    ({ store, clock, world } = stage);
  });

  test("what goes on between any two statements is no finding", async () => {
    for (let reads = 0, isOver = false; !isOver; reads += 1) {
      const paid = await settle();
      const asked = await placeOrder(world.service);
      let left = reads;
      const goesOn: Store = {
        ...store,
        read: async (unit, isShort) => {
          const result = await store.read(unit, isShort);
          left -= 1;
          if (left === -1) {
            await linkTransaction(world.service, till, paid);
            await confirmIt(world.service, asked);
            await placeOrder(world.service);
          }
          return result;
        },
      };
      const found = await checkAudit({ store: goesOn, clock, keys: testKeys }, {});
      expect(found).toMatchObject({ history: "whole" });
      isOver = left >= 0;
    }
  });
});
