/** Whether every entry of the journal is sound, for the manager: checked a slice at a time. */
import type { JournalHealth } from "../../../preload/contract.ts";
import type { Clock, DamagedEntry, Journal, VerifyProgress } from "../ports.ts";
import { compareAnchors } from "./anchors.ts";

/**
 * Checks every entry, a slice at a time, and lets the program go on between two. A second question meanwhile gets the
 * same answer.
 * @param damaged what the start of this run found.
 * @param askService for the links that it was given; resolves with the body of its answer.
 */
export type JournalCheck = (
  damaged: readonly DamagedEntry[],
  askService: () => Promise<unknown>,
) => Promise<JournalHealth>;

/** @param onProgress called after each slice of a check, and null at its end. */
export const createJournalCheck = (
  journal: Journal,
  clock: Clock,
  onProgress: (progress: VerifyProgress | null) => void,
): JournalCheck => {
  let checking: Promise<JournalHealth> | null = null;

  const check: JournalCheck = async (damagedAtStart, askService) => {
    const anchors = compareAnchors(await askService().catch(() => null), (sequence) => journal.linkOf(sequence));
    const steps = journal.verifySlices();
    for (;;) {
      const step = steps.next();
      if (step.done) {
        const unread = damagedAtStart.filter(({ why }) => why === "json" || why === "schema");
        return { entries: step.value.entries, damaged: [...step.value.damaged, ...unread], anchors };
      }
      onProgress(step.value);
      if (step.value.checked < step.value.total) await new Promise<void>((resolve) => clock.after(0, resolve));
    }
  };

  return (damagedAtStart, askService) => {
    checking ??= check(damagedAtStart, askService).finally(() => {
      checking = null;
      onProgress(null);
    });
    return checking;
  };
};
