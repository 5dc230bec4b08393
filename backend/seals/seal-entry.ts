/**
 * Seals: audit entries with a digest of rows of the history, so that deleting rows, tails or whole withdrawals shows. A row
 * names the entry that seals it; a mark says that everything sealed before it was accepted as it was found.
 */
import type { AuditEvent } from "../access/audit.ts";
import type { Hmac } from "../context.ts";
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

/** The columns that a seal holds, in this order; leaving one out is a type error. A later one goes in only where it is not null. */
const isSealed: Readonly<Record<Exclude<keyof WithdrawalEventsTable, "seal">, true>> = {
  transaction_id: true,
  sequence: true,
  kind: true,
  at: true,
  from_status: true,
  to_status: true,
  actor: true,
  actor_id: true,
  request_id: true,
  reason: true,
  attempt: true,
  cashier: true,
  hash: true,
};
const sealedColumns = Object.keys(isSealed) as readonly (keyof typeof isSealed)[];

const lineOf = (row: WithdrawalEventsTable): string =>
  `${JSON.stringify(sealedColumns.map((column) => row[column]))}\n`;

/** One HMAC over every column of the rows but their seal, in an order of their own. @param hmac of the history. */
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
