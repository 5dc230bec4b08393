/**
 * Writes expiries that no reader has written yet; reads and verbs respect the deadline column without it. Also ends
 * what a clock that was ahead has left, which would last too long once the time is right again.
 */
import { shortenFutureTokens } from "../access/credentials.ts";
import { createWatermark, type Repeated, repeat } from "../background.ts";
import type { Service } from "../context.ts";
import { tokenLifetimeSeconds } from "../contract/pos.ts";
import { leftToCommand, restoredFromSetting } from "../store/restores.ts";
import { addSetting } from "../store/settings.ts";
import type { Tx } from "../store/store.ts";
import { isRestorePending } from "./restored.ts";
import { dueWithdrawals, expireThese, futureExpiries } from "./store.ts";
import { countExpiry, expireDue, expiriesPerUnitMax, recordExpiries } from "./transition.ts";

/** Rounds per sweep, so that a long-stopped service catches up without blocking the event loop. */
const roundsMax = 20;
/** Pause after a failure of the store. */
const failurePauseMs = 2_000;

/** Withdrawals this late were left by the owning process; the others check this often. */
const leftOverMs = 5_000;
/** Deadlines are written well before they pass; one committed later than this waits for a full scan. */
const commitMs = 100;
const watermark = () => createWatermark(commitMs);

/**
 * Closes due withdrawals; true when there may be more. In a fleet one process does it, the others only what it leaves.
 * @param looks continues an earlier scan. Default: a full scan.
 */
export const sweep = async (service: Service, looks = watermark()): Promise<boolean> => {
  const dueBefore = service.clock.now() - (service.owns("sweep") ? 0 : leftOverMs);
  const from = looks.from(dueBefore);
  if (await sweepFrom(service, from, dueBefore)) return true;
  looks.passed(dueBefore);
  return false;
};

const idsOf = (rows: readonly { readonly id: string }[]): readonly string[] => rows.map(({ id }) => id);

/** Reads without locks first, as mostly nothing is due. */
const sweepFrom = async (service: Service, from: number, dueBefore: number): Promise<boolean> => {
  const { store, options, clock } = service;
  for (let round = 0; round < roundsMax; round += 1) {
    const look = dueWithdrawals(options, { from, now: dueBefore }, expiriesPerUnitMax);
    const found = idsOf(await store.read((tx) => tx.all(look)));
    if (found.length === 0) return false;
    const rows = await store.write((tx) => expireDue(tx, service, found, clock.now()));
    for (const row of rows) countExpiry(service, row);
    // Rows locked by another process are left to the next sweep.
    if (rows.length === 0 || found.length < expiriesPerUnitMax) return false;
  }
  return true;
};

/** Sweeps every `pollMs`, and again at once while there is more, until stopped. */
export const startSweeper = (service: Service): Repeated => {
  const looks = watermark();
  return repeat(service.clock, null, async () => {
    const pauseMs = Math.max(service.options.pollMs, service.owns("sweep") ? 0 : leftOverMs);
    try {
      return (await sweep(service, looks)) ? 0 : pauseMs;
    } catch (error) {
      service.log.error({ err: error }, "the sweep failed and will be tried again");
      return Math.max(pauseMs, failurePauseMs);
    }
  });
};

/** Tolerated clock difference within a fleet, and step back at a start. */
const slackMs = 5_000;

const shortenTokens = (tx: Tx, now: number): Promise<unknown> =>
  tx.run(shortenFutureTokens({ future: now + slackMs, expires: now + tokenLifetimeSeconds * 1000 }));

/** @param confirmedAfter also ends withdrawals confirmed later that wait for approval, whenever they were requested. */
async function endSome(tx: Tx, service: Pick<Service, "keys">, now: number, confirmedAfter: number) {
  await shortenTokens(tx, now);
  const range = { now, createdAfter: now + slackMs, confirmedAfter };
  const due = idsOf(await tx.all(futureExpiries({ ...range, limit: expiriesPerUnitMax })));
  return due.length === 0 ? [] : recordExpiries(tx, service, await tx.all(expireThese(due, now, now)), now);
}

/**
 * Ends withdrawals dated in the future, at the start of a process that is alone with its database. They are closed as
 * if expired: an approval could otherwise wait as long as the clock was ahead.
 * @throws ServiceError `unavailable`.
 */
export const endFuture = async (service: Service): Promise<void> => {
  const { store, clock } = service;
  for (;;) {
    const rows = await store.write((tx) => endSome(tx, service, clock.now(), clock.now() + slackMs));
    for (const row of rows) countExpiry(service, row);
    if (rows.length < expiriesPerUnitMax) return;
  }
};

/**
 * For a fleet whose clock stepped back (`EndUncertain`): it is unknown how long ago anything was confirmed, so pending approvals are ended.
 * What is open in a copy that was put back is left to the restore, which ends it so that its bank repeats what it paid.
 * @param isRestoring the same where an operator is about to say that it was put back, as no other tool marks its copies; marked now, so
 * that the next program ends it if the command is refused.
 */
export async function endUncertain(tx: Tx, service: Pick<Service, "keys">, now: number, isRestoring = false) {
  if (isRestoring || (await isRestorePending(tx))) {
    if (isRestoring) await tx.run(addSetting({ name: restoredFromSetting, value: leftToCommand }));
    await shortenTokens(tx, now);
    return true;
  }
  return (await endSome(tx, service, now, 0)).length < expiriesPerUnitMax;
}
