/** Whether a bank may ask for a user's cash at a shop, before anything is written. */
import { sql } from "kysely";
import { customerIsBlocked } from "../checkin/checkin-store.ts";
import type { Client, Service } from "../context.ts";
import { type Merchant, merchantColumns } from "../merchants/merchant-store.ts";
import { partnerAddress } from "../partner/bound-partners.ts";
import { partnerMayUse } from "../partner/partner-store.ts";
import { ServiceError } from "../service-error.ts";
import { statement } from "../store/statement.ts";
import { one } from "../store/store.ts";

const admissionFor = statement("withdrawal_admission", (db, p: { partner: string; merchant: string; user: string }) =>
  db
    .selectFrom("merchants")
    .innerJoin("partners", (join) => join.on("partners.id", "=", p.partner))
    .select(merchantColumns.map((column) => `merchants.${column}` as const))
    .select(["partners.url", "partners.secret", "partners.user_day_max", "partners.user_day_currency"])
    .select(
      sql<number>`case when ${customerIsBlocked(sql`${p.partner}`, sql`${p.user}`)} then 1 else 0 end`.as("blocked"),
    )
    .where("merchants.id", "=", p.merchant)
    .where(partnerMayUse(sql`${p.partner}`, sql`${p.merchant}`)),
);

/** The shop, and the most that the bank lets one user ask for in a day. */
export interface Admission {
  readonly merchant: Merchant;
  readonly userDay: { readonly max: number; readonly currency: string } | null;
}

/**
 * @throws ServiceError `store_unknown` (also for a shop that the bank was not allowed), `partner_not_configured` (the bank
 * has no address of its own), `user_blocked`.
 */
export const admit = async (service: Service, client: Client, userId: string, store: string): Promise<Admission> => {
  const values = { partner: client.partnerId, merchant: store, user: userId };
  const row = await service.store.read(() => one(admissionFor(values)));
  if (row === undefined) throw new ServiceError("store_unknown");
  if (partnerAddress(service.options, client.partnerId, row) === null) throw new ServiceError("partner_not_configured");
  if (row.blocked === 1) throw new ServiceError("user_blocked");
  const { user_day_max: max, user_day_currency: currency } = row;
  return { merchant: row, userDay: max === null || currency === null ? null : { max, currency } };
};
