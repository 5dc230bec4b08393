/** What a journal entry about a withdrawal does to the state. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { addCash } from "./cash-given.ts";
import { addMessage, endedScreen } from "./ended-screen.ts";
import type { AboutWithdrawal, Recorded } from "./events.ts";
import { evolveHandOut } from "./evolve-hand-out.ts";
import { evolvePayment } from "./evolve-payment.ts";
import { drop, enterStage, findOrCreate, isActive, put } from "./open-withdrawals.ts";
import { showScreen } from "./show-screen.ts";
import type { Moment, Stage, State, Withdrawal } from "./state.ts";

/** The state after a journal entry about one withdrawal. */
export const evolveWithdrawal = (state: State, event: AboutWithdrawal & Recorded, moment: Moment): State => {
  const facts = event.of;
  const before = findOrCreate(state, facts, moment);
  switch (event.type) {
    case "confirm_intended":
    case "confirm_accepted":
    case "reject_intended":
    case "settled":
      return evolvePayment(state, before, event, moment);
    case "hand_out_intended":
    case "drawer_reopened":
    case "drawer_unsure":
    case "drawer_opened":
    case "handed_out":
    case "not_handed_out":
      return evolveHandOut(state, before, event, moment);
    case "report_accepted":
    case "report_refused":
      if (event.report === "reject")
        return put(state, {
          ...before,
          requestState: { ...before.requestState, rejectRefused: event.type === "report_refused" },
        });
      return drop(state, facts);
    case "closed": {
      const dropped = drop(state, facts);
      const after = event.unwatched ? addMessage(dropped, before, facts, event.outcome, moment) : dropped;
      const message = event.unwatched ? { withdrawalId: facts.withdrawalId, isLate: false } : null;
      return isActive(state, facts) ? showScreen(after, endedScreen(event.outcome, facts, message)) : after;
    }
    case "decided":
      return evolveDecided(state, before, event, moment);
    case "discrepancy":
      return state;
    default:
      return assertNever(event);
  }
};

/** What the manager said goes the way of the cashier's own word; what is left to the books is the terminal's no more. */
const evolveDecided = (
  state: State,
  before: Withdrawal,
  event: Extract<AboutWithdrawal, { type: "decided" }>,
  moment: Moment,
): State => {
  const facts = event.of;
  const { decision } = event;
  if (decision === "leave_to_books") {
    const after = drop(state, facts);
    return isActive(state, facts) ? showScreen(after, { kind: "idle" }) : after;
  }
  const stage: Stage = decision === "handed_out" ? { kind: "handed_out" } : { kind: "not_handed_out", reason: "other" };
  const after = put(
    state,
    enterStage(before, moment, {
      stage,
      decided: true,
      saidBy: event.actor,
      handOutId: event.handOutId ?? null,
      reportDueSinceMs: moment.monotonicMs,
    }),
  );
  const marked =
    decision === "handed_out" ? { ...after, cashGiven: addCash(after.cashGiven, facts.transactionId) } : after;
  return isActive(state, facts) ? showScreen(marked, { kind: "idle" }) : marked;
};
