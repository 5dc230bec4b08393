/** What somebody who can write the database does to one withdrawal, and how `audit verify` names it, on both stores. */
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import { auditedStore } from "../../backend/operate/audited-store.ts";
import { noteForgotten } from "../../backend/operate/proof.ts";
import { purge } from "../../backend/operate/purge.ts";
import { type Retained, retained } from "../../backend/retention.ts";
import { columnsOf, type RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { applyRestore, correctRestore } from "../../backend/withdrawals/restored.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { copyOf, historyStage } from "./history-stage.ts";
import { silent } from "./outbox-stage.ts";
import { putBack } from "./rows.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { accepted, approve, confirmIt, otherBank, placeOrder, testKeys, till, type World } from "./world.ts";

describe.each(stores)("on %s", (dialect) => {
  let store: Store;
  let clock: VirtualClock;
  let world: World;
  /** Linked. */
  let id = "";
  const { settle, verify, finding, change } = historyStage(dialect, (stage) => {
    ({ store, clock, world, id } = stage);
  });
  const set = (of: string, to: Partial<RowOf<"archived_withdrawals">>) =>
    change((db) => db.updateTable("withdrawals").set(to).where("id", "=", of));
  const raw = (...texts: readonly string[]) =>
    store.write(async (tx) => {
      for (const text of texts) await tx.run(adhoc((db) => ({ compile: () => sql.raw(text).compile(db) })));
    });
  const rows = (text: string) =>
    store.read((tx) =>
      tx.all(adhoc((db) => ({ compile: () => sql.raw<Readonly<Record<string, string>>>(text).compile(db) }))),
    );
  const reported = async (of: string) => {
    const found: string[] = [];
    for await (const page of reconcile(world.service, till, { fromMs: 0, toMs: 1e14 }))
      for (const line of page) if (line.transaction_id === of) found.push(`${line.finding} ${line.amount}`);
    return found;
  };

  describe("and lets the service go on from there:", () => {
    test("a payment that no bank has made", async () => {
      const { transaction_id: forged } = await confirmIt(world.service, await placeOrder(world.service));
      await set(forged, { status: "settled", settled_at: clock.now(), deadline_at: null });
      await linkTransaction(world.service, till, forged);
      expect(await reported(forged)).toEqual(["matched 50.00"]);
      expect(await finding()).toMatch(`row 4 of ${forged} goes on from settled, the row before ends with awaiting_sca`);
    });

    test.each([0, 1])("a customer's approval that was not asked for, put back to %i", async (back) => {
      const placed = await placeOrder(world.service, { sca_required: true });
      await set(placed.transaction_id, { sca_required: 0 });
      expect((await confirmIt(world.service, placed)).status).toBe("settling");
      await expect.poll(() => reported(placed.transaction_id)).toEqual(["not_linked 50.00"]);
      await set(placed.transaction_id, { sca_required: back });
      expect(await finding()).toMatch(
        /the withdrawal \w+ says otherwise than row [13] of \w+: whether the customer has to approve/,
      );
    });

    const ordered: readonly [string, Partial<RowOf<"withdrawals">>][] = [
      ["for another customer", { user_id: "bob" }],
      ["under another reference of the bank", { partner_reference: "of-bob" }],
      ["under another id of the terminal", { transaction_id_partner: "pos-of-bob" }],
    ];
    test.each(ordered)("an order %s, left so or put back", async (_, lie) => {
      const placed = await placeOrder(world.service);
      const { transaction_id: of } = await confirmIt(world.service, placed, till, "pos-1");
      expect(await finding()).toMatch(/"history":"whole"/);
      await set(of, lie);
      await approve(world.service, placed);
      await expect.poll(() => reported(of)).toEqual(["not_linked 50.00"]);
      const otherwise = (row: string) => new RegExp(`says otherwise than row ${row} of ${of}: what its order says`);
      expect(await finding()).toMatch(otherwise("[13]"));
      await set(of, { user_id: "ann", partner_reference: null, transaction_id_partner: "pos-1" });
      expect(await finding()).toMatch(otherwise("4"));
    });

    test("a customer whose order needed no approval", async () => {
      const placed = await placeOrder(world.service, { sca_required: false });
      await set(placed.transaction_id, { user_id: "bob" });
      await confirmIt(world.service, placed);
      await set(placed.transaction_id, { user_id: "ann" });
      expect(await finding()).toMatch(/says otherwise than row 3 of \w+: what its order says/);
    });

    test("a hand-out whose id was taken away, so that a second one is no other", async () => {
      const paid = await settle();
      await linkTransaction(world.service, till, paid, "7", undefined, "hand-out-1");
      expect(await finding()).toMatch(/"history":"whole"/);
      await change((db) => db.updateTable("withdrawals").set({ hand_out_id: null }).where("id", "=", paid));
      await linkTransaction(world.service, till, paid, "7", undefined, "hand-out-2");
      expect(await reported(paid)).toEqual(["matched 50.00"]);
      expect(await finding()).toMatch(`says otherwise than row 6 of ${paid}: which hand-out it was`);
    });

    test.each(["linked", "undelivered"] as const)("a decision that nobody has made, before it is %s", async (end) => {
      const paid = await settle();
      await set(paid, { reason: "decided_by_operator" });
      expect(await finding()).toMatch(`the withdrawal ${paid} is settled, and has reason already`);
      if (end === "linked") await linkTransaction(world.service, till, paid, "7", undefined, "hand-out-1");
      else await declareUndelivered(world.service, till, paid, "till short");
      if (end === "linked") await linkTransaction(world.service, till, paid, "7", undefined, "hand-out-2");
      expect(await reported(paid)).toEqual([end === "linked" ? "matched 50.00" : "undelivered 50.00"]);
      expect(await finding()).toMatch(`says otherwise than row 6 of ${paid}: ended why`);
    });

    test("another bank's answer to its order", async () => {
      world.bank.onSettle = silent("timeout");
      const placed = await placeOrder(world.service, { sca_required: false });
      await confirmIt(world.service, placed);
      const [order] = (await store.read((tx) =>
        tx.all(adhoc((db) => db.selectFrom("outbox").selectAll().where("transaction_id", "=", placed.transaction_id))),
      )) as RowOf<"outbox">[];
      world.bank.onSettle = () => accepted;
      await settleAnswered(
        world.service,
        { ...(order as RowOf<"outbox">), partner_id: otherBank.partnerId },
        "accepted",
      );
      expect(await reported(placed.transaction_id)).toEqual(["not_linked 50.00"]);
      expect(await finding()).toMatch(
        `the withdrawal ${placed.transaction_id} says otherwise than row 4 of ${placed.transaction_id}: which bank it was`,
      );
    });
  });

  describe("what is under way:", () => {
    const asked = async () => (await placeOrder(world.service)).transaction_id;
    const inPayment = async () => {
      world.bank.onSettle = silent("timeout");
      const placed = await placeOrder(world.service, { sca_required: false });
      await confirmIt(world.service, placed);
      return placed.transaction_id;
    };
    afterEach(() => {
      world.bank.onSettle = () => accepted;
    });

    test.each([
      ["an order to the bank that is gone", "delete from outbox"],
      ["one that goes to another bank", "update outbox set partner_id = 'other-bank'"],
    ])("%s shows", async (_, text) => {
      const of = await inPayment();
      expect(await finding()).toMatch(/"history":"whole"/);
      await raw(text);
      expect(await finding()).toMatch(`the withdrawal ${of} is being paid, and its Settle order is gone`);
    });

    test.each<[string, () => Promise<string>, Partial<RowOf<"withdrawals">>]>([
      ["asked for", asked, { confirmed_at: 1 }],
      ["asked for", asked, { settled_at: 1 }],
      ["in payment", inPayment, { settled_at: 1 }],
      ["in payment", inPayment, { reason: "user_canceled" }],
      ["paid", settle, { linked_at: 1 }],
      ["paid", settle, { undelivered_reason: "till short" }],
      ["handed out", async () => id, { closed_at: 1 }],
    ])("one that is %s and says more than that shows", async (_, be, more) => {
      const of = await be();
      await set(of, more);
      expect(await finding()).toMatch(
        new RegExp(`the withdrawal ${of} is \\w+, and has ${Object.keys(more)[0]} already`),
      );
    });
  });

  describe("what has ended:", () => {
    const ends: readonly [string, () => Promise<string>, Partial<RowOf<"archived_withdrawals">>, RegExp][] = [
      [
        "who said that nothing was handed out",
        async () => {
          const paid = await settle();
          await declareUndelivered(world.service, till, paid, "till short", "7");
          return paid;
        },
        { cashier: "8" },
        /says otherwise than row 6 of \w+: closed by whom/,
      ],
      [
        "why nothing was handed out",
        async () => {
          const paid = await settle();
          await declareUndelivered(world.service, till, paid, "till short");
          return paid;
        },
        { undelivered_reason: "customer left" },
        /says otherwise than row 6 of \w+: ended why/,
      ],
      [
        "why it was closed",
        async () => {
          const { transaction_id } = await placeOrder(world.service);
          await rejectTransaction(world.service, till, transaction_id);
          return transaction_id;
        },
        { reason: "sca_denied" },
        /says otherwise than row 3 of \w+: ended why/,
      ],
      [
        "that nobody knows of its payment",
        async () => id,
        { reason: "restored" },
        /says otherwise than row 6 of \w+: ended why/,
      ],
      [
        "since when it is to be kept",
        async () => id,
        { archived_at: 1 },
        /says otherwise than row \d of \w+: since when it is among the ended ones/,
      ],
      [
        "since when one that ran out is to be kept",
        async () => {
          const { transaction_id } = await placeOrder(world.service);
          clock.jump(3_600_000);
          await getTransaction(world.service, till, transaction_id);
          return transaction_id;
        },
        { archived_at: 1 },
        /says otherwise than row 3 of \w+: since when it is among the ended ones/,
      ],
    ];
    test("a clock that was set back before its end is no finding", async () => {
      const [paid, placed] = [await settle(), await placeOrder(world.service)];
      clock.jump(-3_600_000);
      await linkTransaction(world.service, till, paid);
      await rejectTransaction(world.service, till, placed.transaction_id);
      expect(await finding()).toMatch(/"history":"whole"/);
      clock.jump(3_600_000);
    });

    test.each(ends)("another word on %s shows", async (_, leadTo, lie, shown) => {
      const of = await leadTo();
      expect(await finding()).toMatch(/"settings":"whole"/);
      await store.write((tx) =>
        tx.run(adhoc((db) => db.updateTable("archived_withdrawals").set(lie).where("id", "=", of))),
      );
      expect(await finding()).toMatch(shown);
    });

    test("a second row of it, with another amount", async () => {
      const archive = "archived_withdrawals";
      // Nothing refuses it any more.
      if (dialect === "sqlite")
        await raw(`alter table ${archive} rename to kept`, `create table ${archive} as select * from kept`);
      else
        for (const { name } of await rows(
          `select indexrelid::regclass::text as name from pg_index where indisunique and indrelid = '${archive}'::regclass`,
        ))
          await raw(`drop index ${name}`);
      await raw(
        `create table forged as select * from ${archive} where id = '${id}'`,
        "update forged set amount = 90000",
        `insert into ${archive} select * from forged`,
      );
      expect(await finding()).toMatch(`the withdrawal ${id} is there twice`);
    });
  });

  describe("what repeats are known by:", () => {
    const names = ["idempotency_keys", "terminal_references"] as const;
    /** Ended since the audit says that none of these is forgotten. */
    const ended = async () => {
      await store.write((tx) => noteForgotten(tx, testKeys, 0, clock.now()));
      const paid = await settle();
      await linkTransaction(world.service, till, paid);
      expect(await finding()).toMatch(/"history":"whole"/);
      return paid;
    };
    const words = { idempotency_keys: "idempotency key", terminal_references: "terminal's id" } as const;
    const columns = { idempotency_keys: "idempotency_key", terminal_references: "transaction_id_partner" } as const;
    const shows = async (table: (typeof names)[number], of: string) =>
      expect(await finding()).toMatch(`the withdrawal ${of} has ended, and its ${words[table]} is gone`);
    test.each(names)("one of %s that is deleted, or put under another name, shows", async (table) => {
      const of = await ended();
      await raw(`update ${table} set ${columns[table]} = 'x' where transaction_id = '${of}'`);
      await shows(table, of);
      await raw(`delete from ${table} where transaction_id = '${of}'`);
      await shows(table, of);
    });

    test.runIf(dialect === "postgres").each(names)("a partition of %s that is taken off shows", async (table) => {
      const of = await ended();
      const [part] = await rows(
        `select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound from ${table} as t join pg_class as c on c.oid = t.tableoid where transaction_id = '${of}'`,
      );
      await raw(`alter table ${table} detach partition ${part?.name}`);
      await shows(table, of);
      await raw(`alter table ${table} attach partition ${part?.name} ${part?.bound}`);
      expect(await finding()).toMatch(/"history":"whole"/);
    });

    test("what was forgotten when its time had come is no finding, nor what was forgotten before", async () => {
      await ended();
      for (const table of names) await raw(`delete from ${table} where transaction_id = '${id}'`);
      expect(await finding()).toMatch(/"history":"whole"/);
      clock.jump(100 * 86_400_000);
      const periods = Object.fromEntries(retained.map((what) => [what, null])) as Record<Retained, null>;
      await clock.drive(purge(world.service, { ...periods, idempotency_keys: 90 * 86_400_000 }));
      for (const table of names)
        expect(await store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).selectAll())))).toEqual([]);
      expect(await finding()).toMatch(/"history":"whole"/);
    });
  });

  describe("a row of the history that nobody has written:", () => {
    const copy = (to: Readonly<Record<string, number | string>>) => {
      const columns = "transaction_id, sequence, kind, at, from_status, to_status, actor, hash, asked_at, day".split(
        ", ",
      );
      return raw(
        `insert into withdrawal_events (${columns.join(", ")}) select ${columns.map((name) => to[name] ?? name).join(", ")}
          from withdrawal_events where transaction_id = '${id}' and sequence = 5`,
      );
    };
    const nowhere = { transaction_id: "'7F3K9Q2MX4T8WZ0G'" };
    test.each([
      ["of no withdrawal, on the day of its request", { ...nowhere, sequence: 5 }],
      ["of no withdrawal, on another day", { ...nowhere, day: "day + 1" }],
      ["of no withdrawal, written before its request", { ...nowhere, at: "asked_at - 1" }],
      ["of no withdrawal, written long after its request", { ...nowhere, at: "asked_at + 9000000" }],
      ["of no withdrawal, at the end of all days", { ...nowhere, day: "asked_at" }],
      ["of one that has ended, filed under another time", { sequence: 9, asked_at: "asked_at + 1" }],
    ] as const)("%s", async (_, forged) => {
      await copy(forged);
      expect(await finding()).toMatch(
        /is gone, its history is not; or row \d of \w+ is filed under another time of asking/,
      );
    });

    test.each([0, 2])("a look at what is new names it, too: of no withdrawal, asked for %i days ago", async (days) => {
      const [now, dayMs] = [clock.now(), 86_400_000];
      await verify({ new: "1" });
      await copy({ ...nowhere, at: now, asked_at: now - days * dayMs, day: Math.floor(now / dayMs) });
      await expect(verify({ new: "1" })).rejects.toThrow(/is gone, its history is not/);
    });
  });

  test("a confirmed one that a restore has ended, taken off the disputes", async () => {
    const { transaction_id: ended } = await confirmIt(world.service, await placeOrder(world.service));
    await applyRestore({ store, clock, keys: testKeys }, { forgotSince: clock.now() });
    expect(await reported(ended)).toEqual(["restored 50.00"]);
    expect(await finding()).toMatch(/"history":"whole"/);
    await set(ended, { disputed_at: null });
    expect(await reported(ended)).toEqual(["closed 50.00"]);
    expect(await finding()).toMatch(`the withdrawal ${ended} is disputed by its history, and not marked as it`);
  });

  test.each([
    ["restored", /the withdrawal \w+ is disputed by its history, and not marked as it/],
    ["matched", /the withdrawal \w+ is linked, and has no confirmed_at/],
    ["undelivered", /the withdrawal \w+ is undelivered, and has no confirmed_at/],
  ])("one that a restore has ended and that is %s, taken out of the report by its time", async (as, shows) => {
    const { transaction_id: ended, ...placed } = await placeOrder(world.service);
    await applyRestore({ store, clock, keys: testKeys }, { forgotSince: clock.now() });
    await approve(world.service, { transaction_id: ended, ...placed });
    const known = { transaction_id_partner: "pos-1", amount: placed.amount, currency: placed.currency };
    if (as === "matched") await linkTransaction(world.service, till, ended, "7", known);
    if (as === "undelivered") await declareUndelivered(world.service, till, ended, "till short", "7", known);
    await expect.poll(() => reported(ended)).toEqual([`${as} 50.00`]);
    expect(await finding()).toMatch(/"history":"whole"/);
    for (const confirmed_at of [null, -1]) {
      await set(ended, { confirmed_at });
      expect(await reported(ended)).toEqual([]);
      expect(await finding()).toMatch(shows);
    }
  });

  test("a second hand-out that was taken away before its bank pays what a restore has ended", async () => {
    const { transaction_id: ended, ...placed } = await placeOrder(world.service);
    await applyRestore({ store, clock, keys: testKeys }, { forgotSince: clock.now() });
    const known = { transaction_id_partner: "pos-1", amount: placed.amount, currency: placed.currency };
    for (const handOut of ["h1", "h2"]) await linkTransaction(world.service, till, ended, "7", known, handOut);
    expect(await finding()).toMatch(/"history":"whole"/);
    await set(ended, { other_hand_out_id: null });
    await approve(world.service, { transaction_id: ended, ...placed });
    await expect.poll(() => reported(ended)).toEqual(["matched 50.00"]);
    expect(await finding()).toMatch(/the withdrawal \w+ says otherwise than row \d of \w+: which hand-out came second/);
  });

  test.each([
    ["marked no more after its bank has paid", "none"],
    ["taken away before its bank paid, and put back", "emptied"],
  ])("a second hand-out, %s", async (_, before) => {
    const { transaction_id: ended, ...placed } = await placeOrder(world.service);
    await applyRestore({ store, clock, keys: testKeys }, { forgotSince: clock.now() });
    const known = { transaction_id_partner: "pos-1", amount: placed.amount, currency: placed.currency };
    for (const handOut of ["h1", "h2"]) await linkTransaction(world.service, till, ended, "7", known, handOut);
    if (before === "emptied") await set(ended, { other_hand_out_id: null });
    await approve(world.service, { transaction_id: ended, ...placed });
    const isPaid = async () =>
      (await rows(`select settled_at from withdrawals where id = '${ended}'`))[0]?.settled_at !== null;
    await expect.poll(isPaid).toBe(true);
    if (before === "none") {
      expect(await reported(ended)).toEqual(["disputed 50.00"]);
      expect(await finding()).toMatch(/"history":"whole"/);
    }
    await set(ended, { other_hand_out_id: "h2", disputed_at: null });
    expect(await reported(ended)).toEqual(["matched 50.00"]);
    expect(await finding()).toMatch(/not marked as it|closed by|second/);
  });

  describe("what a restore leaves:", () => {
    const gone = makeTransactionId(new Uint8Array(15).fill(7));
    const columns = columnsOf("restored_reports", "id", "transaction_id").join();
    const close = (of: string) =>
      closeDispute(
        {
          ...world.service,
          store: auditedStore(store, testKeys, clock, {
            name: "reports close",
            words: [of],
            flags: {},
            actor: "operator op",
          }),
        },
        of,
        "op",
        "paid",
      );
    /** A terminal reports one that the copy does not have. */
    const restored = async () => {
      await applyRestore({ store, clock, keys: testKeys }, { forgotSince: clock.now() });
      clock.jump(1_000);
      const known = { transaction_id_partner: "pos-1", amount: "50.00", currency: "EUR" };
      await linkTransaction(world.service, till, gone, "7", known);
      expect(await reported(gone)).toEqual(["restored 50.00"]);
      expect(await finding()).toMatch(/"history":"whole"/);
    };

    test.each([
      [
        "a report that no terminal has made",
        `insert into restored_reports (id, transaction_id, ${columns}) select 'forged', 'forged', ${columns} from restored_reports`,
        /"reports_not_recorded":1,/,
      ],
      ["another amount", "update restored_reports set amount = 9000", /report of \w+ after a restore is in no entry/],
      ["another time", "update restored_reports set confirmed_at = confirmed_at - 86400000", /is in no entry/],
      [
        "a report that is gone",
        "delete from restored_reports",
        /report of \w+ after a restore, which entry \d+ .* is gone/,
      ],
      [
        "a report that nobody has closed",
        "update restored_reports set closed_at = 1",
        /nobody has closed the report of/,
      ],
      ["a restore that is gone", "delete from restores", /the restore that entry \d+ of the audit names is gone/],
      [
        "another time of a copy",
        "update restores set forgot_since = 1",
        /the restore of \S+ is in no entry of the audit/,
      ],
      [
        "a restore that never was",
        "insert into restores values (1, 1)",
        /the restore of 1970\S+ is in no entry of the audit/,
      ],
    ])("%s shows", async (_, text, shows) => {
      await restored();
      await raw(text);
      expect(await finding()).toMatch(shows);
    });

    test("a closed report that is gone shows once it is said when such may be, and none before that time", async () => {
      const periods = Object.fromEntries(retained.map((what) => [what, null])) as Record<Retained, null>;
      const end = () => clock.drive(purge(world.service, { ...periods, archive: 90 * 86_400_000 }));
      await end();
      await restored();
      await close(gone);
      const kept = await copyOf(store);
      await raw("delete from restored_reports");
      expect(await reported(gone)).toEqual([]);
      expect(await finding()).toMatch(/report of \w+ after a restore, which entry \d+ .* is gone/);
      await putBack(store, kept);
      clock.jump(89 * 86_400_000);
      await end();
      expect(await reported(gone)).toEqual(["matched 50.00"]);
      clock.jump(2 * 86_400_000);
      await end();
      expect(await reported(gone)).toEqual([]);
      expect(await finding()).toMatch(/"history":"whole"/);
    });

    test("a report that an operator has closed and a purge has removed is no finding, nor a restore's corrected time", async () => {
      await restored();
      await close(gone);
      expect(await reported(gone)).toEqual(["matched 50.00"]);
      expect(await finding()).toMatch(/"history":"whole"/);
      await raw("delete from restored_reports");
      await correctRestore({ store, clock, keys: testKeys }, { forgotSince: clock.now() - 5_000, by: "op" });
      expect(await finding()).toMatch(/"history":"whole"/);
    });
  });
});
