/** What the phone pages say. One file per language; a missing or extra text is a compile error. */

import type { Language } from "./languages.ts";

/** How a withdrawal stands, for the customer: what happened, what it means for the money, what to do. */
export interface StatusMessage {
  readonly title: string;
  readonly detail: string;
}

/** Every text of the customer's pages in one language; functions get values that are formatted already. */
export interface Texts {
  readonly language: Language;
  /** For screen readers: what the links to the other languages are. */
  readonly languagesLabel: string;
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
  readonly shopSearch: string;
  readonly shopSearchAction: string;
  readonly shopNotFound: string;
  readonly noStore: StatusMessage;
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
  readonly limitReached: string;

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
  readonly code: string;
  readonly saveReceipt: string;

  readonly requested: StatusMessage;
  readonly ready: StatusMessage;
  readonly awaitingSca: StatusMessage;
  readonly settling: StatusMessage;
  readonly settled: (amount: string) => StatusMessage;
  readonly linked: (amount: string) => StatusMessage;
  readonly undelivered: (amount: string) => StatusMessage;
  readonly declined: StatusMessage;
  readonly unreachable: StatusMessage;
  readonly rejected: StatusMessage;
  readonly scaTimeout: StatusMessage;
  readonly scaDenied: StatusMessage;
  readonly userCanceled: StatusMessage;
  /** The service was put back to a copy, and nobody knows here whether it was paid. */
  readonly restored: StatusMessage;
  readonly canceled: StatusMessage;
  readonly expired: StatusMessage;
  readonly failed: StatusMessage;

  readonly linkUnknown: StatusMessage;
  readonly linkUsed: StatusMessage;
  readonly linkExpired: StatusMessage;
  readonly sessionGone: StatusMessage;
  readonly foreignRequest: StatusMessage;
  readonly unavailable: StatusMessage;
}
