/** Moves closed years out of the live journal, slice by slice, while the counter is not in use. */
import { archiveBusyMs, archiveCheckMaxMs, archiveCheckMs, archiveFirstCheckMs, archivePauseMs } from "./bounds.ts";
import type { Core } from "./core.ts";
import type { Archived, Cancel, Ports, VerifyProgress } from "./ports.ts";
import type { State } from "./withdrawal/state.ts";

/** Withdrawals that are open, unresolved or have unsent reports: they stay in the live file, with all later entries. */
export const heldBack = ({ open, problems }: Pick<State, "open" | "problems">): readonly string[] => [
  ...open.keys(),
  ...[...problems.values()].filter(({ otherBook }) => otherBook === null).map(({ facts }) => facts.withdrawalId),
];

/** Start of this moment's year, UTC. */
export const yearBegan = (nowMs: number): number => Date.UTC(new Date(nowMs).getUTCFullYear(), 0, 1);

/** Unreadable entries may concern anything, so nothing is moved while there are any. */
const isQuiet = ({ activeScreen, book, blocked, hasUnreadEntries, journalCheck, journalFailing }: State): boolean =>
  activeScreen.kind === "idle" &&
  book !== null &&
  blocked === null &&
  !hasUnreadEntries &&
  journalCheck === null &&
  !journalFailing;

/** Checks from time to time for a closed year to archive, once started. */
export const createArchiver = (core: Pick<Core, "state">, { clock, journal, log }: Ports) => {
  let cancel: Cancel | null = null;
  let running: Generator<VerifyProgress, Archived> | null = null;
  let failures = 0;
  const goOnLater = (delayMs: number): void => {
    cancel = clock.after(delayMs, goOn);
  };

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

  const step = (): void => {
    try {
      const now = () => clock.now();
      // Computed when a run begins: before that, another journal may be in use.
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
    // A journal that cannot be written may wait for disk space, which a half-done copy would take.
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
