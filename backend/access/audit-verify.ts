/** Whether the audit is whole: numbers without a gap, every link made with our key, the last one the kept head. */
import type { Store } from "../store/store.ts";
import { all, one } from "../store/store.ts";
import type { AuditTable } from "../store/tables/access.ts";
import { type AuditKey, auditHash } from "./audit.ts";
import { auditHead, auditPage } from "./audit-store.ts";

/** Whether the audit holds; `head` is the newest entry's hash, for comparison with a copy kept elsewhere. */
export type AuditVerdict =
  | { readonly kind: "whole"; readonly entries: number; readonly underEarlierKeys: number; readonly head: string }
  /** `at` is the number of the first entry that does not hold. */
  | { readonly kind: "broken"; readonly at: number; readonly why: string };

const pageSize = 1_000;

/**
 * Reads the whole audit, 1,000 entries at a time, and computes every link anew. @throws ServiceError `unavailable`.
 * @param keys the one in use last, before it those that it replaced: an entry is never under an earlier key than the one before
 * it. The first link under a newer key holds all before it, so that an old key alone rewrites nothing.
 * @param visit gets every entry that holds, in order.
 */
export const verifyAudit = (
  store: Store,
  keys: readonly AuditKey[],
  visit: (entry: AuditTable) => void = () => {},
): Promise<AuditVerdict> =>
  store.read(function* () {
    let [seq, previous] = [0, ""];
    let [keyAt, underEarlierKeys] = [0, 0];
    const broken = (at: number, why: string): AuditVerdict => ({ kind: "broken", at, why });
    for (;;) {
      const page = yield* all(auditPage({ after: seq, from: 0, until: Number.MAX_SAFE_INTEGER, limit: pageSize }));
      for (const { hash, ...entry } of page) {
        if (entry.seq !== seq + 1) return broken(seq + 1, "is missing");
        keyAt = keys.findIndex(({ auditKeyId }, at) => at >= keyAt && auditKeyId === entry.key_id);
        const key = keys[keyAt];
        if (key === undefined) return broken(entry.seq, "was written under another SERVICE_KEY");
        if (keyAt < keys.length - 1) underEarlierKeys += 1;
        if (auditHash(key.audit, previous, entry) !== hash) return broken(entry.seq, "was changed");
        [seq, previous] = [entry.seq, hash];
        visit({ ...entry, hash });
      }
      if (page.length < pageSize) break;
    }
    const head = yield* one(auditHead({}));
    if (head?.seq !== seq || head.hash !== previous) return broken(seq + 1, "was cut off");
    return { kind: "whole", entries: seq, underEarlierKeys, head: previous };
  });
