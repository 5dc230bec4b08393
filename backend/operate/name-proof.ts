/**
 * The proof of what repeats are known by: each ended withdrawal has its idempotency key and its terminal's own id, from the time on
 * that the audit names, until when they may be forgotten (`RETENTION_IDEMPOTENCY_KEY_DAYS`). Without them an old request could be made
 * again, and an id used twice.
 */
import { appendAudit, auditEventAt, holdAudit } from "../access/audit.ts";
import type { ChainKeys } from "../context.ts";
import { dayMs, toTime } from "../contract/times.ts";
import type { Tx } from "../store/store.ts";

/** The audit's event of such a time. */
export const forgottenEvent = "names_forgotten";
const newestEvent = auditEventAt("newest");

/**
 * Call it in the commit that forgets names from before a time. The first entry is about all that was forgotten before there were such
 * entries; later ones are for a day each.
 */
export async function noteForgotten(tx: Tx, keys: ChainKeys, before: number, now: number): Promise<void> {
  const newest = await tx.first(newestEvent({ event: forgottenEvent }));
  const until = newest === undefined ? now : Math.ceil(before / dayMs) * dayMs;
  if (newest !== undefined && Date.parse(newest.object) >= until) return;
  await holdAudit(tx, keys);
  await appendAudit(tx, keys, now, {
    event: forgottenEvent,
    actor: "service",
    address: null,
    object: toTime(until),
    detail: null,
  });
}
