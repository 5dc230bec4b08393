/** Which screen a state shows, as one word; the screen's step is that word with the screen number. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Screen } from "../../../preload/contract.ts";
import { activeWithdrawal, type Moment, needsRecheck, type State, type Withdrawal } from "./state.ts";
import { closingEndsMs } from "./withdrawal.ts";

/** Silences in a row after which a payment that is being settled is called unknown. */
const paymentSilencesMax = 2;

/** A screen's name, with its phase where the buttons differ by it. */
export type ScreenName =
  | Exclude<Screen["kind"], "waiting" | "opening">
  | `waiting:${"approval" | "payment"}`
  | `opening:${"checking" | "opening" | "failed" | "unknown"}`;

const ofWithdrawal = (one: Withdrawal, moment: Moment): ScreenName => {
  const { stage, requestState } = one;
  switch (stage.kind) {
    case "review":
      return "review";
    case "payable":
      if (needsRecheck(one)) return "unknown";
      return one.handOutAsked === null ? "payable" : "opening:checking";
    case "confirming":
      return requestState.failures > 0 || requestState.checkFirst ? "unknown" : "confirming";
    case "waiting":
      return stage.phase === "payment" && requestState.failures >= paymentSilencesMax
        ? "unknown"
        : `waiting:${stage.phase}`;
    case "rejecting":
      return one.intended && moment.monotonicMs >= closingEndsMs(one) ? "unknown" : "closing";
    case "opening":
      return stage.drawer === "open" ? "counting" : `opening:${stage.drawer}`;
    case "handed_out":
    case "not_handed_out":
      return "ended";
    default:
      return assertNever(stage);
  }
};

/** `ready`, `waiting:payment`, `opening:failed` …: what the buttons of this moment can mean. */
export const screenName = (state: State, moment: Moment): ScreenName => {
  if (state.blocked !== null) return "blocked";
  if (state.phase === "starting") return "starting";
  const { activeScreen } = state;
  switch (activeScreen.kind) {
    case "idle":
      return state.credential === "good" ? "ready" : "setup";
    case "looking_up":
    case "done":
    case "ended":
      return activeScreen.kind;
    case "withdrawal": {
      const one = activeWithdrawal(state);
      return one === null ? "ready" : ofWithdrawal(one, moment);
    }
    default:
      return assertNever(activeScreen);
  }
};

/** Names the screen of this moment; a command that carries another one was meant for a screen that is gone. */
export const stepOf = (state: State, moment: Moment): string => `${state.screenNumber}.${screenName(state, moment)}`;
