/** What becomes of a withdrawal that a restore has ended, or of its line, when its terminal repeats what it reported. */
import { expect, test } from "vitest";
import type { AsReported } from "../../../backend/contract/pos.ts";
import { dayMs, toTime } from "../../../backend/contract/times.ts";
import { readTill } from "../../../backend/merchants/merchants.ts";
import { updatePartner } from "../../../backend/partner/partners.ts";
import { insertRestore } from "../../../backend/store/restores.ts";
import type { Database } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { closeDispute } from "../../../backend/withdrawals/dispute.ts";
import { declareUndelivered, linkTransaction } from "../../../backend/withdrawals/link.ts";
import { reconcile } from "../../../backend/withdrawals/reconcile.ts";
import { resolveSca } from "../../../backend/withdrawals/resolve-sca.ts";
import { applyRestore } from "../../../backend/withdrawals/restored.ts";
import { bank, otherShop, secondTill, till } from "../../service/world.ts";
import { id, nowMs, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const conflict = { code: "transaction_conflict" };
const known: AsReported = { transaction_id_partner: "pos-1", amount: "50.00", currency: "EUR" };
const link = (said: Partial<AsReported> = {}, terminal = till) =>
  linkTransaction(stage.service, terminal, id, null, { ...known, ...said }, "hand-out");
const undelivered = () => declareUndelivered(stage.service, till, id, "till_short", null, known);
const putEnded = () =>
  stage.put({
    ...{ status: "canceled", reason: "restored", closed_at: 4_000, disputed_at: null },
    ...{ device_id: null, transaction_id_partner: null, confirmed_at: null, settled_at: null },
  });

test.each([
  ["handed out, is paid, and disputed until then", link, "linked", nowMs, 1],
  ["not handed out, is not paid, and agreed", undelivered, "undelivered", null, 0],
] as const)("one that its bank has approved again and that was %s", async (_, report, status, disputed_at, orders) => {
  await putEnded();
  await resolveSca(stage.service, bank, id, "approved");
  expect(await report()).toMatchObject({ status });
  expect(await stage.rows("withdrawals")).toMatchObject([{ status, disputed_at }]);
  expect([stage.sent.orders.length, (await stage.rows("outbox")).length]).toEqual([orders, orders]);
});

test("under a terminal's id that an ended one has it stays as it is: nobody knows which of the two is meant", async () => {
  await putEnded();
  const names = { merchant_id: till.merchantId, device_id: till.deviceId, transaction_id_partner: "pos-1" };
  const used = { ...names, transaction_id: secondId, created_at: 1 };
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("terminal_references").values(used))));
  await expect(link()).rejects.toMatchObject(conflict);
  expect(await stage.rows("withdrawals")).toMatchObject([{ status: "canceled", device_id: null }]);
});

test.each([
  [{}, nowMs],
  [{ confirmed_at: 2_000, settled_at: 3_000, reported_at: 4_000 }, 2_000],
  [{ settled_at: 3_000, reported_at: 4_000 }, 3_000],
  [{ confirmed_at: 3_500, settled_at: 3_000 }, 3_000],
])("what is said to have been at %j was confirmed at %d", async (times, confirmed_at) => {
  await putEnded();
  await link(Object.fromEntries(Object.entries(times).map(([name, at]) => [name, toTime(at)])));
  expect(await stage.rows("withdrawals")).toMatchObject([{ status: "linked", confirmed_at }]);
});

/** A copy of day 20 was put back on day 22. */
const [forgotSince, restoredAt] = [20 * dayMs, 22 * dayMs];
const putRestore = () =>
  stage.store.write((tx) => tx.run(insertRestore({ restored_at: restoredAt, forgot_since: forgotSince })));

test.each([
  ["the same", {}, 0],
  ["of another id of a terminal", { transaction_id_partner: "pos-2" }, 1],
  ["of another amount", { amount: "60.00" }, 1],
  ["in another currency", { currency: "CHF" }, 1],
])("what a terminal repeats under another name is %s", async (_, said, lines) => {
  await stage.put({ status: "linked", linked_at: 4_000, transaction_id_partner: "pos-1", hand_out_id: "hand-out" });
  await putRestore();
  stage.clock.jump(restoredAt);
  expect(await link(said, secondTill)).toMatchObject({ status: "linked" });
  expect(await stage.rows("restored_reports")).toHaveLength(lines);
});

test("a repeat that says nothing of the restore, of what was taken after it, leaves no line", async () => {
  await stage.put({ status: "linked", reason: "restored", linked_at: 4_000 });
  await putRestore();
  stage.clock.jump(restoredAt);
  expect(await linkTransaction(stage.service, till, id)).toMatchObject({ status: "linked" });
  expect(await stage.rows("restored_reports")).toEqual([]);
});

test("what another shop's terminal says alike is a line of that shop's, and no word of this one's", async () => {
  await stage.put({ status: "linked", transaction_id_partner: "pos-1", partner_reference: "ref-1" });
  await putRestore();
  stage.clock.jump(restoredAt);
  expect(await link({}, otherShop)).toMatchObject({ store: "other-shop", partner_reference: null });
  expect(await stage.rows("restored_reports")).toMatchObject([{ transaction_id: id, merchant_id: "other-shop" }]);
});

