/** Lines of the reconciliation report: what each says of its withdrawal, to whom, and that none is left out. */
import { expect, test } from "vitest";
import type { Service } from "../../../backend/context.ts";
import { toTime } from "../../../backend/contract/times.ts";
import { type Status, statuses } from "../../../backend/contract/transaction.ts";
import { addShopToChain } from "../../../backend/merchants/chains.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc, type Query, type Store } from "../../../backend/store/store.ts";
import { expiredFrom, expiryAt } from "../../../backend/withdrawals/lifecycle.ts";
import {
  confirmedByTerminal,
  findingOf,
  type ReconciliationFilter,
  type ReconciliationLine,
  type ReportPage,
  type ReportRow,
  reconcile,
  reportedPage,
  reportPage,
  reportPlaceOn,
  storeTotals,
  toReportedLine,
  withLaterAnswer,
} from "../../../backend/withdrawals/reconcile.ts";
import type { Table } from "../../../backend/withdrawals/store.ts";
import { scriptedTx } from "../../service/test-tx.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, otherShop, till } from "../../service/world.ts";
import { id, withdrawalStage } from "./stage.ts";

test("every status has its finding", () => {
  expect(Object.fromEntries(statuses.map((status) => [status, findingOf(status)]))).toEqual({
    linked: "matched",
    settled: "not_linked",
    undelivered: "undelivered",
    requested: "settle_unknown",
    ready: "settle_unknown",
    awaiting_sca: "settle_unknown",
    settling: "settle_unknown",
    declined: "closed",
    rejected: "closed",
    canceled: "closed",
    expired: "closed",
    failed: "closed",
  });
});

const line = (changes: Partial<ReportRow>): ReportRow => ({
  ...rowWith(),
  is_there_twice: 0,
  pending_attempts: null,
  later_answer: null,
  other_reports: 0,
  ...changes,
});

/** A report over rows in pages of 500, the running ones first. */
const reportOf = async (
  running: readonly ReportRow[],
  archived: readonly ReportRow[] = [],
  reader: typeof till | typeof bank = till,
) => {
  let [asked, reads] = [0, 0];
  const store = {
    async read(unit: Parameters<Store["read"]>[0]) {
      reads += 1;
      if (reads > 10) throw new Error("the report does not end");
      const answer = (query: Query<unknown>) => {
        const { text, values } = query.sql("sqlite");
        if (text.includes('from "restored_reports" as "w"')) return [];
        if (text.includes('from "withdrawal_events"'))
          return [...running, ...archived].map(({ id, later_answer }) => ({
            transaction_id: id,
            reason: later_answer,
          }));
        // What is archived meanwhile is found where it lies then.
        if (text.includes("archived_withdrawals") && asked === 0) return [];
        const rows = text.includes("archived_withdrawals") ? archived : running;
        const [from, id] = [Number(values[0]), String(values[3])];
        asked += 1;
        const after = rows.filter(
          (row) => (row.confirmed_at ?? 0) > from || (row.confirmed_at === from && row.id > id),
        );
        return after.slice(0, 500);
      };
      return unit(scriptedTx(answer));
    },
  };
  const service = { store, clock: new VirtualClock(0) } as unknown as Service;
  const pages: (readonly ReconciliationLine[])[] = [];
  for await (const page of reconcile(service, reader, { fromMs: 0, toMs: 1e14 })) pages.push(page);
  return { lines: pages.flat(), pages: pages.map((page) => page.length), reads, asked };
};

