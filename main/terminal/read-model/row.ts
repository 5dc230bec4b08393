/** A withdrawal's record as a row of the index, and back. */
import type { Cleared, Outcome } from "../../../preload/contract.ts";
import { resultOf, type WithdrawalRecord } from "./record.ts";

/** A record with its place in the order in which they began. */
export interface Placed {
  readonly place: number;
  readonly record: WithdrawalRecord;
}

const number = (value: unknown): number | null => (value === null ? null : Number(value));

/** A row back as a record. */
export const placed = (row: Record<string, unknown>): Placed => ({
  place: Number(row.place),
  record: {
    facts: {
      withdrawalId: String(row.id),
      transactionId: String(row.transaction_id),
      partnerId: String(row.partner_id),
      amount: String(row.amount),
      currency: String(row.currency),
      shop: String(row.shop),
    },
    minor: number(row.minor),
    atMs: Number(row.at),
    state: String(row.state),
    outcome: row.outcome === null ? null : (String(row.outcome) as Outcome),
    discrepancy: row.discrepancy === null ? null : String(row.discrepancy),
    cleared: row.cleared === null ? null : (JSON.parse(String(row.cleared)) as Cleared),
    people: String(row.people).split(" ").filter(Boolean),
    isConfirmed: row.confirmed === 1,
    scannedAtMs: number(row.scanned_at),
    approvalMs: number(row.approval_ms),
    handedOutAtMs: number(row.handed_out_at),
    cashMs: number(row.cash_ms),
  },
});

/** The columns, in the order of `valuesOf`. */
export const columns =
  "place, id, transaction_id, partner_id, amount, currency, shop, minor, at, state, outcome, result, discrepancy, people, confirmed, scanned_at, approval_ms, handed_out_at, cash_ms, cleared";

/** What is written into `columns`. */
export const valuesOf = ({ place, record }: Placed): readonly (number | string | null)[] => {
  const { facts } = record;
  return [
    place,
    facts.withdrawalId,
    facts.transactionId,
    facts.partnerId,
    facts.amount,
    facts.currency,
    facts.shop,
    record.minor,
    record.atMs,
    record.state,
    record.outcome,
    resultOf(record),
    record.discrepancy,
    ` ${record.people.join(" ")} `,
    record.isConfirmed ? 1 : 0,
    record.scannedAtMs,
    record.approvalMs,
    record.handedOutAtMs,
    record.cashMs,
    record.cleared && JSON.stringify(record.cleared),
  ];
};
