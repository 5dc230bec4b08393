/** Which withdrawals a statement takes: each of its conditions by itself, each bound on both of its sides. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startOrderWindowMs } from "../../backend/contract/partner.ts";
import type { Database, RowOf } from "../../backend/store/schema.ts";
import { adhoc, insertRow, type Query, type Store, type Tx, type UnitOfWork } from "../../backend/store/store.ts";
import {
  archivedOfTime,
  archiveEnded,
  deleteArchived,
  endAgreed,
  endDispute,
  firstArchived,
  keptOfTime,
  lockEnded,
  moveLeft,
  openDispute,
  otherHandOut,
  unmarked,
} from "../../backend/withdrawals/closed.ts";
import { insertConfirmedRow, type NewHistoryRow } from "../../backend/withdrawals/history.ts";
import {
  countRestored,
  disputeToldOtherwise,
  endRestored,
  noteApproval,
  payRestored,
  takeReported,
} from "../../backend/withdrawals/restored.ts";
import {
  countReports,
  holdReports,
  openReports,
  otherHandOutOfReport,
  purgeReports,
  reportBy,
  reportsAfter,
} from "../../backend/withdrawals/restored-reports.ts";
import {
  dueWithdrawals,
  endedByKey,
  expireThese,
  futureExpiries,
  holdDue,
  type Row,
  type Table,
  unlinkedCounts,
  waitingWithdrawals,
  withdrawalIdByKey,
  withdrawalsPage,
} from "../../backend/withdrawals/store.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { rowWith } from "./withdrawal-row.ts";
import { bank, otherBank, otherShop, seed, shop, till } from "./world.ts";

const id = "111111111111111M";
const other = "222222222222222D";
const [before, from, now] = [10_000, 1_000_000, 2_000_000];
const options = { orderTtlMs: 300_000, scaTimeoutMs: 40_000 };

/** What lies beside a withdrawal. */
type Beside = (tx: Tx) => Promise<unknown>;
const order: Beside = (tx) =>
  insert(tx, "outbox", {
    ...{ id: `settle_${id}`, transaction_id: id, partner_id: bank.partnerId, body: "{}", attempts: 1, due_at: 0 },
    ...{ claimed_by: "w", created_at: 0, last_error: null, partner_reference: null, unsent_attempts: 0 },
  });
const historyRow: NewHistoryRow = {
  ...{ transaction_id: id, sequence: 5, kind: "transition", at: 1, actor: "device", actor_id: null },
  ...{ from_status: "settled", to_status: "linked", reason: null, request_id: null, attempt: null, cashier: null },
  ...{ terms: null, address: null, hash: null, asked_at: 1_000 },
};
const lastEventAt =
  (at: number): Beside =>
  (tx) =>
    insert(tx, "withdrawal_events", { ...historyRow, at, seal: null, day: 0 });

/** @param usual the row that it takes; `also` and `not` say in what others differ from it. */
interface Choice {
  readonly ask: (tx: Tx) => Promise<readonly unknown[]>;
  readonly table?: Table;
  readonly usual: Partial<Row>;
  readonly also?: readonly Partial<Row>[];
  readonly not?: readonly Partial<Row>[];
  /** Taken without this, passed over with it. */
  readonly beside?: Readonly<Record<string, Beside>>;
}
const all =
  <R>(query: () => Query<R>) =>
  (tx: Tx) =>
    tx.all(query());
const keptBy = (young: number) => async (tx: Tx) =>
  [(await tx.first(keptOfTime({ from, to: now, before: young })))?.id].filter((one) => one !== null);
const [open, ended] = [0, 1] as const;
const reported: Parameters<typeof takeReported>[0] = {
  ...{ id, merchant: shop, device: "till-1", terminalReference: "pos-1", amount: 5_000, currency: "EUR" },
  ...{ status: "linked", undeliveredReason: null, cashier: null, handOutId: "h1", confirmedAt: 1_500, now },
};

const page = {
  ...{ reader: bank, fromMs: 1_000, toMs: 3_000, before: { at: 2_000, id: "M" } },
  ...{ store: undefined, status: undefined, limit: 5 },
};

