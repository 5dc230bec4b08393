/** Lines of the reconciliation report: what each says of its withdrawal, to whom, and that none is left out. */
import { expect, test } from "vitest";
import type { Service } from "../../../backend/context.ts";
import { toTime } from "../../../backend/contract/times.ts";
import { type Status, statuses } from "../../../backend/contract/transaction.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import type { Query, Store } from "../../../backend/store/store.ts";
import { expiredFrom, expiryAt } from "../../../backend/withdrawals/lifecycle.ts";
import {
  findingOf,
  type ReconciliationLine,
  type ReportRow,
  reconcile,
  toReportedLine,
} from "../../../backend/withdrawals/reconcile.ts";
import { scriptedTx } from "../../service/test-tx.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, till } from "../../service/world.ts";

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
    ],
  );
  const ids = lines.map(({ transaction_id }) => transaction_id);
  expect(ids.join("")).toBe("EABXCDYYZZ");
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
