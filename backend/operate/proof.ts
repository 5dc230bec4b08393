/**
 * Seals: audit entries with a digest of rows of the history, so that deleting rows, tails or whole withdrawals shows. A row
 * names the entry that seals it; a mark says that everything sealed before it was accepted as it was found.
 */
import { type AuditEvent, appendAudit, auditEntry, auditEventAt, auditHead, holdAudit } from "../access/audit.ts";
import { repeat } from "../background.ts";
import type { ChainKeys, Hmac, Service } from "../context.ts";
import type { Status } from "../contract/transaction.ts";
import type { RowOf } from "../store/schema.ts";
import type { Store, Tx } from "../store/store.ts";
import {
  deleteArchived,
  oldestArchived,
  type ProvenRow,
  provenPage,
  sealCounts,
  tailPages,
} from "../withdrawals/closed.ts";
import {
  deleteEvents,
  historyHash,
  moveSeal,
  sealedRows,
  sealRows,
  sealsOf,
  writtenColumns,
} from "../withdrawals/history.ts";

/** The audit's event of a seal. */
export const sealEvent = "history_sealed";
/** The audit's event of a mark; the operator's command `audit accept` makes one too. */
const markEvents = { service: "history_chained", operator: "audit accept" } as const;

/** What the detail of a seal's entry says. */
interface Seal {
  readonly rows: number;
  readonly digest: string;
  /** The seal that this one replaces for the rows left by a purge; null for rows that had none. */
  readonly insteadOf: number | null;
}

const inOrder = (a: RowOf<"withdrawal_events">, b: RowOf<"withdrawal_events">): number =>
  a.sequence - b.sequence || (a.transaction_id < b.transaction_id ? -1 : 1);

const lineOf = (row: RowOf<"withdrawal_events">): string =>
  `${JSON.stringify(writtenColumns.map((column) => row[column]))}\n`;

/** One HMAC over every column of the rows but their seal, in an order of their own. @param hmac of the history. */
const digestOf = (hmac: Hmac, rows: readonly RowOf<"withdrawal_events">[]): string =>
  hmac(rows.toSorted(inOrder).map(lineOf).join(""));

const byService = { actor: "service", address: null, object: "history" } as const;

/** A seal as an entry of the audit. */
const sealEntry = ({ rows, digest, insteadOf }: Seal): AuditEvent => ({
  ...byService,
  event: sealEvent,
  detail: `${rows} rows ${digest}${insteadOf === null ? "" : ` instead of ${insteadOf}`}`,
});

/** A mark as an entry of the audit. */
const markEntry: AuditEvent = { ...byService, event: markEvents.service, detail: null };

/** @param detail of an entry `history_sealed`; null where it is none of ours. */
const readSeal = (detail: string | null): Seal | null => {
  const found = /^(\d+) rows ([\w-]{43})(?: instead of (\d+))?$/.exec(detail ?? "");
  if (found === null) return null;
  const [, rows, digest = "", insteadOf] = found;
  return { rows: Number(rows), digest, insteadOf: insteadOf === undefined ? null : Number(insteadOf) };
};

const [firstEvent, newestEvent] = [auditEventAt("first"), auditEventAt("newest")];

/** The audit's event of a rotation of SERVICE_KEY. */
export const rotateEvent = "service-key rotate";
/** For so long after it a process that has not looked yet may chain rows under the key before. */
const everybodyRotatedMs = 60_000;

/** For this long after the first seal an older release of a fleet may still write rows without a hash. */
const fleetUpgradeMs = 24 * 60 * 60_000;

/** Seals `limit` rows that have no seal yet. @returns the audit's entry; null where every row has one. */
export async function sealBatch(tx: Tx, keys: ChainKeys, now: number, limit: number): Promise<RowOf<"audit"> | null> {
  const seal = (await holdAudit(tx, keys)) + 1;
  const rows = await tx.all(sealRows({ seal, limit }));
  if (rows.length === 0) return null;
  const entry = sealEntry({ rows: rows.length, digest: digestOf(keys.history, rows), insteadOf: null });
  return await appendAudit(tx, keys, now, entry);
}