const choices: Readonly<Record<string, Choice>> = {
  "the next of a page": {
    ask: all(() => withdrawalsPage("withdrawals", page)),
    usual: { id: "L", created_at: 2_000 },
    also: [{ id: "Z", created_at: 1_999 }, { created_at: 1_000 }],
    not: [{ id: "M" }, { id: "A", created_at: 2_001 }, { created_at: 999 }, { partner_id: otherBank.partnerId }],
  },
  "the next of a terminal's page": {
    ask: all(() => withdrawalsPage("withdrawals", { ...page, reader: till })),
    usual: {},
    also: [{ partner_id: otherBank.partnerId }],
    not: [{ merchant_id: otherShop.merchantId }],
  },
  "the next of a page of one shop and one status": {
    ask: all(() => withdrawalsPage("withdrawals", { ...page, store: shop, status: "linked" })),
    usual: { status: "linked" },
    not: [{ merchant_id: otherShop.merchantId }, { status: "settled" }],
  },
  "the first of a page that ends before now": {
    ask: all(() => withdrawalsPage("withdrawals", { ...page, toMs: 2_000, before: { at: 9_000, id: "" } })),
    usual: { created_at: 1_999 },
    not: [{ created_at: 2_000 }],
  },
  "one that was paid, and of which no terminal has said more": {
    ask: async (tx) => Array.from({ length: Number((await tx.first(unlinkedCounts({ now })))?.["0s"]) }),
    usual: { status: "settled", settled_at: now },
    not: [{ status: "settling", settled_at: null }, { status: "linked" }],
  },
  "what ended long ago": {
    ask: all(() => lockEnded({ before, repeated: 1, limit: 5 })),
    usual: { status: "linked", linked_at: before - 1 },
    also: [
      { status: "undelivered", linked_at: null, closed_at: before - 1 },
      { linked_at: null },
      { reason: "restored", closed_at: 1 },
      { reason: "restored", closed_at: 0, status: "canceled", linked_at: null },
    ],
    not: [
      { created_at: before },
      { linked_at: before },
      { linked_at: null, closed_at: before },
      { status: "settled" },
      { disputed_at: 5_000 },
      { reason: "restored", closed_at: 1, status: "canceled", linked_at: null },
    ],
    beside: { "an order under way": order, "a late event": lastEventAt(before) },
  },
  "what an older release has left": {
    async ask(tx) {
      const moved = await moveLeft(tx, { at: 1_000, id }, now, 5);
      return moved === null ? [] : [moved];
    },
    usual: { status: "linked", id: other },
    also: [
      { id, created_at: 1_001 },
      { status: "canceled", reason: "cashier_rejected" },
    ],
    not: [{ id }, { created_at: 999 }, { status: "settled" }, { status: "canceled", reason: "restored" }],
  },
  "an order that the bank is asked about no more": {
    ask: all(() => dueWithdrawals(options, { from, now }, 5)),
    usual: { status: "requested", deadline_at: from, created_at: from - startOrderWindowMs },
    also: [{ deadline_at: now, created_at: now - startOrderWindowMs }],
    not: [{ deadline_at: now + 1 }, { created_at: now - startOrderWindowMs + 1 }],
  },
  "an order that nobody has taken": {
    ask: all(() => dueWithdrawals(options, { from, now }, 5)),
    usual: { status: "ready", deadline_at: from, created_at: from - options.orderTtlMs },
    also: [{ deadline_at: now, created_at: now - options.orderTtlMs }],
    not: [{ deadline_at: now + 1 }, { created_at: now - options.orderTtlMs + 1 }],
  },
  "an approval that has not come": {
    ask: all(() => dueWithdrawals(options, { from, now }, 5)),
    usual: { status: "awaiting_sca", deadline_at: from, confirmed_at: from - options.scaTimeoutMs },
    also: [{ deadline_at: now, confirmed_at: now - options.scaTimeoutMs }],
    not: [{ deadline_at: now + 1 }, { confirmed_at: now - options.scaTimeoutMs + 1 }],
  },
  "of a clock that was ahead": {
    ask: all(() => futureExpiries({ now, createdAfter: now + 5, confirmedAfter: now + 7, limit: 5 })),
    usual: { status: "ready", deadline_at: now + 1, created_at: now + 6, confirmed_at: null },
    also: [{ created_at: 0, confirmed_at: now + 8 }],
    not: [{ deadline_at: now }, { created_at: now + 5 }, { created_at: 0, confirmed_at: now + 7 }],
  },
  "due ones to be held": {
    ask: all(() => holdDue([id], now)),
    usual: { id, status: "ready", deadline_at: now },
    not: [{ id: other }, { deadline_at: now + 1 }],
  },
  "these, to be expired": {
    ask: all(() => expireThese([id], now)),
    usual: { id, status: "ready", deadline_at: now },
    not: [{ id: other }, { status: "settling", deadline_at: null }],
  },
  "ended ones from a time on": {
    ask: all(() => firstArchived({ from })),
    table: "archived_withdrawals",
    usual: { created_at: from },
    also: [{ created_at: now }],
    not: [{ created_at: from - 1 }],
  },
  "ended ones of a month": {
    ask: all(() => archivedOfTime({ from, to: now, after: 0, limit: 5 })),
    table: "archived_withdrawals",
    usual: { created_at: from },
    also: [{ created_at: now - 1 }],
    not: [{ created_at: from - 1 }, { created_at: now }, { disputed_at: 1 }],
  },
  "what keeps a month: an open one": {
    ask: keptBy(before + 1),
    usual: { created_at: from },
    // One that a restore has ended stays among the open ones.
    also: [{ created_at: now - 1 }, { created_at: from, status: "canceled", reason: "restored" }],
    not: [{ created_at: from - 1 }, { created_at: now }],
  },
  "what keeps a month: a disputed one": {
    ask: keptBy(before + 1),
    table: "archived_withdrawals",
    usual: { created_at: from, disputed_at: 5 },
    also: [{ created_at: now - 1 }],
    not: [{ created_at: from - 1 }, { created_at: now }, { disputed_at: null }],
  },
  "what keeps a month: one that ended just now": {
    ask: keptBy(before),
    table: "archived_withdrawals",
    usual: { created_at: from },
    not: [{ created_at: from - 1 }, { created_at: now }],
  },
  "what keeps a month no more: one that ended before": {
    ask: async (tx) => ((await keptBy(before + 1)(tx)).length === 0 ? [id] : []),
    table: "archived_withdrawals",
    usual: { created_at: from },
  },
  "one to be disputed": { ask: all(() => openDispute[open]({ id, now })), usual: { id }, not: [{ id: other }] },
  "another hand-out": {
    ask: all(() => otherHandOut[open]({ id, handOutId: "h2", now })),
    usual: { id, status: "linked", hand_out_id: "h1" },
    also: [{ status: "undelivered" }, { other_hand_out_id: "h3" }, { other_hand_out_id: "h3", disputed_at: 5 }],
    not: [{ id: other }, { status: "settled" }, { hand_out_id: "h2" }, { other_hand_out_id: "h2" }],
  },
  "a dispute to be closed": {
    ask: all(() => endDispute[open]({ id })),
    usual: { id, disputed_at: 5 },
    also: [{ other_hand_out_id: "h2" }],
    not: [{ id: other }, { disputed_at: null }, { status: "settling" }],
  },
  "a dispute that the bank's answer ends": {
    ask: all(() => endAgreed[ended]({ id })),
    table: "archived_withdrawals",
    usual: { id, disputed_at: 5 },
    not: [{ id: other }, { disputed_at: null }, { status: "settling" }, { other_hand_out_id: "h2" }],
  },
  "one that is not marked": {
    ask: (tx) => tx.all(unmarked[open]([id])),
    usual: { id },
    not: [{ id: other }, { disputed_at: 5 }],
  },
  "what a restore ends": {
    ask: all(() => endRestored({ status: "awaiting_sca", now, limit: 5 })),
    usual: { status: "awaiting_sca", deadline_at: now },
    not: [{ deadline_at: null }, { status: "ready" }],
  },
  "what its bank was told otherwise": {
    ask: all(() => disputeToldOtherwise[open]({ since: before, knownUntil: before + 2, now, limit: 5 })),
    usual: { status: "settled", created_at: before + 2 },
    also: [
      { status: "linked", linked_at: before },
      { status: "undelivered", closed_at: before },
      { status: "settling" },
    ],
    not: [
      { created_at: before + 3 },
      { status: "canceled" },
      { disputed_at: 5 },
      { status: "linked", created_at: 1_000, linked_at: before - 1 },
      { status: "undelivered", created_at: 1_000, closed_at: before - 1 },
    ],
  },
  "what its bank was told otherwise, among the ended ones": {
    ask: all(() => disputeToldOtherwise[ended]({ since: before, knownUntil: before + 2, now, limit: 5 })),
    table: "archived_withdrawals",
    usual: { status: "linked", linked_at: before },
    also: [{ created_at: before + 2, linked_at: before + 2 }],
    not: [{ created_at: before + 3, linked_at: before + 3 }, { disputed_at: 5 }, { linked_at: before - 1 }],
  },
  "what a restore has ended": {
    ask: async (tx) => Array.from({ length: Number((await tx.first(countRestored({ since: before })))?.count) }),
    usual: { status: "canceled", reason: "restored", closed_at: before },
    not: [{ status: "linked" }, { reason: "cashier_rejected" }, { closed_at: before - 1 }],
  },
  "what a terminal reports of a restored one": {
    ask: all(() => takeReported(reported)),
    usual: {
      id,
      merchant_id: shop,
      status: "canceled",
      reason: "restored",
      device_id: null,
      transaction_id_partner: null,
    },
    also: [{ device_id: "till-1" }, { transaction_id_partner: "pos-1" }],
    not: [
      { id: other },
      { merchant_id: otherShop.merchantId },
      { status: "linked" },
      { reason: "cashier_rejected" },
      { amount: 5_001 },
      { currency: "CHF" },
      { device_id: "till-2" },
      { transaction_id_partner: "pos-2" },
    ],
  },
  "an approval that is repeated": {
    ask: all(() => noteApproval({ id, partner: bank.partnerId, now })),
    usual: { id, partner_id: bank.partnerId, status: "canceled", reason: "restored", settled_at: null },
    also: [{ status: "linked" }, { status: "undelivered" }],
    not: [
      { id: other },
      { partner_id: otherBank.partnerId },
      { reason: "cashier_rejected" },
      { status: "settled" },
      { settled_at: 5 },
    ],
  },
  "one that the bank pays after all": {
    ask: all(() => payRestored({ id, now, attempts: 1 })),
    usual: { id, status: "linked", reason: "restored", settled_at: null },
    not: [{ id: other }, { status: "undelivered" }, { reason: null }, { settled_at: 5 }],
  },
};