test.each([
  ["linked", {}, "matched", null],
  ["failed", { reason: "settle_declined" }, "closed", "settle_declined"],
  ["undelivered", { undelivered_reason: "till_short", reason: null }, "undelivered", "till_short"],
  ["settled", { undelivered_reason: "of another status" }, "not_linked", null],
  ["failed", { disputed_at: 5, later_answer: "accepted" }, "disputed", "accepted_after_declined"],
  ["settled", { disputed_at: 5, later_answer: "declined" }, "disputed", "declined_after_accepted"],
  ["failed", { disputed_at: 5, reason: "settle_declined" }, "disputed", "settle_declined"],
  ["failed", { disputed_at: 5, later_answer: "declined", reason: "settle_declined" }, "disputed", "settle_declined"],
  [
    "failed",
    { disputed_at: 5, later_answer: "no_after_silence", reason: "settle_declined" },
    "no_after_silence",
    "settle_declined",
  ],
  ["failed", { later_answer: "no_after_silence", reason: "settle_declined" }, "closed", "settle_declined"],
  ["failed", { later_answer: "accepted", reason: "settle_declined" }, "closed", "settle_declined"],
  ["settled", { later_answer: "declined" }, "not_linked", null],
  ["settling", { disputed_at: 5, later_answer: "declined" }, "settle_unknown", null],
  ["linked", { other_reports: 1 }, "restored", null],
  ["linked", { disputed_at: 5, other_hand_out_id: "h-2", later_answer: "declined" }, "disputed", "handed_out_twice"],
  [
    "linked",
    { reason: "restored", settled_at: null, disputed_at: 5, later_answer: "declined" },
    "restored",
    "restored",
  ],
  [
    "linked",
    { reason: "restored", settled_at: 3_000, disputed_at: 5, later_answer: "declined" },
    "disputed",
    "declined_after_accepted",
  ],
] as const)("%s with %o is %s, for the reason %s", async (status, changes, finding, reason) => {
  const { lines } = await reportOf([line({ status: status as Status, ...changes })]);
  expect(lines).toMatchObject([{ status, finding, reason }]);
});

const reported: RowOf<"restored_reports"> = {
  ...{ id: "r", transaction_id: "LOST", merchant_id: "corner-shop", device_id: "till-1", status: "linked" },
  ...{ undelivered_reason: null, transaction_id_partner: "pos-1", amount: 1_250, currency: "JPY", confirmed_at: 1_500 },
  ...{ settled_at: null, reported_at: 1_600, cashier: "C2", created_at: 1_700, closed_at: null, hand_out_id: "h-1" },
  other_hand_out_id: null,
};
const then = toTime(reported.reported_at);
const gone = { status: "undelivered", undelivered_reason: "till_short" } as const;
test.each<[Partial<typeof reported>, Partial<ReconciliationLine>]>([
  [{}, { finding: "restored", reason: "restored", linked_at: then, closed_at: null, amount: "1250", currency: "JPY" }],
  [{ closed_at: 9 }, { finding: "matched", linked_at: then, closed_at: null }],
  [gone, { finding: "restored", reason: "till_short", linked_at: null, closed_at: then }],
  [
    { ...gone, closed_at: 9 },
    { finding: "closed", linked_at: null, closed_at: then },
  ],
  [{ other_hand_out_id: "h-2" }, { finding: "restored", reason: "handed_out_twice" }],
  [
    { ...gone, other_hand_out_id: "h-2" },
    { finding: "restored", reason: "handed_out_after_undelivered" },
  ],
])("what was reported after a restore, with %j, is a line with %j", (changes, of) => {
  expect(toReportedLine({ ...reported, ...changes })).toMatchObject(of);
});

test("a line has both ids, all its times, its tries so far, and for the shop alone who said so", async () => {
  const row = line({
    linked_at: 4_000,
    status: "linked",
    settle_attempts: 2,
    pending_attempts: 3,
    cashier: "C2",
    partner_reference: "r-1",
  });
  const { lines } = await reportOf([row]);
  const at = (ms: number) => new Date(ms).toISOString();
  expect(lines).toEqual([
    {
      transaction_id: row.id,
      transaction_id_partner: "pos-1",
      store: "corner-shop",
      device_id: "till-1",
      status: "linked",
      finding: "matched",
      amount: "50.00",
      currency: "EUR",
      reason: null,
      created_at: at(1_000),
      confirmed_at: at(2_000),
      settled_at: at(3_000),
      linked_at: at(4_000),
      closed_at: null,
      settle_attempts: 5,
      cashier: "C2",
      partner_reference: "r-1",
    },
  ]);
  expect((await reportOf([row], [], bank)).lines).toMatchObject([{ cashier: null }]);
});

test("pages go on from the last line, also among lines of one moment, and the last one asks for no other", async () => {
  const rows = Array.from({ length: 1_200 }, (_, n) =>
    line({ id: `ROW${String(n).padStart(5, "0")}`, confirmed_at: 5 + Math.floor(n / 700) }),
  );
  const [even, odd] = [0, 1].map((rest) => rows.filter((_, n) => n % 2 === rest));
  const { lines, pages, reads } = await reportOf(even ?? [], odd);
  expect([pages, reads]).toEqual([[500, 500, 200], 3]);
  expect(lines.map(({ transaction_id }) => transaction_id)).toEqual(rows.map(({ id }) => id));
  expect((await reportOf([])).pages).toEqual([]);
});

