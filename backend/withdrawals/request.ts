import type { Client, Service } from "../context.ts";
import { parseAmount } from "../contract/money.ts";
import { startOrderWindowMs } from "../contract/partner.ts";
import type { Transaction } from "../contract/transaction.ts";
import type { Merchant } from "../merchants/merchant-store.ts";
import { startOrder } from "../partner/orders.ts";
import { ServiceError } from "../service-error.ts";
import { one, type UnitOfWork } from "../store/store.ts";
import { type Admission, admit } from "./admission.ts";
import { checkRequestCaps, isCapped } from "./caps.ts";
import { waitWhile } from "./get.ts";
import { byPartner } from "./history.ts";
import { recordTransition } from "./record-transition.ts";
import { checkedAmount, newRow, requestHashOf, type WithdrawalRequest } from "./request-row.ts";
import { startAnswered } from "./start-answered.ts";
import type { Row, ShownRow } from "./store/reads.ts";
import { withdrawalByKey } from "./store/reads.ts";
import { insertWithdrawal } from "./store/transitions.ts";
import { toTransaction } from "./to-transaction.ts";
import { countTransition } from "./transition.ts";

/**
 * Extension: the user asks for cash. The row and its idempotency key are committed before the bank is called; the answer
 * comes once Start order is answered, or after its 15 s. The same key and body again: the same answer, also while the
 * first is under way.
 * @param idempotencyKey 1 to 255 visible ASCII characters from a caller; the service's own keys hold a space.
 * @throws ServiceError `store_unknown`, `partner_not_configured`, `user_blocked`, `currency_mismatch`, `amount_out_of_range`,
 * `amount_step`, `limit_reached` (with `limits`), `validation_failed`, `idempotency_key_reused`, `unavailable` (also with too many Start orders out).
 */
export const requestWithdrawal = async (
  service: Service,
  client: Client,
  body: WithdrawalRequest,
  idempotencyKey: string,
  signal?: AbortSignal,
): Promise<Transaction> => {
  const release = service.startSlots.acquire(client.partnerId);
  let known: Row;
  try {
    const requestHash = requestHashOf(body, parseAmount(body.amount, body.currency));
    const { row, newAt } = await writeOrFind(service, client, body, idempotencyKey, requestHash);
    if (newAt) {
      countTransition(service, null, row, null);
      const { answer, attempts } = await startOrder(service, row, newAt.name);
      // Without an answer and without time for another try, the deadline decides: it is no answer of the bank.
      if (answer.kind === "none" && service.startSlots.stopping.aborted) return firstAnswer(row);
      return firstAnswer(await startAnswered(service, row, answer.kind, client, attempts));
    }
    if (row.request_hash !== requestHash) {
      throw new ServiceError("idempotency_key_reused", "This Idempotency-Key was used with another body.");
    }
    known = row;
  } finally {
    release();
  }
  const wait = { waitMs: startOrderWindowMs, ...(signal ? { signal } : {}) };
  return firstAnswer(known.status === "requested" ? await waitWhile(service, known, "requested", wait) : known);
};

/**
 * The new row, or the one that this key has already made: a repeat is answered as before, whatever the rules are by now.
 * @returns `newAt`: the shop of a new row, null for one that was there.
 */
const writeOrFind = async (
  service: Service,
  client: Client,
  body: WithdrawalRequest,
  idempotencyKey: string,
  requestHash: string,
): Promise<{ readonly row: Row; readonly newAt: Merchant | null }> => {
  try {
    const admission = await admit(service, client, body.user_id, body.store);
    const { merchant } = admission;
    const asked = { amount: checkedAmount(body, merchant), storeName: merchant.name, idempotencyKey, requestHash };
    const fresh = newRow(service, client, body, asked);
    const { row, isNew } = await service.store.write(
      () => insertOrFind(service, client, admission, fresh),
      isCapped(admission) ? undefined : fresh.id,
    );
    return { row, newAt: isNew ? admission.merchant : null };
  } catch (refusal) {
    if (!(refusal instanceof ServiceError) || refusal.code === "unavailable") throw refusal;
    const key = { partner: client.partnerId, key: idempotencyKey };
    const known = await service.store.read(() => one(withdrawalByKey(key)));
    if (!known) throw refusal;
    return { row: known, newAt: null };
  }
};

/**
 * What the first caller was answered, from the row as it is now: a declined withdrawal has not changed since, and any other
 * was `ready` then. So it needs no copy.
 */
const firstAnswer = (row: ShownRow): Transaction => {
  if (row.status === "requested") throw new ServiceError("unavailable", "The bank has not answered yet. Ask again.");
  if (row.status === "declined") return toTransaction(row);
  return toTransaction({
    ...row,
    status: "ready",
    reason: null,
    transaction_id_partner: null,
    confirmed_at: null,
    sca_expires_at: null,
    settled_at: null,
    linked_at: null,
    closed_at: null,
  });
};

function* insertOrFind(
  service: Service,
  client: Client,
  admission: Admission,
  row: Row,
): UnitOfWork<{ row: Row; isNew: boolean }> {
  const inserted = yield* one(insertWithdrawal({ ...row }));
  if (inserted) {
    yield* checkRequestCaps(inserted, admission);
    const first = { ...inserted, previous_hash: null, wants_events: 0 };
    yield* recordTransition(service, first, null, inserted.created_at, byPartner(client));
    return { row: inserted, isNew: true };
  }
  const known = yield* one(withdrawalByKey({ partner: row.partner_id, key: row.idempotency_key }));
  if (!known) throw new ServiceError("unavailable", "The same request is under way. Ask again.");
  return { row: known, isNew: false };
}