type Report = RowOf<"restored_reports">;
const report: Report = {
  ...{
    id: "r2",
    transaction_id: id,
    merchant_id: shop,
    device_id: "till-1",
    status: "linked",
    undelivered_reason: null,
  },
  ...{ transaction_id_partner: "pos-1", amount: 5_000, currency: "EUR", confirmed_at: 1_500, settled_at: null },
  ...{ reported_at: 1_600, cashier: null, created_at: before - 1, closed_at: null, hand_out_id: "h1" },
  other_hand_out_id: null,
};

/** As above, of reports; `usual` differs from `report`. */
interface ReportChoice {
  readonly ask: (tx: Tx) => Promise<unknown>;
  readonly usual?: Partial<Report>;
  readonly also?: readonly Partial<Report>[];
  readonly not: readonly Partial<Report>[];
}
const otherOnes: readonly Partial<Report>[] = [
  { transaction_id: other },
  { merchant_id: otherShop.merchantId },
  { device_id: "till-2" },
];

const reportChoices: Readonly<Record<string, ReportChoice>> = {
  "a terminal's report of one": {
    ask: all(() => reportBy({ transaction: id, merchant: shop, device: "till-1" })),
    not: otherOnes,
  },
  "a terminal's reports": {
    ask: async (tx) =>
      Array.from({ length: Number((await tx.first(countReports({ merchant: shop, device: "till-1" })))?.count) }),
    also: [{ transaction_id: other }],
    not: otherOnes.slice(1),
  },
  "another hand-out than a report's": {
    ask: all(() => otherHandOutOfReport({ id: "r2", handOutId: "h2" })),
    also: [
      { status: "undelivered", hand_out_id: "h2" },
      { other_hand_out_id: "h3", closed_at: 5 },
      { other_hand_out_id: "h3", closed_at: null },
    ],
    not: [{ id: "r1" }, { hand_out_id: "h2" }, { other_hand_out_id: "h2", closed_at: 5 }],
  },
  "an open report": { ask: all(() => openReports({})), not: [{ closed_at: 5 }] },
  "the next reports": { ask: all(() => reportsAfter({ id: "r1", limit: 5 })), not: [{ id: "r1" }, { id: "r0" }] },
  "reports to be closed": {
    ask: all(() => holdReports({ transaction: id })),
    not: [{ transaction_id: other }, { closed_at: 5 }],
  },
  "reports that have had their time": {
    ask: async (tx) => Array.from({ length: await tx.run(purgeReports({ before, limit: 5 })) }),
    usual: { closed_at: 5 },
    not: [{ closed_at: null }, { created_at: before }],
  },
};

