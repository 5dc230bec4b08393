/** The amounts that a customer may request at a shop: its range and step, capped by the balance that the bank sent. */
import type { Shop } from "../../merchants/merchant-store.ts";
import type { Texts } from "../texts/texts.ts";
import { moneyText, readTypedAmount, shortMoneyText } from "../theme/money-text.ts";

/** Why an amount cannot be asked for. */
export type AmountProblem = "unreadable" | "too_small" | "too_large" | "over_balance" | "off_step" | "missing";

/** Null when the amount may be asked for. */
export const amountProblem = (minor: number, shop: Shop, balanceMinor: number): AmountProblem | null => {
  if (minor < shop.amount_min) return "too_small";
  if (minor > shop.amount_max) return "too_large";
  if (minor > balanceMinor) return "over_balance";
  return minor % shop.amount_step === 0 ? null : "off_step";
};

/** Parses and validates what was typed. */
export const validateAmountInput = (
  typed: string,
  shop: Shop,
  balanceMinor: number,
): { readonly minor: number } | { readonly problem: AmountProblem } => {
  if (typed.trim() === "") return { problem: "missing" };
  const minor = readTypedAmount(typed, shop.currency);
  if (minor === null) return { problem: "unreadable" };
  const problem = amountProblem(minor, shop, balanceMinor);
  return problem === null ? { minor } : { problem };
};

/** The same as a sentence with the limits that count; `balanceMinor` in minor units. */
export const problemText = (problem: AmountProblem, shop: Shop, balanceMinor: number, texts: Texts): string => {
  const short = (minor: number) => shortMoneyText(minor, shop.currency, texts.language);
  const messages: Readonly<Record<AmountProblem, string>> = {
    missing: texts.amountMissing,
    unreadable: texts.amountUnreadable(short(shop.amount_min).replace(/[^\d.,]/g, "")),
    too_small: texts.amountTooSmall(short(shop.amount_min)),
    too_large: texts.amountTooLarge(short(shop.amount_max)),
    over_balance: texts.amountOverBalance(moneyText(balanceMinor, shop.currency, texts.language)),
    off_step: texts.amountOffStep(short(shop.amount_step)),
  };
  return messages[problem];
};

/** The line under the amount. A step of one smallest coin is no limit worth reading. */
export const rangeText = (shop: Shop, balanceMinor: number, texts: Texts): string => {
  const short = (minor: number) => shortMoneyText(minor, shop.currency, texts.language);
  const range = texts.range(short(shop.amount_min), short(largest(shop, balanceMinor)));
  return shop.amount_step === 1 ? range : `${range}, ${texts.step(short(shop.amount_step))}`;
};

/** The largest amount that can be asked for; below the smallest when the balance does not reach it. */
export const largest = (shop: Shop, balanceMinor: number): number => {
  const cap = Math.min(shop.amount_max, balanceMinor);
  return cap - (cap % shop.amount_step);
};

const quickAmountsMax = 4;
/** Notes that drawers hold, scaled from the shop's smallest amount. */
const quickMultiples = [2, 5, 10, 20, 1, 50];

/** Amounts to choose with one touch, in minor units: all can be asked for. */
export const quickAmounts = (shop: Shop, balanceMinor: number): readonly number[] =>
  quickMultiples
    .map((multiple) => shop.amount_min * multiple)
    .filter((minor) => amountProblem(minor, shop, balanceMinor) === null)
    .slice(0, quickAmountsMax)
    .sort((a, b) => a - b);

/** Whether the decimal key is of any use. */
export const takesDecimals = (shop: Shop, minorPerWhole: number): boolean => shop.amount_step % minorPerWhole !== 0;