test("running and archived ones are one report, in the order of confirmation; one that moves meanwhile is there once", async () => {
  const of = (id: string, confirmed_at: number, changes: Partial<ReportRow> = {}) =>
    line({ id, confirmed_at, ...changes });
  const { lines } = await reportOf(
    [of("B", 5), of("D", 7), of("X", 6), of("Y", 8), of("Z", 9)],
    // Of a forged row and the one that it is to hide both are there.
    [
      ...[of("C", 7), of("A", 5), of("X", 6, { status: "linked" }), of("E", 4)],
      ...[of("Y", 8, { created_at: 999 }), of("Z", 9, { is_there_twice: 1 })],
      ...[of("F", 10, { created_at: 11_000 }), of("F1", 11)],
    ],
  );
  const ids = lines.map(({ transaction_id }) => transaction_id);
  expect(ids.join("")).toBe("EABXCDYYZZFF1");
  expect(lines[3]).toMatchObject({ status: "linked" });
});

test.each([
  ["requested", "declined", "partner_unreachable"],
  ["ready", "expired", "order_expired"],
  ["awaiting_sca", "canceled", "sca_timeout"],
] as const)(
  "time makes %s %s, from the very millisecond of the deadline, and is known by its reason",
  (from, status, reason) => {
    const row = { status: from, deadline_at: 100 };
    expect([expiryAt(row, 99), expiryAt(row, 100), expiryAt({ ...row, deadline_at: null }, 100)]).toEqual([
      null,
      { status, reason },
      null,
    ]);
    expect(expiredFrom({ reason })).toBe(from);
  },
);

test("time ends nothing else, and no other reason is time's", () => {
  expect(expiryAt({ status: "settling", deadline_at: 1 }, 2)).toBeNull();
  for (const reason of ["user_canceled", null] as const) expect(() => expiredFrom({ reason })).toThrow(RangeError);
});

const stage = withdrawalStage();
const asked: ReportPage = { reader: till, toMs: 1e14, after: { confirmed_at: 0, id: "" }, limit: 9 };
test.each([
  [[0], []],
  [[], [0]],
  // A forged row and the one that it is to hide.
  [[0], [1]],
] as const)(
  "of those that are open and those that have ended the report says which are there twice: %j, %j",
  async (open, ended) => {
    if (open.length > 0) await stage.put({});
    if (ended.length > 0) await stage.putArchived({});
    const twice = async (table: Table) =>
      (await stage.store.read((tx) => tx.all(reportPage(table, asked)))).map((row) => row.is_there_twice);
    expect([await twice("withdrawals"), await twice("archived_withdrawals")]).toEqual([open, ended]);
  },
);

test.each([
  [1, [{ confirmed_at: 10, id: "C" }]],
  [2, [{ confirmed_at: 20, id: "A" }]],
  [3, [{ confirmed_at: 20, id: "B" }]],
  [4, []],
])("the place %i rows further on is %j", async (limit, place) => {
  await stage.put({ id: "B", confirmed_at: 20 }, { id: "C", confirmed_at: 10 }, { id: "A", confirmed_at: 20 });
  expect(await stage.store.read((tx) => tx.all(reportPlaceOn("withdrawals", { ...asked, limit })))).toEqual(place);
});

const upTo = { confirmed_at: 9, id: "Z" };
test.each<[changes: Partial<ReportPage>, name: string]>([
  [{}, "report_withdrawals_shop"],
  [{ store: "corner-shop" }, "report_withdrawals_shop_store"],
  [{ reader: bank }, "report_withdrawals_bank"],
  [{ reader: bank, store: "corner-shop" }, "report_withdrawals_bank_store"],
  [{ reader: { chainId: "most" } }, "report_withdrawals_chain"],
  [{ reader: { chainId: "most" }, upTo }, "report_withdrawals_chain_to"],
])("a report with %j is the statement %s, which PostgreSQL plans once", (changes, name) => {
  expect(reportPage("withdrawals", { ...asked, ...changes }).name).toBe(name);
});

