/**
 * Limits per period: for users and shops per day (UTC), for terminals per 60 minutes. They are checked under a lock in
 * the commit that adds to the sum, so that concurrent requests cannot exceed them.
 */
import { createHash } from "node:crypto";
import type { Client, Service } from "../context.ts";
import type { Cap } from "../contract/errors.ts";
import { formatAmount } from "../contract/money.ts";
import { dayMs, hourMs } from "../contract/times.ts";
import { limitsOf, type Merchant, merchantById } from "../merchants/merchants.ts";
import { type Partner, partnerAddress } from "../partner/partners.ts";
import { ServiceError } from "../service-error.ts";
import type { Query, Tx } from "../store/store.ts";
import { foldedId, foldsOf, userKey } from "../store/user-key.ts";
import { shopDaySum, terminalHourSum, userDaySum } from "./closed.ts";
import { admissionFor, lockBucket, type Row, withdrawalByKey } from "./store.ts";

/** Number of locks, shared by hash so that their table stays small; sharing only causes waiting. */
const lockBuckets = 1_024;

/** Locks until the commit, in ascending order to avoid deadlocks. */
async function lock(tx: Tx, names: readonly string[]): Promise<void> {
  const bucketOf = (name: string) => createHash("sha256").update(name).digest().readUInt32BE() % lockBuckets;
  for (const bucket of [...new Set(names.map(bucketOf))].toSorted((one, two) => one - two))
    await tx.run({ ...lockBucket({ bucket }), lockOrder: bucket });
}

/** The sum of an aggregate's rows. */
async function sumOf(tx: Tx, query: Query<{ sum: number }>): Promise<number> {
  return (await tx.all(query)).reduce((total, { sum }) => total + sum, 0);
}

/** Whether a request is subject to a limit and must wait for others of its user or shop. */
export const isCapped = ({ merchant, bank }: Admission): boolean =>
  bank.user_day_max !== null || merchant.shop_day_max !== null;

/** `sum` includes `row`, which is in the same unit. */
const refuseAbove = (cap: Cap, most: number, sum: number, row: Row, merchant: Merchant): void => {
  if (sum <= most) return;
  const text = (minor: number) => formatAmount(Math.max(0, minor), row.currency);
  const limits = {
    ...limitsOf(merchant),
    limit: cap,
    limit_max: text(most),
    limit_left: text(most - (sum - row.amount)),
  };
  throw new ServiceError("limit_reached", undefined, { limits });
};

/**
 * Checks the limits after a request's row was inserted.
 * @throws ServiceError `limit_reached` with the limit, its maximum and what is left; the unit is rolled back.
 */
export async function checkRequestCaps(tx: Tx, row: Row, { merchant, bank }: Admission): Promise<void> {
  const from = row.created_at - (row.created_at % dayMs);
  const until = from + dayMs;
  const shopDay = merchant.shop_day_max;
  const ofUser = bank.user_day_currency === row.currency ? bank.user_day_max : null;
  await lock(tx, [
    ...(ofUser === null ? [] : [`user\n${row.partner_id}\n${foldedId(row.user_id)}`]),
    ...(shopDay === null ? [] : [`shop\n${row.merchant_id}`]),
  ]);
  if (ofUser !== null) {
    const values = { partner: row.partner_id, currency: row.currency, from, until };
    let sum = 0;
    for (const user of await foldsOf(tx, row.user_id)) sum += await sumOf(tx, userDaySum({ ...values, user }));
    refuseAbove("user_day", ofUser, sum, row, merchant);
  }
  if (shopDay !== null) {
    const values = { merchant: row.merchant_id, from, until };
    refuseAbove("shop_day", shopDay, await sumOf(tx, shopDaySum(values)), row, merchant);
  }
}

/**
 * Checks the limit after a confirmation was written.
 * @param most the shop's limit.
 * @throws ServiceError `limit_reached`; the withdrawal stays `ready` for another terminal or a later hour.
 */
export async function checkTerminalHour(tx: Tx, row: Row, most: number, now: number): Promise<void> {
  if (row.device_id === null) return;
  await lock(tx, [`terminal\n${row.merchant_id}\n${row.device_id}`]);
  const values = { merchant: row.merchant_id, device: row.device_id, from: now - hourMs, until: now + hourMs };
  const sum = await sumOf(tx, terminalHourSum(values));
  if (sum <= most) return;
  const merchant = await tx.first(merchantById({ id: row.merchant_id }));
  if (merchant !== undefined) refuseAbove("terminal_hour", most, sum, row, merchant);
}

/** Shop and bank at the time of the request. */
export interface Admission {
  readonly merchant: Merchant;
  readonly bank: Partner;
  /** The open withdrawal under the request's key: a repeat of one that is committed writes nothing. */
  readonly known: Row | undefined;
}

/**
 * @throws ServiceError `store_unknown` (also for a shop that the bank was not allowed), `partner_not_configured` (the bank
 * has no address of its own), `user_blocked`.
 */
export const admit = async (
  service: Service,
  client: Client,
  userId: string,
  store: string,
  key: string,
): Promise<Admission> => {
  const values = { ...userKey(client.partnerId, userId), merchant: store, key };
  const { row, known } = await service.store.read(async (tx) => {
    const row = await tx.first(admissionFor(values));
    return {
      row,
      known: row?.repeated ? await tx.first(withdrawalByKey({ partner: values.partner, key })) : undefined,
    };
  }, true);
  if (row === undefined) throw new ServiceError("store_unknown");
  if (partnerAddress(service.options, client.partnerId, row) === null) throw new ServiceError("partner_not_configured");
  if (row.blocked === 1) throw new ServiceError("user_blocked");
  return { merchant: row, bank: { ...row, id: client.partnerId }, known };
};
