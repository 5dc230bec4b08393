/** The core's decisions: state and input in, events or a refusal out. Pure; `evolve` is the other half. */
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

/** Decides about one input. Every input gets a reply; one that comes too late changes nothing. */
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

/** Completes an event with its fixed fields and the events that always follow in the same write. */
const completed = (turn: Turn, input: Input, given: Event): readonly Event[] => {
  const event = "withdrawal" in given ? { ...given, withdrawal: factsOf(given.withdrawal) } : given;
  switch (event.type) {
    case "settled":
      if (!opensByItself(turn.state, event.withdrawal)) return [event];
      return [event, { type: "hand_out_intended", withdrawal: event.withdrawal, approvedBy: null }];
    // The id lets the service detect two programs on copies of one folder that both handed out the cash.
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
 * Whether the drawer may open automatically, if the shop wants that: the cashier scanned and confirmed the withdrawal
 * and it is on the screen, and there was no failed call, restart, failed write or other cashier in between.
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

/**
 * Whether the service's answer ends a confirmed withdrawal that is not on the screen, or was shown as unclear. Before
 * the confirm nothing was promised.
 */
const isUnwatched = ({ state, moment }: Turn, input: Input, { withdrawalId }: Facts): boolean => {
  const one = state.open.get(withdrawalId);
  if (!input.type.endsWith("_answered") || !one?.confirmAttempted) return false;
  return activeWithdrawal(state) !== one || one.recovered || screenName(state, moment) === "unknown";
};

const ofOpen =
  <I extends { readonly withdrawalId: string }>(
    decideOpen: (one: Withdrawal, turn: Turn, input: I) => Decision | null,
  ) =>
  (turn: Turn, input: I): Decision => {
    const one = turn.state.open.get(input.withdrawalId);
    return (one && decideOpen(one, turn, input)) ?? refuse("stale");
  };

const isShown = ({ state }: Turn, one: Withdrawal): boolean => activeWithdrawal(state) === one;

/** A timer's reason may be gone when it fires. The approval's deadline is checked again, because a mistake could cost a payment. */
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
      state.settings.confirmHandOver || one.asksHandOver
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
  // Another terminal may have paid it out meanwhile: ask the service for its status.
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
  // The service does not answer in time: go by its earlier answer that it is settled, as the journal has it.
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
