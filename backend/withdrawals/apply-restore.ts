/**
 * Applies a restore from a copy: open withdrawals end, since their outcome is unknown and cash must not be handed out
 * twice. Terminals and banks repeat the rest (`as-reported.ts`).
 */
import { appendAudit } from "../access/audit.ts";
import { allCodes, countEnd } from "../access/credentials.ts";
import type { Service } from "../context.ts";
import { toTime } from "../contract/times.ts";
import type { Status } from "../contract/transaction.ts";
import { insertEvent } from "../partner/events.ts";
import { takeForSent } from "../partner/orders.ts";
import {
  beginRestore,
  copiedAtSetting,
  correctedEvent,
  endRestore,
  headsAfter,
  holdMark,
  insertRestore,
  leftToCommand,
  newestRestore,
  removeRestore,
  restoredEvent,
  restoredFromSetting,
} from "../store/restores.ts";
import { removeSetting, setSetting, settingByName } from "../store/settings.ts";
import type { Tx } from "../store/store.ts";
import { type Cause, recordNote } from "./history.ts";
import { countRestored, disputeToldOtherwise, endRestored, newestMoment } from "./restored.ts";
import { recordTransition, statusEventOf } from "./transition.ts";

/** Dependencies; no service may be running. */
type Restoring = Pick<Service, "store" | "clock" | "keys">;

/** The copy that a database was restored from. */
interface RestoreFrom {
  /** When the copy was begun, epoch milliseconds; null, or to come, as the clock was ahead then: take the newest time in it. */
  readonly forgotSince: number | null;
  /** The copy's file; null where only its time is known. */
  readonly copy?: string | null;
  /** The operator's name; null: unknown, as the service found the restore at its start. */
  readonly by?: string | null;
  /** Since when banks may know more: the database had itself been restored from an older copy, or from several. */
  readonly told?: readonly number[];
  /** The database in place could not be read, so `told` may lack some. */
  readonly isUnread?: boolean;
}

/** A restore's result; times in epoch milliseconds. */
export interface Restored {
  readonly restoredAt: number;
  readonly forgotSince: number;
  /** Withdrawals that were open in the copy. */
  readonly ended: number;
  /** One-time codes that were still valid in the copy. */
  readonly endedCodes: number;
  /** See `RestoreFrom`. */
  readonly isUnread?: boolean;
}

const rowsPerCommitMax = 500;
const openInCopy: readonly Status[] = ["requested", "ready", "awaiting_sca"];

/**
 * Ends open withdrawals and one-time codes, records the restore and audits it; an interrupted run can be repeated.
 * `settling` goes on: it is approved, belongs to one terminal, and its order is sent under the same key, as one that may have been sent.
 */
export const applyRestore = async (on: Restoring, from: RestoreFrom): Promise<Restored> => {
  const forgotSince = await forgotSinceOf(on, from);
  return finish(on, from, forgotSince, await on.store.write((tx) => begin(tx, on.clock.now(), forgotSince)));
};

const forgotSinceOf = async (on: Restoring, { forgotSince }: RestoreFrom): Promise<number> => {
  const now = on.clock.now();
  return forgotSince !== null && forgotSince <= now ? forgotSince : newestOf(on, now);
};

/** If interrupted after this, the next start continues. @returns the restore's time. */
const begin = async (tx: Tx, now: number, forgotSince: number): Promise<number> => {
  await tx.run(setSetting({ name: copiedAtSetting, value: String(forgotSince) }));
  await tx.run(takeForSent({}));
  return beginRestore(tx, now);
};

const finish = async (
  on: Restoring,
  { copy = null, by = null, told = [], isUnread = false }: RestoreFrom,
  forgotSince: number,
  restoredAt: number,
): Promise<Restored> => {
  const { store, clock, keys } = on;
  const cause: Cause = { actor: "operator", actorId: by, requestId: null, attempt: null };
  for (const status of openInCopy) {
    for (let ended = rowsPerCommitMax; ended === rowsPerCommitMax; )
      ended = await store.write(async (tx) => {
        const now = clock.now();
        const rows = await tx.all(endRestored({ status, now, limit: rowsPerCommitMax }));
        for (const row of rows) await recordTransition({ tx, keys, now, cause, restoredAt }, row, status);
        return rows.length;
      });
  }
  for (const toldSince of told) await notifyAgain(on, toldSince, cause, restoredAt);
  return store.write(async (tx) => {
    const now = clock.now();
    // Another process was faster.
    if ((await tx.first(removeSetting({ name: copiedAtSetting }))) === undefined)
      return { restoredAt, forgotSince, ended: 0, endedCodes: 0 };
    await tx.run(removeSetting({ name: restoredFromSetting }));
    await endRestore(tx);
    let endedCodes = 0;
    for (const { waiting, end } of allCodes) {
      endedCodes += Number((await tx.first(waiting({ now })))?.count ?? 0);
      await tx.run(end({}));
    }
    // Processes that ran before must drop their cached tokens.
    await tx.run(countEnd(now));
    const ended = Number((await tx.first(countRestored({ since: forgotSince })))?.count ?? 0);
    await tx.run(insertRestore({ restored_at: restoredAt, forgot_since: forgotSince }));
    await appendAudit(tx, keys, restoredAt, {
      event: restoredEvent,
      actor: by ?? "service",
      address: null,
      object: copy ?? "database",
      detail: `copy of ${toTime(forgotSince)}; ended ${ended}${isUnread ? "; what was there could not be read" : ""}`,
    });
    return { restoredAt, forgotSince, ended, endedCodes, isUnread };
  });
};

