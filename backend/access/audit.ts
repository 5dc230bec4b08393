/**
 * The audit: who did what to access, each entry chained to the one before by an HMAC, so that rewriting, deleting and
 * cutting off show (conventions, "Extensions"). Written in the commit of what it records.
 */
import { createHmac } from "node:crypto";
import { LRUCache } from "lru-cache";
import { allKeys, type ChainKeys, type Service } from "../context.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { adhoc, insertRow, type Store, StoreRefused, statement, type Tx } from "../store/store.ts";
import { lruBound } from "./rate-limits.ts";
import type { ServiceKeys } from "./secrets.ts";

/** One entry of the audit; texts longer than 400 characters are truncated. */
export interface AuditEvent {
  /** What was done: `sign_in_refused`, `enrolled`, or an operator's command (`partners set`). */
  readonly event: string;
  /** `operator NAME`, `terminal SHOP/DEVICE`, `client BANK/DEVICE`; who it claims to be where that was refused. */
  readonly actor: string;
  /** The caller's IP address; `null` for an operator's command. */
  readonly address: string | null;
  /** What it was done to. */
  readonly object: string;
  /** The rest, without secrets; `null` where there is none. */
  readonly detail: string | null;
  /** Whoever made `detail` has bounded it, and all of it is kept. Default: no. */
  readonly isBounded?: boolean;
}

/** Longest text of a column, since some come from callers. */
const textMax = 400;

/** The key that chains the audit, and the name under which entries say which key it was. */
type AuditKey = Pick<ChainKeys, "audit" | "auditKeyId" | "under">;
type Unchained = Omit<RowOf<"audit">, "hash">;

/** Every column of an entry. */
export const auditColumns = columnsOf("audit");
const chainedColumns = columnsOf("audit", "hash");

/** The HMAC-SHA-256 over `previous` and every column; base64url. */
export const auditHash = (key: Buffer, previous: string, entry: Unchained): string => {
  const text = JSON.stringify([previous, ...chainedColumns.map((column) => entry[column])]);
  return createHmac("sha256", key).update(text).digest("base64url");
};

/**
 * Whether an entry is the audit's own: its hash goes on from the one before. @param before that hash; null for the first entry.
 * @returns undefined where this process lacks the entry's key.
 */
export const isChained = (keys: ChainKeys, before: string | null, { hash, ...entry }: RowOf<"audit">) => {
  const key = allKeys(keys).find(({ auditKeyId }) => auditKeyId === entry.key_id);
  return key && auditHash(key.audit, before ?? "", entry) === hash;
};

/** Appends entries in their order; concurrent units take turns by the lock on the head. @returns the newest entry. */
export async function appendAll(
  tx: Tx,
  key: AuditKey,
  now: number,
  what: readonly AuditEvent[],
): Promise<RowOf<"audit"> | undefined> {
  if (what.length === 0) return undefined;
  const head = await tx.first(lockAuditHead({ count: what.length }));
  if (head === undefined) throw new Error("the audit has lost its head");
  const { audit, auditKeyId } = key.under?.(head.key_id) ?? key;
  const short = (text: string) => text.slice(0, textMax);
  const chained: RowOf<"audit">[] = [];
  for (const [at, { event, actor, address, object, detail, isBounded }] of what.entries()) {
    const entry: Unchained = {
      seq: head.seq - what.length + 1 + at,
      at: now,
      event: short(event),
      actor: short(actor),
      address: address === null ? null : short(address),
      object: short(object),
      detail: detail === null || isBounded ? detail : short(detail),
      key_id: auditKeyId,
    };
    chained.push({ ...entry, hash: auditHash(audit, chained.at(-1)?.hash ?? head.hash, entry) });
  }
  const newest = chained.at(-1) as RowOf<"audit">;
  await tx.run(chained.length === 1 ? insertAuditEntry({ ...newest }) : insertAuditEntries(chained));
  await tx.run(setAuditHead({ hash: newest.hash, key_id: auditKeyId }));
  return newest;
}

/** Appends one entry, and returns it. */
export const appendAudit = async (tx: Tx, key: AuditKey, now: number, what: AuditEvent): Promise<RowOf<"audit">> =>
  (await appendAll(tx, key, now, [what])) as RowOf<"audit">;

