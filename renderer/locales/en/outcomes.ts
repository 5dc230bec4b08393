/** English texts: how a withdrawal ended: the screen, and its name in the history. */
export const outcomes = {
  ended: {
    earlier: "Earlier withdrawal",
    nextCustomer: "Next customer",
    retry: "Try again",
    handed_out: { title: "This withdrawal is finished", next: "Nothing more to do." },
    not_handed_out: {
      title: "Recorded as not handed out",
      next: "It is recorded that the money is due back to the customer. Close the drawer.",
    },
    rejected: { title: "You rejected this withdrawal", next: "Nothing was paid. The customer can ask for a new one." },
    rejected_before: {
      title: "This withdrawal was rejected before",
      next: "Nothing was paid. The customer can ask for a new one.",
    },
    given_up: {
      title: "The terminal has closed this withdrawal",
      next: "Its confirmation did not get through in time. Nothing was paid. The customer can ask for a new one.",
    },
    sca_timeout: {
      title: "Time ran out",
      next: "It was not approved in time and nothing was paid. The customer can ask for a new withdrawal in the app.",
    },
    sca_denied: {
      title: "The customer refused in the bank app",
      next: "Nothing was paid. If that was a mistake, the customer asks for a new withdrawal.",
    },
    user_canceled: {
      title: "The customer canceled this withdrawal",
      next: "Nothing was paid. The customer can ask for a new one in the app.",
    },
    canceled: {
      title: "This withdrawal was canceled",
      next: "Nothing was paid. The customer can ask for a new one in the app.",
    },
    order_expired: {
      title: "This barcode has expired",
      next: "Nothing was paid. The customer asks for a new withdrawal and shows the new barcode.",
    },
    declined: {
      title: "The bank declined this withdrawal",
      next: "Nothing was paid. The customer finds the reason in the bank app.",
    },
    settle_declined: {
      title: "The bank did not pay",
      next: "The bank refused the payment at the last step. The customer can ask the bank why.",
    },
    already_used: {
      title: "This barcode was used before",
      next: "It may have been paid out already. Ask the customer for a new barcode.",
    },
    handed_out_before: {
      title: "This payment was already handed out",
      next: "Give no cash for it. Another terminal or program has handed it out. Note the code and tell the manager.",
    },
    in_use_elsewhere: {
      title: "In use at another terminal",
      next: "Do not start a new one: the customer could be charged twice. The other terminal finishes it.",
    },
    unknown_barcode: {
      title: "No withdrawal for this barcode",
      next: "It is not for this shop, or it is old. Ask the customer to show the barcode of this shop.",
    },
    no_network: {
      title: "The service cannot be reached",
      next: "Check the network cable or the router, then try again. This terminal has paid nothing.",
    },
    service_down: {
      title: "The service does not answer properly",
      next: "Wait a minute and try again. If it stays so, call support. This terminal has paid nothing.",
    },
    service_refused: {
      title: "The service refused this request",
      next: "Try the next customer. If it happens again, call support.",
    },
    limit_reached: {
      title: "This terminal has reached its limit",
      next: "Nothing was paid. Another terminal can pay it, or this one later: scan it again then, or tell the manager.",
    },
    unclear: {
      title: "It may have been paid",
      next: "Do not give cash. Note the code and tell the manager.",
    },
  },
  outcomes: {
    handed_out: "Handed out",
    not_handed_out: "Not handed out",
    rejected: "Rejected",
    rejected_before: "Rejected before",
    given_up: "Closed by the terminal",
    sca_timeout: "Not approved in time",
    sca_denied: "Refused by the customer",
    user_canceled: "Canceled by the customer",
    canceled: "Canceled",
    order_expired: "Expired",
    declined: "Declined by the bank",
    settle_declined: "Not paid by the bank",
    already_used: "Used before",
    handed_out_before: "Handed out before",
    in_use_elsewhere: "In use at another terminal",
    unknown_barcode: "Unknown barcode",
    no_network: "No connection",
    service_down: "Service failed",
    service_refused: "Refused by the service",
    limit_reached: "Limit of the terminal reached",
    unclear: "Unclear whether paid",
  },
};
