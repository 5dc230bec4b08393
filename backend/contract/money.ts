/**
 * Money (conventions, "Names, amounts, times"): a decimal string with exactly the currency's minor digits on the wire,
 * whole minor units inside, never a float. Free of dependencies.
 */

/** ISO 4217 codes whose minor unit is not a hundredth. */
const otherMinorDigits: Readonly<Record<string, number>> = {
  BHD: 3,
  IQD: 3,
  JOD: 3,
  KWD: 3,
  LYD: 3,
  OMR: 3,
  TND: 3,
  BIF: 0,
  CLP: 0,
  DJF: 0,
  GNF: 0,
  ISK: 0,
  JPY: 0,
  KMF: 0,
  KRW: 0,
  PYG: 0,
  RWF: 0,
  UGX: 0,
  UYI: 0,
  VND: 0,
  VUV: 0,
  XAF: 0,
  XOF: 0,
  XPF: 0,
};

/** An amount in whole minor units of one currency: `{ minor: 5000, currency: "EUR" }` is 50.00 EUR. */
export interface Money {
  readonly minor: number;
  readonly currency: string;
}

/** Largest amount we carry, in minor units: far above any till, far below where integers stop being exact. */
export const amountMinorMax = 1_000_000_000_000;

export const isCurrencyCode = (text: string): boolean => /^[A-Z]{3}$/.test(text);

export const minorDigits = (currency: string): number => otherMinorDigits[currency] ?? 2;

/** `"50.00"`, EUR → 5000. `null` for anything but a plain decimal with exactly the currency's minor digits. */
export const parseAmount = (text: string, currency: string): number | null => {
  const digits = minorDigits(currency);
  const form = digits === 0 ? /^(0|[1-9]\d{0,12})$/ : new RegExp(`^(0|[1-9]\\d{0,12})\\.\\d{${digits}}$`);
  if (!form.test(text)) return null;
  const minor = Number(text.replace(".", ""));
  return minor <= amountMinorMax ? minor : null;
};

/** 5000, EUR → `"50.00"`. */
export const formatAmount = (minor: number, currency: string): string => {
  if (!Number.isSafeInteger(minor) || minor < 0) throw new RangeError(`not an amount in minor units: ${minor}`);
  const digits = minorDigits(currency);
  const text = String(minor).padStart(digits + 1, "0");
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
};
