/** Amounts steer the sandbox bank, as test cards do elsewhere (conventions, "Sandbox"). Pure. */

/** What an amount's cents make the sandbox's bank do (conventions, "Sandbox"): `.00` the first, `.08` the last. */
export const behaviours = [
  "settles",
  "declines_start",
  "declines_settle",
  "answers_late",
  "fails_three_times",
  "loses_the_answer",
  "approves_by_itself",
  "never_approves",
  "needs_no_sca",
] as const;
/** One of `behaviours`. */
export type Behaviour = (typeof behaviours)[number];

/** The last two digits of the smallest units decide, in every currency: 50.03 EUR and 5003 JPY alike. */
export const behaviourOf = (amountMinor: number): Behaviour => behaviours[amountMinor % 100] ?? "settles";

/** A late answer comes this long after the first Settle order; a repeat waits for what is left of it. */
const lateAnswerMs = 8_000;
/** Settle orders of `.04` that are answered with 503 before one is accepted. */
const failuresBeforeSuccess = 3;
/** From the cashier's confirmation to the approval that the bank gives by itself. */
export const selfApprovalMs = 2_000;

/** What the bank does about one Settle order for a reference it has secured. */
export type SettleResponse =
  | { readonly kind: "decline" }
  | { readonly kind: "fail" }
  | { readonly kind: "book"; readonly answerAtMs: number | null; readonly dropConnection: boolean };

/** @param call 1 for the first Settle order with this reference. */
export const settleResponse = (amountMinor: number, call: number, firstCallAtMs: number): SettleResponse => {
  const book = { kind: "book", answerAtMs: null, dropConnection: false } as const;
  switch (behaviourOf(amountMinor)) {
    case "declines_settle":
      return { kind: "decline" };
    case "answers_late":
      return { ...book, answerAtMs: firstCallAtMs + lateAnswerMs };
    case "fails_three_times":
      return call <= failuresBeforeSuccess ? { kind: "fail" } : book;
    case "loses_the_answer":
      return { ...book, dropConnection: call === 1 };
    default:
      return book;
  }
};