/**
 * Marks in the audit that from here on every row is chained under this key; once for each key. Call it when all is sealed.
 * @param isAlone no process of an older release works on the database.
 */
async function markChained(tx: Tx, keys: ChainKeys, now: number, isAlone: boolean): Promise<boolean> {
  await holdAudit(tx, keys);
  const mark = await tx.first(newestEvent({ event: markEvents.service }));
  if (mark?.key_id === keys.auditKeyId) return false;
  const rotated = await tx.first(newestEvent({ event: rotateEvent }));
  if (rotated !== undefined && now - rotated.at < everybodyRotatedMs) return false;
  const first = await tx.first(firstEvent({ event: sealEvent }));
  if (mark === undefined && first !== undefined && !isAlone && now - first.at < fleetUpgradeMs) return false;
  await appendAudit(tx, keys, now, markEntry);
  return true;
}

/** Whether the rows under a seal still match it. Of a seal under a key that is not at hand only the number of rows is checked. */
async function sealMatches(tx: Tx, keys: ChainKeys, seal: number): Promise<boolean> {
  const entry = await tx.first(auditEntry({ seq: seal }));
  const said = entry?.event === sealEvent ? readSeal(entry.detail) : null;
  if (said === null || entry === undefined) return false;
  const rows = await tx.all(sealedRows({ seal }));
  if (rows.length !== said.rows) return false;
  const key = [keys, ...(keys.others ?? [])].find(({ auditKeyId }) => auditKeyId === entry.key_id);
  return key === undefined || digestOf(key.history, rows) === said.digest;
}

async function resealRemaining(tx: Tx, keys: ChainKeys, now: number, seal: number): Promise<void> {
  const rows = await tx.all(moveSeal({ from: seal, to: (await holdAudit(tx, keys)) + 1 }));
  const entry = sealEntry({ rows: rows.length, digest: digestOf(keys.history, rows), insteadOf: seal });
  await appendAudit(tx, keys, now, entry);
}

/**
 * Deletes the oldest of the archive with their history, and seals again what is left under their seals. A seal that does not
 * match stays as it is: a purge must not hide what somebody else deleted.
 * @returns how many withdrawals.
 */
export async function purgeArchive(tx: Tx, keys: ChainKeys, before: number, now: number, limit: number) {
  const ids = (await tx.all(oldestArchived({ before, limit }))).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await holdAudit(tx, keys);
  const whole: number[] = [];
  for (const { seal } of await tx.all(sealsOf(ids)))
    if (seal !== null && (await sealMatches(tx, keys, seal))) whole.push(seal);
  await tx.run(deleteEvents(ids));
  for (const seal of whole) await resealRemaining(tx, keys, now, seal);
  return tx.run(deleteArchived(ids));
}

/** Few enough that no other commit waits long. */
const rowsPerSeal = 500;
const batchPauseMs = 100;
const everyMs = 60 * 60_000;
/** From the start to the first sealing. */
const firstAfterMs = 5_000;

type Sealing = Pick<Service, "store" | "clock" | "log" | "keys">;

/**
 * Seals every row that has no seal yet. Logs the newest number and hash, with which `audit verify --expect` detects a
 * database that was restored from an older copy.
 * @param pauseMs between two seals. @param isStopping asked before each.
 */
export const sealAll = async (service: Sealing, pauseMs = 0, isStopping = () => false): Promise<void> => {
  const { store, clock, log, keys } = service;
  for (;;) {
    if (isStopping()) return;
    const entry = await store.write((tx) => sealBatch(tx, keys, clock.now(), rowsPerSeal));
    if (entry === null) break;
    log.info({ entry: entry.seq, hash: entry.hash, detail: entry.detail }, "history sealed");
    if (pauseMs > 0) await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
  }
  await store.write((tx) => markChained(tx, keys, clock.now(), store.dialect === "sqlite"));
};

