/** A paid withdrawal: the drawer, and what became of the cash. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { doneMs } from "./bounds.ts";
import { addCash } from "./cash-given.ts";
import { addMessage, endedScreen } from "./ended-screen.ts";
import type { AboutWithdrawal, Recorded } from "./events.ts";
import { enterStage, isActive, put } from "./open-withdrawals.ts";
import { showScreen } from "./show-screen.ts";
import { factsOf, type Moment, notSensed, type State, type Withdrawal } from "./state.ts";

/** The journal's entries about that. */
export type HandOutEvent = Extract<
  AboutWithdrawal,
  {
    type: "hand_out_intended" | "drawer_reopened" | "drawer_unsure" | "drawer_opened" | "handed_out" | "not_handed_out";
  }
>;

/** @param before the withdrawal that the entry is about. */
export const evolveHandOut = (
  state: State,
  before: Withdrawal,
  event: HandOutEvent & Recorded,
  moment: Moment,
): State => {
  const facts = event.of;
  const saidBy = event.actor ?? null;
  switch (event.type) {
    case "hand_out_intended":
      return put(
        state,
        enterStage(before, moment, {
          stage: { kind: "opening", drawer: "opening" },
          intended: true,
          confirmed: true,
          handOutBegun: true,
          handOutAsked: null,
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
        enterStage(before, moment, {
          stage: { kind: "handed_out" },
          saidBy,
          handOutId: event.handOutId ?? null,
          reportDueSinceMs: moment.monotonicMs,
        }),
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
      const next = event.unwatched ? addMessage(after, before, facts, event.type, moment) : after;
      const message = event.unwatched ? { withdrawalId: facts.withdrawalId, isLate: false } : null;
      return isActive(state, facts) ? showScreen(next, endedScreen(event.type, facts, message)) : next;
    }
    default:
      return assertNever(event);
  }
};