test.each([
  ["a day before what was forgotten", 30, forgotSince - dayMs, {}, forgotSince],
  ["earlier", 30, forgotSince - dayMs - 1, {}, null],
  ["a day after the restore", 30, restoredAt + dayMs, {}, restoredAt + dayMs],
  ["later", 30, restoredAt + dayMs + 1, {}, null],
  ["in years, when it is a day after the restore", 23, 9_999 * dayMs, {}, 23 * dayMs],
  ["before and after it", 30, forgotSince - 2 * dayMs, { reported_at: toTime(restoredAt + 2 * dayMs) }, forgotSince],
  ["earlier, and names the restore", 30, 0, { restored_at: toTime(restoredAt) }, forgotSince],
  ["earlier, and names another one", 30, 0, { restored_at: toTime(restoredAt + 1) }, null],
] as const)("one that nobody knows, said to be of %s: on day %d", async (_, day, at, said, confirmed_at) => {
  await putRestore();
  stage.clock.jump(day * dayMs - nowMs);
  const answer = link({ confirmed_at: toTime(at), ...said });
  if (confirmed_at === null) await expect(answer).rejects.toMatchObject({ code: "transaction_not_found" });
  else expect(await answer).toMatchObject({ status: "linked", reason: "restored" });
  const line = { transaction_id: id, confirmed_at, status: "linked", hand_out_id: "hand-out" };
  expect(await stage.rows("restored_reports")).toMatchObject(confirmed_at === null ? [] : [line]);
});

const insert = (table: keyof Database, row: object) =>
  stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto(table).values(row as never))));
const report = {
  ...{ transaction_id: id, device_id: "till-2", status: "linked", undelivered_reason: null, cashier: null },
  ...{ transaction_id_partner: "pos-1", amount: 5_000, currency: "EUR", confirmed_at: 0, settled_at: null },
  ...{ reported_at: 4_000, created_at: 5_000, closed_at: null, hand_out_id: null, other_hand_out_id: null },
};
const findings = async () => {
  for await (const lines of reconcile(stage.service, till, { fromMs: 0, toMs: nowMs }))
    return lines.map(({ finding, reason }) => [finding, reason]);
  return [];
};

test("a line is in doubt by what its own shop's terminals repeat, and by no other shop's", async () => {
  await stage.put({ status: "linked", linked_at: 4_000 });
  await insert("restored_reports", { ...report, id: "r1", merchant_id: otherShop.merchantId });
  expect(await findings()).toEqual([["matched", null]]);
  await insert("restored_reports", { ...report, id: "r2", merchant_id: till.merchantId });
  expect((await findings()).at(-1)).toEqual(["restored", null]);
});

test.each([1_000, 0])("a bank's other answer is found in the history, filed under %d", async (asked_at) => {
  await stage.put({ disputed_at: 5_000 });
  await stage.putContradiction("declined");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawal_events").set({ asked_at }))));
  expect(await findings()).toEqual([["disputed", "declined_after_accepted"]]);
});

test("a restore is ten seconds later than the one before, so that no event has a number twice", async () => {
  await insert("restores", { restored_at: nowMs, forgot_since: 0 });
  const { restoredAt: at } = await applyRestore(stage.service, { forgotSince: 0 });
  expect(at).toBe(nowMs + 10_000);
});

test("whoever closes a dispute closes what was repeated of it as well", async () => {
  await stage.put({ status: "linked", disputed_at: 5_000 });
  await insert("restored_reports", { ...report, id: "r1", merchant_id: till.merchantId });
  expect(await closeDispute(stage.service, id, "ada", "looked at")).toBe(true);
  expect(await stage.rows("withdrawals")).toMatchObject([{ disputed_at: null }]);
  expect(await stage.rows("restored_reports")).toMatchObject([{ closed_at: nowMs }]);
});

test("a bank's event of what a restore has ended is above all before, though a clock dated it after the restore", async () => {
  const address = (events_url: string | null) =>
    stage.store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url })));
  await address("https://bank.example/events");
  await putEnded();
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.updateTable("withdrawals").set({ created_at: 2 * restoredAt }))),
  );
  await putRestore();
  await link().finally(() => address(null));
  expect(stage.sent.events.map(({ id }) => id)).toEqual([`event_${id}_8`]);
});

test.each([
  [89, 1],
  [90, 88],
])("a terminal repeats for a restore of %d days before the last one's day: since day %d", async (days, since) => {
  stage.clock.jump(91 * dayMs - nowMs);
  const put = (day: number) =>
    insert("restores", { restored_at: (91 - day) * dayMs, forgot_since: (91 - day - 1) * dayMs });
  await put(days);
  await put(2);
  expect(await readTill(stage.service, till)).toMatchObject({ forgot_since: toTime(since * dayMs) });
});

test.each([
  [0, 0, 0, null],
  [7, 0, forgotSince, { seq: 7, head: "head" }],
  [7, 0, forgotSince + 1, null],
  [7, restoredAt, 0, null],
])(
  "of link %d of its journal, after the restore of %d, received at %d, a terminal is told %j",
  async (seq, after_restore, received_at, kept_head) => {
    const head = { merchant_id: till.merchantId, device_id: till.deviceId, epoch: 1, seq, head: "head", at: 0 };
    await insert("journal_heads", { ...head, received_at, after_restore });
    await putRestore();
    await insert("restores", { restored_at: restoredAt + dayMs, forgot_since: restoredAt });
    stage.clock.jump(restoredAt + 2 * dayMs);
    expect(await readTill(stage.service, till)).toMatchObject({ kept_head });
  },
);
