/** A bank's definite word on a Settle order: the first counts, from the try that holds the order; a contradiction is kept and told. */
import { expect, test } from "vitest";
import { auditAbout } from "../../../backend/access/audit.ts";
import type { Finding } from "../../../backend/contract/reconciliation.ts";
import type { Status } from "../../../backend/contract/transaction.ts";
import { updatePartner } from "../../../backend/partner/partners.ts";
import { leaseMs } from "../../../backend/partner/queue.ts";
import { cancelWithdrawal } from "../../../backend/withdrawals/cancel.ts";
import { reconcile } from "../../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../../backend/withdrawals/reject.ts";
import { applyRestore } from "../../../backend/withdrawals/restored.ts";
import { settleAnswered } from "../../../backend/withdrawals/settle-answered.ts";
import { writeExpiry } from "../../../backend/withdrawals/transition.ts";
import { bank, till } from "../../service/world.ts";
import { id, nowMs, orderWith, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();

interface After {
  readonly status: Status;
  readonly kinds?: readonly string[];
  readonly disputed?: number | null;
  readonly alarms?: number;
  readonly orders?: number;
}
const [before, second, held, lost] = [500, { attempts: 2 }, { attempts: 3 }, { attempts: 4 }];
const moved = { kinds: ["transition"], orders: 0 };

test.each<readonly ["accepted" | "declined", Status, number | null, { attempts: number }, After]>([
  ["accepted", "settling", null, held, { status: "settled", ...moved }],
  ["accepted", "settling", null, lost, { status: "settled", ...moved }],
  [
    "accepted",
    "settling",
    before,
    held,
    { status: "settled", ...moved, kinds: ["transition", "contradicted"], disputed: nowMs, alarms: 1 },
  ],
  [
    "accepted",
    "failed",
    null,
    held,
    { status: "failed", kinds: ["contradicted"], disputed: nowMs, alarms: 1, orders: 0 },
  ],
  ["accepted", "settled", null, held, { status: "settled", orders: 0 }],
  ["accepted", "linked", null, held, { status: "linked", orders: 0 }],
  ["accepted", "undelivered", null, held, { status: "undelivered", orders: 0 }],
  // Nobody can have sent it: an order that somebody wrote, or one of a process that knew more than a copy put back, or than a standby
  // that was promoted without the approval.
  ...(["canceled", "rejected", "expired", "declined", "requested", "ready", "awaiting_sca"] as const).map(
    (status) =>
      [
        ...(["accepted", status, null, held] as const),
        { status, kinds: ["contradicted"], disputed: nowMs, alarms: 1, orders: 0 },
      ] as const,
  ),
  // The order is at its third try: nobody knows what became of the two before it.
  [
    "declined",
    "settling",
    null,
    held,
    { status: "failed", ...moved, kinds: ["transition", "contradicted"], disputed: nowMs, alarms: 1 },
  ],
  // The first try was answered with no, and so is the second.
  [
    "declined",
    "settling",
    before,
    second,
    { status: "failed", ...moved, kinds: ["transition", "dispute_closed"], disputed: null },
  ],
  // One of the two before the third was answered with no; nobody knows what became of the other.
  [
    "declined",
    "settling",
    before,
    held,
    { status: "failed", ...moved, kinds: ["transition", "contradicted"], disputed: nowMs, alarms: 1 },
  ],
  ["declined", "settling", null, lost, { status: "settling", kinds: ["contradicted"], disputed: nowMs }],
  ["declined", "settling", before, lost, { status: "settling", disputed: before }],
  ["declined", "settled", null, lost, { status: "settled", kinds: ["contradicted"], disputed: nowMs, alarms: 1 }],
  ["declined", "linked", null, lost, { status: "linked", kinds: ["contradicted"], disputed: nowMs, alarms: 1 }],
  [
    "declined",
    "undelivered",
    null,
    lost,
    { status: "undelivered", kinds: ["contradicted"], disputed: nowMs, alarms: 1 },
  ],
  ["declined", "failed", null, lost, { status: "failed" }],
  ["declined", "awaiting_sca", null, lost, { status: "awaiting_sca" }],
])(
  "%s while it is %s, disputed since %o, the order held by try %o: %o",
  async (answer, status, disputed_at, order, after) => {
    await stage.put({ status, disputed_at, settle_attempts: 0 });
    if (disputed_at !== null) await stage.putContradiction("declined");
    await stage.putOrder(order);
    const tried = order === second ? second : held;
    await settleAnswered(stage.service, orderWith(tried), answer);
    const { kinds = [], disputed = null, alarms = 0, orders = 1 } = after;
    const [row] = [...(await stage.rows("withdrawals")), ...(await stage.rows("archived_withdrawals"))];
    expect([row?.status, row?.disputed_at, (await stage.rows("outbox")).length]).toEqual([
      after.status,
      disputed,
      orders,
    ]);
    expect((await stage.history()).map(({ kind }) => kind)).toEqual(kinds);
    expect(stage.counted.alarms).toHaveLength(alarms);
    const hasMoved = kinds[0] === "transition";
    expect(stage.counted.transitions).toEqual(hasMoved ? [`settling>${after.status}`] : []);
    expect([row?.settle_attempts, row?.history_length]).toEqual([hasMoved ? tried.attempts : 0, 5 + kinds.length]);
  },
);

const lines = async () => {
  const found = [];
  for await (const page of reconcile(stage.service, bank, { fromMs: 0, toMs: nowMs + 1 })) found.push(...page);
  return found;
};
const unconfirmed = { confirmed_at: null, device_id: null, transaction_id_partner: null, settle_attempts: 0 };
const disputed = { transaction_id: id, finding: "disputed", confirmed_at: new Date(nowMs).toISOString() };

test.each(["declined", "rejected", "canceled", "expired"] as const)(
  "a yes to what a failover made unconfirmed again is a line of the report where it has ended as %s",
  async (status) => {
    await stage.put({ status, ...unconfirmed, closed_at: 600 });
    await stage.putOrder(held);
    expect(await lines()).toEqual([]);
    await settleAnswered(stage.service, orderWith(held), "accepted");
    expect(await lines()).toMatchObject([disputed]);
  },
);

const said = () => applyRestore(stage.service, { forgotSince: nowMs - 1 });
const expires = () => stage.service.store.write((tx) => writeExpiry(tx, stage.service, id, nowMs));
test.each<[Status, string, () => Promise<unknown>, Finding]>([
  ["ready", "is given up", () => cancelWithdrawal(stage.service, bank, id), "disputed"],
  ["ready", "is rejected", () => rejectTransaction(stage.service, till, id), "disputed"],
  ["ready", "expires", expires, "disputed"],
  ["requested", "expires", expires, "disputed"],
  ["ready", "is ended by an operator who says so", said, "restored"],
  ["requested", "is ended by an operator who says so", said, "restored"],
])("a yes to what a failover made unconfirmed and %s again is a line once it %s", async (status, how, end, finding) => {
  const deadline_at = how === "expires" ? nowMs : nowMs + 1_000;
  await stage.put({ status, ...unconfirmed, settled_at: null, deadline_at });
  await stage.putOrder(held);
  await settleAnswered(stage.service, orderWith(held), "accepted");
  await end();
  expect(await lines()).toMatchObject([{ ...disputed, finding }]);
  // What the next row goes on from, as the verification wants it.
  expect((await stage.history()).map(({ from_status }) => from_status)).toEqual([status, status]);
});

const sent = {
  ...{ terminal_reference: "pos-1", merchant_id: till.merchantId, amount: 5_000, currency: "EUR" },
  created_at: 70_000,
};
const ofShop = async (toMs: number) => {
  const found = [];
  for await (const page of reconcile(stage.service, till, { fromMs: 0, toMs })) found.push(...page);
  return found;
};
const [silence, oppositeOf] = ["settle:unanswered", "settle:accepted_after_the_opposite"];

test.each([
  ["accepted", 1, "settled", oppositeOf],
  ["declined", 1, null, null],
  ["declined", 2, "settling", "settle:no_after_silence"],
  [null, 1, "settling", silence],
] as const)(
  "%s to try %d of what a failover has forgotten altogether is a line of the report: %s",
  async (answer, attempts, status, alarm) => {
    const entries = () => stage.store.read((tx) => tx.all(auditAbout({ event: "ordered and forgotten", object: id })));
    const before = (await entries()).length;
    const counts: number[] = [];
    for (let time = 0; time < 2; time += 1) {
      await settleAnswered(stage.service, { ...orderWith({ attempts }), ...sent }, answer);
      counts.push((await entries()).length - before);
    }
    expect(counts).toEqual(status === null ? [0, 0] : [1, 1]);
    const asked = { transaction_id_partner: "pos-1", store: till.merchantId, amount: "50.00", currency: "EUR" };
    const settled_at = status === "settled" ? new Date(nowMs).toISOString() : null;
    const line = { transaction_id: id, ...asked, status, device_id: null, finding: "restored", settled_at };
    const times = { confirmed_at: new Date(70_000).toISOString(), linked_at: null, closed_at: null };
    expect(await ofShop(nowMs)).toMatchObject(status === null ? [] : [{ ...line, ...times }]);
    expect(stage.counted.alarms).toEqual(alarm === null ? [] : [alarm, alarm]);
    const [newest] = await entries();
    const detail = `${status} 50.00 EUR pos-1 at ${times.confirmed_at} in ${till.merchantId}`;
    if (status !== null) expect(newest).toMatchObject({ actor: `partner ${bank.partnerId}`, detail });
  },
);

test("what a failover forgot is dated by its order, and by the answer where a clock was ahead", async () => {
  await settleAnswered(stage.service, { ...orderWith(), ...sent, created_at: nowMs + 5 }, null);
  expect(await ofShop(nowMs + 1)).toMatchObject([{ confirmed_at: new Date(nowMs).toISOString() }]);
});

test.each(["merchant_id", "amount", "currency"] as const)(
  "an order whose %s nobody knows is an alarm",
  async (what) => {
    await settleAnswered(stage.service, { ...orderWith(), ...sent, [what]: undefined }, "accepted");
    expect([await ofShop(nowMs + 1), stage.counted.alarms]).toEqual([[], [oppositeOf]]);
  },
);

test("of a terminal without an id of its own it is a line too", async () => {
  await settleAnswered(stage.service, { ...orderWith(), ...sent, terminal_reference: null }, null);
  expect(await ofShop(nowMs + 1)).toMatchObject([{ transaction_id_partner: null }]);
  expect(await stage.rows("restored_reports")).toMatchObject([{ transaction_id_partner: "" }]);
});

test("what another process still asks a bank about is its own to find out", async () => {
  await stage.putOrder(second);
  await settleAnswered(stage.service, { ...orderWith(), ...sent }, null);
  expect([await ofShop(nowMs + 1), stage.counted.alarms]).toEqual([[], []]);
});

test.each<["declined" | null, Status, number, string | null]>([
  ...(["requested", "ready", "awaiting_sca", "declined", "rejected", "canceled", "expired"] as const).flatMap(
    (status) =>
      [
        [null, status, 1, silence],
        ["declined", status, 2, "settle:no_after_silence"],
        ["declined", status, 1, null],
      ] as ["declined" | null, Status, number, string | null][],
  ),
  ...(["settling", "settled", "linked", "undelivered", "failed"] as const).map(
    (status) => [null, status, 2, null] as [null, Status, number, null],
  ),
])("%s to an order that is gone, of what is %s, after %d calls: %s", async (answer, status, attempts, alarm) => {
  await stage.put({ status, ...unconfirmed });
  await settleAnswered(stage.service, { ...orderWith({ attempts }), ...sent }, answer);
  const [row] = await stage.rows("withdrawals");
  expect([row?.disputed_at, stage.counted.alarms]).toEqual(alarm === null ? [null, []] : [nowMs, [alarm]]);
});

test.each([
  ["accepted", "settled", null],
  ["declined", "failed", "settle_declined"],
] as const)("the history names the bank, its try, and what it says now: %s", async (answer, status, reason) => {
  await stage.put({ status: "settling", disputed_at: before });
  await stage.putContradiction("declined");
  await stage.putOrder(second);
  await settleAnswered(stage.service, orderWith(second), answer);
  const cause = { actor: "partner", actor_id: "bank", request_id: null, attempt: 2, at: nowMs };
  expect(await stage.history()).toMatchObject([
    { ...cause, sequence: 6, from_status: "settling", to_status: status, reason },
    { ...cause, sequence: 7, from_status: status, to_status: status, reason: answer },
  ]);
});

// An older copy that was put back had told its bank of another end: the bank has said nothing of this order yet.
test.each<readonly ["accepted" | "declined", { attempts: number; unsent_attempts?: number }, After]>([
  ["accepted", second, { status: "settled", kinds: ["transition"], disputed: before }],
  ["declined", second, { status: "failed", kinds: ["transition", "contradicted"], disputed: nowMs, alarms: 1 }],
  ["declined", { attempts: 2, unsent_attempts: 2 }, { status: "failed", kinds: ["transition"], disputed: before }],
])("%s after a restore has disputed it, to try %o: %o", async (answer, order, after) => {
  await stage.put({ status: "settling", disputed_at: before });
  await stage.putContradiction("restored");
  await stage.putOrder(order);
  await settleAnswered(stage.service, orderWith(order), answer);
  expect(await stage.rows(after.status === "failed" ? "archived_withdrawals" : "withdrawals")).toMatchObject([
    { status: after.status, disputed_at: after.disputed },
  ]);
  expect((await stage.history()).map(({ kind }) => kind)).toEqual(after.kinds);
  expect(stage.counted.alarms).toHaveLength(after.alarms ?? 0);
});

// A restore has ended it, its terminal has handed it out all the same, and its bank has approved it again.
const [saidNothing, saidNo, closedNo] = ["nothing", "declined", "declined, and closed by an operator"] as const;
const toldSince = "declined, closed by an operator, and disputed by another restore";
const bothWords = { status: "linked", kinds: ["dispute_closed", "contradicted"], disputed: nowMs, alarms: 1 } as const;
test.each<readonly ["accepted" | "declined", held: boolean, said: string, After]>([
  ["accepted", true, saidNothing, { status: "linked", kinds: ["dispute_closed"], disputed: null, orders: 0 }],
  ["accepted", false, saidNothing, { status: "linked", kinds: ["dispute_closed"], disputed: null, orders: 0 }],
  ["accepted", true, saidNo, { ...bothWords, orders: 0 }],
  ["accepted", false, saidNo, { ...bothWords, orders: 0 }],
  ["accepted", false, closedNo, { ...bothWords, orders: 0 }],
  ["accepted", false, toldSince, { ...bothWords, kinds: ["contradicted", ...bothWords.kinds], orders: 0 }],
  ["declined", true, saidNothing, { status: "linked", kinds: ["contradicted"], disputed: nowMs, alarms: 1, orders: 0 }],
  ["declined", false, saidNothing, { status: "linked", kinds: ["contradicted"], disputed: nowMs, orders: 1 }],
  ["declined", false, saidNo, { status: "linked", disputed: before, orders: 1 }],
])(
  "%s to what was reported after a restore, its order held by this try: %s; said before: %s",
  async (answer, isHeld, said, after) => {
    const disputed_at = said === closedNo || said === toldSince ? null : before;
    await stage.put({ status: "linked", reason: "restored", settled_at: null, disputed_at, settle_attempts: 0 });
    if (said !== saidNothing) await stage.putContradiction("declined");
    const told = [{ since: 0, knownUntil: nowMs }];
    if (said === toldSince) await applyRestore(stage.service, { forgotSince: nowMs - 1, told });
    await stage.putOrder(isHeld ? second : held);
    await settleAnswered(stage.service, orderWith(second), answer);
    const isPaid = answer === "accepted";
    expect(await stage.rows("withdrawals")).toMatchObject([
      {
        status: "linked",
        disputed_at: after.disputed,
        settled_at: isPaid ? nowMs : null,
        settle_attempts: isPaid ? 2 : 0,
      },
    ]);
    expect(await stage.rows("outbox")).toHaveLength(after.orders ?? 1);
    expect((await stage.history()).map(({ kind }) => kind)).toEqual(after.kinds ?? []);
    expect([stage.counted.alarms.length, stage.counted.transitions]).toEqual([after.alarms ?? 0, []]);
  },
);

test("a first answer costs no look for a dispute", async () => {
  await stage.put({ status: "settling" });
  const names = await stage.namesOf((service) => settleAnswered(service, orderWith(), "accepted"));
  expect(names).toEqual(["outbox_delete", "settle_accepted", "withdrawal_event_hash", "withdrawal_event_insert"]);
});

test("its event is this process's own to send until its lease ends", async () => {
  const address = (events_url: string | null) =>
    stage.store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url })));
  await address("https://bank.example/events");
  await stage.put({ status: "settling" });
  await settleAnswered(stage.service, orderWith(), "accepted").finally(() => address(null));
  expect(await stage.rows("status_events")).toMatchObject([{ attempts: 1, due_at: nowMs + leaseMs }]);
  expect(stage.sent.events).toHaveLength(1);
});

test("an archived one is disputed where it lies, and held before it is read", async () => {
  await stage.putArchived({ status: "failed" });
  const names = await stage.namesOf((service) => settleAnswered(service, orderWith(), "accepted"));
  expect(names.slice(2, 4)).toEqual(["hold_withdrawals", "hold_archived_withdrawals"]);
  expect(await stage.rows("archived_withdrawals")).toMatchObject([{ id, status: "failed", disputed_at: nowMs }]);
  expect(stage.counted.alarms).toHaveLength(1);
});
