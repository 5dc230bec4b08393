/**
 * The proof of what repeats are known by: each ended withdrawal has its idempotency key and its terminal's own id, from the time on
 * that the audit names, until when they may be forgotten (`RETENTION_IDEMPOTENCY_KEY_DAYS`). Without them an old request could be made
 * again, and an id used twice.
 */
import { sql } from "kysely";
import { appendAudit, auditEventAt, holdAudit } from "../access/audit.ts";
import type { ChainKeys } from "../context.ts";
import { dayMs, toTime } from "../contract/times.ts";
import { statement, type Tx } from "../store/store.ts";

/** The audit's event of such a time. */
export const forgottenEvent = "names_forgotten";
const newestEvent = auditEventAt("newest");

/** The audit's event of the time from before which closed reports after a restore may be gone. */
export const reportsForgottenEvent = "reports_forgotten";

/** When the newest withdrawal was asked for; null before the first. */
const newestRequest = statement("names_newest_request", (db) => ({
  compile: () =>
    sql<{ readonly at: number | null }>`select max(at) as at from (select max(created_at) as at from withdrawals
      union all select max(created_at) from archived_withdrawals) as newest`.compile(db),
}));
/** The last that `Date` knows. */
const lastMoment = 8.64e15;

/** The time after all that was asked for so far. */
const afterRequests = async (tx: Tx): Promise<number> =>
  Math.min(lastMoment, ((await tx.first(newestRequest({})))?.at ?? -1) + 1);

/** Says from before when something may be gone, unless the newest entry says so already. @param until epoch milliseconds, also of the first entry. */
const note = async (
  tx: Tx,
  keys: ChainKeys,
  now: number,
  event: string,
  until: (isFirst: boolean) => number | Promise<number>,
): Promise<void> => {
  const newest = await tx.first(newestEvent({ event }));
  const at = await until(newest === undefined);
  if (newest !== undefined && Date.parse(newest.object) >= at) return;
  await holdAudit(tx, keys);
  await appendAudit(tx, keys, now, { event, actor: "service", address: null, object: toTime(at), detail: null });
};

const endOfDay = (at: number): number => Math.ceil(at / dayMs) * dayMs;

/**
 * Call it in the commit that forgets names from before a time. The first entry is about all that was asked for before there were such
 * entries, whatever the clock shows then; later ones are for a day each.
 */
export const noteForgotten = (tx: Tx, keys: ChainKeys, before: number, now: number): Promise<void> =>
  note(tx, keys, now, forgottenEvent, (isFirst) => (isFirst ? afterRequests(tx) : endOfDay(before)));

/** The same for closed reports, in the commit that deletes them. What was reported before the first entry may have been deleted without. */
export const noteReportsForgotten = (tx: Tx, keys: ChainKeys, before: number, now: number): Promise<void> =>
  note(tx, keys, now, reportsForgottenEvent, () => Math.max(0, endOfDay(before)));
