/** What the phone pages say. One file per language; a missing or extra text is a compile error. */

export const languages = ["en", "de"] as const;
export type Language = (typeof languages)[number];

/** How a withdrawal stands, for the customer: what happened, what it means for the money, what to do. */
export interface Standing {
  readonly title: string;
  readonly detail: string;
}

export interface Texts {
  readonly language: Language;
  readonly otherLanguage: { readonly code: Language; readonly name: string };
  readonly appName: string;
  readonly sandboxStrip: string;
  readonly sandboxHome: string;

  readonly amountTitle: string;
  readonly available: (balance: string) => string;
  readonly amountLabel: string;
  readonly range: (least: string, most: string) => string;
  readonly step: (step: string) => string;
  readonly quickAmounts: string;
  readonly keypad: string;
  readonly deleteDigit: string;
  readonly storeLabel: string;
  readonly noStore: Standing;
  readonly getCode: string;
  readonly gettingCode: string;
  readonly leave: string;

  readonly amountMissing: string;
  readonly amountUnreadable: (example: string) => string;
  readonly amountTooSmall: (least: string) => string;
  readonly amountTooLarge: (most: string) => string;
  readonly amountOverBalance: (balance: string) => string;
  readonly amountOffStep: (step: string) => string;
  readonly storeMissing: string;
  readonly busy: string;

  readonly atStore: (store: string) => string;
  readonly codeLabel: string;
  readonly barcodeAlt: string;
  readonly qrAlt: string;
  readonly enlarge: string;
  readonly close: string;
  readonly brightness: string;
  readonly validFor: string;
  readonly timeLeft: string;
  readonly approve: string;
  readonly cancel: string;
  readonly cancelQuestion: string;
  readonly keep: string;
  readonly again: string;
  readonly back: (brand: string) => string;
  readonly offline: string;
  readonly reload: string;
  readonly reference: string;

  readonly requested: Standing;
  readonly ready: Standing;
  readonly awaitingSca: Standing;
  readonly settling: Standing;
  readonly settled: (amount: string) => Standing;
  readonly linked: (amount: string) => Standing;
  readonly undelivered: (amount: string) => Standing;
  readonly declined: Standing;
  readonly unreachable: Standing;
  readonly rejected: Standing;
  readonly scaTimeout: Standing;
  readonly scaDenied: Standing;
  readonly userCanceled: Standing;
  readonly canceled: Standing;
  readonly expired: Standing;
  readonly failed: Standing;

  readonly linkUnknown: Standing;
  readonly linkUsed: Standing;
  readonly linkExpired: Standing;
  readonly sessionGone: Standing;
  readonly foreignRequest: Standing;
  readonly unavailable: Standing;
}
