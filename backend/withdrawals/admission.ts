import type { Client, Service } from "../context.ts";
import type { Merchant } from "../merchants/merchant-store.ts";
import { partnerAddress } from "../partner/bound-partners.ts";
import { ServiceError } from "../service-error.ts";
import { one } from "../store/store.ts";
import { admissionFor } from "./store/admission.ts";

/** The shop, and the most that the bank lets one user ask for in a day; both are null for a bank that sets none. */
export interface Admission {
  readonly merchant: Merchant;
  readonly userDay: { readonly max: number | null; readonly currency: string | null };
}

/**
 * @throws ServiceError `store_unknown` (also for a shop that the bank was not allowed), `partner_not_configured` (the bank
 * has no address of its own), `user_blocked`.
 */
export const admit = async (service: Service, client: Client, userId: string, store: string): Promise<Admission> => {
  const values = { partner: client.partnerId, merchant: store, user: userId };
  const row = await service.store.read(() => one(admissionFor(values)), true);
  if (row === undefined) throw new ServiceError("store_unknown");
  if (partnerAddress(service.options, client.partnerId, row) === null) throw new ServiceError("partner_not_configured");
  if (row.blocked === 1) throw new ServiceError("user_blocked");
  return { merchant: row, userDay: { max: row.user_day_max, currency: row.user_day_currency } };
};