const insert = <Name extends keyof Database>(tx: Tx, table: Name, row: RowOf<Name>) =>
  tx.run(adhoc((db) => insertRow(db, table, row)));
const put = (tx: Tx, row: Partial<Row>, table: Table = "withdrawals") => {
  const whole = rowWith({ id, ...row });
  return table === "withdrawals" ? insert(tx, table, whole) : insert(tx, table, { ...whole, archived_at: before });
};
const named = (name: string) => ({ id: name, idempotency_key: name, transaction_id_partner: name });

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  beforeAll(async () => {
    place = await createPlace(dialect);
    store = await place.open();
    await seed(store);
  });
  afterAll(() => place.dispose());

  /** In a commit that is taken back: the next test finds nothing of it. */
  const play = async <Result>(unit: UnitOfWork<Result>): Promise<Result> => {
    const undone: { result?: Result } = {};
    const playing = store.write(async (tx) => {
      undone.result = await unit(tx);
      throw undone;
    });
    await expect(playing).rejects.toBe(undone);
    return undone.result as Result;
  };

  describe.each(Object.entries(choices))("%s", (_, { ask, table, usual, also = [], not = [], beside = {} }) => {
    const asked = (change: Partial<Row>, lies?: Beside) =>
      play(async (tx) => {
        await put(tx, { ...usual, ...change }, table);
        await lies?.(tx);
        return ask(tx);
      });
    test.each([{}, ...also])("is taken: %j", async (change) => expect(await asked(change)).toHaveLength(1));
    test.each(not.map((change) => [change]))("is not taken: %j", async (change) =>
      expect(await asked(change)).toEqual([]),
    );
    test.each(Object.entries(beside))("is not taken beside %s", async (_, lies) =>
      expect(await asked({}, lies)).toEqual([]),
    );
  });

  describe.each(Object.entries(reportChoices))("%s", (_, { ask, usual = {}, also = [], not }) => {
    const asked = (change: Partial<Report>) =>
      play(async (tx) => {
        await insert(tx, "restored_reports", { ...report, ...usual, ...change });
        return ask(tx);
      });
    test.each([{}, ...also])("is taken: %j", async (change) => expect(await asked(change)).toHaveLength(1));
    test.each(not.map((change) => [change]))("is not taken: %j", async (change) =>
      expect(await asked(change)).toEqual([]),
    );
  });

  describe("an ended one's names", () => {
    const key = { partner_id: bank.partnerId, idempotency_key: "key-1", transaction_id: id, created_at: 1_000 };
    const reference = {
      ...{ merchant_id: shop, device_id: "till-1", transaction_id_partner: "pos-1", transaction_id: id },
      created_at: 1_000,
    };
    test.each([
      [1, {}],
      [0, { partner_id: otherBank.partnerId }],
      [0, { idempotency_key: "key-2" }],
    ])("%i is found by its key, of one with %j", async (count, change) => {
      const asked = { partner: bank.partnerId, key: "key-1" };
      const found = await play(async (tx) => {
        await insert(tx, "idempotency_keys", { ...key, ...change });
        return [await tx.all(withdrawalIdByKey(asked)), await tx.all(endedByKey(asked))];
      });
      expect(found.map((rows) => rows.length)).toEqual([count, count]);
    });
    test.each([
      [id, {}],
      [null, { merchant_id: otherShop.merchantId }],
      [null, { device_id: "till-2" }],
      [null, { transaction_id_partner: "pos-2" }],
    ])("%s is found by its terminal's own id, of one with %j", async (ended_id, change) => {
      const { merchantId: merchant, deviceId: device } = till;
      const found = await play(async (tx) => {
        await insert(tx, "terminal_references", { ...reference, ...change });
        const asked = { merchant, device, terminalReference: "pos-1" };
        return tx.all(insertConfirmedRow({ ...historyRow, ...asked }));
      });
      expect(found).toEqual([{ ended_id }]);
    });
  });

  const idsIn = (tx: Tx, table: Table) => tx.all(adhoc((db) => db.selectFrom(table).select("id").orderBy("id")));
  /** Three that ended, the youngest first. */
  const putThree = async (tx: Tx) => {
    const three = [
      ["A", 3_000],
      ["C", 2_000],
      ["B", 2_000],
    ] as const;
    for (const [name, created_at] of three)
      await put(tx, { ...named(name), created_at, status: "linked", linked_at: 5_000 });
  };

  test("the oldest leave first, no more than asked for, with their keys alone", async () => {
    const played = await play(async (tx) => {
      await putThree(tx);
      await tx.run(adhoc((db) => db.updateTable("withdrawals").set({ request_hash: "" }).where("id", "=", "B")));
      return {
        moved: await archiveEnded(tx, before, now, 2),
        left: await idsIn(tx, "withdrawals"),
        ended: await idsIn(tx, "archived_withdrawals"),
        keys: await tx.all(adhoc((db) => db.selectFrom("idempotency_keys").select("idempotency_key"))),
      };
    });
    expect(played).toEqual({
      moved: 2,
      left: [{ id: "A" }],
      ended: [{ id: "B" }, { id: "C" }],
      keys: [{ idempotency_key: "C" }],
    });
  });

  test("what an older release has left goes in the order of creation, from place to place", async () => {
    const played = await play(async (tx) => {
      await putThree(tx);
      const first = await moveLeft(tx, { at: 0, id: "" }, now, 1);
      return [first, await moveLeft(tx, { at: 2_000, id: "B" }, now, 1), await idsIn(tx, "withdrawals")];
    });
    expect(played).toEqual([{ at: 2_000, id: "B", rows: 1 }, { at: 2_000, id: "C", rows: 1 }, [{ id: "A" }]]);
  });

  test("due ones are held in the order of their ids, in which every process of a fleet takes them", async () => {
    const ids = ["C", "A", "B"];
    const held = await play(async (tx) => {
      for (const id of ids) await put(tx, { ...named(id), status: "ready", deadline_at: 5 });
      return tx.all(holdDue(ids, now));
    });
    expect(held).toEqual([{ id: "A" }, { id: "B" }, { id: "C" }]);
  });

  test.each([
    [id, 1_000, 1],
    [other, 1_000, 0],
    [id, 999, 0],
    [id, 2_000, 0],
  ])(
    "of the ended ones to be deleted %s, asked for at %i, goes where both are named: %i",
    async (name, created_at, gone) => {
      const deleted = await play(async (tx) => {
        await put(tx, { id: name, created_at }, "archived_withdrawals");
        return tx.run(deleteArchived([id], { from: 1_000, to: 2_000 }));
      });
      expect(deleted).toBe(gone);
    },
  );

  test.each([
    [shop, "till-1", 7],
    [otherShop.merchantId, "till-1", null],
    [shop, "till-2", null],
  ])(
    "a waiting one says when its own terminal was heard: that of %s, %s, is %j",
    async (merchant_id, device_id, heard_at) => {
      const waiting = await play(async (tx) => {
        await put(tx, { merchant_id: shop, device_id: "till-1" });
        await put(tx, { ...named("ENDED"), status: "canceled", deadline_at: null });
        await insert(tx, "terminal_contacts", { merchant_id, device_id, heard_at: 7, version: null });
        return tx.all(waitingWithdrawals({}));
      });
      expect(waiting).toMatchObject([{ id, heard_at }]);
    },
  );

  test("open reports are listed the oldest first, those of one time and the next ones in the order of their ids", async () => {
    const [listed, next] = await play(async (tx) => {
      const three = [
        ["r3", 2],
        ["r2", 1],
        ["r1", 2],
      ] as const;
      for (const [name, created_at] of three)
        await insert(tx, "restored_reports", { ...report, id: name, created_at, device_id: name });
      return [await tx.all(openReports({})), await tx.all(reportsAfter({ id: "", limit: 2 }))];
    });
    expect(listed.map((row) => row.id)).toEqual(["r2", "r1", "r3"]);
    expect(next.map((row) => row.id)).toEqual(["r1", "r2"]);
  });

  test("a page is the newest first, by id where two are of one time; the archive's first is the oldest", async () => {
    const four = [
      ["A", 1_900],
      ["D", 1_900],
      ["B", 1_950],
      ["C", 1_800],
    ] as const;
    const { pages, first } = await play(async (tx) => {
      for (const [name, created_at] of four) await put(tx, { ...named(name), created_at });
      for (const [name, created_at] of four) await put(tx, { ...named(name), created_at }, "archived_withdrawals");
      const pageOf = (table: Table) => tx.all(withdrawalsPage(table, { ...page, limit: 3 }));
      const pages = [await pageOf("withdrawals"), await pageOf("archived_withdrawals")];
      return { pages, first: await tx.first(firstArchived({ from: 0 })) };
    });
    for (const listed of pages) expect(listed.map((row) => row.id)).toEqual(["B", "D", "A"]);
    expect(first).toEqual({ created_at: 1_800 });
  });
});
