/** What the bank does, what the shop does, and how it has to end: sixty and more ways through a withdrawal. */

/** In which part of the trial it is played: each part moves the clock in its own way. */
export type Part = "usual" | "contradicting" | "silent";

/** By what its bank does. */
export const partOf = ({ bank }: Scenario): Part =>
  bank.includes("silent") ? "silent" : bank.includes("late_") ? "contradicting" : "usual";

/** The shop's side: what happens after the barcode was shown. */
type ShopSide =
  | "link"
  | "undelivered"
  | "reject"
  | "reject_late"
  | "cancel"
  | "expire"
  | "never"
  | "closed"
  /** After a quarter of an hour without an answer the operator decides in the bank's stead. */
  | "decide_not_paid"
  | "decide_paid";

/** One way through a withdrawal, and what service and report must say in the end. */
export interface Scenario {
  /** As the bank reads it: `start=…;settle=…;sca=…;events=…`. */
  readonly bank: string;
  readonly shop: ShopSide;
  readonly status: string;
  /** In the report; null where the withdrawal was never confirmed. */
  readonly finding: string | null;
  readonly scaRequired: boolean;
  /** For `disputed`: what remains in the report when the operator has closed the dispute. */
  readonly closedAs?: string;
}

const scenario = (
  bank: string,
  shop: ShopSide,
  status: string,
  finding: string | null,
  scaRequired = true,
): Scenario => ({ bank, shop, status, finding, scaRequired });

/** No answers, after which the bank comes round. */
const noAnswers = ["503", "500", "404", "401", "409", "429", "html", "redirect", "204", "empty", "error", "pending"];

const disputed = (bank: string, shop: ShopSide, status: string, closedAs: string): Scenario => ({
  ...scenario(bank, shop, status, "disputed"),
  closedAs,
});

const paid = (bank: string, scaRequired = true) => scenario(bank, "link", "linked", "matched", scaRequired);

/** All of them; each line is a test. */
export const scenarios: readonly Scenario[] = [
  // Said in one word, by either word and code.
  ...["accept", "created", "paid"].map((word) => paid(`start=${word};settle=${word}`)),
  paid("start=accept", false),
  // Start order: no answer first, or a lost yes.
  ...noAnswers.map((word) => paid(`start=${word},accept`)),
  paid("start=lost,accept"),
  paid("start=lost,lost,accept"),
  paid("start=failure,accept"),
  // Settle order: the same, and for an hour.
  ...noAnswers.map((word) => paid(`settle=${word},accept`)),
  paid("settle=failure,accept"),
  paid("settle=lost,accept"),
  paid("settle=lost,lost,lost,accept"),
  paid("settle=slow,accept"),
  paid("settle=503,html,lost,429,accept"),
  paid("settle=pending,503,paid"),
  // Not a byte for an hour of virtual time, whatever is asked.
  paid("settle=silent"),
  paid("settle=silent", false),
  scenario("start=silent", "closed", "declined", null),
  scenario("events=silent", "reject", "rejected", null),
  disputed("settle=silent", "decide_not_paid", "failed", "closed"),
  scenario("settle=silent_paid", "decide_paid", "undelivered", "undelivered"),
  // Two tries of one order are answered otherwise, in either order: the first answer stands, people have to look.
  disputed("settle=late_yes,decline", "closed", "failed", "closed"),
  disputed("settle=late_no,accept", "link", "linked", "matched"),
  disputed("settle=late_no,accept", "undelivered", "undelivered", "undelivered"),
  // Cut off in the middle, and contradicting: a yes and a no in one, no word at all, a no that comes too late before a yes.
  ...["cut", "both", "twice", "list", "slow_no"].flatMap((word) => [
    paid(`start=${word},accept`),
    paid(`settle=${word},accept`),
  ]),
  // Said no.
  ...["decline", "422", "402", "400"].map((word) => scenario(`start=${word}`, "closed", "declined", null)),
  ...["decline", "422", "402"].map((word) => scenario(`settle=${word}`, "closed", "failed", "closed")),
  { ...disputed("settle=503,decline", "closed", "failed", "closed"), finding: "no_after_silence" },
  // What looked like a yes was none: the no after it stands, and no cash goes out.
  ...["twice", "list"].map((word) => ({
    ...disputed(`settle=${word},decline`, "closed", "failed", "closed"),
    finding: "no_after_silence",
  })),
  // Says yes to nobody and then no: the hold of the lost yes has to go.
  scenario("start=lost,decline", "closed", "declined", null),
  scenario("start=slow,422", "closed", "declined", null),
  // The customer and the shop end it.
  scenario("sca=deny", "closed", "canceled", "closed"),
  scenario("sca=never", "never", "canceled", "closed"),
  scenario("sca=never", "reject_late", "rejected", "closed"),
  scenario("start=accept", "reject", "rejected", null),
  scenario("start=accept", "cancel", "canceled", null),
  scenario("start=accept", "expire", "expired", null),
  scenario("start=accept", "undelivered", "undelivered", "undelivered"),
  scenario("settle=lost,accept", "undelivered", "undelivered", "undelivered"),
  // Events that are lost come again.
  paid("events=503,lose,ok"),
  scenario("sca=deny;events=503,ok", "closed", "canceled", "closed"),
  scenario("events=lose,503,ok", "reject", "rejected", null),
  scenario("events=503,503,ok", "expire", "expired", null),
];
