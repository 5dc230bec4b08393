/** What a journal entry about a withdrawal does to the state. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { approvalMarginMs, clockResolutionMs, doneMs, ownIdsMax } from "./bounds.ts";
import { addCash } from "./cash-given.ts";
import type { AboutWithdrawal, Recorded } from "./events.ts";
import { drop, enterStage, findOrCreate, isActive, put } from "./open-withdrawals.ts";
import { showScreen } from "./show-screen.ts";
import {
  type ActiveScreen,
  type Facts,
  factsOf,
  type Moment,
  notSensed,
  type Stage,
  type State,
  shopOf,
  type Withdrawal,
} from "./state.ts";

const isPastPayable = (stage: Stage): boolean =>
  stage.kind === "opening" || stage.kind === "handed_out" || stage.kind === "not_handed_out";

/** The terminal's own time-out, which stays below what the service is known to wait. */
const ownApprovalMs = (state: State): number => {
  const ownMs = state.settings.scaTimeoutSeconds * 1000;
  const serviceSeconds = shopOf(state)?.scaTimeoutSeconds;
  return serviceSeconds == null
    ? ownMs
    : Math.min(ownMs, Math.max(clockResolutionMs, serviceSeconds * 1000 - approvalMarginMs));
};

/** The state after a journal entry about one withdrawal. */
export const evolveWithdrawal = (state: State, event: AboutWithdrawal & Recorded, moment: Moment): State => {
  const facts = event.of;
  const before = findOrCreate(state, facts, moment);
  const saidBy = event.actor ?? null;
  switch (event.type) {
    case "confirm_intended": {
      const totalMs = ownApprovalMs(state);
      return put(
        { ...state, ownIds: new Set([...state.ownIds, facts.partnerId].slice(-ownIdsMax)) },
        enterStage(before, moment, {
          stage: { kind: "confirming" },
          intended: true,
          approval: { untilMs: moment.monotonicMs + totalMs, totalMs, isService: false },
        }),
      );
    }
    case "confirm_accepted": {
      const accepted = { ...before, intended: true, confirmed: true };
      if (before.stage.kind !== "confirming" && before.stage.kind !== "review") return put(state, accepted);
      const phase = event.status === "settling" ? "payment" : "approval";
      return put(
        state,
        enterStage(accepted, moment, {
          stage: { kind: "waiting", phase },
          approval: phase === "payment" ? null : before.approval,
        }),
      );
    }
    case "reject_intended":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "rejecting", why: event.why },
          intended: before.intended || event.intended,
          reportDueSinceMs: moment.monotonicMs,
          approval: null,
        }),
      );
    case "settled":
      // Said again after the hand-out began: cash that moved is never offered a second time.
      if (isPastPayable(before.stage)) return state;
      return put(
        state,
        withAmbiguity(
          enterStage(before, moment, {
            stage: { kind: "payable" },
            intended: true,
            confirmed: true,
            approval: null,
            recovered: before.recovered || before.requestState.failures > 0 || !isActive(state, facts),
          }),
        ),
      );
    case "hand_out_intended":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "opening", drawer: "opening" },
          intended: true,
          confirmed: true,
          handOutBegun: true,
          drawerTries: before.drawerTries + 1,
        }),
      );
    case "drawer_reopened":
      return put(state, {
        ...before,
        stage: { kind: "opening", drawer: "opening" },
        handOutBegun: true,
        drawerTries: before.drawerTries + 1,
      });
    case "drawer_unsure":
      return put(state, enterStage(before, moment, { stage: { kind: "opening", drawer: event.drawer } }));
    case "drawer_opened":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "opening", drawer: "open" },
          sensed: { ...notSensed, atMs: moment.monotonicMs },
        }),
      );
    case "handed_out": {
      const after = put(
        state,
        enterStage(before, moment, { stage: { kind: "handed_out" }, saidBy, reportDueSinceMs: moment.monotonicMs }),
      );
      const marked = { ...after, cashGiven: addCash(after.cashGiven, facts.transactionId) };
      return isActive(state, facts)
        ? showScreen(marked, { kind: "done", facts: factsOf(before), untilMs: moment.monotonicMs + doneMs })
        : marked;
    }
    case "not_handed_out": {
      const after = put(
        state,
        enterStage(before, moment, {
          stage: { kind: "not_handed_out", reason: event.reason },
          saidBy,
          reportDueSinceMs: moment.monotonicMs,
        }),
      );
      return isActive(state, facts) ? showScreen(after, ended("not_handed_out", facts)) : after;
    }
    case "report_accepted":
    case "report_refused":
      if (event.report === "reject")
        return put(state, {
          ...before,
          requestState: { ...before.requestState, rejectRefused: event.type === "report_refused" },
        });
      return drop(state, facts);
    case "closed": {
      const after = drop(state, facts);
      return isActive(state, facts) ? showScreen(after, ended(event.outcome, facts)) : after;
    }
    case "decided":
      return evolveDecided(state, event, moment);
    case "discrepancy":
      return state;
    default:
      return assertNever(event);
  }
};

/** What may have been handed out already is not offered, however often the service says that it was paid. */
const withAmbiguity = (one: Withdrawal): Withdrawal =>
  one.doubtful ? { ...one, requestState: { ...one.requestState, checkFirst: true } } : one;

/** What the manager said goes the way of the cashier's own word; what is left to the books is the terminal's no more. */
const evolveDecided = (state: State, event: Extract<AboutWithdrawal, { type: "decided" }>, moment: Moment): State => {
  const facts = event.of;
  const { decision } = event;
  if (decision === "leave_to_books") {
    const after = drop(state, facts);
    return isActive(state, facts) ? showScreen(after, { kind: "idle" }) : after;
  }
  const stage: Stage = decision === "handed_out" ? { kind: "handed_out" } : { kind: "not_handed_out", reason: "other" };
  const before = findOrCreate(state, facts, moment);
  const after = put(
    state,
    enterStage(before, moment, { stage, decided: true, saidBy: event.actor, reportDueSinceMs: moment.monotonicMs }),
  );
  const marked =
    decision === "handed_out" ? { ...after, cashGiven: addCash(after.cashGiven, facts.transactionId) } : after;
  return isActive(state, facts) ? showScreen(marked, { kind: "idle" }) : marked;
};

const ended = (outcome: Extract<ActiveScreen, { kind: "ended" }>["outcome"], facts: Facts): ActiveScreen => ({
  kind: "ended",
  outcome,
  transactionId: facts.transactionId,
  money: { amount: facts.amount, currency: facts.currency },
  canRetry: false,
});
