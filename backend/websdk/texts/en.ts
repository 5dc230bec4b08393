import type { Language } from "./languages.ts";

/** A withdrawal's state for the customer: what happened, what it means for the money, what to do. */
export interface StatusMessage {
  readonly title: string;
  readonly detail: string;
}

/** English texts of the customer's pages; functions get formatted values. */
export const en = {
  language: "en" as Language,
  /** For screen readers: the label of the language links. */
  languagesLabel: "Other languages",
  appName: "Cash from the shop",
  sandboxStrip: "Sandbox: no real money",
  sandboxHome: "Sandbox start",

  amountTitle: "How much cash?",
  available: (balance: string) => `Available: ${balance}`,
  amountLabel: "Amount",
  range: (least: string, most: string) => `From ${least} to ${most}`,
  step: (step: string) => `in steps of ${step}`,
  quickAmounts: "Common amounts",
  keypad: "Number keys",
  deleteDigit: "Delete last digit",
  storeLabel: "Shop",
  shopSearch: "Search shop by name",
  shopSearchAction: "Search",
  shopNotFound: "No shop has this name. Try another one.",
  noStore: {
    title: "No shop hands out this currency yet",
    detail: "Nothing was started and no money has moved.",
  },
  getCode: "Get the code",
  gettingCode: "Asking your bank …",
  leave: "Not now",

  amountMissing: "Enter an amount.",
  amountUnreadable: (example: string) => `Enter the amount as a number, for example ${example}.`,
  amountTooSmall: (least: string) => `The smallest amount is ${least}.`,
  amountTooLarge: (most: string) => `The largest amount is ${most}.`,
  amountOverBalance: (balance: string) => `Your available balance is ${balance}.`,
  amountOffStep: (step: string) => `Choose an amount in steps of ${step}.`,
  storeMissing: "Choose a shop from the list.",
  limitReached: "This would be more than you, or this shop, may have for now. Nothing was charged.",
  busy: "We could not start the withdrawal just now. Nothing was charged. Please try again in a moment.",

  atStore: (store: string) => `at ${store}`,
  codeLabel: "Code for the cashier",
  barcodeAlt: "Barcode (Code 128) with the withdrawal code",
  qrAlt: "QR code with the withdrawal code",
  enlarge: "Fill the screen",
  close: "Close",
  brightness: "Scanner not reading it? Turn your screen up to full brightness and hold the phone still.",
  validFor: "Valid for",
  timeLeft: "Time left",
  approve: "Open the bank app",
  cancel: "Cancel withdrawal",
  cancelQuestion: "Cancel this withdrawal? The code stops working at once.",
  keep: "Keep it",
  again: "Start a new withdrawal",
  back: (brand: string) => `Back to ${brand}`,
  offline: "No connection. This page updates by itself as soon as you are back online.",
  reload: "Reload",
  code: "Code",
  saveReceipt: "Share or save the receipt",

  requested: { title: "Asking your bank", detail: "Your code appears here in a few seconds." },
  ready: { title: "Show this to the cashier", detail: "The cashier scans it and checks the amount with you." },
  awaitingSca: {
    title: "Approve now in your bank app",
    detail: "Check amount and shop there, then approve. The cashier is waiting for it.",
  },
  settling: { title: "Approved. Your bank is paying the shop", detail: "Please stay at the counter for a moment." },
  settled: (amount: string) => ({
    title: `Paid. Collect your ${amount}`,
    detail: "The cashier is opening the drawer. Count the cash before you leave.",
  }),
  linked: (amount: string) => ({
    title: `${amount} handed out`,
    detail: "All done. Your bank shows the withdrawal in your account.",
  }),
  undelivered: (amount: string) => ({
    title: "No cash was handed out",
    detail: `The shop reported that you did not get the ${amount}. Your payment is recorded as due back to you. Ask your bank if it has not returned within a few days.`,
  }),
  declined: { title: "Your bank declined", detail: "No money has moved. Your bank can tell you why." },
  unreachable: {
    title: "Your bank did not answer",
    detail: "No withdrawal was started and no money has moved. Please try again in a few minutes.",
  },
  rejected: {
    title: "The cashier stopped the withdrawal",
    detail: "No money has moved. A reserved amount is released by your bank.",
  },
  scaTimeout: {
    title: "The time for the approval ran out",
    detail: "It was not approved in time, so the withdrawal was canceled. No money has moved.",
  },
  scaDenied: { title: "You declined in the bank app", detail: "The withdrawal was canceled. No money has moved." },
  userCanceled: {
    title: "Withdrawal canceled",
    detail: "The code no longer works. No money has moved; a reserved amount is released by your bank.",
  },
  /** After a restore of the service: whether it was paid is unknown here. */
  restored: {
    title: "Withdrawal ended",
    detail: "Whether money has moved is not known here. Look at your account before you ask for a new one.",
  },
  canceled: { title: "Withdrawal canceled", detail: "No money has moved." },
  expired: {
    title: "The code has expired",
    detail: "It was not used in time. No money has moved; a reserved amount is released by your bank.",
  },
  failed: {
    title: "Your bank did not make the payment",
    detail: "No cash can be handed out. No money has moved.",
  },

  linkUnknown: {
    title: "This link is not valid",
    detail: "Check that it is complete, or start again in your bank app.",
  },
  linkUsed: {
    title: "This link was already used",
    detail:
      "For your safety each link opens once, on one device. If it was not you who opened it, tell your bank. To go on here, start again in your bank app.",
  },
  linkExpired: {
    title: "This link has expired",
    detail: "Links work for 10 minutes. Start again in your bank app.",
  },
  sessionGone: {
    title: "This page is not open here any more",
    detail:
      "It was opened on another device, or it is over. Your bank app shows how a withdrawal ended, and starts a new one.",
  },
  foreignRequest: {
    title: "This request did not come from this page",
    detail: "Nothing was changed. Go back and try again.",
  },
  unavailable: {
    title: "We cannot answer right now",
    detail: "What you have begun goes on without this page. Reload it in a moment to see how it stands.",
  },
};

/** Every text of the customer's pages in one language: a missing or extra one is a compile error. */
export type Texts = typeof en;
