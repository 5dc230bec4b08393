import { factsOf } from "./facts.ts";
import type { ActiveScreen, Facts, Message, Moment, State, Withdrawal } from "./state.ts";

/** The screen of a withdrawal that is over. */
export const endedScreen = (
  outcome: Extract<ActiveScreen, { kind: "ended" }>["outcome"],
  facts: Facts,
  message: Extract<ActiveScreen, { kind: "ended" }>["message"] = null,
): ActiveScreen => ({
  kind: "ended",
  outcome,
  transactionId: facts.transactionId,
  money: { amount: facts.amount, currency: facts.currency },
  canRetry: false,
  message,
});

/** The screen of a message that waited for its turn. */
export const messageScreen = ({ outcome, facts }: Message): ActiveScreen =>
  endedScreen(outcome, facts, { withdrawalId: facts.withdrawalId, isLate: true });

/** Keeps how a withdrawal ended until somebody has read it. */
export const addMessage = (
  state: State,
  before: Withdrawal,
  facts: Facts,
  outcome: Message["outcome"],
  moment: Moment,
): State => ({
  ...state,
  messages: new Map(state.messages).set(facts.withdrawalId, {
    facts: factsOf(facts),
    outcome,
    atWallMs: moment.wallMs - (moment.monotonicMs - before.beganMs),
  }),
});
