import { formatAmount } from "../../backend/contract/money.ts";
import type { Language } from "../../preload/contract.ts";
import { amountText } from "../ui/format.ts";

/** Whole minor units as a person reads them, also below nothing. */
export const minorText = (minor: number, currency: string, language: Language): string =>
  `${minor < 0 ? "−" : ""}${amountText({ amount: formatAmount(Math.abs(minor), currency), currency }, language)}`;
