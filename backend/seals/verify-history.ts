/** Whether the history is whole: every row chained, every withdrawal with all of its rows, every seal over what it was made of. */
import { auditHead } from "../access/audit-store.ts";
import type { ChainKeys } from "../context.ts";
import type { Status } from "../contract/transaction.ts";
import { all, one, type Store } from "../store/store.ts";
import type { AuditTable } from "../store/tables/access.ts";
import { historyHash } from "../withdrawals/history-hash.ts";
import { sealedRows } from "../withdrawals/store/events.ts";
import { type ProvenRow, provenPage, sealCounts, tailPages } from "../withdrawals/store/proof.ts";
import { digestOf, markEvents, readSeal, type Seal, sealEvent } from "./seal-entry.ts";

/** What is found; `what` names the first row, withdrawal or seal that does not hold, for a person. */
export type HistoryVerdict =
  | {
      readonly kind: "whole";
      readonly rows: number;
      /** Rows that no entry of the audit holds yet: those of the last hour, while the service runs. */
      readonly unsealed: number;
      /** Rows of a release that made no hash, or under an earlier key; held by their seals alone. */
      readonly unchained: number;
    }
  | { readonly kind: "broken"; readonly what: string };

/** What the audit says about the history. */
export interface HistoryInAudit {
  /** Those that count: by the number of their entry. */
  readonly seals: ReadonlyMap<number, Seal & { readonly keyId: string }>;
  /** Everything sealed before it is taken as it was found; null while there is none. */
  readonly mark: number | null;
  /** When every withdrawal had begun to leave a history, epoch milliseconds; null while there is no mark. */
  readonly since: number | null;
  /** The newest entry's number. */
  readonly head: number;
}

/** Collects it while the audit is verified. */
export const readingAudit = () => {
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
    result: (): HistoryInAudit => ({ seals, mark, since, head }),
  };
};

class Broken extends Error {}

/** So many rows at a time, each page of a moment of its own: a snapshot over years would keep the log of a busy database from shrinking. */
const pageSize = 1_000;

const ends: readonly Status[] = ["declined", "rejected", "canceled", "expired", "failed", "undelivered"];

/** What the withdrawal itself says of a move of its history, and the report shows; null where it agrees. */
const disagreement = (row: ProvenRow): string | null => {
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
  return ends.includes(to as Status) && !isClosedThen ? "closed when" : null;
};

/** @returns rows, and how many of them are not chained under the newest key. */
const verifyRows = async (store: Store, keys: readonly ChainKeys[], { mark }: HistoryInAudit) => {
  let [id, sequence, rows, unchained]: [string, number, number, number] = ["", 0, 0, 0];
  let previous: string | null = null;
  for (;;) {
    const from = { id, sequence, limit: pageSize };
    const page: readonly ProvenRow[] = await store.read(() => all(provenPage(from)));
    for (const row of page) {
      const isFirst = row.transaction_id !== id;
      const named = `row ${row.sequence} of ${row.transaction_id}`;
      if (row.sequence !== (isFirst ? 1 : sequence + 1))
        throw new Broken(`a row before ${named} is missing, or two were swapped`);
      const { partner_id } = row;
      if (partner_id === null) throw new Broken(`the withdrawal ${row.transaction_id} is gone, its history is not`);
      const before: string = isFirst ? "" : (previous ?? "");
      const isUnder = ({ history }: ChainKeys) =>
        historyHash(history, before, row, { ...row, partner_id }) === row.hash;
      if (row.hash !== null && !keys.some(isUnder)) throw new Broken(`${named} was changed, or its withdrawal was`);
      if (row.hash === null || !isUnder(keys.at(-1) as ChainKeys)) {
        unchained += 1;
        if (mark !== null && (row.seal === null || row.seal > mark))
          throw new Broken(
            `${named} is not chained as it should be (after a way back to an earlier release: audit accept)`,
          );
      }
      if (row.sequence > row.history_length) throw new Broken(`${named} is not counted by its withdrawal`);
      if (row.sequence === row.history_length && row.to_status !== row.status)
        throw new Broken(
          `the withdrawal ${row.transaction_id} is ${row.status}, its history ends with ${row.to_status}`,
        );
      const what = disagreement(row);
      if (what !== null) throw new Broken(`the withdrawal ${row.transaction_id} says otherwise than ${named}: ${what}`);
      [id, sequence, previous] = [row.transaction_id, row.sequence, row.hash];
    }
    rows += page.length;
    if (page.length < pageSize) return { rows, unchained };
  }
};

const verifyTails = async (store: Store, { since }: HistoryInAudit): Promise<void> => {
  for (const tails of tailPages)
    for (let after = ""; ; ) {
      const from = { id: after, limit: pageSize };
      const page = await store.read(() => all(tails(from)));
      const cut = page.find(({ has_newest }) => has_newest === 0);
      if (cut) throw new Broken(`row ${cut.history_length} of ${cut.id} was cut off`);
      // Only one from before there was a history may lack it.
      const bare = page.find((one) => one.history_length === 0 && since !== null && one.created_at >= since);
      if (bare) throw new Broken(`the withdrawal ${bare.id} has no history`);
      if (page.length < pageSize) break;
      after = page.at(-1)?.id ?? "";
    }
};

/** @returns rows without a seal. */
const verifySeals = async (
  store: Store,
  keys: readonly ChainKeys[],
  { seals, head }: HistoryInAudit,
): Promise<number> => {
  let sealed = 0;
  for (const [seal, { rows, digest, keyId }] of seals) {
    const held = await store.read(() => all(sealedRows({ seal })));
    if (held.length !== rows)
      throw new Broken(`entry ${seal} of the audit sealed ${rows} rows, ${held.length} are left`);
    const key = keys.find(({ auditKeyId }) => auditKeyId === keyId);
    if (key === undefined || digestOf(key.history, held) !== digest)
      throw new Broken(`rows that entry ${seal} of the audit sealed were changed`);
    sealed += rows;
  }
  const counts = await store.read(() => one(sealCounts({ head })));
  // Read last: what was sealed meanwhile is under an entry that it knows.
  const newest = await store.read(() => one(auditHead({})));
  if ((counts?.highest ?? 0) > (newest?.seq ?? 0) || (counts?.sealed ?? 0) !== sealed)
    throw new Broken("rows are under a seal that the audit does not know");
  return counts?.unsealed ?? 0;
};

/**
 * Reads page by page, so that neither memory nor a snapshot grows with the years.
 * @param keys as for `verifyAudit`. @param said what the audit says, itself verified.
 * @returns null where the audit went on meanwhile, so that a finding may be of a purge or of a seal: verify both again.
 */
export const verifyHistory = async (
  store: Store,
  keys: readonly ChainKeys[],
  said: HistoryInAudit,
): Promise<HistoryVerdict | null> => {
  try {
    const { rows, unchained } = await verifyRows(store, keys, said);
    await verifyTails(store, said);
    const unsealed = await verifySeals(store, keys, said);
    return { kind: "whole", rows, unsealed, unchained };
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const head = await store.read(() => one(auditHead({})));
    return head?.seq === said.head ? { kind: "broken", what: error.message } : null;
  }
};
