/** Verifies the history: every row chained, every withdrawal with all of its rows, every seal over its rows. */
import { auditHead } from "../access/audit-store.ts";
import type { ChainKeys } from "../context.ts";
import type { Status } from "../contract/transaction.ts";
import { all, one, type Store } from "../store/store.ts";
import type { AuditTable } from "../store/tables/access.ts";
import { historyHash } from "../withdrawals/history-hash.ts";
import { sealedRows } from "../withdrawals/store/events.ts";
import { type ProvenRow, provenPage, sealCounts, tailPages } from "../withdrawals/store/proof.ts";
import { digestOf, markEvents, readSeal, type Seal, sealEvent } from "./seal-entry.ts";

/** Result of the verification; `what` describes the first row, withdrawal or seal that fails it. */
export type HistoryCheck =
  | {
      readonly kind: "whole";
      readonly rows: number;
      /** Rows without a seal: those of the last hour, while the service runs. */
      readonly unsealed: number;
      /** Rows of a release without hashes, or under an earlier key: protected by their seals alone. */
      readonly unchained: number;
    }
  | { readonly kind: "broken"; readonly what: string };

/** What the audit says about the history. */
export interface AuditedHistory {
  /** Seals that were not replaced, by the number of their entry. */
  readonly seals: ReadonlyMap<number, Seal & { readonly keyId: string }>;
  /** The newest mark's entry: everything sealed before it was accepted as found; null while there is none. */
  readonly mark: number | null;
  /** When every withdrawal had begun to leave a history, epoch milliseconds; null while there is no mark. */
  readonly since: number | null;
  /** The newest entry's number. */
  readonly head: number;
}

/** Collects seals and marks; pass `visit` to `verifyAudit`. */
export const createHistoryReader = () => {
  const seals = new Map<number, Seal & { readonly keyId: string }>();
  let [mark, since, head]: [number | null, number | null, number] = [null, null, 0];
  return {
    visit({ seq, at, event, detail, key_id }: AuditTable): void {
      head = seq;
      if (event === markEvents.service || event === markEvents.operator) mark = seq;
      if (event === markEvents.service) since ??= at;
      const seal = event === sealEvent ? readSeal(detail) : null;
      if (seal === null) return;
      if (seal.insteadOf !== null) seals.delete(seal.insteadOf);
      seals.set(seq, { ...seal, keyId: key_id });
    },
    result: (): AuditedHistory => ({ seals, mark, since, head }),
  };
};

class VerificationFailed extends Error {}

/** Rows per transaction: one long snapshot would keep the log of a busy database from shrinking. */
const pageSize = 1_000;

const ends: readonly Status[] = ["declined", "rejected", "canceled", "expired", "failed", "undelivered"];

/** Where the withdrawal's own columns contradict a transition in its history; null where they agree. */
const mismatch = (row: ProvenRow): string | null => {
  const { kind, from_status: from, to_status: to, at, actor_id: by } = row;
  if (kind !== "transition") return null;
  const isConfirm = from === "ready" && (to === "awaiting_sca" || to === "settling");
  if (isConfirm && (row.confirmed_at !== at || row.device_id !== by)) return "confirmed by whom and when";
  if (to === "settled" && row.settled_at !== at) return "settled when";
  if (to === "linked" && (row.linked_at !== at || row.withdrawal_cashier !== row.cashier))
    return "linked by whom and when";
  // A deadline that passed has closed it before anybody wrote so.
  const closedAt = row.closed_at ?? Number.POSITIVE_INFINITY;
  const isClosedThen = row.actor === "sweeper" ? closedAt <= at : closedAt === at;
  // A restore had ended it, and a terminal has reported since what became of it.
  if (to === "canceled" && row.reason === "restored" && row.status !== "canceled") return null;
  return ends.includes(to as Status) && !isClosedThen ? "closed when" : null;
};

