/**
 * Writes the expiries that no reader has written yet: readers and verbs do not wait for it, the column is the truth. And what a clock
 * that was ahead has left behind: once the time is right again, nothing of it may last for as long as it was.
 */

import { shortenFutureTokens } from "../access/credentials.ts";
import { createWatermark, type Repeated } from "../background.ts";
import type { Service } from "../context.ts";
import { tokenLifetimeSeconds } from "../contract/pos.ts";
import type { Cancel } from "../ports.ts";
import type { Tx } from "../store/store.ts";
import { dueWithdrawals, expireThese, futureExpiries, holdDue } from "./due.ts";
import { countExpiry, recordExpiries } from "./transition.ts";

const rowsPerCommitMax = 500;
/** Rounds in one go, so that a long-stopped service catches up without holding the event loop. */
const roundsMax = 20;
/** After a failure of the store. */
const failurePauseMs = 2_000;

/** What is so late was left by the process whose work it is; the others look so often. */
const leftOverMs = 5_000;
/** Deadlines are written seconds or minutes before they pass: what is committed so long after it waits for a whole look. */
const commitMs = 100;
const watermark = () => createWatermark(commitMs);

/**
 * Closes what is due; true when there may be more. In a fleet one process does so, the others what that one leaves.
 * @param looks goes on from where it stopped. Default: reads from the beginning.
 */
export const sweep = async (service: Service, looks = watermark()): Promise<boolean> => {
  const dueBefore = service.clock.now() - (service.owns("sweep") ? 0 : leftOverMs);
  const from = looks.from(dueBefore);
  if (await sweepFrom(service, from, dueBefore)) return true;
  looks.passed(dueBefore);
  return false;
};

/** Looks first, without a lock: mostly there is nothing. */
const sweepFrom = async (service: Service, from: number, dueBefore: number): Promise<boolean> => {
  const { store, options, clock } = service;
  for (let round = 0; round < roundsMax; round += 1) {
    const look = dueWithdrawals(options, { from, now: dueBefore }, rowsPerCommitMax);
    const found = await store.read((tx) => tx.all(look));
    if (found.length === 0) return false;
    const rows = await store.write(async (tx) => {
      const now = clock.now();
      const due = await tx.all(holdDue(found, now));
      return due.length === 0 ? [] : recordExpiries(tx, service, await tx.all(expireThese(due, now)), now);
    });
    for (const row of rows) countExpiry(service, row);
    // What another process holds comes up with the next look.
    if (rows.length === 0 || found.length < rowsPerCommitMax) return false;
  }
  return true;
};

/** Sweeps every `pollMs`, at once again while there is more, until it is stopped. */
export const startSweeper = (service: Service): Repeated => {
  let running = Promise.resolve();
  let cancel: Cancel = () => {};
  const looks = watermark();

  const sweepOnce = async () => {
    let pauseMs = service.owns("sweep") ? service.options.pollMs : Math.max(service.options.pollMs, leftOverMs);
    try {
      if (await sweep(service, looks)) pauseMs = 0;
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

/** By how much the clocks of a fleet's processes may differ, and one be set back at a start that nobody should notice. */
const slackMs = 5_000;

/** @param confirmedAfter what was confirmed later and waits for its approval is ended too, whenever it was asked for. */
async function endSome(tx: Tx, service: Pick<Service, "keys">, now: number, confirmedAfter: number) {
  const future = now + slackMs;
  await tx.run(shortenFutureTokens({ future, expires: now + tokenLifetimeSeconds * 1000 }));
  const due = await tx.all(futureExpiries({ now, createdAfter: future, confirmedAfter, limit: rowsPerCommitMax }));
  return due.length === 0 ? [] : recordExpiries(tx, service, await tx.all(expireThese(due, now, now)), now);
}

/**
 * For a process that is alone with its database, at its start and before anybody is answered: within it time never runs back.
 * What waits for a deadline is closed as if it had passed: the seconds for an approval would else last as long as the clock was ahead.
 * @throws ServiceError `unavailable`.
 */
export const endFuture = async (service: Service): Promise<void> => {
  const { store, clock } = service;
  for (;;) {
    const rows = await store.write((tx) => endSome(tx, service, clock.now(), clock.now() + slackMs));
    for (const row of rows) countExpiry(service, row);
    if (rows.length < rowsPerCommitMax) return;
  }
};

/** For a fleet whose clock stepped back (`EndUncertain`): it is unknown how long ago anything was confirmed, so nothing may be approved. */
export async function endUncertain(tx: Tx, service: Pick<Service, "keys">, now: number): Promise<boolean> {
  return (await endSome(tx, service, now, 0)).length < rowsPerCommitMax;
}
