import type { Limits } from "../contract/errors.ts";
import { formatAmount } from "../contract/money.ts";
import type { MerchantsTable } from "../store/tables/parties.ts";

/** A shop's smallest and largest amount and its step, as decimal strings of its currency. */
export const limitsOf = (
  merchant: Pick<MerchantsTable, "currency" | "amount_min" | "amount_max" | "amount_step">,
): Limits => {
  const text = (minor: number) => formatAmount(minor, merchant.currency);
  return {
    currency: merchant.currency,
    amount_min: text(merchant.amount_min),
    amount_max: text(merchant.amount_max),
    amount_step: text(merchant.amount_step),
  };
};
