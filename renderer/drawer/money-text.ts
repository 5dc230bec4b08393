import { formatAmount } from "../../backend/contract/money.ts";
import type { Language } from "../../preload/contract.ts";
import { amountText } from "../ui/format.ts";

/** With its sign, so that more and less cannot be mixed up; nothing has none. */
export const signedText = (minor: number, currency: string, language: Language): string =>
  `${minor > 0 ? "+" : ""}${minorText(minor, currency, language)}`;

/** Whole minor units as a person reads them, also below nothing. */
export const minorText = (minor: number, currency: string, language: Language): string =>
  `${minor < 0 ? "−" : ""}${amountText({ amount: formatAmount(Math.abs(minor), currency), currency }, language)}`;
