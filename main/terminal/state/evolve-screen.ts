/** What a scan, a look-up or a cashier's way through the screens does to the state. Nothing of it is in the journal. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { findOrCreate, put } from "./open-withdrawals.ts";
import { showScreen } from "./show-screen.ts";
import { activeWithdrawal, type Moment, type State } from "./state.ts";
import type { ScreenEvent } from "./transient-events.ts";

/** A review that leaves the screen leaves no trace: nothing of it was promised to anyone. */
const forgetReview = (state: State): State => {
  const before = activeWithdrawal(state);
  if (before?.stage.kind !== "review") return state;
  const open = new Map(state.open);
  open.delete(before.withdrawalId);
  return { ...state, open };
};

/** The state after an event that changes what is in front. */
export const evolveScreen = (state: State, event: ScreenEvent, moment: Moment): State => {
  switch (event.type) {
    case "scan_seen":
      return { ...state, lastScan: { transactionId: event.transactionId, atMs: moment.monotonicMs } };
    case "toast_shown":
      return { ...state, toast: { id: (state.toast?.id ?? 0) + 1, code: event.code } };
    case "look_up_begun":
      return showScreen(forgetReview(state), {
        kind: "looking_up",
        transactionId: event.transactionId,
        sinceMs: moment.monotonicMs,
        tries: 0,
        notBeforeMs: moment.monotonicMs,
      });
    case "look_up_postponed":
      return state.activeScreen.kind === "looking_up"
        ? {
            ...state,
            activeScreen: {
              ...state.activeScreen,
              tries: state.activeScreen.tries + 1,
              notBeforeMs: event.notBeforeMs,
            },
          }
        : state;
    case "review_opened":
      return showScreen(
        put(state, {
          ...findOrCreate(state, event.facts, moment),
          createdAtMs: event.createdAtMs,
          expiresAtMs: event.expiresAtMs,
          scannedMs: state.activeScreen.kind === "looking_up" ? state.activeScreen.sinceMs : null,
        }),
        { kind: "withdrawal", withdrawalId: event.facts.withdrawalId },
      );
    case "ended_shown":
      return showScreen(forgetReview(state), {
        kind: "ended",
        outcome: event.outcome,
        transactionId: event.transactionId,
        money: event.money,
        canRetry: event.canRetry,
        message: null,
      });
    case "screen_cleared":
      return showScreen(forgetReview(state), { kind: "idle" });
    case "withdrawal_shown":
      return showScreen(state, { kind: "withdrawal", withdrawalId: event.withdrawalId });
    default:
      return assertNever(event);
  }
};
