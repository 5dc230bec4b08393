/** What a shop hands out when nobody says: 10 to 500 in steps of 10, in units of about a euro's worth. */
import { minorDigits } from "../contract/money.ts";

/** How many of a currency make such a unit, rounded to what its notes make easy to count; 1 for all others. */
const unitsByCurrency: Readonly<Record<number, string>> = {
  10: "CZK DKK EGP HKD MDL MXN NOK SEK THB TRY UAH UYU ZAR",
  100: "DZD HUF INR ISK JPY KES NPR PHP PKR RSD RUB XPF",
  1000: "ARS CLP COP IQD KHR KRW KZT LBP MMK MNT NGN TZS UGX XAF XOF",
  10000: "IDR IRR LAK UZS VND",
};

const unitOf = (currency: string): number =>
  Number(Object.entries(unitsByCurrency).find(([, codes]) => codes.split(" ").includes(currency))?.[0] ?? 1);

/** In minor units: JPY 1,000 to 50,000 in steps of 1,000. */
export const defaultLimits = (currency: string) => {
  const unit = unitOf(currency) * 10 ** minorDigits(currency);
  return { amount_min: 10 * unit, amount_max: 500 * unit, amount_step: 10 * unit };
};
