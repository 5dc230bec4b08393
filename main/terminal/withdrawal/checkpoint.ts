/** The state's durable part as one journal entry, and back. */
import { beforeDays } from "../day/drawer-money.ts";
import { type Checkpoint, checkpointFormat, checkpointSchema } from "./events.ts";
import type { Moment, State } from "./state.ts";
import { freshRequestState, newWithdrawal, type Withdrawal } from "./withdrawal.ts";

/** An older program may go on from a checkpoint that has no day in it. */
const formatWithoutDays = 2;

/** The schema says what of the state is kept. Reviews are left out: nothing of them is in the journal. */
export const makeCheckpoint = (state: State, damagedEntries: number, { monotonicMs }: Moment): Checkpoint =>
  checkpointSchema.parse({
    ...state,
    type: "checkpoint",
    format: state.drawerMoney === beforeDays ? formatWithoutDays : checkpointFormat,
    damagedEntries,
    open: [...state.open.values()]
      .filter(({ stage }) => stage.kind !== "review")
      .map((one) => ({
        ...one,
        facts: one,
        intended: one.confirmAttempted,
        ageMs: Math.max(0, monotonicMs - one.beganMs),
        owedForMs: one.reportDueSinceMs === null ? null : Math.max(0, monotonicMs - one.reportDueSinceMs),
      })),
    ownIds: [...state.ownIds],
    cashGiven: [...state.cashGiven.older, ...state.cashGiven.recent],
    problems: [...state.problems.values()],
    drawerMoney: state.drawerMoney === beforeDays ? undefined : state.drawerMoney,
    settings: state.protectedSettings,
    messages: [...state.messages.values()],
    acknowledgedElsewhere: [...state.acknowledgedElsewhere].map(([withdrawalId, one]) => ({ withdrawalId, ...one })),
  });

/** The state that a checkpoint stands for; settings, device and screen are taken from `state`. Calls to the service start again. */
export const fromCheckpoint = (state: State, checkpoint: Checkpoint, { monotonicMs }: Moment): State => {
  const { damagedEntries, installation, book, drawerProblems, journalFork, restoreAnswered } = checkpoint;
  return {
    ...state,
    damagedEntries,
    installation,
    book,
    drawerProblems,
    journalFork,
    restoreAnswered,
    open: new Map(
      checkpoint.open.map(({ facts, ageMs, owedForMs, intended, ...kept }): [string, Withdrawal] => [
        facts.withdrawalId,
        {
          ...newWithdrawal(facts, monotonicMs, kept.afterRestore),
          ...kept,
          confirmAttempted: intended,
          recovered: true,
          beganMs: monotonicMs - ageMs,
          reportDueSinceMs: owedForMs === null ? null : monotonicMs - owedForMs,
          requestState: freshRequestState(monotonicMs, true),
        },
      ]),
    ),
    ownIds: new Set(checkpoint.ownIds),
    cashGiven: { older: new Set(checkpoint.cashGiven), recent: new Set() },
    problems: new Map(checkpoint.problems.map((one) => [one.facts.withdrawalId, one])),
    drawerMoney: checkpoint.drawerMoney ?? beforeDays,
    messages: new Map(checkpoint.messages.map((one) => [one.facts.withdrawalId, one])),
    acknowledgedElsewhere: new Map(
      checkpoint.acknowledgedElsewhere.map(({ withdrawalId, ...one }) => [withdrawalId, one]),
    ),
  };
};
