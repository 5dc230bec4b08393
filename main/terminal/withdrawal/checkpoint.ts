/** The state's durable part as one journal entry, and back. */
import { beforeDays } from "../day/drawer-money.ts";
import { type Checkpoint, checkpointFormat } from "./events.ts";
import type { Moment, State } from "./state.ts";
import { factsOf, freshRequestState, newWithdrawal, type Withdrawal } from "./withdrawal.ts";

/** An older program may go on from a checkpoint that has no day in it. */
const formatWithoutDays = 2;

/** Reviews are left out: nothing of them is in the journal. */
export const makeCheckpoint = (state: State, damagedEntries: number, moment: Moment): Checkpoint => ({
  type: "checkpoint",
  format: state.drawerMoney === beforeDays ? formatWithoutDays : checkpointFormat,
  damagedEntries,
  installation: state.installation,
  open: [...state.open.values()].flatMap((one) => {
    const { stage, confirmAttempted: intended, confirmed, handOutBegun, doubtful, decided, afterRestore } = one;
    const { drawerTries, saidBy, handOutId, rejectedHere } = one;
    if (stage.kind === "review") return [];
    const ageMs = Math.max(0, moment.monotonicMs - one.beganMs);
    const owedForMs = one.reportDueSinceMs === null ? null : Math.max(0, moment.monotonicMs - one.reportDueSinceMs);
    const known = { intended, confirmed, handOutBegun, doubtful, decided, afterRestore };
    const marks = { ...known, drawerTries, saidBy, handOutId, rejectedHere };
    return [{ facts: factsOf(one), stage, ...marks, ageMs, owedForMs }];
  }),
  ownIds: [...state.ownIds],
  cashGiven: [...state.cashGiven.older, ...state.cashGiven.recent],
  book: state.book,
  problems: [...state.problems.values()],
  ...(state.drawerMoney === beforeDays ? {} : { drawerMoney: state.drawerMoney }),
  drawerProblems: [...state.drawerProblems],
  journalFork: state.journalFork,
  peopleSeen: state.peopleSeen,
  settings: state.protectedSettings,
  restoreAnswered: state.restoreAnswered,
  messages: [...state.messages.values()],
  hadEarlierLife: state.hadEarlierLife,
  isManagerUnproven: state.isManagerUnproven,
  acknowledgedElsewhere: [...state.acknowledgedElsewhere].map(([withdrawalId, one]) => ({ withdrawalId, ...one })),
});

/** The state that a checkpoint stands for; settings, device and screen are taken from `state`. Calls to the service start again. */
export const fromCheckpoint = (state: State, checkpoint: Checkpoint, moment: Moment): State => ({
  ...state,
  damagedEntries: checkpoint.damagedEntries,
  installation: checkpoint.installation,
  open: new Map(
    checkpoint.open.map(({ facts, ageMs, owedForMs, intended, ...kept }): [string, Withdrawal] => [
      facts.withdrawalId,
      {
        ...newWithdrawal(facts, moment.monotonicMs, kept.afterRestore),
        ...kept,
        confirmAttempted: intended,
        recovered: true,
        beganMs: moment.monotonicMs - ageMs,
        reportDueSinceMs: owedForMs === null ? null : moment.monotonicMs - owedForMs,
        requestState: freshRequestState(moment.monotonicMs, true),
      },
    ]),
  ),
  ownIds: new Set(checkpoint.ownIds),
  cashGiven: { older: new Set(checkpoint.cashGiven), recent: new Set() },
  book: checkpoint.book,
  problems: new Map(checkpoint.problems.map((one) => [one.facts.withdrawalId, one])),
  drawerMoney: checkpoint.drawerMoney ?? beforeDays,
  drawerProblems: checkpoint.drawerProblems,
  journalFork: checkpoint.journalFork,
  restoreAnswered: checkpoint.restoreAnswered,
  messages: new Map(checkpoint.messages.map((one) => [one.facts.withdrawalId, one])),
  acknowledgedElsewhere: new Map(
    checkpoint.acknowledgedElsewhere.map(({ withdrawalId, actor, note }) => [withdrawalId, { actor, note }]),
  ),
});
