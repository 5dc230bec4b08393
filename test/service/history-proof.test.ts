/** What somebody with the database alone can do to the history of withdrawals, and that each of it shows, on both stores. */
import { describe, expect, test } from "vitest";
import { eraseUser } from "../../backend/operate/erase-user.ts";
import { endMonth } from "../../backend/operate/proof.ts";
import { purge } from "../../backend/operate/purge.ts";
import { type Retained, retained } from "../../backend/retention.ts";
import type { RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { closeDispute, recordDispute } from "../../backend/withdrawals/dispute.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { sweep } from "../../backend/withdrawals/sweep.ts";
import { type Copy, copyOf, historyStage } from "./history-stage.ts";
import { putBack, rowsIn } from "./rows.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { bank, everyWithdrawal, placeOrder, testKeys, till, type World } from "./world.ts";

const dayMs = 86_400_000;
const nothing = Object.fromEntries(retained.map((what) => [what, null])) as Record<Retained, null>;

describe.each(stores)("on %s", (dialect) => {
  let store: Store;
  let clock: VirtualClock;
  let world: World;
  /** Two withdrawals: linked, and settled. */
  let [id, other] = ["", ""];
  let before: Copy;
  let sound: Copy;
  const { settle, close, endDay, verify, finding, add, change } = historyStage(dialect, (stage) => {
    ({ store, clock, world, id, other, before, sound } = stage);
  });
  const row = (transaction: string, sequence: number) => {
    const found = sound.withdrawal_events.find(
      (one) => one.transaction_id === transaction && one.sequence === sequence,
    );
    if (found === undefined) throw new Error("no such row");
    return found;
  };

  const expire = async () => {
    clock.jump(3_600_000);
    await sweep(world.service);
  };
  const reject = (of: string) => rejectTransaction(world.service, till, of);
  const changeRow = (to: Partial<RowOf<"withdrawal_events">>) =>
    change((db) => db.updateTable("withdrawal_events").set(to).where("sequence", "=", 6));
  const deleteRow = (sequence: number) =>
    change((db) => db.deleteFrom("withdrawal_events").where("sequence", "=", sequence));

  test("the history as it was written is whole", async () => {
    expect(await verify()).toMatchObject({ audit: "whole", history: "whole", rows: 11 });
    expect(await verify()).not.toHaveProperty("before_the_chain");
    expect(sound.audit.map(({ event }) => event)).toEqual(["history_begun", "history_day", "history_day"]);
  });

  const tampering: readonly [string, () => Promise<unknown>, RegExp][] = [
    ["a row rewritten", () => changeRow({ cashier: "7" }), /row 6 of \w+ was changed/],
    [
      "a row rewritten and its hash taken away",
      () => changeRow({ cashier: "7", hash: null }),
      /row 6 of \w+ is not chained as it should be/,
    ],
    [
      "a row dated before the first mark and its hash taken away",
      () => changeRow({ cashier: "7", hash: null, at: 1 }),
      /row 6 of \w+ is not chained as it should be/,
    ],
    [
      "terms that are none",
      () => change((db) => db.updateTable("withdrawal_events").set({ terms: "x" }).where("sequence", "=", 1)),
      /^The history does not hold: row 1 of \w+ was changed/,
    ],
    ["a row deleted", () => deleteRow(3), /a row before row 4 of \w+ is missing/],
    [
      "a withdrawal deleted with all of its rows",
      async () => {
        await change((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", id));
        await change((db) => db.deleteFrom("withdrawals").where("id", "=", id));
      },
      /entry 3 of the audit counts 6 rows of \S+ \S+, 5 are left/,
    ],
    [
      "a withdrawal deleted, its rows not",
      () => change((db) => db.deleteFrom("withdrawals").where("id", "=", id)),
      /the withdrawal \w+ is gone, its history is not/,
    ],
    [
      "a withdrawal without a history",
      async () => {
        await change((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", id));
        await change((db) => db.updateTable("withdrawals").set({ history_length: 0 }).where("id", "=", id));
      },
      /entry 3 of the audit counts 6 rows of \S+ \S+, 5 are left/,
    ],
    ["the tail cut off", () => deleteRow(6), /entry 3 of the audit counts 6 rows of \S+ \S+, 5 are left/],
    [
      "the tail cut off, the withdrawal put back with it",
      async () => {
        await deleteRow(6);
        await change((db) =>
          db
            .updateTable("withdrawals")
            .set({ status: "settled", history_length: 5, linked_at: null })
            .where("id", "=", id),
        );
      },
      /entry 3 of the audit counts 6 rows of \S+ \S+, 5 are left/,
    ],
    [
      "two rows swapped",
      async () => {
        const swapped = sound.withdrawal_events.map((each) =>
          each.transaction_id === id && each.sequence === 2
            ? { ...row(id, 3), sequence: 2 }
            : each.transaction_id === id && each.sequence === 3
              ? { ...row(id, 2), sequence: 3 }
              : each,
        );
        await putBack(store, { withdrawal_events: swapped });
      },
      /row 2 of \w+ was changed/,
    ],
    [
      "a row of one withdrawal in the place of another's",
      async () => {
        const moved = sound.withdrawal_events.map((each) =>
          each.transaction_id === id && each.sequence === 5 ? { ...row(other, 5), transaction_id: id } : each,
        );
        await putBack(store, { withdrawal_events: moved });
      },
      /entry 2 of the audit counts 5 rows of \S+ \S+, 4 are left/,
    ],
    [
      "an old copy of the withdrawals and their history put back",
      async () => {
        const { withdrawals, archived_withdrawals, withdrawal_events } = before;
        await putBack(store, { withdrawals, archived_withdrawals, withdrawal_events });
      },
      /entry 3 of the audit counts 6 rows of \S+ \S+, none is left/,
    ],
    [
      "a row put under a day that there will be",
      () => changeRow({ day: 99_999 }),
      /counts 6 rows of \S+ \S+, 5 are left/,
    ],
    [
      "a row put under a day that is over",
      () => changeRow({ day: 9 }),
      /1 rows of 1970-01-10 \S+ are in no line of the audit/,
    ],
    [
      "a row put under another month",
      () => changeRow({ asked_at: 1 }),
      /row 6 of \w+ is filed under another time of asking/,
    ],
    [
      "a forged copy of a withdrawal in the archive",
      async () => {
        const real = sound.withdrawals.find((one) => one.id === other);
        await add("archived_withdrawals", { ...real, archived_at: 1 });
      },
      /the withdrawal \w+ is there twice/,
    ],
    ...([1, 2e12] as const).map((created_at): [string, () => Promise<unknown>, RegExp] => [
      `an invented withdrawal without a history, of ${created_at}`,
      async () => {
        const real = sound.withdrawals.find((one) => one.id === other);
        const invented = {
          ...real,
          id: "X",
          idempotency_key: "x",
          transaction_id_partner: "x",
          history_length: 0,
          created_at,
        };
        await add("withdrawals", invented);
      },
      /the withdrawal X has no history/,
    ]),
    [
      "a line deleted from the audit",
      () => change((db) => db.deleteFrom("audit").where("seq", "=", 2)),
      /The audit does not hold: entry 2 is missing/,
    ],
  ];
  test.each(tampering)("%s shows", async (_, tamper, shown) => {
    expect(await finding()).toMatch(/"history":"whole"/);
    await tamper();
    expect(await finding()).toMatch(shown);
  });

  const lies: readonly [string, Partial<RowOf<"withdrawals">>, RegExp][] = [
    ["another amount", { amount: 9_000 }, /row 1 of \w+ was changed, or its withdrawal was/],
    ["another shop", { merchant_id: "x" }, /row 1 of \w+ was changed, or its withdrawal was/],
    ["another status", { status: "failed" }, /the withdrawal \w+ is failed, its history ends with linked/],
    [
      "another terminal",
      { device_id: "till-9" },
      /the withdrawal \w+ says otherwise than row 3 of \w+: confirmed by whom and when/,
    ],
    [
      "another day for the report",
      { confirmed_at: 1 },
      /the withdrawal \w+ says otherwise than row 3 of \w+: confirmed by whom and when/,
    ],
    ["another time of the bank's yes", { settled_at: 1 }, /says otherwise than row 5 of \w+: settled when/],
    ["another cashier", { cashier: "C9" }, /says otherwise than row 6 of \w+: linked by whom and when/],
    [
      "fewer rows, and an earlier status",
      { history_length: 5, status: "settled", linked_at: null },
      /row 6 of \w+ is not counted/,
    ],
    ["no rows, and another status", { history_length: 0, status: "failed" }, /row 1 of \w+ is not counted/],
  ];
  test.each(lies)("a withdrawal with %s shows", async (_, lie, shown) => {
    await change((db) => db.updateTable("withdrawals").set(lie).where("id", "=", id));
    expect(await finding()).toMatch(shown);
  });

  test("a database that was put back whole lacks the entry that the log has", async () => {
    const newest = sound.audit.at(-1);
    const expected = `${newest?.seq}:${newest?.hash}`;
    expect(await verify({ expect: expected })).toMatchObject({ history: "whole" });
    await putBack(store, before);
    expect(await verify()).toMatchObject({ history: "whole", rows: 5 });
    await expect(verify({ expect: expected })).rejects.toThrow(/entry 3 is not the expected one/);
  });

  test("the end of an open day, cut off, shows; cut off with what counts it, it shows in how many rows there are alone", async () => {
    const open = await settle();
    expect(await verify()).toMatchObject({ history: "whole", in_open_days: 5 });
    await change((db) =>
      db.deleteFrom("withdrawal_events").where("transaction_id", "=", open).where("sequence", "=", 5),
    );
    expect(await finding()).toMatch(`the withdrawal ${open} counts 5 rows of its history, there are 4`);
    const earlier = { history_length: 4, status: "settling", settled_at: null } as const;
    await change((db) => db.updateTable("withdrawals").set(earlier).where("id", "=", open));
    expect(await finding()).toMatch(`the withdrawal ${open} is being paid, and its Settle order is gone`);
    const queued = { attempts: 1, due_at: 1e15, claimed_by: "", created_at: 0, unsent_attempts: 0 };
    const order = { id: `settle_${open}`, transaction_id: open, partner_id: "bank", body: "{}", ...queued };
    await store.write((tx) => tx.run(adhoc((db) => db.insertInto("outbox").values(order as never))));
    expect(await verify()).toMatchObject({ history: "whole", in_open_days: 4 });
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("outbox"))));
  });

  test("a forged copy does not take the real one's place in the report", async () => {
    const lines = async (of: string) => {
      const found = [];
      for await (const page of reconcile(world.service, till, { fromMs: 0, toMs: 1e14 })) found.push(...page);
      return found
        .filter(({ transaction_id }) => transaction_id === of)
        .map(({ status, amount }) => `${status} ${amount}`);
    };
    const [running] = sound.withdrawals;
    const [archived] = sound.archived_withdrawals;
    for (const confirmed_at of [running?.confirmed_at, 1]) {
      await putBack(store, sound);
      await add("archived_withdrawals", {
        ...running,
        status: "linked",
        linked_at: 1,
        archived_at: 1,
        amount: 9_900,
        confirmed_at,
      });
      expect((await lines(other)).toSorted()).toEqual(["linked 99.00", "settled 50.00"]);
    }
    await putBack(store, sound);
    const forged = { ...archived, amount: 9_900, idempotency_key: "x", transaction_id_partner: "x", archived_at: 1 };
    await add("withdrawals", Object.fromEntries(Object.entries(forged).filter(([column]) => column !== "archived_at")));
    expect((await lines(id)).toSorted()).toEqual(["linked 50.00", "linked 99.00"]);
  });

  test("a month ends with what was asked for in it, when nothing of it is open, and leaves the rest whole", async () => {
    await linkTransaction(world.service, till, other);
    const open = await settle();
    await purge(world.service, { ...nothing, withdrawals: -dayMs });
    expect((await rowsIn(store, "archived_withdrawals")).length).toBe(2);
    expect(await eraseUser(world.service, bank.partnerId, "ann")).toMatchObject({ withdrawals: 3 });
    expect(await verify()).toMatchObject({ history: "whole", rows: 17 });
    const end = (limit = 100) => store.write((tx) => endMonth(tx, testKeys, clock.now() + 1, clock.now() + 1, limit));
    // The month is not over. When it is, and each of its days has its line, one is open: nothing of it goes.
    expect(await end()).toEqual({ deleted: 0 });
    clock.jump(15 * dayMs);
    await close();
    expect(await verify()).not.toHaveProperty("in_open_days");
    expect(await end()).toEqual({ deleted: 0 });
    await linkTransaction(world.service, till, open);
    await purge(world.service, { ...nothing, withdrawals: -dayMs });
    clock.jump(40 * dayMs);
    await close();
    const young = await settle();
    await endDay();
    const full = await copyOf(store);
    // With its partitions; where it has none it is whole after any batch, cut off, and goes on.
    for (let left = 3; left > 0; left -= dialect === "postgres" ? 3 : 1) {
      expect(await verify()).toMatchObject({ history: "whole", rows: left * 6 + 5 });
      expect(await end(1)).toEqual(dialect === "postgres" ? { dropped: 3 } : { deleted: 1 });
    }
    // December is empty.
    if (dialect === "postgres") expect(await end()).toEqual({ dropped: 0 });
    expect(await end()).toEqual({ deleted: 0 });
    expect(await verify()).toMatchObject({ history: "whole", rows: 5 });
    const ended = (await rowsIn(store, "audit")).flatMap((one) =>
      one.event === "history_month_ended" ? [one.object] : [],
    );
    expect(ended).toEqual(dialect === "postgres" ? ["2026-11", "2026-12"] : ["2026-11"]);
    // What somebody deletes of a month that has not ended still shows.
    await change((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", young));
    await change((db) => db.deleteFrom("withdrawals").where("id", "=", young));
    expect(await finding()).toMatch(/counts 5 rows of \S+ \S+, none is left/);
    await putBack(store, full);
    await change((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "=", id));
    await change((db) => db.deleteFrom("archived_withdrawals").where("id", "=", id));
    expect(await finding()).toMatch(/entry 3 of the audit counts 6 rows of \S+ \S+, 5 are left/);
  });

  test.skipIf(dialect === "postgres")(
    "what is said of a withdrawal after its month has begun goes with it",
    async () => {
      await linkTransaction(world.service, till, other);
      clock.jump(40 * dayMs);
      await close();
      const end = () => store.write((tx) => endMonth(tx, testKeys, clock.now(), clock.now(), 1));
      expect(await end()).toEqual({ deleted: 1 });
      const [left = ""] = (await rowsIn(store, "archived_withdrawals")).map((row) => String(row.id));
      const cause = { actor: "partner", actorId: bank.partnerId, requestId: null, attempt: 1 } as const;
      await store.write((tx) => recordDispute({ tx, keys: testKeys, now: clock.now(), cause }, left, "declined"));
      await endDay();
      expect(await verify()).toMatchObject({ history: "whole", rows: 7 });
      expect(await closeDispute(world.service, left, "olga", "not paid")).toBe(true);
      // Its last day has no line yet: one that is written meanwhile counts it.
      expect(await end()).toEqual({ deleted: 0 });
      await endDay();
      expect(await end()).toEqual({ deleted: 1 });
      expect(await verify()).toMatchObject({ history: "whole", rows: 0 });
    },
  );

  const endings: readonly [string, (of: string) => Promise<unknown>, number | null, boolean][] = [
    ["a deadline that nobody saw pass", expire, 0, true],
    ["a deadline that nobody saw pass, and earlier", expire, -1, true],
    ["a deadline, and later than it was seen", expire, 3_600_000, false],
    ["a deadline, and never", expire, null, false],
    ["the cashier", reject, 0, true],
    ["the cashier, and earlier", reject, -1, false],
    ["the cashier, and later", reject, 1, false],
    ["the cashier, and never", reject, null, false],
  ];
  test.each(endings)("a withdrawal that says that it was closed by %s, holds: %#", async (_, end, offMs, isWhole) => {
    const { transaction_id: of } = await placeOrder(world.service);
    await end(of);
    const ended = (await everyWithdrawal(store)).find((one) => one.id === of);
    const closed_at = offMs === null ? null : Number(ended?.closed_at) + offMs;
    await change((db) => db.updateTable("withdrawals").set({ closed_at }).where("id", "=", of));
    expect(await finding()).toMatch(isWhole ? /"history":"whole"/ : /says otherwise than row 3 of \w+: closed when/);
  });
});