/** For a commit that money depends on: if this process lacks the key in use, the entry goes to the log alone and the commit goes through. */
export async function appendAuditIfKeyed(
  tx: Tx,
  { keys, log }: Pick<Service, "keys" | "log">,
  now: number,
  what: AuditEvent,
): Promise<void> {
  try {
    await holdAudit(tx, keys);
  } catch (error) {
    if (!(error instanceof StoreRefused)) throw error;
    log.error({ err: error, ...what }, "an entry of the audit was not written");
    return;
  }
  const { seq, hash } = await appendAudit(tx, keys, now, what);
  // Remembered by this process: what is lost with it may be a line less.
  tx.changed(what.object, undefined, { find: auditEntry({ seq }), hash });
}

/** The same refusal again is counted, and written with the next entry after this time. */
const refusalEveryMs = 60_000;
/** Limit of all refusals together within `refusalEveryMs`, against callers that vary name or address. */
const refusalsMax = 200;
const actorsMax = 10_000;

/** How the service writes its own entries; one for each process, which holds the limits on refusals. @param keys chain the entries. */
export const createAuditLog = ({ store, clock, log }: Service, keys: ServiceKeys) => {
  const refused = new LRUCache<string, { at: number; more: number }>(lruBound(actorsMax));
  let budget = { since: 0, left: refusalsMax, dropped: 0 };

  /** Writes an entry that was committed to the log. */
  const logged = ({ event, actor, address, object, detail }: AuditEvent): void =>
    log.info({ event, actor, address, object, detail }, "audit");
  /** In a commit of its own, later: for what changes nothing else. Never throws. */
  const record = (what: AuditEvent): void => {
    logged(what);
    store
      .write((tx) => appendAudit(tx, keys, clock.now(), what))
      .catch((error: unknown) => log.error({ err: error, event: what.event }, "an entry of the audit was not written"));
  };

  return {
    /** Part of the unit of work that it records; call `logged` after the commit. */
    append: (tx: Tx, what: AuditEvent): Promise<unknown> => appendAudit(tx, keys, clock.now(), what),
    logged,
    record,
    /** As `record`, but at most once a minute for the same actor and address, so that a flood cannot fill the audit. */
    recordRefusal(what: AuditEvent): void {
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

/** See `createAuditLog`. */
export type AuditLog = ReturnType<typeof createAuditLog>;

/** Reserves the next `count` numbers, returns the last of them, and locks the head until the commit. */
const lockAuditHead = statement("audit_head_lock", (db, p: { count: number }) =>
  db
    .updateTable("audit_head")
    .set((set) => ({ seq: set("seq", "+", p.count) }))
    .where("id", "=", 1)
    .returning(["seq", "hash", "key_id"]),
);

/** The newest entry's number and the name of its key, locked until the commit. */
export const holdAuditHead = statement("audit_head_hold", (db) =>
  db.selectFrom("audit_head").select(["seq", "key_id"]).where("id", "=", 1).forUpdate(),
);

/**
 * Locks the audit's head until the commit, for rows that name the next entry before it is written; the keys are then those that this
 * entry will be under. @returns the newest entry's number.
 */
export async function holdAudit(tx: Tx, { under }: AuditKey): Promise<number> {
  const head = await tx.first(holdAuditHead({}));
  under?.(head?.key_id ?? null);
  return head?.seq ?? 0;
}

/** The entry with this number. */
export const auditEntry = statement("audit_entry", (db, p: { seq: number }) =>
  db.selectFrom("audit").select(auditColumns).where("seq", "=", p.seq),
);

const auditAt = (end: "first" | "newest") =>
  statement(`audit_event_${end}`, (db, p: { event: string }) =>
    db
      .selectFrom("audit")
      .select(auditColumns)
      .where("event", "=", p.event)
      .orderBy("seq", end === "first" ? "asc" : "desc")
      .limit(1),
  );
/** The first and the newest entry of an event. */
export const [firstAudit, newestAudit] = [auditAt("first"), auditAt("newest")];

/** The earliest time in an entry and those after it. */
export const earliestAuditSince = statement("audit_earliest_since", (db, p: { seq: number }) =>
  db
    .selectFrom("audit")
    .select((row) => row.fn.min<number | null>("at").as("at"))
    .where("seq", ">=", p.seq),
);

/** The newest entries of an event about an object, the newest first. */
export const auditAbout = statement("audit_about", (db, p: { readonly event: string; readonly object: string }) =>
  db
    .selectFrom("audit")
    .select(auditColumns)
    .where((row) => row.and({ event: p.event, object: p.object }))
    .orderBy("seq", "desc")
    .limit(20),
);

/** A day's line after an entry. @param p.object a pattern: of a month `% 2026-11`. */
export const lineSince = statement(
  "audit_line_since",
  (db, p: { dated: string; undated: string; object: string; seq: number }) =>
    db
      .selectFrom("audit")
      .select("seq")
      .where("event", "in", [p.dated, p.undated])
      .where("seq", ">", p.seq)
      .where("object", "like", p.object)
      .limit(1),
);

/** How many entries of an event there are about an object since a moment. */
export const countAuditSince = statement(
  "audit_count_since",
  (db, p: { event: string; object: string; since: number }) =>
    db
      .selectFrom("audit")
      .select((select) => select.fn.countAll<number>().as("count"))
      .where((row) => row.and({ event: p.event, object: p.object }))
      .where("at", ">=", p.since),
);

/** When an event was last written of each object. */
export const newestAuditByObject = statement("audit_newest_by_object", (db, p: { event: string }) =>
  db
    .selectFrom("audit")
    .select("object")
    .select((row) => row.fn.max("at").as("at"))
    .where("event", "=", p.event)
    .groupBy("object"),
);

/** Stores the newest entry's hash and the name of its key, while the head is locked. */
const setAuditHead = statement("audit_head_set", (db, p: { hash: string; key_id: string }) =>
  db.updateTable("audit_head").set({ hash: p.hash, key_id: p.key_id }).where("id", "=", 1),
);

/** From the next entry on the audit is under another key; locks the head. */
export const setAuditKey = statement("audit_key_set", (db, p: { key_id: string }) =>
  db.updateTable("audit_head").set({ key_id: p.key_id }).where("id", "=", 1),
);

/** The name of the key that the audit is under; null before its first entry. */
export async function auditKeyInUse(tx: Tx): Promise<string | null> {
  const head = await tx.first(auditHead({}));
  // Releases before 0.2 did not note it beside the head.
  return head?.key_id ?? (await tx.first(auditEntry({ seq: head?.seq ?? 0 })))?.key_id ?? null;
}

/** The newest entry's number and hash; number 0 and an empty hash before the first. */
export const auditHead = statement("audit_head", (db) =>
  db.selectFrom("audit_head").select(["seq", "hash", "key_id"]).where("id", "=", 1),
);

/** Adds an entry; entries are never changed. */
const insertAuditEntry = statement("audit_insert", (db, p: RowOf<"audit">) => insertRow(db, "audit", p));
const insertAuditEntries = (entries: readonly RowOf<"audit">[]) =>
  adhoc((db) => db.insertInto("audit").values(entries));

/** A page in order, after `after`. */
export const auditPage = statement(
  "audit_page",
  (db, p: { after: number; from: number; until: number; limit: number }) =>
    db
      .selectFrom("audit")
      .select(auditColumns)
      .where("seq", ">", p.after)
      .where("at", ">=", p.from)
      .where("at", "<", p.until)
      .orderBy("seq")
      .limit(p.limit),
);

/** Result of the verification; `head` is the newest entry's hash, for comparison with a copy kept elsewhere. */
type AuditCheck =
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
  visit: (entry: RowOf<"audit">) => void = () => {},
): Promise<AuditCheck> =>
  store.read(async (tx) => {
    let [seq, previous] = [0, ""];
    let [keyAt, underEarlierKeys] = [0, 0];
    const broken = (at: number, why: string): AuditCheck => ({ kind: "broken", at, why });
    for (;;) {
      const page = await tx.all(auditPage({ after: seq, from: 0, until: Number.MAX_SAFE_INTEGER, limit: pageSize }));
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
    const head = await tx.first(auditHead({}));
    if (head?.seq !== seq || head.hash !== previous) return broken(seq + 1, "was cut off");
    return { kind: "whole", entries: seq, underEarlierKeys, head: previous };
  });
