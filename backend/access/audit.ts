/**
 * The audit: who did what to access, each entry chained to the one before by an HMAC, so that rewriting, deleting and
 * cutting off show (conventions, "Extensions"). Written in the commit of what it records.
 */
import { createHmac } from "node:crypto";
import type { ChainKeys } from "../context.ts";
import { one, run, type UnitOfWork } from "../store/store.ts";
import type { AuditTable } from "../store/tables/access.ts";
import { insertAuditEntry, lockAuditHead, setAuditHead } from "./audit-store.ts";

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
}

/** Longest text of a column, since some come from callers. */
const textMax = 400;

/** The key that chains the audit, and the name under which entries say which key it was. */
export type AuditKey = Pick<ChainKeys, "audit" | "auditKeyId">;
type Unchained = Omit<AuditTable, "hash">;

/** The columns that are chained, in this order; leaving one out is a type error. A later one goes in only where it is not null. */
const isChained: Readonly<Record<keyof Unchained, true>> = {
  seq: true,
  at: true,
  event: true,
  actor: true,
  address: true,
  object: true,
  detail: true,
  key_id: true,
};
const chainedColumns = Object.keys(isChained) as readonly (keyof Unchained)[];

/** The HMAC-SHA-256 over `previous` and every column; base64url. */
export const auditHash = (key: Buffer, previous: string, entry: Unchained): string => {
  const text = JSON.stringify([previous, ...chainedColumns.map((column) => entry[column])]);
  return createHmac("sha256", key).update(text).digest("base64url");
};

/** Appends an entry; concurrent ones take turns by the lock on the head. @returns the new entry. */
export function* appendAudit(key: AuditKey, now: number, what: AuditEvent): UnitOfWork<AuditTable> {
  const head = yield* one(lockAuditHead({}));
  if (head === undefined) throw new Error("the audit has lost its head");
  const short = (text: string) => text.slice(0, textMax);
  const entry: Unchained = {
    seq: head.seq,
    at: now,
    event: short(what.event),
    actor: short(what.actor),
    address: what.address === null ? null : short(what.address),
    object: short(what.object),
    detail: what.detail === null ? null : short(what.detail),
    key_id: key.auditKeyId,
  };
  const chained: AuditTable = { ...entry, hash: auditHash(key.audit, head.hash, entry) };
  yield* run(insertAuditEntry({ ...chained }));
  yield* run(setAuditHead({ hash: chained.hash }));
  return chained;
}