/** Seals once an hour, by one process of a fleet; at the stop by each. */
export const startSealer = (service: Service) => {
  const { clock, log } = service;
  const failed = (error: unknown) =>
    log.error({ err: error }, "the history could not be sealed and will be tried again");
  const hourly = repeat(clock, firstAfterMs, async (isStopping) => {
    if (service.owns("seal")) await sealAll(service, batchPauseMs, isStopping).catch(failed);
    return everyMs;
  });
  return {
    /** Seals what is left, in batches, for at most `withinMs`; the rest is sealed after the next start. */
    async stop(withinMs: number): Promise<void> {
      const until = clock.now() + withinMs;
      await hourly.stop();
      await sealAll(service, 0, () => clock.now() >= until).catch(failed);
    },
  };
};

/** Result of the verification; `what` describes the first row, withdrawal or seal that fails it. */
type HistoryCheck =
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
interface AuditedHistory {
  /** Seals that were not replaced, by the number of their entry. */
  readonly seals: ReadonlyMap<number, Seal & { readonly keyId: string }>;
  /** The newest mark's entry: everything sealed before it was accepted as found; null while there is none. */
  readonly mark: { readonly seq: number; readonly keyId: string } | null;
  /** When every withdrawal had begun to leave a history, epoch milliseconds; null while there is no mark. */
  readonly since: number | null;
  /** The newest entry's number. */
  readonly head: number;
}

/** Collects seals and marks; pass `visit` to `verifyAudit`. */
export const createHistoryReader = () => {
  const seals = new Map<number, Seal & { readonly keyId: string }>();
  let [mark, since, head]: [AuditedHistory["mark"], number | null, number] = [null, null, 0];
  return {
    visit({ seq, at, event, detail, key_id }: RowOf<"audit">): void {
      head = seq;
      if (event === markEvents.service || event === markEvents.operator) mark = { seq, keyId: key_id };
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
  const marked = keys.findIndex(({ auditKeyId }) => auditKeyId === mark?.keyId);
  for (;;) {
    const from = { id, sequence, limit: pageSize };
    const page: readonly ProvenRow[] = await store.read((tx) => tx.all(provenPage(from)));
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
      const under = row.hash === null ? -1 : keys.findLastIndex(isUnder);
      if (row.hash !== null && under < 0) throw new VerificationFailed(`${named} was changed, or its withdrawal was`);
      if (under < keys.length - 1) {
        unchained += 1;
        // The mark says from where on all is under its key, or a newer one.
        if (mark !== null && (under < 0 || under < marked) && (row.seal === null || row.seal > mark.seq))
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
      const page = await store.read((tx) => tx.all(tails(from)));
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
const verifySeals = async (store: Store, keys: readonly ChainKeys[], { seals, head }: AuditedHistory) => {
  let sealed = 0;
  for (const [seal, { rows, digest, keyId }] of seals) {
    const held = await store.read((tx) => tx.all(sealedRows({ seal })));
    if (held.length !== rows)
      throw new VerificationFailed(`entry ${seal} of the audit sealed ${rows} rows, ${held.length} are left`);
    const key = keys.find(({ auditKeyId }) => auditKeyId === keyId);
    if (key === undefined || digestOf(key.history, held) !== digest)
      throw new VerificationFailed(`rows that entry ${seal} of the audit sealed were changed`);
    sealed += rows;
  }
  const counts = await store.read((tx) => tx.first(sealCounts({ head })));
  // Read last, so that it includes every entry sealed meanwhile.
  const newest = await store.read((tx) => tx.first(auditHead({})));
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
    const head = await store.read((tx) => tx.first(auditHead({})));
    return head?.seq === audited.head ? { kind: "broken", what: error.message } : null;
  }
};
