/** What this run learns about an open withdrawal between two entries of the journal. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { change, enterStage } from "./open-withdrawals.ts";
import type { Moment, State } from "./state.ts";
import type { ProgressEvent } from "./transient-events.ts";

/** The state after an event of this run about a withdrawal under way. */
export const evolveProgress = (state: State, event: ProgressEvent, moment: Moment): State => {
  switch (event.type) {
    case "phase_seen":
      return change(state, event.withdrawalId, (before) =>
        enterStage(before, moment, {
          stage: { kind: "waiting", phase: event.phase },
          approval: event.phase === "payment" ? null : before.approval,
        }),
      );
    case "reject_overtaken":
      return change(state, event.withdrawalId, (before) =>
        enterStage(before, moment, {
          stage: event.to === "payment" ? { kind: "waiting", phase: "payment" } : { kind: "confirming" },
          recovered: true,
        }),
      );
    case "approval_deadline_known":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        approval: before.approval === null ? null : { untilMs: event.untilMs, totalMs: event.totalMs, isService: true },
      }));
    case "drawer_sensed":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        sensed: { drawer: event.drawer, checks: before.sensed.checks + 1, atMs: moment.monotonicMs },
      }));
    case "hand_out_asked":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        handOutAsked: { by: event.by, approvedBy: event.approvedBy, atMs: moment.monotonicMs },
        requestState: {
          ...before.requestState,
          number: before.requestState.number + 1,
          notBeforeMs: moment.monotonicMs,
        },
      }));
    case "recheck_needed":
      return change({ ...state, shopAskedMs: null }, event.withdrawalId, (before) =>
        enterStage(before, moment, {
          handOutAsked: null,
          requestState: {
            ...before.requestState,
            number: before.requestState.number + 1,
            failures: before.requestState.failures + 1,
            checkFirst: true,
            notBeforeMs: event.notBeforeMs,
          },
        }),
      );
    case "retry_requested":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        requestState: { ...before.requestState, notBeforeMs: moment.monotonicMs },
      }));
    case "request_state_changed":
      return change(state, event.withdrawalId, (before) => ({
        ...before,
        requestState: { ...before.requestState, ...event.requestState, number: before.requestState.number + 1 },
      }));
    default:
      return assertNever(event);
  }
};
