/** Units of work that seal rows of the history. Each locks the audit's head, so that processes take turns. */
import { appendAudit } from "../access/audit.ts";
import { auditEntry, auditEventAt, holdAuditHead } from "../access/audit-store.ts";
import type { ChainKeys } from "../context.ts";
import { all, one, run, type UnitOfWork } from "../store/store.ts";
import type { AuditTable } from "../store/tables/access.ts";
import { deleteArchived, oldestArchived } from "../withdrawals/store/archive.ts";
import { deleteEvents, moveSeal, sealedRows, sealRows, sealsOf } from "../withdrawals/store/events.ts";
import { digestOf, markEntry, markEvents, readSeal, sealEntry, sealEvent } from "./seal-entry.ts";

const [firstEvent, newestEvent] = [auditEventAt("first"), auditEventAt("newest")];

/** For this long after the first seal an older release of a fleet may still write rows without a hash. */
const fleetUpgradeMs = 24 * 60 * 60_000;

/** Seals `limit` rows that have no seal yet. @returns the audit's entry; null where every row has one. */
export function* sealBatch(keys: ChainKeys, now: number, limit: number): UnitOfWork<AuditTable | null> {
  const head = yield* one(holdAuditHead({}));
  const seal = (head?.seq ?? 0) + 1;
  const rows = yield* all(sealRows({ seal, limit }));
  if (rows.length === 0) return null;
  const entry = sealEntry({ rows: rows.length, digest: digestOf(keys.history, rows), insteadOf: null });
  return yield* appendAudit(keys, now, entry);
}

/**
 * Marks in the audit that from here on every row is chained under this key; once for each key. Call it when all is sealed.
 * @param isAlone no process of an older release works on the database.
 */
export function* markChained(keys: ChainKeys, now: number, isAlone: boolean): UnitOfWork<boolean> {
  yield* one(holdAuditHead({}));
  const mark = yield* one(newestEvent({ event: markEvents.service }));
  if (mark?.key_id === keys.auditKeyId) return false;
  const first = yield* one(firstEvent({ event: sealEvent }));
  if (mark === undefined && first !== undefined && !isAlone && now - first.at < fleetUpgradeMs) return false;
  yield* appendAudit(keys, now, markEntry);
  return true;
}

/** Whether the rows under a seal still match it. Of a seal under an earlier key only the number of rows is checked. */
function* sealMatches(keys: ChainKeys, seal: number): UnitOfWork<boolean> {
  const entry = yield* one(auditEntry({ seq: seal }));
  const said = entry?.event === sealEvent ? readSeal(entry.detail) : null;
  if (said === null || entry === undefined) return false;
  const rows = yield* all(sealedRows({ seal }));
  if (rows.length !== said.rows) return false;
  return entry.key_id !== keys.auditKeyId || digestOf(keys.history, rows) === said.digest;
}

function* resealRemaining(keys: ChainKeys, now: number, seal: number): UnitOfWork<void> {
  const head = yield* one(holdAuditHead({}));
  const rows = yield* all(moveSeal({ from: seal, to: (head?.seq ?? 0) + 1 }));
  const entry = sealEntry({ rows: rows.length, digest: digestOf(keys.history, rows), insteadOf: seal });
  yield* appendAudit(keys, now, entry);
}

/**
 * Deletes the oldest of the archive with their history, and seals again what is left under their seals. A seal that does not
 * match stays as it is: a purge must not hide what somebody else deleted.
 * @returns how many withdrawals.
 */
export function* purgeArchive(keys: ChainKeys, before: number, now: number, limit: number): UnitOfWork<number> {
  const ids = (yield* all(oldestArchived({ before, limit }))).map(({ id }) => id);
  if (ids.length === 0) return 0;
  yield* one(holdAuditHead({}));
  const whole: number[] = [];
  for (const { seal } of yield* all(sealsOf(ids)))
    if (seal !== null && (yield* sealMatches(keys, seal))) whole.push(seal);
  yield* run(deleteEvents(ids));
  for (const seal of whole) yield* resealRemaining(keys, now, seal);
  return yield* run(deleteArchived(ids));
}
