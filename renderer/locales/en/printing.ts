/** English texts: receipts and the printer. */
export const printing = {
  printing: {
    why: {
      unreachable: "the printer does not answer",
      busy: "the drawer was opened meanwhile",
      no_paper: "the printer has no paper",
      cover_open: "the printer’s cover is open",
      fault: "the printer reports a fault",
      offline: "the printer is not ready",
    },
    notPrinted: "Receipt not printed: {{why}}.",
    unclear: "It is not certain that the receipt was printed: {{why}}.",
    retried: "The terminal tries again.",
    retry: "Print again",
    drop: "Leave it",
    waiting_one: "{{count}} receipt waits",
    waiting_other: "{{count}} receipts wait",
    paperLow: "The receipt paper comes to an end",
    customer: "Print receipt",
    shop: "Shop’s copy",
  },
};
