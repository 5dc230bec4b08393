/** Requests for withdrawals. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import type { Client, Service } from "../context.ts";
import { assertNever } from "../contract/assert-never.ts";
import type { requestWithdrawalBodySchema } from "../contract/client.ts";
import type { ErrorCode } from "../contract/errors.ts";
import { makeTransactionId } from "../contract/ids.ts";
import { parseAmount } from "../contract/money.ts";
import { startOrderWindowMs } from "../contract/partner.ts";
import type { Reason } from "../contract/reasons.ts";
import type { Transaction } from "../contract/transaction.ts";
import { limitsOf, type Merchant } from "../merchants/merchants.ts";
import type { PartnerAnswer } from "../partner/answer.ts";
import { startOrder } from "../partner/orders.ts";
import { ServiceError } from "../service-error.ts";
import { type Tx, UniqueViolation } from "../store/store.ts";
import { type Admission, admit, checkRequestCaps, isCapped } from "./caps.ts";
import { erasedHash, oneByKey, oneOrArchived } from "./closed.ts";
import { waitWhileAs } from "./get.ts";
import { acceptStart, declineStart, insertWithdrawal, type Row, type ShownRow } from "./store.ts";
import {
  byPartner,
  bySweeper,
  countTransition,
  recordRequest,
  recordTransition,
  requestTerms,
  toTransaction,
} from "./transition.ts";

/**
 * Extension: requests a withdrawal. The row and its idempotency key are committed before the bank is called; it answers
 * once Start order is answered, or after its 15 s. A repeat with the same key and body gets the same answer, even while
 * the first is under way.
 * @param idempotencyKey 1 to 255 visible ASCII characters from a caller; the service's own keys contain a space.
 * @throws ServiceError `store_unknown`, `partner_not_configured`, `user_blocked`, `currency_mismatch`,
 * `amount_out_of_range`, `amount_step`, `limit_reached` (with `limits`), `validation_failed`, `idempotency_key_reused`,
 * `unavailable` (also with too many Start orders out).
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
    const amount = parseAmount(body.amount, body.currency);
    const requestHash = requestHashOf(body, amount);
    const { row, admission } = await writeOrFind(service, client, body, idempotencyKey, requestHash);
    if (admission) {
      countTransition(service, null, row, null);
      const { answer, attempts } = await startOrder(service, row, admission.merchant.name, admission.bank);
      // On a stop without an answer the deadline decides, as this is not the bank's answer.
      if (answer.kind === "none" && service.startSlots.stopping.aborted) return firstAnswer(row);
      return firstAnswer(await startAnswered(service, row, answer, client, attempts));
    }
    if (row.request_hash === erasedHash ? !isOfSameMoney(row, body, amount) : row.request_hash !== requestHash) {
      throw new ServiceError("idempotency_key_reused", "This Idempotency-Key was used with another body.");
    }
    known = row;
  } finally {
    release();
  }
  const wait = { waitMs: startOrderWindowMs, ...(signal ? { signal } : {}) };
  return firstAnswer(known.status === "requested" ? await waitWhileAs(service, known, wait) : known);
};

/** What a repeat of an erased user's request is known by besides its key: it gets the first answer, and never becomes a second withdrawal. */
const isOfSameMoney = (row: Row, { store, currency }: WithdrawalRequest, amount: number | null): boolean =>
  row.merchant_id === store && row.currency === currency && row.amount === amount;

/** The key belongs to another withdrawal; where that has ended, the INSERT is rolled back. */
class KeyTaken extends Error {}

/**
 * Inserts the row, or finds the one made under this key: a repeat gets the same answer, whatever the rules are by now.
 * @returns `admission`: null for an existing row.
 */
const writeOrFind = async (
  service: Service,
  client: Client,
  body: WithdrawalRequest,
  idempotencyKey: string,
  requestHash: string,
): Promise<{ readonly row: Row; readonly admission: Admission | null }> => {
  try {
    const admission = await admit(service, client, body.user_id, body.store, idempotencyKey);
    if (admission.known) return { row: admission.known, admission: null };
    const { merchant } = admission;
    const fresh = newRow(service, client, body, {
      amount: checkedAmount(body, merchant),
      store_name: merchant.name,
      idempotency_key: idempotencyKey,
      request_hash: requestHash,
    });
    const insert = (tx: Tx) => insertNew(tx, service, client, admission, fresh);
    if (!(await service.store.write(insert, isCapped(admission) ? undefined : fresh.id))) throw new KeyTaken();
    return { row: fresh, admission };
  } catch (refusal) {
    const isTaken = refusal instanceof KeyTaken || refusal instanceof UniqueViolation;
    if (!isTaken && !(refusal instanceof ServiceError && refusal.code !== "unavailable")) throw refusal;
    const known = await service.store.read((tx) => oneByKey(tx, client.partnerId, idempotencyKey));
    if (!known && isTaken) throw new ServiceError("unavailable", "The same request is under way. Ask again.");
    if (!known) throw refusal;
    return { row: known, admission: null };
  }
};

/** Reconstructs the first caller's answer from the current row: a declined withdrawal has not changed since, and any other was `ready` then. */
const firstAnswer = (row: ShownRow): Transaction => {
  if (row.status === "requested") throw new ServiceError("unavailable", "The bank has not answered yet. Ask again.");
  if (row.status === "declined") return toTransaction(row);
  return toTransaction({ ...row, status: "ready", ...unconfirmed });
};