/** What a report asks its database, in order. @param answer the rows of each. */
const askedOf = async (
  filter: ReconciliationFilter,
  answer: (name: string, values: readonly unknown[]) => readonly unknown[],
) => {
  const names: string[] = [];
  const query = (query: Query<unknown>) => {
    const { text, values } = query.sql("sqlite");
    const table = /from "(\w+)"/.exec(text)?.[1] ?? "";
    const name = query.name ?? (text.includes("offset") ? `${table} ${values.at(-1)} on` : table);
    names.push(name);
    return answer(name, values);
  };
  const store: Pick<Store, "read"> = { read: (unit) => unit(scriptedTx(query)) };
  const service = { store, clock: new VirtualClock(0) } as unknown as Service;
  const pages: number[] = [];
  for await (const page of reconcile(service, { chainId: "most" }, filter)) {
    pages.push(page.length);
    if (pages.length > 9) throw new Error("the report does not end");
  }
  return { names, pages };
};
const period = { fromMs: 0, toMs: 1e14 };
const tablesOf = (end: "" | "_to") => [
  ...[`report_withdrawals_chain${end}`, `report_archived_withdrawals_chain${end}`, "restored_reports"],
];
const places = ["withdrawals 2999 on", "archived_withdrawals 2999 on", "restored_reports 2999 on"];

test("a chain's page ends where 3,000 places of any table do, which is looked for once", async () => {
  const rows = Array.from({ length: 500 }, (_, n) => line({ id: `ROW${n}`, confirmed_at: 1 }));
  const ends = [[8], [5], [7], [], [], []];
  const fullPages = [rows];
  const upTos: unknown[] = [];
  const { names, pages } = await askedOf(period, (name, values) => {
    if (name.endsWith(" on")) return (ends.shift() ?? []).map((confirmed_at) => ({ confirmed_at, id: "END" }));
    if (name.startsWith("report_withdrawals")) {
      upTos.push(values[1]);
      return fullPages.shift() ?? [];
    }
    return [];
  });
  expect(pages).toEqual([500]);
  expect(names).toEqual([...places, ...tablesOf("_to"), ...tablesOf("_to"), ...places, ...tablesOf("")]);
  expect(upTos).toEqual([5, 5, 1e14 - 1]);
});

test.each([
  [
    [{ id: "corner-shop" }],
    ["chain_shop", "report_withdrawals_shop_store", "report_archived_withdrawals_shop_store", "restored_reports"],
  ],
  [[], ["chain_shop"]],
])("a chain's report of one shop is the shop's, where %j is one of its own", async (shops, names) => {
  const played = await askedOf({ ...period, store: "corner-shop" }, (name) => (name === "chain_shop" ? shops : []));
  expect(played).toEqual({ names, pages: [] });
});

test.each([
  [0, []],
  [1, [1]],
  [500, [500]],
  [501, [500, 1]],
])("of %i disputed ones the answers are looked for, so many at a time: %j", async (count, looks) => {
  const disputed = Array.from({ length: count }, (_, n) => line({ id: `DISPUTED${n}`, disputed_at: 5 }));
  const found: number[] = [];
  const tx = scriptedTx((query) => {
    const ids = query.sql("postgres").values.filter((value) => /^(DISPUTED|OTHER)/.test(String(value)));
    found.push(ids.length);
    return [];
  });
  expect(await withLaterAnswer(tx, [line({ id: "OTHER" }), ...disputed])).toHaveLength(count + 1);
  expect(found).toEqual(looks);
});

test.each([
  [["declined"], "declined"],
  [["accepted", "declined"], "declined"],
  // A terminal that agrees contradicts nobody.
  [["declined", "linked"], "declined"],
  [["linked"], null],
])("of one that is linked, after %j, the last contradiction is %j", async (reasons, later_answer) => {
  const row = line({ id: "DISPUTED", status: "linked", disputed_at: 5 });
  const tx = scriptedTx(() => reasons.map((reason) => ({ transaction_id: row.id, reason })));
  expect(await withLaterAnswer(tx, [row])).toMatchObject([{ later_answer }]);
});

