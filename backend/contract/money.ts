/**
 * Money (conventions, "Names, amounts, times"): a decimal string with exactly the currency's minor digits on the wire,
 * whole minor units inside, never a float. Free of dependencies.
 */

/** ISO 4217: the currencies that people pay with, by their minor digits (no metals, funds or test codes). */
const currenciesByDigits: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF",
  2: `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP
    CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES
    KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK
    NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB
    TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: "BHD IQD JOD KWD LYD OMR TND",
};
const digitsByCurrency: ReadonlyMap<string, number> = new Map(
  Object.entries(currenciesByDigits).flatMap(([digits, codes]) =>
    codes.split(/\s+/).map((code): [string, number] => [code, Number(digits)]),
  ),
);

/** All codes that `isCurrency` knows. */
export const currencyCodes: readonly string[] = [...digitsByCurrency.keys()];

/** An amount in whole minor units of one currency: `{ minor: 5000, currency: "EUR" }` is 50.00 EUR. */
export interface Money {
  readonly minor: number;
  readonly currency: string;
}

/** Largest amount we carry, in minor units: far above any drawer, far below where integers stop being exact. */
export const amountMinorMax = 1_000_000_000_000;

/** Only the form, for what another service sent. */
export const isCurrencyCode = (text: string): boolean => /^[A-Z]{3}$/.test(text);

/** Whether ISO 4217 knows a currency of this code. */
export const isCurrency = (code: string): boolean => digitsByCurrency.has(code);

/** Digits behind the point: 2 for EUR, 0 for JPY; 2 for a code that is not known. */
export const minorDigits = (currency: string): number => digitsByCurrency.get(currency) ?? 2;

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

/** Intl takes a hundred; no currency has more than four. */
const shownDigitsMax = 20;

/**
 * How an amount is written in a language: with all decimals that it has on the wire. By itself Intl rounds them away where a
 * currency is mostly counted whole (HUF, COP). @throws RangeError for what is no currency code by its form.
 */
export const amountFormat = (amount: string, currency: string, locale: string): Intl.NumberFormat => {
  const usual = new Intl.NumberFormat(locale, { style: "currency", currency });
  const digits = Math.min(amount.split(".")[1]?.length ?? 0, shownDigitsMax);
  if (digits <= (usual.resolvedOptions().maximumFractionDigits ?? 0)) return usual;
  const exactly = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, { style: "currency", currency, ...exactly });
};
