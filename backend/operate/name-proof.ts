/**
 * The proof of what repeats are known by: each ended withdrawal has its idempotency key and its terminal's own id, from the time on
 * that the audit names, until when they may be forgotten (`RETENTION_IDEMPOTENCY_KEY_DAYS`). Without them an old request could be made
 * again, and an id used twice.
 */
import { appendAudit, auditEventAt, holdAudit } from "../access/audit.ts";
import type { ChainKeys } from "../context.ts";
import { dayMs, toTime } from "../contract/times.ts";
import type { Store, Tx } from "../store/store.ts";
import { endedAfter, lostNames } from "../withdrawals/history.ts";

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

/** How many withdrawals are looked at by one statement. */
const limit = 1_000;

/** @returns what is missing of the first withdrawal, asked for from a time on, that has ended and lacks a name; null: none does. */
export const findLostName = async (store: Store, from: number): Promise<string | null> => {
  for (let at = from; ; ) {
    const end = (await store.read((tx) => tx.first(endedAfter({ at, skipped: limit - 1 }))))?.created_at;
    const to = end ?? Number.MAX_SAFE_INTEGER;
    const lost = await store.read((tx) => tx.first(lostNames({ from: at, to })));
    if (lost !== undefined) return `the withdrawal ${lost.id} has ended, and its ${lost.what} is gone`;
    if (end === undefined) return null;
    at = end + 1;
  }
};
