/**
 * Money (conventions, "Names, amounts, times"): a decimal string with exactly the currency's minor digits on the wire,
 * whole minor units inside, never a float. Free of dependencies.
 */

/** ISO 4217: currencies in circulation by their minor digits (no metals, funds or test codes). */
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

/** Largest amount in minor units: far more than any drawer holds, far below the limit of exact integers. */
export const amountMinorMax = 1_000_000_000_000;

/** Checks the form only, for codes that another service sent. */
export const isCurrencyCode = (text: string): boolean => /^[A-Z]{3}$/.test(text);

/** Whether ISO 4217 knows a currency of this code. */
export const isCurrency = (code: string): boolean => digitsByCurrency.has(code);

/** Digits after the decimal point: 2 for EUR, 0 for JPY; 2 for an unknown code. */
export const minorDigits = (currency: string): number => digitsByCurrency.get(currency) ?? 2;

/** `"50.00"`, EUR → 5000. `null` unless it is a plain decimal with exactly the currency's minor digits. */
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

/** Intl accepts up to 100; no currency has more than four. */
const shownDigitsMax = 20;

/**
 * Formats an amount with all decimals that it has on the wire; Intl alone would drop them for currencies that are
 * mostly counted whole (HUF, COP). @throws RangeError for a malformed currency code.
 */
export const amountFormat = (amount: string, currency: string, locale: string): Intl.NumberFormat => {
  const usual = new Intl.NumberFormat(locale, { style: "currency", currency });
  const digits = Math.min(amount.split(".")[1]?.length ?? 0, shownDigitsMax);
  if (digits <= (usual.resolvedOptions().maximumFractionDigits ?? 0)) return usual;
  const exactly = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return new Intl.NumberFormat(locale, { style: "currency", currency, ...exactly });
};
