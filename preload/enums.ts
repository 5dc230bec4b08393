/** The core's codes that the screens have a text for. No schema library here: the screens load this file. A code without a text does not compile. */

/** What one withdrawal ended as. Cash may be given in none of these but `handed_out`. */
export const outcomes = [
  "handed_out",
  "not_handed_out",
  "rejected",
  /** The service has it as rejected, and nobody here has just rejected it. */
  "rejected_before",
  /** The terminal closed it: its confirm did not get through in time. */
  "given_up",
  "sca_timeout",
  "sca_denied",
  "user_canceled",
  /** The service has it as canceled, for a reason that this program does not know. */
  "canceled",
  "order_expired",
  "declined",
  "settle_declined",
  "already_used",
  /** This terminal's own payment, but another program on a copy of its journal has handed it out. */
  "handed_out_before",
  /** Another terminal has confirmed it and it is not over: a new one could charge the customer twice. */
  "in_use_elsewhere",
  "unknown_barcode",
  "no_network",
  "service_down",
  "service_refused",
  /** The terminal has reached its limit for an hour; the withdrawal is unchanged. */
  "limit_reached",
  /** It may have been paid, and nobody here can tell: a new barcode could charge the customer twice. */
  "unclear",
] as const;

/** What a withdrawal came to, as the history colours and filters it. */
export const historyResults = [
  "handed_out",
  /** Paid, and no cash was handed out: it is due back to the customer. */
  "not_handed_out",
  /** Over without a payment. */
  "ended",
  "open",
  /** Something about it is not clear; the books must explain it. */
  "to_clear",
  /** Something about it was not clear, and a manager said what it was. */
  "cleared",
] as const;

/** Steps of a withdrawal: the terminal's own, then the service's. */
export const storySteps = [
  "confirm_intended",
  "confirm_accepted",
  "reject_intended",
  "settled",
  "hand_out_intended",
  "drawer_reopened",
  "drawer_unsure",
  "drawer_opened",
  "handed_out",
  "not_handed_out",
  "link_accepted",
  "reject_accepted",
  "undelivered_accepted",
  "link_refused",
  "reject_refused",
  "undelivered_refused",
  "closed",
  "decided",
  "acknowledged",
  "receipt_requested",
  "discrepancy",
  "there_requested",
  "there_ready",
  "there_awaiting_sca",
  "there_settling",
  "there_settled",
  "there_linked",
  "there_undelivered",
  "there_declined",
  "there_rejected",
  "there_canceled",
  "there_expired",
  "there_failed",
  "there_contradicted",
  "there_dispute_closed",
  "there_approved",
  "there_reported_again",
  "there_cash_reported",
  "there_decided",
] as const;

/** Details of a step that are neither an outcome nor a reason: by whom, why, how it went. */
export const storyWords = ["cashier", "time_out", "given_up", "drawer", "failed", "unknown", "reprint"] as const;
/** One of `storyWords`. */
export type StoryWord = (typeof storyWords)[number];

/** The kinds of a line of the books; each has a sentence that says what to do. */
export const bookExplanations = [
  "amount_differs",
  /** Cash was handed out here, and the service has the withdrawal as another terminal's: cash may have been given twice. */
  "other_terminal",
  /** Two programs with this terminal's identity have both reported its cash: it may have been given twice. */
  "reported_twice",
  /** Cash was handed out here, and the service has it as over without money. */
  "paid_without_money",
  /** Cash was handed out here; the service has the money and not yet the word of it. */
  "link_on_its_way",
  /** The service had this terminal's report, was restored from an older backup and no longer knows it. */
  "forgotten_there",
  "link_refused",
  /** The service has the money; here nobody has said yet whether cash was given. */
  "cash_not_said",
  /** The service has it as handed out; here it is not. */
  "linked_not_here",
  "undelivered",
  "undelivered_on_its_way",
  "undelivered_refused",
  /** The service has a report that no cash was handed out; here it was. */
  "undelivered_not_here",
  "settle_unknown",
  /** The service was restored from a backup, and the terminals' and the bank's reports disagree. */
  "restored",
  "disputed",
  "unclear_here",
  /** Both sides agree about the money, and this terminal had a problem with it. */
  "noted_here",
  "known_here_only",
  "known_there_only",
] as const;

/** Why a command did nothing. */
export const refusals = [
  "stale",
  "busy",
  "not_an_id",
  "duplicate_scan",
  "not_enrolled",
  "invalid",
  "denied",
  "unreachable",
  /** For real money: the service has no bank behind it, or its address is plain http. */
  "unsafe_service",
  "failed",
  /** Open withdrawals must be decided before another shop, terminal or service can be enrolled. */
  "undecided",
  /** Nobody is signed in at the counter, or the host locked it while a PIN was checked. */
  "locked",
  /** A manager must sign in; where there is none yet, the first PIN has to be set. */
  "manager_needed",
  "no_manager",
  /** A second person must agree by PIN. */
  "approval_needed",
  /** The list of people is lost: the operator's code must make a manager first. */
  "people_lost",
  "wrong_pin",
  /** Too many wrong PINs or codes; the snapshot says how long to wait. */
  "wait",
  /** Too short for the role, or too easy to guess. */
  "weak_pin",
  /** There is no receipt printer in the settings. */
  "no_printer",
  /** Real money needs the installed program, or a start with `--allow-browser`. */
  "not_in_browser",
  /** This machine is in no private network that a phone could join. */
  "no_private_network",
  /** The day of the drawer must be opened first. */
  "no_day",
  /** The drawer holds less than the amount, beside what is promised already. */
  "drawer_short",
  /** There is no other screen on this computer. */
  "no_screen",
  /** Nothing was counted, and nobody said that the drawer is empty. */
  "count_empty",
  /** The count differs from what was expected, and no reason was given. */
  "reason_needed",
] as const;

/** Why the connection test failed. */
export const connectionTroubles = [
  /** No bank stands behind it, and money is real here. */
  "sandbox",
  "plain_http",
  "name_not_found",
  "no_route",
  "refused",
  "timeout",
  "certificate",
  /** The proxy of this network does not let the terminal through. */
  "proxy",
  /** On loopback the report does not reveal what else answers, or whether anything does. */
  "nothing_here",
  /** Something answers there, and it is not a service of this kind. */
  "not_a_service",
  /** The service answers that it is not ready. */
  "service_down",
] as const;

/** What a toast says about the last scan. */
export const toastCodes = [
  "not_an_id",
  "duplicate_scan",
  "busy_review",
  "busy_money",
  "busy_lookup",
  "no_day",
] as const;

/** The discrepancies of a withdrawal, for the books. */
export const discrepancies = [
  "link_refused",
  "undelivered_refused",
  "not_found",
  "confirm_conflict",
  "confirm_unclear",
  "status_unclear",
  "not_settled_any_more",
  "amount_changed",
  "linked_by_another",
  "undelivered_by_another",
  /** An operator of the service had said otherwise what became of the cash. */
  "decided_otherwise",
  "unclear",
  "left_to_books",
  /** The service was restored from a backup, and refuses the report when it is repeated. */
  "forgotten",
  /** This journal and the service were both put back: the cash may have been handed out since. */
  "put_back_with_service",
  "in_other_journal",
] as const;

/** What is wrong with an entry of the journal. */
export const damages = ["hash", "json", "gap", "schema", "unreadable", "key"] as const;

/** Why a receipt was not, or not surely, printed. `busy`: the drawer went first. */
export const printTroubles = ["unreachable", "busy", "no_paper", "cover_open", "fault", "offline"] as const;
