/** The open withdrawals of a state: one put in, taken out, or moved to another stage. */
import { type Facts, freshRequestState, type Moment, notSensed, type State, type Withdrawal } from "./state.ts";

/** Puts a withdrawal in, in place of the one with its id. */
export const put = (state: State, withdrawal: Withdrawal): State => ({
  ...state,
  open: new Map(state.open).set(withdrawal.withdrawalId, withdrawal),
});

/** Takes a withdrawal out: it is over. */
export const drop = (state: State, facts: Facts): State => {
  const open = new Map(state.open);
  open.delete(facts.withdrawalId);
  return { ...state, open };
};

/** Whether a withdrawal is the one on the screen. */
export const isActive = (state: State, facts: Facts): boolean =>
  state.activeScreen.kind === "withdrawal" && state.activeScreen.withdrawalId === facts.withdrawalId;

/** The withdrawal an entry is about; made from the entry's own facts when the entry that began it is lost. */
export const findOrCreate = (state: State, facts: Facts, moment: Moment): Withdrawal =>
  state.open.get(facts.withdrawalId) ?? {
    ...facts,
    stage: { kind: "review" },
    intended: false,
    confirmed: false,
    doubtful: false,
    decided: false,
    afterRestore: state.restoreAnswered,
    recovered: false,
    handOutBegun: false,
    settledMs: null,
    handOutAsked: null,
    saidBy: null,
    handOutId: null,
    createdAtMs: null,
    expiresAtMs: null,
    beganMs: moment.monotonicMs,
    stageSinceMs: moment.monotonicMs,
    scannedMs: null,
    reportDueSinceMs: null,
    approval: null,
    drawerTries: 0,
    sensed: notSensed,
    requestState: freshRequestState(moment.monotonicMs, false),
  };

/** A withdrawal in its next stage: its calls start afresh, what is known about its confirms stays. */
export const enterStage = (withdrawal: Withdrawal, moment: Moment, changes: Partial<Withdrawal>): Withdrawal => ({
  ...withdrawal,
  stageSinceMs: moment.monotonicMs,
  requestState: {
    ...freshRequestState(moment.monotonicMs, false),
    number: withdrawal.requestState.number + 1,
    confirms: withdrawal.requestState.confirms,
    silentConfirms: withdrawal.requestState.silentConfirms,
  },
  ...changes,
});

/** Changes an open withdrawal; the state as it is when there is none with that id. */
export const change = (state: State, withdrawalId: string, make: (before: Withdrawal) => Withdrawal): State => {
  const before = state.open.get(withdrawalId);
  return before === undefined ? state : put(state, make(before));
};
