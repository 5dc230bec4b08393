/** The core's decision: state and input in, events or a refusal out. Pure; `evolve` is its other half. */
import { handOutCheckMs } from "./bounds.ts";
import { askedHandOut, cashierDecisions } from "./withdrawal/decide-cashier.ts";
import { dayDecisions } from "./withdrawal/decide-day.ts";
import { printingDecisions, receiptRequest } from "./withdrawal/decide-printing.ts";
import { reportDecisions } from "./withdrawal/decide-reports.ts";
import { scanDecisions } from "./withdrawal/decide-scan.ts";
import { contactEvents, serviceDecisions } from "./withdrawal/decide-service.ts";
import { statusDecisions } from "./withdrawal/decide-status.ts";
import type { Event } from "./withdrawal/events.ts";
import {
  type Actor,
  accept,
  type Decision,
  type Decisions,
  type Input,
  type RandomSource,
  refuse,
  type Turn,
  terminalActor,
} from "./withdrawal/inputs.ts";
import { screenName } from "./withdrawal/screens.ts";
import { activeWithdrawal, cashWasGiven, type Moment, type State } from "./withdrawal/state.ts";
import { awaitsApproval, type Facts, factsOf, isCounting, type Withdrawal } from "./withdrawal/withdrawal.ts";

/** Decides about one input at one moment. Every input is answered; what comes too late changes nothing. */
export const decide = (
  state: State,
  input: Input,
  moment: Moment,
  fresh: RandomSource,
  actor: Actor = terminalActor,
): Decision => {
  const turn = { state, moment, fresh, actor };
  const { events, reply } = decisions[input.type](turn, input as never);
  return {
    events: [...contactEvents(state, input), ...events.flatMap((event) => completed(turn, input, event))],
    reply,
  };
};

/** An event with what it always carries and what follows from it in the same write, whatever decided it. */
const completed = (turn: Turn, input: Input, given: Event): readonly Event[] => {
  const event = "withdrawal" in given ? { ...given, withdrawal: factsOf(given.withdrawal) } : given;
  switch (event.type) {
    case "settled":
      if (!opensByItself(turn.state, event.withdrawal)) return [event];
      return [event, { type: "hand_out_intended", withdrawal: event.withdrawal, approvedBy: null }];
    // By a name of its own the service tells whether two programs on copies of one folder have both given the cash.
    case "handed_out":
      return [{ ...event, handOutId: turn.fresh.id }, ...receiptRequest(turn, event.withdrawal)];
    case "decided":
      return [event.decision === "handed_out" ? { ...event, handOutId: turn.fresh.id } : event];
    case "closed":
    case "not_handed_out":
      return [isUnwatched(turn, input, event.withdrawal) ? { ...event, unwatched: true } : event];
    default:
      return [event];
  }
};

/**
 * Whether the drawer may open by itself for it, where the shop wants that: the cashier scanned and confirmed it and has it on the
 * screen, and nothing was silent, slept, started again or could not be written in between.
 */
const opensByItself = (state: State, { withdrawalId }: Facts): boolean => {
  const { settings, people, cashGiven } = state;
  const one = state.open.get(withdrawalId);
  if (!settings.openOnSettled || !settings.confirmHandOver || settings.drawer.kind === "none") return false;
  if (one === undefined || activeWithdrawal(state) !== one || people.locked) return false;
  const isUndoubted = !one.recovered && !one.doubtful && !one.handOutBegun && one.requestState.failures === 0;
  const isUnderWay = one.stage.kind === "confirming" || one.stage.kind === "waiting";
  return isUndoubted && isUnderWay && one.scannedMs !== null && !cashWasGiven(cashGiven, one.transactionId);
};

/** Whether the service's word ends it while nobody looks, or somebody was told that it is unclear. Before a confirm nothing was promised to anyone. */
const isUnwatched = ({ state, moment }: Turn, input: Input, { withdrawalId }: Facts): boolean => {
  const one = state.open.get(withdrawalId);
  if (!input.type.endsWith("_answered") || !one?.confirmAttempted) return false;
  return activeWithdrawal(state) !== one || one.recovered || screenName(state, moment) === "unknown";
};

/** About a withdrawal that is still open, else too late. */
const ofOpen =
  <I extends { readonly withdrawalId: string }>(
    decideOpen: (one: Withdrawal, turn: Turn, input: I) => Decision | null,
  ) =>
  (turn: Turn, input: I): Decision => {
    const one = turn.state.open.get(input.withdrawalId);
    return (one && decideOpen(one, turn, input)) ?? refuse("stale");
  };

const isShown = ({ state }: Turn, one: Withdrawal): boolean => activeWithdrawal(state) === one;

/** What a timer was set for may be gone; of the approval's time, which can cost a payment, the clock is asked again. */
const decisions: Decisions<Input> = {
  ...scanDecisions,
  ...cashierDecisions,
  ...dayDecisions,
  ...printingDecisions,
  ...statusDecisions,
  ...reportDecisions,
  ...serviceDecisions,
  drawer_answered: ofOpen((one, { state }, { result }) => {
    if (one.stage.kind !== "opening" || one.stage.drawer !== "opening") return null;
    if (result !== "opened") return accept({ type: "drawer_unsure", withdrawal: one, drawer: result });
    return accept(
      state.settings.confirmHandOver
        ? { type: "drawer_opened", withdrawal: one }
        : { type: "handed_out", withdrawal: one, by: "drawer" },
    );
  }),
  no_sale_answered: (_, { number, result }) => accept({ type: "no_sale_ended", number, result }),
  drawer_state_answered: ofOpen((one, _, { withdrawalId, drawer }) =>
    isCounting(one) ? accept({ type: "drawer_sensed", withdrawalId, drawer }) : null,
  ),
  approval_ran_out: ofOpen((one, { moment }) =>
    awaitsApproval(one.stage) && one.approval !== null && one.approval.untilMs <= moment.monotonicMs
      ? accept({ type: "reject_intended", withdrawal: one, why: "time_out", intended: true })
      : null,
  ),
  // Another terminal may have paid it out meanwhile: the service says what became of it.
  review_ran_out: ofOpen((one, turn) =>
    one.stage.kind === "review" && isShown(turn, one)
      ? accept({ type: "look_up_begun", transactionId: one.transactionId })
      : null,
  ),
  closing_ran_out: ofOpen((one, turn) => {
    if (one.stage.kind !== "rejecting" || one.confirmAttempted || !isShown(turn, one)) return null;
    const { transactionId, amount, currency } = one;
    const money = { amount, currency };
    return accept({ type: "ended_shown", outcome: "rejected", transactionId, money, canRetry: false });
  }),
  // The service does not answer in time: that it is paid is its own word, as the journal has it.
  hand_out_check_ran_out: ofOpen((one, { state, moment }) =>
    one.handOutAsked !== null && one.handOutAsked.atMs + handOutCheckMs <= moment.monotonicMs
      ? accept(...askedHandOut(state, one))
      : null,
  ),
  done_ran_out: ({ state }, { step }) =>
    state.activeScreen.kind === "done" && state.screenNumber === step
      ? accept({ type: "screen_cleared" })
      : refuse("stale"),
};
