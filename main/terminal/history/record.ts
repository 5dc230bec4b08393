/** One withdrawal as the history has it, and what each of its events changes. Pure. */
import { parseAmount } from "../../../backend/contract/money.ts";
import type { Cleared, HistoryResult, Outcome } from "../../../preload/contract.ts";
import type { AboutWithdrawal, RecordedEvent } from "../withdrawal/events.ts";
import type { Facts } from "../withdrawal/withdrawal.ts";

/** All that a list, the figures and the books need of a withdrawal. Times in milliseconds since the epoch by the terminal's clock. */
export interface WithdrawalRecord {
  readonly facts: Facts;
  /** Null for an amount that is none. */
  readonly minor: number | null;
  /** When its first entry was written: the press on confirm or reject. */
  readonly atMs: number;
  readonly state: string;
  readonly outcome: Outcome | null;
  readonly discrepancy: string | null;
  /** A manager's word about all that was a problem so far. */
  readonly cleared: Cleared | null;
  readonly people: readonly string[];
  /** Whether the service said that it took this terminal's confirm. */
  readonly isConfirmed: boolean;
  /** When the cash was handed over; null as long as it was not. */
  readonly handedOutAtMs: number | null;
}

const stateAfter = (event: AboutWithdrawal, before: string): string => {
  switch (event.type) {
    case "discrepancy":
    case "report_refused":
      return before;
    case "report_accepted":
      return event.report === "link" ? "linked" : event.report === "undelivered" ? "undelivered" : before;
    case "decided":
      return event.decision === "leave_to_books" ? "closed" : event.decision;
    default:
      return event.type;
  }
};

const outcomeAfter = (event: AboutWithdrawal, before: Outcome | null): Outcome | null => {
  if (event.type === "closed") return event.outcome;
  if (event.type === "decided") {
    if (event.decision !== "leave_to_books") return event.decision;
    // Nobody reports it any more; what was said of its cash stays said.
    return before === "handed_out" || before === "not_handed_out" ? before : "unclear";
  }
  return event.type === "handed_out" || event.type === "not_handed_out" ? event.type : before;
};

const discrepancyIn = (event: AboutWithdrawal): string | null => {
  if (event.type === "discrepancy") return event.about;
  if (event.type === "report_refused" && event.report !== "reject") return `${event.report}_refused`;
  return event.type === "decided" && event.decision === "leave_to_books" ? "left_to_books" : null;
};

const isUnclearEnd = (event: AboutWithdrawal): boolean => event.type === "closed" && event.outcome === "unclear";

const isPerson = (code: string | undefined): code is string => code !== undefined && /^[MC]\d+$/.test(code);

const isHandOut = (event: AboutWithdrawal): boolean =>
  event.type === "handed_out" || (event.type === "decided" && event.decision === "handed_out");

const begun = (of: Facts, atMs: number): WithdrawalRecord => ({
  facts: of,
  minor: parseAmount(of.amount, of.currency),
  atMs,
  state: "begun",
  outcome: null,
  discrepancy: null,
  cleared: null,
  people: [],
  isConfirmed: false,
  handedOutAtMs: null,
});

/** The record after one more event. @param before null for the first. @param atMs when it was written. */
export const recordAfter = (
  before: WithdrawalRecord | null,
  event: AboutWithdrawal & Pick<RecordedEvent, "actor">,
  atMs: number,
): WithdrawalRecord => {
  const record = before ?? begun(event.of, atMs);
  const { actor } = event;
  const handedOut = record.handedOutAtMs === null && isHandOut(event);
  const found = discrepancyIn(event);
  return {
    ...record,
    facts: event.of,
    minor: parseAmount(event.of.amount, event.of.currency),
    state: stateAfter(event, record.state),
    outcome: outcomeAfter(event, record.outcome),
    discrepancy: found === null ? record.discrepancy : [record.discrepancy, found].filter(Boolean).join(", "),
    cleared: found === null && !isUnclearEnd(event) ? record.cleared : null,
    people: isPerson(actor) && !record.people.includes(actor) ? [...record.people, actor] : record.people,
    isConfirmed: record.isConfirmed || event.type === "confirm_accepted" || event.type === "settled",
    handedOutAtMs: handedOut ? atMs : record.handedOutAtMs,
  };
};

/** Whether something about it was a problem, in the core's words; null for none. */
export const notedOf = ({ outcome, discrepancy }: Pick<WithdrawalRecord, "outcome" | "discrepancy">): string | null =>
  discrepancy ?? (outcome === "unclear" ? "unclear" : null);

/** What a withdrawal came to. */
export const resultOf = (record: Pick<WithdrawalRecord, "outcome" | "discrepancy" | "cleared">): HistoryResult => {
  const { outcome, cleared } = record;
  const noted = notedOf(record);
  if (noted !== null && cleared === null) return "to_clear";
  if (outcome === null) return "open";
  if (noted !== null) return "cleared";
  return outcome === "handed_out" || outcome === "not_handed_out" ? outcome : "ended";
};

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
    handedOutAtMs: number(row.handed_out_at),
  },
});

/** The columns, in the order of `valuesOf`. */
export const columns =
  "place, id, transaction_id, partner_id, amount, currency, shop, minor, at, state, outcome, result, discrepancy, people, confirmed, handed_out_at, cleared";

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
    record.handedOutAtMs,
    record.cleared && JSON.stringify(record.cleared),
  ];
};
