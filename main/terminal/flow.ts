/** The core's decision: state and input in, events or a refusal out. Pure; `evolve` is its other half. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import { handOutCheckMs } from "./bounds.ts";
import {
  askedHandOut,
  decideCashier,
  decideManager,
  withHandOutId,
  withMessages,
  withOpening,
} from "./withdrawal/decide-cashier.ts";
import { decideDay } from "./withdrawal/decide-day.ts";
import { decidePrinting, withReceipts } from "./withdrawal/decide-printing.ts";
import { decideCollected, decideRepeated, decideReport } from "./withdrawal/decide-reports.ts";
import { decideLookUp, decideScan } from "./withdrawal/decide-scan.ts";
import {
  contactEvents,
  decideDuplicateDevice,
  decideJournalHead,
  decideServiceHead,
  decideShop,
} from "./withdrawal/decide-service.ts";
import { decideConfirmAnswer, decideStatusAnswer } from "./withdrawal/decide-status.ts";
import {
  type Actor,
  accept,
  type Decision,
  type EffectResult,
  type Input,
  type RandomSource,
  refuse,
  terminalActor,
} from "./withdrawal/inputs.ts";
import { activeWithdrawal, type Moment, type State } from "./withdrawal/state.ts";
import { awaitsApproval, factsOf, isCounting } from "./withdrawal/withdrawal.ts";

/** Decides about one input at one moment. Every input is answered; what comes too late changes nothing. */
export const decide = (
  state: State,
  input: Input,
  moment: Moment,
  fresh: RandomSource,
  actor: Actor = terminalActor,
): Decision => {
  const decision = withHandOutId(withOpening(state, decideInput(state, input, moment, fresh, actor)), fresh);
  return withReceipts(state, withMessages(state, input, decision, moment), moment, actor);
};

const decideInput = (state: State, input: Input, moment: Moment, fresh: RandomSource, actor: Actor): Decision => {
  switch (input.type) {
    case "scan":
      return decideScan(state, input, moment);
    case "confirm":
    case "reject":
    case "hand_out":
    case "not_handed_out":
    case "dismiss":
    case "retry":
    case "resume":
    case "open_drawer":
      return decideCashier(state, input, moment, actor);
    case "decide_withdrawal":
    case "acknowledge_problem":
      return decideManager(state, input, actor);
    case "open_day":
    case "move_cash":
    case "no_sale":
    case "count_day":
    case "recount_day":
    case "close_day":
    case "day_print_wanted":
      return decideDay(state, input, moment, actor);
    case "receipt_wanted":
    case "print_answered":
    case "print_pause_ended":
    case "retry_print":
    case "drop_prints":
      return decidePrinting(state, input);
    case "look_up_answered":
      return decideLookUp(state, input, moment, fresh);
    case "confirm_answered":
      return decideConfirmAnswer(state, input, moment, fresh);
    case "status_answered":
      return decideStatusAnswer(state, input, moment, fresh);
    case "report_answered":
      return decideReport(state, input, moment, fresh);
    case "drawer_answered":
      return drawerAnswered(state, input);
    case "no_sale_answered":
      return accept({ type: "no_sale_ended", number: input.number, result: input.result });
    case "drawer_state_answered":
      return isCounting(state.open.get(input.withdrawalId))
        ? accept({ type: "drawer_sensed", withdrawalId: input.withdrawalId, drawer: input.drawer })
        : refuse("stale");
    case "probe_answered":
      return accept(...contactEvents(state, input.answer), { type: "probed" });
    case "shop_answered":
      return decideShop(state, input.merchantId, input.answer);
    case "reports_collected":
      return decideCollected(state, input);
    case "report_repeated":
      return decideRepeated(state, input, moment, fresh);
    case "service_head_answered":
      return decideServiceHead(state, input.answer);
    case "journal_head_answered":
      return decideJournalHead(state, input.answer);
    case "duplicate_device_answered":
      return decideDuplicateDevice(state, input.answer, moment);
    case "approval_ran_out":
    case "review_ran_out":
    case "closing_ran_out":
    case "hand_out_check_ran_out":
    case "done_ran_out":
      return timeRanOut(state, input, moment);
    default:
      return assertNever(input);
  }
};

const drawerAnswered = (state: State, input: Extract<EffectResult, { type: "drawer_answered" }>): Decision => {
  const withdrawal = state.open.get(input.withdrawalId);
  if (withdrawal?.stage.kind !== "opening" || withdrawal.stage.drawer !== "opening") return refuse("stale");
  const of = factsOf(withdrawal);
  if (input.result !== "opened") return accept({ type: "drawer_unsure", of, drawer: input.result });
  return state.settings.confirmHandOver
    ? accept({ type: "drawer_opened", of })
    : accept({ type: "handed_out", of, by: "drawer" });
};

type RanOut = Extract<EffectResult, { type: `${string}_ran_out` }>;

/** What a timer was set for may be gone; of the approval's time, which can cost a payment, the clock is asked again. */
const timeRanOut = (state: State, input: RanOut, moment: Moment): Decision => {
  if (input.type === "done_ran_out")
    return state.activeScreen.kind === "done" && state.screenNumber === input.step
      ? accept({ type: "screen_cleared" })
      : refuse("stale");
  const withdrawal = state.open.get(input.withdrawalId);
  if (withdrawal === undefined) return refuse("stale");
  const { stage } = withdrawal;
  const of = factsOf(withdrawal);
  const shown = activeWithdrawal(state)?.withdrawalId === withdrawal.withdrawalId;
  const money = { amount: of.amount, currency: of.currency };
  const end = { type: "ended_shown", transactionId: of.transactionId, money, canRetry: false } as const;
  switch (input.type) {
    case "approval_ran_out":
      return awaitsApproval(stage) && withdrawal.approval !== null && withdrawal.approval.untilMs <= moment.monotonicMs
        ? accept({ type: "reject_intended", of, why: "time_out", intended: true })
        : refuse("stale");
    case "review_ran_out":
      // Another terminal may have paid it out meanwhile: the service says what became of it.
      return stage.kind === "review" && shown
        ? accept({ type: "look_up_begun", transactionId: of.transactionId })
        : refuse("stale");
    case "closing_ran_out":
      return stage.kind === "rejecting" && !withdrawal.confirmAttempted && shown
        ? accept({ ...end, outcome: "rejected" })
        : refuse("stale");
    // The service does not answer in time: that it is paid is its own word, as the journal has it.
    case "hand_out_check_ran_out":
      return withdrawal.handOutAsked !== null && withdrawal.handOutAsked.atMs + handOutCheckMs <= moment.monotonicMs
        ? accept(...askedHandOut(state, withdrawal))
        : refuse("stale");
    default:
      return assertNever(input);
  }
};
