/** The turn `restored`: a copy of a till's folder is put back, whatever happened since, and its journal goes on from there. */
import { createChance, seedOf } from "../../random.ts";
import type { BookGuard } from "../book-guard.ts";
import type { JournalReader } from "../read-journal.ts";
import type { Scheduler } from "../scheduler.ts";
import type { TillMachine } from "../till.ts";

/** What is put back, and who knows what the service was told. */
export interface PutBackOptions {
  readonly seed: number;
  readonly scheduler: Scheduler;
  readonly journals: readonly JournalReader[];
  readonly guard: BookGuard;
  /** Tills where an older journal is back and whose service knows a newer one. */
  readonly forked: Set<number>;
  readonly note: (text: string) => void;
}

/** Copies of the tills' folders. */
export interface PutBack {
  copy(till: TillMachine): void;
  restore(till: TillMachine): void;
  /** The till becomes another device, of which the service was told nothing: only a fork that is in the journal already shows. */
  deviceChanges(index: number): void;
}

/** Without its cable so long after the start, in half of the cases, and busy with its settings in the middle of that. */
const unheardMs = 4 * 60_000;

/** No till has a copy yet. */
export const createPutBack = ({ seed, scheduler, journals, guard, forked, note }: PutBackOptions): PutBack => {
  /** The last entry in the copy of each till's folder. */
  const copied: number[] = [];

  /** One entry each time: the journal passes the number that the service was told last. */
  const keepSettings = async (till: TillMachine, times: number): Promise<void> => {
    note(`till ${till.index}: nobody hears of ${times} entries`);
    for (let done = 0; done < times && till.snapshot !== null; done++)
      await till.dispatch({ type: "change_settings", settings: till.snapshot.settings });
  };

  return {
    copy(till) {
      journals[till.index]?.copy();
      copied[till.index] = till.copyFolder();
    },
    restore(till) {
      const { index } = till;
      till.restoreFolder();
      journals[index]?.restore();
      const lost = guard.headTaken(till.credential?.deviceId ?? "") - (copied[index] ?? 0);
      if (lost <= 0) return;
      forked.add(index);
      if (!createChance(seedOf(seed, "put back", index, scheduler.now())).happens(0.5)) return;
      till.unlink(unheardMs);
      scheduler.after(unheardMs / 2, () => void keepSettings(till, lost + 1));
    },
    deviceChanges(index) {
      if (journals[index]?.isForked === false) forked.delete(index);
    },
  };
};