/** What a withdrawal has later. */
const unconfirmed = {
  reason: null,
  transaction_id_partner: null,
  confirmed_at: null,
  sca_expires_at: null,
  settled_at: null,
  linked_at: null,
  closed_at: null,
} as const;

/** @returns whether no open one has its key. It throws for an ended one alone, as repeats must not fail commits that others share. */
async function insertNew(tx: Tx, service: Service, client: Client, admission: Admission, row: Row): Promise<boolean> {
  const inserted = tx.runUnawaited(insertWithdrawal({ ...row }));
  const terms = requestTerms(admission, row, service.keys.history);
  const change = { tx, keys: service.keys, now: row.created_at, cause: byPartner(client), terms };
  const endedId = await recordRequest(change, row);
  if ((await inserted) === 0) return false;
  if (endedId !== null) throw new KeyTaken();
  await checkRequestCaps(tx, row, admission);
  return true;
}

/** A bank's request. */
export type WithdrawalRequest = z.output<typeof requestWithdrawalBodySchema>;

/** The row of a new withdrawal, in status `requested`. */
const newRow = (
  service: Service,
  client: Client,
  body: WithdrawalRequest,
  facts: Pick<Row, "amount" | "store_name" | "idempotency_key" | "request_hash">,
): Row => {
  const now = service.clock.now();
  const money = { minor: facts.amount, currency: body.currency };
  return {
    id: makeTransactionId(service.random.bytes(15)),
    partner_id: client.partnerId,
    merchant_id: body.store,
    user_id: body.user_id,
    currency: body.currency,
    sca_required: (body.sca_required ?? service.options.scaRequiredByDefault(money)) ? 1 : 0,
    status: "requested",
    deadline_at: now + startOrderWindowMs,
    device_id: null,
    created_at: now,
    expires_at: now + service.options.orderTtlMs,
    ...unconfirmed,
    undelivered_reason: null,
    settle_attempts: 0,
    history_length: 1,
    disputed_at: null,
    cashier: null,
    hand_out_id: null,
    other_hand_out_id: null,
    partner_reference: body.partner_reference ?? null,
    ...facts,
  };
};

/**
 * The amount in minor units, checked against the shop's currency, bounds and step.
 * @throws ServiceError `currency_mismatch`, `validation_failed`, `amount_out_of_range`, `amount_step`, each with `limits`.
 */
const checkedAmount = (body: WithdrawalRequest, merchant: Merchant): number => {
  const limits = limitsOf(merchant);
  const refuse = (code: ErrorCode, path: string, message: string) =>
    new ServiceError(code, message, { errors: [{ path, message }], limits });
  const { currency, amount_min, amount_max, amount_step } = limits;
  if (body.currency !== currency) throw refuse("currency_mismatch", "currency", `The store hands out ${currency}.`);
  const amount = parseAmount(body.amount, currency);
  if (amount === null)
    throw refuse("validation_failed", "amount", `must have exactly the minor digits of ${currency}, as ${amount_min}`);
  if (amount < merchant.amount_min || amount > merchant.amount_max)
    throw refuse("amount_out_of_range", "amount", `The store hands out ${amount_min} to ${amount_max} ${currency}.`);
  if (amount % merchant.amount_step !== 0)
    throw refuse("amount_step", "amount", `The amount must be a multiple of ${amount_step} ${currency}.`);
  return amount;
};

/**
 * SHA-256 over the request, to tell a replay from another request under the same key. Without a reference it is the
 * same hash as in releases without references, so that replays across an upgrade are recognized.
 */
const requestHashOf = (body: WithdrawalRequest, amount: number | null): string => {
  const fields = [body.user_id, amount, body.currency, body.store, body.sca_required ?? null];
  const reference = body.partner_reference === undefined ? [] : [body.partner_reference];
  return createHash("sha256")
    .update(JSON.stringify([...fields, ...reference]))
    .digest("base64url");
};

/**
 * Applies the answer to Start order. After 15 s it changes nothing: the row is declined, and the bank's hold expires.
 * @param attempt the answered try, from 1.
 * @returns the row afterwards.
 */
export const startAnswered = async (
  service: Service,
  row: Row,
  answer: PartnerAnswer,
  client: Client,
  attempt: number,
): Promise<Row> => {
  const { id } = row;
  const { updated, event, latest } = await service.store.write(async (tx) => {
    const now = service.clock.now();
    const accepted = answer.kind === "accepted" ? await tx.first(acceptStart({ id, now })) : undefined;
    const updated = accepted ?? (await tx.first(declineStart({ id, now, reason: reasonOf(answer.kind) })));
    const [cause, address] =
      answer.kind === "none" ? [bySweeper, null] : [byPartner(client, attempt), answer.address ?? null];
    const change = { tx, keys: service.keys, now, cause, address };
    const event = updated ? await recordTransition(change, updated, "requested", "us") : null;
    return { updated, event, latest: updated ?? (await oneOrArchived(tx, id, row.created_at)) };
  }, id);
  if (updated) countTransition(service, "requested", updated, event);
  return latest ?? row;
};

/** The reason of a decline. A late acceptance counts as unreachable. */
const reasonOf = (answer: PartnerAnswer["kind"]): Reason => {
  switch (answer) {
    case "declined":
      return "partner_declined";
    case "accepted":
    case "none":
      return "partner_unreachable";
    default:
      return assertNever(answer);
  }
};
