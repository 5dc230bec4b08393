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
};

/** One shape for every language. */
export type ReceiptTexts = Readonly<Record<keyof typeof en, string>>;
