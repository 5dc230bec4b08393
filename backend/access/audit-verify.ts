/** Verifies the audit: numbers without a gap, every hash made with a known key, the last one equal to the stored head. */
import type { Store } from "../store/store.ts";
import { all, one } from "../store/store.ts";
import type { AuditTable } from "../store/tables/access.ts";
import { type AuditKey, auditHash } from "./audit.ts";
import { auditHead, auditPage } from "./audit-store.ts";

/** Result of the verification; `head` is the newest entry's hash, for comparison with a copy kept elsewhere. */
export type AuditCheck =
  | { readonly kind: "whole"; readonly entries: number; readonly underEarlierKeys: number; readonly head: string }
  /** `at` is the number of the first entry that fails. */
  | { readonly kind: "broken"; readonly at: number; readonly why: string };

const pageSize = 1_000;

/**
 * Reads the whole audit, 1,000 entries at a time, and recomputes every hash. @throws ServiceError `unavailable`.
 * @param keys oldest first, the current one last: no entry is under an older key than the entry before it, and the first hash
 * under a newer key covers all before, so that a stolen old key cannot rewrite entries.
 * @param visit called with every verified entry, in order.
 */
export const verifyAudit = (
  store: Store,
  keys: readonly AuditKey[],
  visit: (entry: AuditTable) => void = () => {},
): Promise<AuditCheck> =>
  store.read(function* () {
    let [seq, previous] = [0, ""];
    let [keyAt, underEarlierKeys] = [0, 0];
    const broken = (at: number, why: string): AuditCheck => ({ kind: "broken", at, why });
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
