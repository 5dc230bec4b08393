/** Moves closed years out of the live journal while nobody stands at the counter: a slice, a pause, the next slice. */
import type { Core } from "./core.ts";
import type { Archived, Cancel, Ports, VerifyProgress } from "./ports.ts";
import { archiveBusyMs, archiveCheckMs, archiveFirstCheckMs, archivePauseMs } from "./state/bounds.ts";
import type { State } from "./state/state.ts";

/** Looks now and then whether there is a closed year to archive. */
export interface Archiver {
  start(): void;
  stop(): void;
}

/** What is open, unresolved or owed a report stays in the live file with all behind it. */
export const heldBack = ({ open, problems }: Pick<State, "open" | "problems">): readonly string[] => [
  ...open.keys(),
  ...[...problems.values()].filter(({ otherBook }) => otherBook === null).map(({ facts }) => facts.withdrawalId),
];

/** When the year began in which this moment lies, by UTC. */
export const yearBegan = (nowMs: number): number => Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1);

/** Entries that cannot be read may be about anything: nothing is moved then. */
const isQuiet = ({ activeScreen, book, blocked, hasUnreadEntries, journalCheck, journalFailing }: State): boolean =>
  activeScreen.kind === "idle" &&
  book !== null &&
  blocked === null &&
  !hasUnreadEntries &&
  journalCheck === null &&
  !journalFailing;

/** Makes one; it does nothing before `start`. */
export const createArchiver = (core: Pick<Core, "state">, { clock, journal, log }: Ports): Archiver => {
  let cancel: Cancel | null = null;
  const later = (delayMs: number, work: () => void): void => {
    cancel = clock.after(delayMs, work);
  };

  const whenQuiet = (work: () => void): void => {
    if (isQuiet(core.state)) work();
    else later(archiveBusyMs, () => whenQuiet(work));
  };

  const step = (steps: Generator<VerifyProgress, Archived>): void => {
    try {
      const next = steps.next();
      if (!next.done) {
        later(archivePauseMs, () => whenQuiet(() => step(steps)));
        return;
      }
      if (next.value.kind !== "nothing") log("info", "closed years of the journal", { ...next.value });
    } catch (error) {
      log("warn", "closed years could not be archived", { error: String(error) });
    }
    later(archiveCheckMs, archiveIfDue);
  };

  /** What is held back is asked when the run begins: until it is quiet, another journal may be in use. */
  const archiveIfDue = (): void =>
    whenQuiet(() =>
      step(
        journal.archiveSlices({ now: () => clock.now(), beforeMs: yearBegan(clock.now()), held: heldBack(core.state) }),
      ),
    );

  return {
    start: () => later(archiveFirstCheckMs, archiveIfDue),
    stop: () => cancel?.(),
  };
};
