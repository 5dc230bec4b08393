/** The journal as a file for auditors: one line an entry, as JSON or as CSV that no spreadsheet takes for a formula. */
import { csvLine } from "../../backend/contract/csv.ts";
import type { JournalEntry } from "../terminal/ports.ts";

const columns = ["sequence", "at", "type", "withdrawal", "transaction", "partner_id", "amount", "currency", "detail"];

const text = (value: unknown): string => (typeof value === "string" || typeof value === "number" ? String(value) : "");

const parse = (body: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return { type: "damaged", detail: body };
  }
};

/** In the order of `columns`. */
const cellsOf = (entry: JournalEntry): readonly string[] => {
  const { type, of, ...rest } = parse(entry.body);
  const facts = typeof of === "object" && of !== null ? (of as Record<string, unknown>) : {};
  const detail = type === "checkpoint" || Object.keys(rest).length === 0 ? "" : JSON.stringify(rest);
  const { withdrawalId, transactionId, partnerId, amount, currency } = facts;
  const said = [type, withdrawalId, transactionId, partnerId, amount, currency].map(text);
  return [String(entry.sequence), new Date(entry.at).toISOString(), ...said, detail];
};

/** RFC 4180 lines with a head; a cell that a spreadsheet would take for a formula gets an apostrophe. */
export const toCsv = function* (entries: Iterable<JournalEntry>): Generator<string> {
  yield csvLine(columns);
  for (const entry of entries) yield csvLine(cellsOf(entry));
};

/** One JSON array, an entry a line; the body as it was written. */
export const toJson = function* (entries: Iterable<JournalEntry>): Generator<string> {
  let separator = "[\n";
  for (const { sequence, at, body } of entries) {
    const line = { sequence, at: new Date(at).toISOString(), entry: parse(body) };
    yield separator + JSON.stringify(line);
    separator = ",\n";
  }
  yield separator === "[\n" ? "[]\n" : "\n]\n";
};
