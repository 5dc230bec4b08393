/**
 * What follows from a database that was put back to a copy. What was open in the copy ends: its outcome is unknown, and
 * a second terminal must not hand out what a first one has. The rest is repeated by terminals and banks (`as-reported.ts`).
 */
import { appendAudit } from "../access/audit.ts";
import { allCodes, countEnd } from "../access/credentials.ts";
import type { Service } from "../context.ts";
import { toTime } from "../contract/times.ts";
import type { Status } from "../contract/transaction.ts";
import { insertEvent } from "../partner/events.ts";
import {
  copiedAtSetting,
  headsAfter,
  insertRestore,
  newestRestore,
  removeRestore,
  restoredFromSetting,
} from "../store/restores.ts";
import { removeSetting, setSetting, settingByName } from "../store/settings.ts";
import { type Cause, recordNote } from "./history.ts";
import { countRestored, disputeCanceledElsewhere, endRestored, newestMoment } from "./restored.ts";
import { recordTransition, statusEventOf } from "./transition.ts";

/** What is needed for it: no service runs. */
type Restoring = Pick<Service, "store" | "clock" | "keys">;

/** Which copy a database was put back to. */
interface RestoreFrom {
  /** When the copy was begun, epoch milliseconds; null: at the newest moment that it knows of. */
  readonly forgotSince: number | null;
  /** The copy's file; null where only its time is known. */
  readonly copy?: string | null;
  /** The operator's name; null: nobody said, the service came upon it at its start. */
  readonly by?: string | null;
  /** Since when banks may have been told otherwise: an older copy was in this one's place; null: none is known of. */
  readonly toldSince?: number | null;
}

/** What a restore has done; times in epoch milliseconds. */
export interface Restored {
  readonly restoredAt: number;
  readonly forgotSince: number;
  /** Withdrawals that were open in the copy. */
  readonly ended: number;
  /** One-time codes that were still good in it. */
  readonly endedCodes: number;
}

const rowsPerCommitMax = 500;
const openInCopy: readonly Status[] = ["requested", "ready", "awaiting_sca"];

/**
 * Ends what is open and every one-time code, remembers the restore and writes the audit's line; cut off and run again, it goes on. `settling` stays:
 * its approval is in the copy, it is one terminal's, and its order goes out under the same key.
 */
export const applyRestore = async (on: Restoring, from: RestoreFrom): Promise<Restored> => {
  const { store, clock, keys } = on;
  const { copy = null, by = null, toldSince = null } = from;
  const forgotSince = Math.min(from.forgotSince ?? (await newestOf(on)), clock.now());
  // Cut off from here on, it is the next start that goes on.
  await store.write((tx) => tx.run(setSetting({ name: copiedAtSetting, value: String(forgotSince) })));
  const cause: Cause = { actor: "operator", actorId: by, requestId: null, attempt: null };
  for (const status of openInCopy) {
    for (let ended = rowsPerCommitMax; ended === rowsPerCommitMax; )
      ended = await store.write(async (tx) => {
        const now = clock.now();
        const rows = await tx.all(endRestored({ status, now, limit: rowsPerCommitMax }));
        for (const row of rows) await recordTransition({ tx, keys, now, cause }, row, status);
        return rows.length;
      });
  }
  if (toldSince !== null) await tellAgain(on, toldSince, cause);
  return store.write(async (tx) => {
    const now = clock.now();
    // Another process came upon it at the same moment, and was done first.
    if ((await tx.first(removeSetting({ name: copiedAtSetting }))) === undefined)
      return { restoredAt: now, forgotSince, ended: 0, endedCodes: 0 };
    await tx.run(removeSetting({ name: restoredFromSetting }));
    let endedCodes = 0;
    for (const { waiting, end } of allCodes) {
      endedCodes += Number((await tx.first(waiting({ now })))?.count ?? 0);
      await tx.run(end({}));
    }
    // Of a process that was there before.
    await tx.run(countEnd(now));
    const ended = Number((await tx.first(countRestored({ since: forgotSince })))?.count ?? 0);
    const restoredAt = (await tx.first(insertRestore({ restoredAt: now, forgotSince })))?.restored_at ?? now;
    await appendAudit(tx, keys, now, {
      event: "database restored",
      actor: by ?? "service",
      address: null,
      object: copy ?? "database",
      detail: `copy of ${toTime(forgotSince)}; ended ${ended}`,
    });
    return { restoredAt, forgotSince, ended, endedCodes };
  });
};

/** Tells banks what holds again of what an older copy's restore has told them is canceled. */
const tellAgain = async ({ store, clock, keys }: Restoring, toldSince: number, cause: Cause): Promise<void> => {
  for (const disputeIn of disputeCanceledElsewhere)
    for (let told = rowsPerCommitMax; told === rowsPerCommitMax; )
      told = await store.write(async (tx) => {
        const now = clock.now();
        const rows = await tx.all(disputeIn({ toldSince, now, limit: rowsPerCommitMax }));
        for (const row of rows) {
          await recordNote({ tx, keys, now, cause }, "contradicted", row, "restored");
          const event = row.wants_events === 1 ? statusEventOf(row, now) : null;
          if (event) tx.runUnawaited(insertEvent({ ...event, now, dueAt: now, attempts: 0 }));
        }
        return rows.length;
      });
};

/**
 * Puts the time of the newest restore right. It counts as a new one for terminals, which repeat since then; nothing ends, as
 * that was done, whatever the time. @returns null where there was none.
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
    await tx.run(insertRestore({ restoredAt, forgotSince }));
    await tx.run(headsAfter({ wrong: wrong.restored_at, right: restoredAt }));
    const [right, before] = [forgotSince, wrong.forgot_since].map((at) => toTime(at));
    await appendAudit(tx, keys, restoredAt, {
      event: "restore corrected",
      actor: by,
      address: null,
      object: "database",
      detail: `copy of ${right}, not of ${before}`,
    });
    return { restoredAt, forgotSince, ended: 0, endedCodes: 0 };
  });

const newestOf = async ({ store }: Restoring): Promise<number> =>
  Math.max(0, ...Object.values((await store.read((tx) => tx.first(newestMoment({})))) ?? {}).map(Number));

/** As `restore` writes it into a copy. */
const readFrom = (text: string | undefined): Pick<RestoreFrom, "copy" | "by" | "toldSince"> =>
  text === undefined ? {} : (JSON.parse(text) as { copy: string; by: string; toldSince?: number | null });

/**
 * The same for a database that says of itself that it is a copy, however it came to its place: by `restore`, whose last step this
 * is, or by hand. To be called before anybody is served. @returns null where it is none.
 */
export const applyPendingRestore = async (on: Restoring): Promise<Restored | null> => {
  const [copiedAt, restoredFrom] = await on.store.read(async (tx) => {
    return [
      (await tx.first(settingByName({ name: copiedAtSetting })))?.value,
      (await tx.first(settingByName({ name: restoredFromSetting })))?.value,
    ];
  });
  if (copiedAt === undefined && restoredFrom === undefined) return null;
  return applyRestore(on, {
    forgotSince: copiedAt === undefined ? null : Number(copiedAt),
    ...readFrom(restoredFrom),
  });
};
