import type { cashReasons } from "../../../../preload/choices.ts";

/** What stands on English receipts. */
export const en = {
  title: "Cash withdrawal",
  customerCopy: "Customer's copy",
  shopCopy: "Shop's copy",
  reprint: "COPY",
  training: "TRAINING",
  trainingNext: "No real money was moved",
  time: "Time",
  terminal: "Terminal",
  cashier: "Cashier",
  withdrawal: "Withdrawal code",
  terminalId: "Terminal's reference",
  keep: "Please keep this receipt.",
  file: "For the shop's books.",
  test: "Printer test",
  testNext: "No receipt. All letters above must be right.",
};

/** One shape for every language. */
export type ReceiptTexts = Readonly<Record<keyof typeof en, string>>;

/** What stands on English day reports. */
export const enReport = {
  reprint: "COPY",
  training: "TRAINING",
  terminal: "Terminal",
  title: "Day report Z",
  opened: "Opened",
  openedBy: "by",
  closed: "Closed",
  closedBy: "by",
  float: "Float",
  in: "Cash in",
  out: "Cash out",
  handedOut: "Withdrawals",
  expected: "Expected",
  counted: "Counted",
  difference: "Difference",
  reason: "Reason",
  clearedUp: "Cleared up",
  leftBefore: "Left at the last close",
  night: "Difference overnight",
  count: "Count",
  counts: "Counts, the first of",
  otherCurrency: "In another currency",
  before: "Before the opening",
  takenOut: "Taken out",
  left: "Left in the drawer",
  over: "Open at the close",
  other: "Not by pieces",
  signature: "Signature",
  reasons: {
    change: "Change",
    takings: "Takings",
    bank: "Bank",
    expense: "Expense",
    correction: "Correction",
    other: "Other",
  },
};

/** What a day's report says in one language; a missing text is a type error. */
export type ReportTexts = Readonly<Record<Exclude<keyof typeof enReport, "reasons">, string>> & {
  readonly reasons: Readonly<Record<(typeof cashReasons)[number], string>>;
};
