/** The service's own audit entries, each also written to the log. */

import { LRUCache } from "lru-cache";
import type { Service } from "../context.ts";
import type { UnitOfWork } from "../store/store.ts";
import { type AuditEvent, appendAudit } from "./audit.ts";
import { lruBound } from "./cache-bound.ts";
import type { ServiceKeys } from "./service-keys.ts";

/** How the service writes its own entries; the operator's commands use `commands/audited-store.ts`. */
export interface AuditLog {
  /** Part of the unit of work that it records; call `logged` after the commit. */
  append(what: AuditEvent): UnitOfWork<unknown>;
  /** Writes an entry that was committed to the log. */
  logged(what: AuditEvent): void;
  /** In a commit of its own, later: for what changes nothing else. Never throws. */
  record(what: AuditEvent): void;
  /** As `record`, but at most once a minute for the same actor and address, so that a flood cannot fill the audit. */
  recordRefusal(what: AuditEvent): void;
}

/** The same refusal again is counted, and written with the next entry after this time. */
const refusalEveryMs = 60_000;
/** Limit of all refusals together within `refusalEveryMs`, against callers that vary name or address. */
const refusalsMax = 200;
const actorsMax = 10_000;

/** One for each process, which holds the limits on refusals. @param keys chain the entries. */
export const createAuditLog = ({ store, clock, log }: Service, keys: ServiceKeys): AuditLog => {
  const refused = new LRUCache<string, { at: number; more: number }>(lruBound(actorsMax));
  let budget = { since: 0, left: refusalsMax, dropped: 0 };

  const logged = ({ event, actor, address, object, detail }: AuditEvent): void =>
    log.info({ event, actor, address, object, detail }, "audit");
  const record = (what: AuditEvent): void => {
    logged(what);
    store
      .write(() => appendAudit(keys, clock.now(), what))
      .catch((error: unknown) => log.error({ err: error, event: what.event }, "an entry of the audit was not written"));
  };

  return {
    append: (what) => appendAudit(keys, clock.now(), what),
    logged,
    record,
    recordRefusal(what) {
      const now = clock.now();
      const key = `${what.event}\n${what.actor}\n${what.address}`;
      const before = refused.get(key);
      if (before !== undefined && now - before.at < refusalEveryMs) {
        before.more += 1;
        return;
      }
      if (now - budget.since >= refusalEveryMs) budget = { since: now, left: refusalsMax, dropped: budget.dropped };
      if (budget.left === 0) {
        budget.dropped += 1;
        return;
      }
      budget.left -= 1;
      refused.set(key, { at: now, more: 0 });
      const counts = [
        ...(before === undefined || before.more === 0 ? [] : [`${before.more} more since the last entry`]),
        ...(budget.dropped === 0 ? [] : [`${budget.dropped} of others not written`]),
      ];
      budget.dropped = 0;
      record({ ...what, detail: [...(what.detail === null ? [] : [what.detail]), ...counts].join("; ") || null });
    },
  };
};
