/** What a verb leaves beside the row that it moves: the bank's event, an expiry that it came upon, the answer to a repeat. */
import { afterEach, expect, test, vi } from "vitest";
import { updatePartner } from "../../../backend/partner/partners.ts";
import { cancelWithdrawal } from "../../../backend/withdrawals/cancel.ts";
import { getHistory } from "../../../backend/withdrawals/get-history.ts";
import { declareUndelivered, linkTransaction } from "../../../backend/withdrawals/link.ts";
import { listWithdrawals } from "../../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../../backend/withdrawals/reject.ts";
import { requestWithdrawal } from "../../../backend/withdrawals/request.ts";
import { withdrawalIdByKey } from "../../../backend/withdrawals/store.ts";
import { toTransaction } from "../../../backend/withdrawals/transition.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, otherBank, till } from "../../service/world.ts";
import { id, nowMs, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();
const wantsEvents = (events_url: string | null) =>
  stage.store.write((tx) => tx.run(updatePartner(bank.partnerId, { events_url })));
const conflict = { code: "transaction_conflict" };
afterEach(() => void vi.restoreAllMocks());

test.each([
  [null, 0],
  ["http://bank/events", 1],
])("a bank whose events go to %s is sent %d of them", async (url, count) => {
  await wantsEvents(url);
  try {
    await stage.put({ status: "ready", deadline_at: nowMs + 1 });
    await cancelWithdrawal(stage.service, bank, id);
    expect(stage.sent.events.map((event) => event.transaction_id)).toEqual(Array.from({ length: count }, () => id));
    expect(await stage.rows("status_events")).toHaveLength(count);
  } finally {
    await wantsEvents(null);
  }
});

test("a reject that comes too late is answered with what time has done, which is counted", async () => {
  await stage.put({ status: "awaiting_sca", deadline_at: nowMs });
  expect(await rejectTransaction(stage.service, till, id)).toMatchObject({ status: "canceled", reason: "sca_timeout" });
  expect([stage.counted.transitions, stage.sent.wakes]).toEqual([["awaiting_sca>canceled"], 1]);
});

test("what cannot be an id is not looked for", async () => {
  const store = { ...stage.store, write: () => Promise.reject(new Error("looked for")) };
  await expect(rejectTransaction({ ...stage.service, store }, till, "'")).rejects.toMatchObject({
    code: "transaction_not_found",
  });
});

test("why there was no cash is said once: the same again is a repeat, another reason is none", async () => {
  await stage.put({ status: "settled" });
  const said = await declareUndelivered(stage.service, till, id, "till_short");
  expect(said).toMatchObject({ status: "undelivered", reason: "till_short" });
  expect(await declareUndelivered(stage.service, till, id, "till_short")).toEqual(said);
  await expect(declareUndelivered(stage.service, till, id, "other")).rejects.toMatchObject(conflict);
});

test.each([
  ["undelivered", "till_short"],
  ["failed", "settle_declined"],
] as const)("the reason of one that is %s is %s", (status, reason) => {
  const row = rowWith({ status, undelivered_reason: "till_short", reason: "settle_declined" });
  expect(toTransaction(row).reason).toBe(reason);
});

test("a bank finds by its own key alone what it has asked for", async () => {
  await stage.put({ idempotency_key: "key" });
  const found = (partner: string, key: string) =>
    stage.store.read((tx) => tx.first(withdrawalIdByKey({ partner, key })));
  expect(await found(bank.partnerId, "key")).toEqual({ id });
  expect([await found(bank.partnerId, "other"), await found(otherBank.partnerId, "key")]).toEqual([
    undefined,
    undefined,
  ]);
});

test("a list hides nothing behind a forged row, has one that ends meanwhile once, and counts what time has done", async () => {
  await stage.put(
    { id, created_at: 10 },
    { id: secondId, created_at: 20 },
    { id: "LATE", created_at: 30, status: "ready", deadline_at: nowMs },
  );
  await stage.putArchived({ id, created_at: 11 });
  await stage.putArchived({ id: secondId, created_at: 20 });
  const { withdrawals } = await listWithdrawals(stage.service, bank, { limit: 9 });
  expect(withdrawals.map((one) => one.transaction_id)).toEqual(["LATE", secondId, id, id]);
  expect(stage.counted.transitions).toEqual(["ready>expired"]);
});

test.each([
  [{}, id],
  [{ user_id: "ben" }, id],
  [{ amount: "60.00" }, "idempotency_key_reused"],
  [{ currency: "CHF" }, "idempotency_key_reused"],
  [{ store: "other-shop" }, "idempotency_key_reused"],
])("an erased user's request with %j, under its key, is answered with %s", async (said, answer) => {
  await stage.put({ status: "declined", request_hash: "erased", idempotency_key: "key" });
  const body = { user_id: "ann", amount: "50.00", currency: "EUR", store: "corner-shop", ...said };
  const asked = requestWithdrawal(stage.service, bank, body, "key");
  expect(
    await asked.then(
      ({ transaction_id }) => transaction_id,
      ({ code }) => code,
    ),
  ).toBe(answer);
});

test("who handed the cash out is in its history for the shop, and never for its bank", async () => {
  await stage.put({ status: "settled" });
  await linkTransaction(stage.service, till, id, "C2");
  const cashiers = async (reader: typeof till | typeof bank) =>
    (await getHistory(stage.service, reader, id)).events.map(({ cashier }) => cashier);
  expect([await cashiers(till), await cashiers(bank)]).toEqual([["C2"], [null]]);
});
