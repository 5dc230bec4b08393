/** Whether the history is whole: every row chained, every withdrawal with all of its rows, every seal over what it was made of. */
import { auditHead } from "../access/audit-store.ts";
import type { ChainKeys } from "../context.ts";
import { all, one, type Store, type UnitOfWork } from "../store/store.ts";
import type { AuditTable } from "../store/tables/access.ts";
import { historyHash } from "../withdrawals/history-hash.ts";
import { sealedRows } from "../withdrawals/store/events.ts";
import { lackingNewest, provenPage, sealCounts } from "../withdrawals/store/proof.ts";
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
  /** The newest entry's number. */
  readonly head: number;
}

/** Collects it while the audit is verified. */
export const readingAudit = () => {
  const seals = new Map<number, Seal & { readonly keyId: string }>();
  let [mark, head]: [number | null, number] = [null, 0];
  return {
    visit({ seq, event, detail, key_id }: AuditTable): void {
      head = seq;
      if (event === markEvents.service || event === markEvents.operator) mark = seq;
      const seal = event === sealEvent ? readSeal(detail) : null;
      if (seal === null) return;
      if (seal.insteadOf !== null) seals.delete(seal.insteadOf);
      seals.set(seq, { ...seal, keyId: key_id });
    },
    result: (): HistoryInAudit => ({ seals, mark, head }),
  };
};

class Broken extends Error {}

const pageSize = 1_000;

/** @returns rows, and how many of them are not chained under the newest key. */
function* verifyRows(keys: readonly ChainKeys[], { mark }: HistoryInAudit) {
  let [id, sequence, rows, unchained]: [string, number, number, number] = ["", 0, 0, 0];
  let previous: string | null = null;
  for (;;) {
    const page = yield* all(provenPage({ id, sequence, limit: pageSize }));
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
      if (row.sequence === row.history_length && row.to_status !== row.status)
        throw new Broken(
          `the withdrawal ${row.transaction_id} is ${row.status}, its history ends with ${row.to_status}`,
        );
      [id, sequence, previous] = [row.transaction_id, row.sequence, row.hash];
    }
    rows += page.length;
    if (page.length < pageSize) return { rows, unchained };
  }
}

function* verifyTails(): UnitOfWork<void> {
  for (const lacking of lackingNewest) {
    const row = yield* one(lacking({}));
    if (row) throw new Broken(`row ${row.history_length} of ${row.id} was cut off`);
  }
}

/** @returns rows without a seal. */
function* verifySeals(keys: readonly ChainKeys[], { seals, head }: HistoryInAudit): UnitOfWork<number> {
  let sealed = 0;
  for (const [seal, { rows, digest, keyId }] of seals) {
    const held = yield* all(sealedRows({ seal }));
    if (held.length !== rows)
      throw new Broken(`entry ${seal} of the audit sealed ${rows} rows, ${held.length} are left`);
    const key = keys.find(({ auditKeyId }) => auditKeyId === keyId);
    if (key === undefined || digestOf(key.history, held) !== digest)
      throw new Broken(`rows that entry ${seal} of the audit sealed were changed`);
    sealed += rows;
  }
  const counts = yield* one(sealCounts({}));
  if ((counts?.highest ?? 0) > head || (counts?.sealed ?? 0) !== sealed)
    throw new Broken("rows are under a seal that the audit does not know");
  return counts?.unsealed ?? 0;
}

/**
 * @param keys as for `verifyAudit`. @param said what the audit says, itself verified.
 * @returns null where the audit went on meanwhile, so that a finding may be of a purge or of a seal: verify both again.
 */
export const verifyHistory = async (
  store: Store,
  keys: readonly ChainKeys[],
  said: HistoryInAudit,
): Promise<HistoryVerdict | null> => {
  try {
    return await store.read<HistoryVerdict>(function* () {
      const { rows, unchained } = yield* verifyRows(keys, said);
      yield* verifyTails();
      const unsealed = yield* verifySeals(keys, said);
      return { kind: "whole", rows, unsealed, unchained };
    });
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    const head = await store.read(() => one(auditHead({})));
    return head?.seq === said.head ? { kind: "broken", what: error.message } : null;
  }
};