const both = { chainId: "both" };
const inBoth = async (...confirmedAt: readonly number[]) => {
  const shops = [till.merchantId, otherShop.merchantId];
  await stage.store.write(async (tx) => {
    for (const shop of shops) await tx.run(addShopToChain({ chain: both.chainId, shop, now: 1 }));
  });
  await stage.put(
    ...shops.map((merchant_id, n) => ({ id: `ROW${n}`, merchant_id, confirmed_at: confirmedAt[n] ?? null })),
  );
};
test.each([
  [1, 2],
  [2, 1],
])("a chain's sums have its shops by id, each with its name, whichever sold first: %i, %i", async (...confirmedAt) => {
  await inBoth(...confirmedAt);
  const { stores } = await storeTotals(stage.service, both, period);
  expect(stores.map(({ store, store_name }) => [store, store_name])).toEqual([
    [till.merchantId, "Corner Shop"],
    [otherShop.merchantId, "Corner Shop"],
  ]);
});

test("a shop that joins its chain while the sums are made is called by its id", async () => {
  await inBoth(1);
  let reads = 0;
  const read: Store["read"] = async (unit) => {
    reads += 1;
    return reads === 1 ? ([] as never) : await stage.store.read(unit);
  };
  const { stores } = await storeTotals({ ...stage.service, store: { ...stage.store, read } }, both, period);
  expect(stores).toMatchObject([{ store: till.merchantId, store_name: till.merchantId }]);
});

test("no sum is made over what is no amount", async () => {
  await inBoth(1);
  await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawals").set({ amount: 2e12 }))));
  await expect(storeTotals(stage.service, both, period)).rejects.toThrow("20000000000.00 is no amount in EUR");
});

const putReports = (...changes: readonly Partial<typeof reported>[]) =>
  stage.store.write(async (tx) => {
    for (const change of changes)
      await tx.run(adhoc((db) => db.insertInto("restored_reports").values({ ...reported, ...change })));
  });
test.each([
  [1, {}],
  [0, { transaction_id: "ANOTHER" }],
  [0, { merchant_id: "other-shop" }],
  [0, { closed_at: 5 }],
])("%i report stands beside a withdrawal, of one with %j", async (count, change) => {
  await stage.put({});
  await putReports({ transaction_id: id, ...change });
  expect(await stage.store.read((tx) => tx.all(reportPage("withdrawals", asked)))).toMatchObject([
    { other_reports: count },
  ]);
});

const lines = async (changes: Partial<ReportPage>, of: (asked: ReportPage) => Query<{ id: string }>) =>
  (await stage.store.read((tx) => tx.all(of({ ...asked, ...changes })))).map((row) => row.id);
const atB = { confirmed_at: 20, id: "B" };
test.each<[changes: Partial<ReportPage>, ids: readonly string[]]>([
  [{}, ["D", "A", "B", "C", "E"]],
  [{ limit: 1 }, ["D"]],
  [{ limit: 2 }, ["D", "A"]],
  [{ after: atB }, ["C", "E"]],
  // Up to its last place, and with it: the next page goes on after that.
  [{ upTo: atB }, ["D", "A", "B"]],
  [{ upTo: { confirmed_at: 20, id: "AA" } }, ["D", "A"]],
  [{ after: { confirmed_at: 10, id: "D" }, upTo: atB }, ["A", "B"]],
  [{ after: { confirmed_at: 10, id: "" } }, ["D", "A", "B", "C", "E"]],
  [{ after: { confirmed_at: 11, id: "" }, toMs: 30 }, ["A", "B", "C"]],
])("a page of the report with %j has %j, of withdrawals as of reports after a restore", async (changes, ids) => {
  const rows = [
    { id: "E", confirmed_at: 30 },
    { id: "C", confirmed_at: 20 },
    { id: "B", confirmed_at: 20 },
    { id: "A", confirmed_at: 20 },
    { id: "D", confirmed_at: 10 },
  ];
  await stage.put(...rows.map((row) => ({ ...row, transaction_id_partner: row.id })));
  await putReports(...rows.map((row) => ({ ...row, transaction_id: row.id })));
  expect(await lines(changes, (of) => reportPage("withdrawals", of))).toEqual(ids);
  expect(await lines(changes, reportedPage)).toEqual(ids);
});

test("a terminal's confirmations are the newest, and no more than asked for", async () => {
  await stage.put(
    { id: "A", confirmed_at: 10, transaction_id_partner: "first" },
    { id: "B", confirmed_at: 20, transaction_id_partner: "second" },
  );
  const { merchantId: merchant, deviceId: device } = till;
  const confirmed = confirmedByTerminal({ merchant, device, from: 0, limit: 1 });
  expect(await stage.store.read((tx) => tx.all(confirmed))).toMatchObject([{ transaction_id_partner: "second" }]);
});
