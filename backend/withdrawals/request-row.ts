/** A request for a withdrawal as its row: the checked amount, the request's hash, the columns. */
import { createHash } from "node:crypto";
import type { Client, Service } from "../context.ts";
import type { ErrorCode } from "../contract/errors.ts";
import { makeTransactionId } from "../contract/ids.ts";
import { parseAmount } from "../contract/money.ts";
import { startOrderWindowMs } from "../contract/partner.ts";
import { limitsOf, type Merchant } from "../merchants/merchant-store.ts";
import { ServiceError } from "../service-error.ts";
import type { Row } from "./store/reads.ts";

/** What a bank asks for; `amount` is a decimal string. */
export interface WithdrawalRequest {
  readonly user_id: string;
  readonly amount: string;
  readonly currency: string;
  readonly store: string;
  readonly sca_required?: boolean | undefined;
  /** The bank's own name for it: 1 to 64 visible ASCII characters. */
  readonly partner_reference?: string | undefined;
}

/** What the service adds to the request. */
export interface RequestFacts {
  /** In minor units. */
  readonly amount: number;
  readonly storeName: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
}

/** The row of a new withdrawal, in status `requested`. */
export const newRow = (
  service: Service,
  client: Client,
  body: WithdrawalRequest,
  { amount, storeName, idempotencyKey, requestHash }: RequestFacts,
): Row => {
  const now = service.clock.now();
  const money = { minor: amount, currency: body.currency };
  return {
    id: makeTransactionId(service.random.bytes(15)),
    partner_id: client.partnerId,
    merchant_id: body.store,
    user_id: body.user_id,
    amount,
    currency: body.currency,
    sca_required: (body.sca_required ?? service.options.scaRequiredByDefault(money)) ? 1 : 0,
    status: "requested",
    reason: null,
    deadline_at: now + startOrderWindowMs,
    device_id: null,
    transaction_id_partner: null,
    created_at: now,
    expires_at: now + service.options.orderTtlMs,
    confirmed_at: null,
    sca_expires_at: null,
    settled_at: null,
    linked_at: null,
    closed_at: null,
    undelivered_reason: null,
    settle_attempts: 0,
    idempotency_key: idempotencyKey,
    request_hash: requestHash,
    history_length: 1,
    disputed_at: null,
    store_name: storeName,
    cashier: null,
    hand_out_id: null,
    other_hand_out_id: null,
    partner_reference: body.partner_reference ?? null,
  };
};

/**
 * The amount in minor units, checked against the shop's currency, bounds and step.
 * @throws ServiceError `currency_mismatch`, `validation_failed`, `amount_out_of_range`, `amount_step`, each with `limits`.
 */
export const checkedAmount = (body: WithdrawalRequest, merchant: Merchant): number => {
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
 * SHA-256 over the request, which tells a replay from another request under the same key. Without a reference it hashes as
 * before there were references, so that a replay over an upgrade stays one.
 */
export const requestHashOf = (body: WithdrawalRequest, amount: number | null): string => {
  const fields = [body.user_id, amount, body.currency, body.store, body.sca_required ?? null];
  const reference = body.partner_reference === undefined ? [] : [body.partner_reference];
  return createHash("sha256")
    .update(JSON.stringify([...fields, ...reference]))
    .digest("base64url");
};
