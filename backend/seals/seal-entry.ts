/**
 * Seals: audit entries with a digest of rows of the history, so that deleting rows, tails or whole withdrawals shows. A row
 * names the entry that seals it; a mark says that everything sealed before it was accepted as it was found.
 */
import type { AuditEvent } from "../access/audit.ts";
import type { Hmac } from "../hmac.ts";
import type { WithdrawalEventsTable } from "../store/tables/withdrawals.ts";

/** The audit's event of a seal. */
export const sealEvent = "history_sealed";
/** The audit's event of a mark; the operator's command `audit accept` makes one too. */
export const markEvents = { service: "history_chained", operator: "audit accept" } as const;

/** What the detail of a seal's entry says. */
export interface Seal {
  readonly rows: number;
  readonly digest: string;
  /** The seal that this one replaces for the rows left by a purge; null for rows that had none. */
  readonly insteadOf: number | null;
}

const inOrder = (a: WithdrawalEventsTable, b: WithdrawalEventsTable): number =>
  a.sequence - b.sequence || (a.transaction_id < b.transaction_id ? -1 : 1);

const lineOf = (row: WithdrawalEventsTable): string => {
  const { transaction_id, sequence, kind, at, from_status, to_status, actor, actor_id } = row;
  const { request_id, reason, attempt, cashier, hash } = row;
  const what = [transaction_id, sequence, kind, at, from_status, to_status, actor, actor_id];
  return `${JSON.stringify([...what, request_id, reason, attempt, cashier, hash])}\n`;
};

/** One HMAC over every column of the rows, in an order of their own. @param hmac of the history. */
export const digestOf = (hmac: Hmac, rows: readonly WithdrawalEventsTable[]): string =>
  hmac(rows.toSorted(inOrder).map(lineOf).join(""));

const byService = { actor: "service", address: null, object: "history" } as const;

/** A seal as an entry of the audit. */
export const sealEntry = ({ rows, digest, insteadOf }: Seal): AuditEvent => ({
  ...byService,
  event: sealEvent,
  detail: `${rows} rows ${digest}${insteadOf === null ? "" : ` instead of ${insteadOf}`}`,
});

/** A mark as an entry of the audit. */
export const markEntry: AuditEvent = { ...byService, event: markEvents.service, detail: null };

/** @param detail of an entry `history_sealed`; null where it is none of ours. */
export const readSeal = (detail: string | null): Seal | null => {
  const found = /^(\d+) rows ([\w-]{43})(?: instead of (\d+))?$/.exec(detail ?? "");
  if (found === null) return null;
  const [, rows, digest = "", insteadOf] = found;
  return { rows: Number(rows), digest, insteadOf: insteadOf === undefined ? null : Number(insteadOf) };
};