/** Notifies banks again of withdrawals of which an older copy that was restored may have told them otherwise. */
const notifyAgain = async (
  { store, clock, keys }: Restoring,
  toldSince: number,
  cause: Cause,
  restoredAt: number,
): Promise<void> => {
  for (const disputeIn of disputeToldOtherwise)
    for (let told = rowsPerCommitMax; told === rowsPerCommitMax; )
      told = await store.write(async (tx) => {
        const now = clock.now();
        const rows = await tx.all(disputeIn({ toldSince, now, limit: rowsPerCommitMax }));
        for (const row of rows) {
          await recordNote({ tx, keys, now, cause }, "contradicted", row, "restored");
          const event = row.wants_events === 1 ? statusEventOf(row, restoredAt) : null;
          if (event) tx.runUnawaited(insertEvent({ ...event, now, dueAt: now, attempts: 0 }));
        }
        return rows.length;
      });
};

/**
 * Corrects the newest restore's time. For terminals it counts as a new restore, so they repeat since then; nothing is
 * ended again. @returns null where there was none.
 */
export const correctRestore = (
  { store, clock, keys }: Restoring,
  { forgotSince, by }: { readonly forgotSince: number; readonly by: string },
): Promise<Restored | null> =>
  store.write(async (tx) => {
    const wrong = await tx.first(newestRestore({}));
    if (wrong === undefined || (await tx.first(removeRestore({ restoredAt: wrong.restored_at }))) === undefined)
      return null;
    const restoredAt = Math.max(clock.now(), wrong.restored_at + 1);
    await tx.run(insertRestore({ restored_at: restoredAt, forgot_since: forgotSince }));
    await tx.run(headsAfter({ wrong: wrong.restored_at, right: restoredAt }));
    const [right, before] = [forgotSince, wrong.forgot_since].map((at) => toTime(at));
    await appendAudit(tx, keys, restoredAt, {
      event: correctedEvent,
      actor: by,
      address: null,
      object: "database",
      detail: `copy of ${right}, not of ${before}`,
    });
    return { restoredAt, forgotSince, ended: 0, endedCodes: 0 };
  });

const newestOf = async ({ store }: Restoring, until: number): Promise<number> =>
  Math.max(0, ...Object.values((await store.read((tx) => tx.first(newestMoment({ until })))) ?? {}).map(Number));

/** Parses what `restore` has written into the copy; releases before wrote one time in `toldSince`. */
const readFrom = (text: string | undefined): Pick<RestoreFrom, "copy" | "by" | "told" | "isUnread"> => {
  if (text === undefined) return {};
  const { toldSince, ...from } = JSON.parse(text) as { told?: readonly number[]; toldSince?: number | null };
  return typeof toldSince === "number" ? { ...from, told: [toldSince] } : from;
};

const pendingRestore = async (tx: Tx) => ({
  copiedAt: (await tx.first(settingByName({ name: copiedAtSetting })))?.value,
  restoredFrom: (await tx.first(settingByName({ name: restoredFromSetting })))?.value,
});

/** Whether the database is marked as a copy that no start has applied yet. */
export const isRestorePending = async (tx: Tx): Promise<boolean> => {
  const { copiedAt, restoredFrom } = await pendingRestore(tx);
  return copiedAt !== undefined || restoredFrom !== undefined;
};

/**
 * Applies the restore of a database that is marked as a copy, put in place by `restore` or by hand. Call it before serving.
 * @param isRestoring the command `restored` comes next, so what it left open before is left to it again.
 * @returns null if it is not a copy.
 */
export const applyPendingRestore = async (on: Restoring, isRestoring = false): Promise<Restored | null> => {
  const { copiedAt, restoredFrom } = await on.store.read(pendingRestore);
  if (copiedAt === undefined && (restoredFrom === undefined || (isRestoring && restoredFrom === leftToCommand)))
    return null;
  const from = { forgotSince: copiedAt === undefined ? null : Number(copiedAt), ...readFrom(restoredFrom) };
  const forgotSince = await forgotSinceOf(on, from);
  const restoredAt = await on.store.write(async (tx) =>
    (await tx.first(holdMark({}))) === undefined ? null : begin(tx, on.clock.now(), forgotSince),
  );
  return restoredAt === null ? null : finish(on, from, forgotSince, restoredAt);
};
