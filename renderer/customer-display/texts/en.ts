import type { CustomerTexts } from "./customer-texts.ts";

/** The display's words in English. */
export const en: CustomerTexts = {
  moments: {
    closed: { title: "No withdrawals here right now", next: "Please ask at the counter." },
    offline: {
      title: "No withdrawals right now",
      next: "There is no connection at the moment. Please ask at the counter.",
    },
    welcome: { title: "Withdraw cash here", next: "Ask for the amount in your banking app and show its barcode." },
    looking_up: { title: "One moment, please", next: "Your barcode is being looked up." },
    review: { title: "Is this your amount?", next: "Tell the cashier if it is not." },
    confirming: { title: "One moment, please", next: "Have your banking app ready." },
    approve: { title: "Approve in your banking app", next: "Check amount and shop there, then approve." },
    paying: { title: "Approved", next: "Your bank is paying. Please wait for your cash." },
    closing: { title: "One moment, please", next: "This withdrawal is being canceled." },
    cash: { title: "Your cash is coming", next: "Please count it together with the cashier." },
    cashier_asks: { title: "One moment, please", next: "The cashier will speak with you." },
    unclear: {
      title: "Please wait",
      next: "We are finding out whether this was paid. Please do not start a new withdrawal.",
    },
    done: { title: "Cash handed out", next: "Thank you. Goodbye." },
  },
  ended: {
    handed_out: { title: "Cash handed out", next: "Thank you. Goodbye." },
    not_handed_out: { title: "No cash was handed out", next: "Please speak with the cashier." },
    rejected: { title: "Withdrawal canceled", next: "No cash for this barcode." },
    rejected_before: { title: "This withdrawal was canceled", next: "Start a new one in your banking app." },
    given_up: { title: "Withdrawal canceled", next: "The connection failed. Please speak with the cashier." },
    sca_timeout: { title: "Time ran out", next: "It was not approved in time. Start a new one in your banking app." },
    sca_denied: { title: "Declined in your banking app", next: "Start a new one there if you still want cash." },
    user_canceled: { title: "You canceled it", next: "Start a new one in your banking app if you still want cash." },
    canceled: {
      title: "This withdrawal was canceled",
      next: "Start a new one in your banking app if you still want cash.",
    },
    order_expired: { title: "This barcode is too old", next: "Start a new one in your banking app." },
    declined: { title: "Declined by your bank", next: "Please ask your bank." },
    settle_declined: { title: "Your bank did not pay", next: "Please ask your bank. No cash can be handed out." },
    already_used: { title: "This barcode was used already", next: "Please speak with the cashier." },
    handed_out_before: { title: "This barcode was used already", next: "Please speak with the cashier." },
    in_use_elsewhere: {
      title: "In use at another counter",
      next: "Please do not start a new one. Speak with the cashier.",
    },
    unknown_barcode: { title: "This barcode is not known", next: "Show the barcode of your banking app." },
    no_network: { title: "It cannot be looked up now", next: "Please speak with the cashier." },
    service_down: { title: "It cannot be looked up now", next: "Please speak with the cashier." },
    service_refused: { title: "This is not possible here", next: "Please speak with the cashier." },
    limit_reached: { title: "This is not possible here now", next: "Please speak with the cashier." },
    unclear: {
      title: "It is not clear whether this was paid",
      next: "Please do not start a new one. Speak with the cashier.",
    },
  },
  timeOver: { title: "Time is up", next: "We are finding out how it ended. Please wait." },
  disconnected: { title: "One moment, please", next: "This display has no connection. Please ask at the counter." },
  training: "Training: no real money",
  noConnection: "No connection at the moment. This may be out of date.",
};
