/** English texts: handing out paid cash, and the drawer. */
export const handOut = {
  payable: {
    title: "Hand out this amount",
    recoveredTitle: "Paid by the bank, not yet handed out",
    plainNext: "Open the drawer. The amount stays on the screen while you count.",
    atOnceNext: "Open the drawer and hand the cash over. It is recorded as handed out once the drawer is open.",
    byHandNext: "Open the drawer with the key and count the cash. Press the button, then hand it over.",
    recoveredNext:
      "Is this customer here and still without the cash? Then hand it out. Choose “Not handed out” only when no cash left the drawer.",
    begunTitle: "The terminal stopped while this was handed out",
    begunNext: "Ask the customer first. Open the drawer only if the customer has no cash yet.",
    begunByHandNext:
      "Ask the customer first. If there is no cash yet, give it now. Press the button when the customer has it.",
    hasCash: "Customer has the cash",
    openAndGive: "Open drawer",
    ok: "Open drawer",
    okByHand: "Hand over now",
    notHandedOut: "Not handed out",
  },
  notHandedOut: {
    title: "Why was no cash handed out?",
    next: "The payment is recorded as due back to the customer. Choose this only when no cash left the drawer.",
    till_short: "Not enough cash in the drawer",
    customer_left: "The customer left",
    drawer_failed: "The drawer does not open",
    other: "Another reason",
    back: "Back",
  },
  opening: {
    checkingTitle: "Asking the service",
    checkingNext:
      "Hand nothing over yet. The terminal asks whether this was handed out already, and goes on by itself.",
    openingTitle: "The drawer is opening",
    openingNext: "Hand out exactly this amount.",
    failedTitle: "Open the drawer with the key",
    failedNext: "The withdrawal is paid. Open the drawer by hand and give the cash, or let the terminal try again.",
    unknownTitle: "Is the drawer open?",
    unknownNext: "The drawer does not say whether it opened. Open it with the key if it is shut, then give the cash.",
    openingAgainNext: "Hand out exactly this amount, and only if the customer does not have it yet.",
    failedAgainNext:
      "If the customer has no cash yet, open the drawer by hand and give it, or let the terminal try again.",
    unknownAgainNext:
      "The drawer does not say whether it opened. Give the cash only if the customer does not have it yet.",
    again: "Open again",
    handedOut: "Cash handed over",
    notHandedOut: "Not handed out",
  },
  counting: {
    title: "Count this amount and hand it over",
    againTitle: "Count it only if the customer does not have it yet",
    next: "Press “Cash handed over” once the customer has it. If there is too little in the drawer, press “Not handed out”.",
    close: "Close the drawer.",
    closed: "The drawer is closed.",
  },
  pieces: { title: "Notes and coins for this amount" },
  done: { title: "Handed out", next: "The next customer can come.", nextCustomer: "Next customer" },
};
