/** Writes the expiries that no reader has written yet. Readers and verbs do not wait for it: the column is the truth. */

import type { Service } from "../context.ts";
import type { Cancel } from "../ports.ts";
import { anyExpiryDue } from "./store.ts";
import { countExpiry, writeDueExpiries } from "./transition.ts";

const rowsPerCommitMax = 500;
/** Rounds in one go, so that a long-stopped service catches up without holding the event loop. */
const roundsMax = 20;
/** After a failure of the store. */
const failurePauseMs = 2_000;

/** What is so late was left by the process whose work it is. */
const leftOverMs = 5_000;

/** Closes what is due; true when there may be more. In a fleet one process does so, the others what that one leaves. */
export const sweep = async (service: Service): Promise<boolean> => {
  const dueBefore = service.clock.now() - (service.owns("sweep") ? 0 : leftOverMs);
  const due = await service.store.read((tx) => tx.first(anyExpiryDue({ now: dueBefore })));
  if (due === undefined) return false;
  for (let round = 0; round < roundsMax; round += 1) {
    const rows = await service.store.write((tx) =>
      writeDueExpiries(tx, service, service.clock.now(), rowsPerCommitMax),
    );
    for (const row of rows) countExpiry(service, row);
    if (rows.length < rowsPerCommitMax) return false;
  }
  return true;
};

/** The sweep that goes on until it is stopped. */
export interface Sweeper {
  stop(): Promise<void>;
}

/** Sweeps every `pollMs`, at once again while there is more. */
export const startSweeper = (service: Service): Sweeper => {
  let running = Promise.resolve();
  let cancel: Cancel = () => {};

  const sweepOnce = async () => {
    let pauseMs = service.options.pollMs;
    try {
      if (await sweep(service)) pauseMs = 0;
    } catch (error) {
      pauseMs = Math.max(pauseMs, failurePauseMs);
      service.log.error({ err: error }, "the sweep failed and will be tried again");
    }
    cancel = service.clock.after(pauseMs, start);
  };
  const start = () => {
    running = sweepOnce();
  };

  start();
  return {
    async stop() {
      // A sweep that is under way sets the next look before it ends.
      await running;
      cancel();
    },
  };
};
