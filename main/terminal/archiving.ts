/** Moves closed years out of the live journal while nobody stands at the counter: a slice, a pause, the next slice. */
import { archiveBusyMs, archiveCheckMaxMs, archiveCheckMs, archiveFirstCheckMs, archivePauseMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import type { Archived, Cancel, Ports, VerifyProgress } from "./ports.ts";
import type { State } from "./withdrawal/state.ts";

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

/** Looks now and then whether there is a closed year to archive; not before `start`. */
export const createArchiver = (core: Pick<Core, "state">, { clock, journal, log }: Ports) => {
  let cancel: Cancel | null = null;
  let running: Generator<VerifyProgress, Archived> | null = null;
  let failures = 0;
  const goOnLater = (delayMs: number): void => {
    cancel = clock.after(delayMs, goOn);
  };

  /** Again after a while; after one that failed the pauses grow. */
  const end = (hasFailed: boolean): void => {
    running = null;
    failures = hasFailed ? failures + 1 : 0;
    goOnLater(Math.min(archiveCheckMaxMs, archiveCheckMs * 2 ** failures));
  };

  const abandonRun = (): void => {
    try {
      running?.return({ kind: "nothing" });
    } catch (error) {
      log("warn", "what was begun of an archive could not be removed", { error: String(error) });
    }
  };

  /** The next slice of the run that is under way, or of a new one. */
  const step = (): void => {
    try {
      const now = () => clock.now();
      // What is held back is asked when a run begins: until it is quiet, another journal may be in use.
      running ??= journal.archiveSlices({ now, beforeMs: yearBegan(now()), held: heldBack(core.state) });
      const { done, value } = running.next();
      if (done) {
        if (value.kind !== "nothing") log("info", "closed years of the journal", { ...value });
        end(value.kind === "no_room");
      } else goOnLater(archivePauseMs);
    } catch (error) {
      log("warn", "closed years could not be archived", { error: String(error) });
      end(true);
    }
  };

  const goOn = (): void => {
    // A journal that takes nothing waits for room, and a copy that is half done may hold the last of it.
    if (running !== null && core.state.journalFailing) {
      abandonRun();
      end(true);
    } else if (isQuiet(core.state)) step();
    else goOnLater(archiveBusyMs);
  };

  return {
    start: () => goOnLater(archiveFirstCheckMs),
    stop(): void {
      cancel?.();
      abandonRun();
    },
  };
};
