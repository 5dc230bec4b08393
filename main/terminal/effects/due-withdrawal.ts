/** What is due for a withdrawal: its call to the service, the drawer, and its deadlines. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { drawerCheckMs, handOutCheckMs, payableCheckMs } from "../state/bounds.ts";
import {
  activeWithdrawal,
  awaitsApproval,
  hasSensor,
  isCounting,
  offersCash,
  pendingReport,
  type State,
  type Withdrawal,
} from "../state/state.ts";
import { closingEndsMs } from "../state/withdrawal.ts";
import type { Effect, Work } from "./work.ts";

const callOf = (one: Withdrawal): Work | null => {
  const { withdrawalId, stage, requestState } = one;
  const { number } = requestState;
  const getStatus: Work = { kind: "get_status", withdrawalId, number, heldFor: null };
  switch (stage.kind) {
    case "confirming":
      return requestState.checkFirst ? getStatus : { kind: "confirm", withdrawalId, number };
    case "waiting":
      if (requestState.checkFirst) return getStatus;
      return { ...getStatus, heldFor: stage.phase === "payment" ? "settling" : "awaiting_sca" };
    case "rejecting":
    case "handed_out":
    case "not_handed_out": {
      const report = pendingReport(one);
      return report === null ? getStatus : { kind: "send_report", withdrawalId, number, report };
    }
    case "payable":
      return getStatus;
    case "review":
    case "opening":
      return null;
    default:
      return assertNever(stage);
  }
};

/** Nobody asks for its cash yet: another program on a copy of this folder may hand it out meanwhile. */
const isWatched = (one: Withdrawal): boolean =>
  offersCash(one) && one.handOutAsked === null && one.requestState.failures === 0;

/** Due for every open withdrawal, on the screen or behind it. */
export const ofWithdrawal = (one: Withdrawal): readonly Effect[] => {
  const effects: Effect[] = [];
  const { withdrawalId, stage, requestState } = one;
  const call = callOf(one);
  if (call !== null)
    effects.push({
      key: `${withdrawalId}:${call.kind}:${requestState.number}`,
      notBeforeMs: requestState.notBeforeMs + (isWatched(one) ? payableCheckMs : 0),
      work: call,
    });
  if (stage.kind === "opening" && stage.drawer === "opening")
    effects.push({
      key: `${withdrawalId}:drawer:${one.drawerTries}`,
      notBeforeMs: one.stageSinceMs,
      work: { kind: "drawer", withdrawalId },
    });
  if (one.handOutAsked !== null)
    effects.push({
      key: `${withdrawalId}:hand_out_check:${one.handOutAsked.atMs}`,
      notBeforeMs: one.handOutAsked.atMs + handOutCheckMs,
      work: { kind: "dispatch", input: { type: "hand_out_check_ran_out", withdrawalId } },
    });
  if (one.approval !== null && awaitsApproval(stage))
    effects.push({
      key: `${withdrawalId}:approval`,
      notBeforeMs: one.approval.untilMs,
      work: { kind: "dispatch", input: { type: "approval_ran_out", withdrawalId } },
    });
  return effects;
};

/** Due only while a withdrawal is on the screen: its review, its closing, the drawer's sensor. */
export const ofActiveWithdrawal = (state: State): readonly Effect[] => {
  const one = activeWithdrawal(state);
  if (one === null) return [];
  const { withdrawalId } = one;
  if (one.stage.kind === "rejecting")
    return [
      {
        key: `${withdrawalId}:closing:${one.stageSinceMs}`,
        notBeforeMs: closingEndsMs(one),
        work: one.intended
          ? { kind: "repaint" }
          : { kind: "dispatch", input: { type: "closing_ran_out", withdrawalId } },
      },
    ];
  if (isCounting(one) && hasSensor(state.settings))
    return [
      {
        key: `${withdrawalId}:drawer_state:${one.drawerTries}:${one.sensed.checks}`,
        notBeforeMs: one.sensed.atMs + drawerCheckMs,
        work: { kind: "drawer_state", withdrawalId },
      },
    ];
  if (one.stage.kind !== "review" || one.expiresAtMs === null || state.serviceClock === null) return [];
  return [
    {
      key: `${withdrawalId}:review`,
      notBeforeMs: state.serviceClock.atMs + (one.expiresAtMs - state.serviceClock.dateMs),
      work: { kind: "dispatch", input: { type: "review_ran_out", withdrawalId } },
    },
  ];
};