/** @returns rows, and how many of them are not chained under the newest key. */
const verifyRows = async (store: Store, keys: readonly ChainKeys[], { mark }: AuditedHistory) => {
  let [id, sequence, rows, unchained]: [string, number, number, number] = ["", 0, 0, 0];
  let previous: string | null = null;
  for (;;) {
    const from = { id, sequence, limit: pageSize };
    const page: readonly ProvenRow[] = await store.read(() => all(provenPage(from)));
    for (const row of page) {
      const isFirst = row.transaction_id !== id;
      const named = `row ${row.sequence} of ${row.transaction_id}`;
      if (row.sequence !== (isFirst ? 1 : sequence + 1))
        throw new VerificationFailed(`a row before ${named} is missing, or two were swapped`);
      const { partner_id } = row;
      if (partner_id === null)
        throw new VerificationFailed(`the withdrawal ${row.transaction_id} is gone, its history is not`);
      const before: string = isFirst ? "" : (previous ?? "");
      const isUnder = ({ history }: ChainKeys) =>
        historyHash(history, before, row, { ...row, partner_id }) === row.hash;
      if (row.hash !== null && !keys.some(isUnder))
        throw new VerificationFailed(`${named} was changed, or its withdrawal was`);
      if (row.hash === null || !isUnder(keys.at(-1) as ChainKeys)) {
        unchained += 1;
        if (mark !== null && (row.seal === null || row.seal > mark))
          throw new VerificationFailed(
            `${named} is not chained as it should be (after a way back to an earlier release: audit accept)`,
          );
      }
      if (row.sequence > row.history_length) throw new VerificationFailed(`${named} is not counted by its withdrawal`);
      if (row.sequence === row.history_length && row.to_status !== row.status)
        throw new VerificationFailed(
          `the withdrawal ${row.transaction_id} is ${row.status}, its history ends with ${row.to_status}`,
        );
      const what = mismatch(row);
      if (what !== null)
        throw new VerificationFailed(`the withdrawal ${row.transaction_id} says otherwise than ${named}: ${what}`);
      [id, sequence, previous] = [row.transaction_id, row.sequence, row.hash];
    }
    rows += page.length;
    if (page.length < pageSize) return { rows, unchained };
  }
};

const verifyTails = async (store: Store, { since }: AuditedHistory): Promise<void> => {
  for (const tails of tailPages)
    for (let after = ""; ; ) {
      const from = { id: after, limit: pageSize };
      const page = await store.read(() => all(tails(from)));
      const cut = page.find(({ has_newest }) => has_newest === 0);
      if (cut) throw new VerificationFailed(`row ${cut.history_length} of ${cut.id} was cut off`);
      // Only a withdrawal older than the history may have none.
      const bare = page.find((one) => one.history_length === 0 && since !== null && one.created_at >= since);
      if (bare) throw new VerificationFailed(`the withdrawal ${bare.id} has no history`);
      if (page.length < pageSize) break;
      after = page.at(-1)?.id ?? "";
    }
};

/** @returns rows without a seal. */
const verifySeals = async (
  store: Store,
  keys: readonly ChainKeys[],
  { seals, head }: AuditedHistory,
): Promise<number> => {
  let sealed = 0;
  for (const [seal, { rows, digest, keyId }] of seals) {
    const held = await store.read(() => all(sealedRows({ seal })));
    if (held.length !== rows)
      throw new VerificationFailed(`entry ${seal} of the audit sealed ${rows} rows, ${held.length} are left`);
    const key = keys.find(({ auditKeyId }) => auditKeyId === keyId);
    if (key === undefined || digestOf(key.history, held) !== digest)
      throw new VerificationFailed(`rows that entry ${seal} of the audit sealed were changed`);
    sealed += rows;
  }
  const counts = await store.read(() => one(sealCounts({ head })));
  // Read last, so that it includes every entry sealed meanwhile.
  const newest = await store.read(() => one(auditHead({})));
  if ((counts?.highest ?? 0) > (newest?.seq ?? 0) || (counts?.sealed ?? 0) !== sealed)
    throw new VerificationFailed("rows are under a seal that the audit does not know");
  return counts?.unsealed ?? 0;
};

/**
 * Reads page by page, so that neither memory nor a snapshot grows with the history.
 * @param keys as for `verifyAudit`. @param audited seals and marks of the verified audit.
 * @returns null where the audit changed meanwhile, so that a finding may come from a purge or a seal: verify both again.
 */
export const verifyHistory = async (
  store: Store,
  keys: readonly ChainKeys[],
  audited: AuditedHistory,
): Promise<HistoryCheck | null> => {
  try {
    const { rows, unchained } = await verifyRows(store, keys, audited);
    await verifyTails(store, audited);
    const unsealed = await verifySeals(store, keys, audited);
    return { kind: "whole", rows, unsealed, unchained };
  } catch (error) {
    if (!(error instanceof VerificationFailed)) throw error;
    const head = await store.read(() => one(auditHead({})));
    return head?.seq === audited.head ? { kind: "broken", what: error.message } : null;
  }
};
