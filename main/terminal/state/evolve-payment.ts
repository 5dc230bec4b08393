/** A withdrawal on its way to the money: confirmed, taken, rejected, settled. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { approvalMarginMs, clockResolutionMs, ownIdsMax } from "./bounds.ts";
import type { AboutWithdrawal } from "./events.ts";
import { enterStage, isActive, put } from "./open-withdrawals.ts";
import { isIn, type Moment, type State, shopOf, type Withdrawal } from "./state.ts";

/** The journal's entries about that. */
export type PaymentEvent = Extract<
  AboutWithdrawal,
  { type: "confirm_intended" | "confirm_accepted" | "reject_intended" | "settled" }
>;

/** The terminal's own time-out, which stays below what the service is known to wait. */
const ownApprovalMs = (state: State): number => {
  const ownMs = state.settings.scaTimeoutSeconds * 1000;
  const serviceSeconds = shopOf(state)?.scaTimeoutSeconds;
  return serviceSeconds == null
    ? ownMs
    : Math.min(ownMs, Math.max(clockResolutionMs, serviceSeconds * 1000 - approvalMarginMs));
};

/** What may have been handed out already is not offered, however often the service says that it was paid. */
const withAmbiguity = (one: Withdrawal): Withdrawal =>
  one.doubtful ? { ...one, requestState: { ...one.requestState, checkFirst: true } } : one;

/** @param before the withdrawal that the entry is about. */
export const evolvePayment = (state: State, before: Withdrawal, event: PaymentEvent, moment: Moment): State => {
  switch (event.type) {
    case "confirm_intended": {
      const totalMs = ownApprovalMs(state);
      return put(
        { ...state, ownIds: new Set([...state.ownIds, event.of.partnerId].slice(-ownIdsMax)) },
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
      if (isIn(before.stage, "hand_out", "reported")) return state;
      return put(
        state,
        withAmbiguity(
          enterStage(before, moment, {
            stage: { kind: "payable" },
            intended: true,
            confirmed: true,
            approval: null,
            settledMs: moment.monotonicMs,
            recovered: before.recovered || before.requestState.failures > 0 || !isActive(state, event.of),
          }),
        ),
      );
    default:
      return assertNever(event);
  }
};
