import type { ActiveScreen, Facts } from "./state.ts";

/** The screen of a withdrawal that is over. */
export const endedScreen = (
  outcome: Extract<ActiveScreen, { kind: "ended" }>["outcome"],
  facts: Facts,
): ActiveScreen => ({
  kind: "ended",
  outcome,
  transactionId: facts.transactionId,
  money: { amount: facts.amount, currency: facts.currency },
  canRetry: false,
});
