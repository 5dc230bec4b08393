/** The history's index: its tables, its record of a withdrawal, and how events change it. Derived from the journal, so it can be rebuilt. */
import { crc32 } from "node:zlib";
import { parseAmount } from "../../../backend/contract/money.ts";
import type { Cleared, DayReport, HistoryFilter, HistoryResult, Outcome } from "../../../preload/contract.ts";
import type { JournalDatabase, JournalHead } from "../ports.ts";
import type { Receipt } from "../printing/paper.ts";
import { type AboutWithdrawal, isHandOut, type RecordedEvent } from "../withdrawal/events.ts";
import { isPersonCode } from "../withdrawal/people-seen.ts";
import { wordForBooks } from "../withdrawal/problems.ts";
import type { Facts } from "../withdrawal/withdrawal.ts";

const outcomeAfter = (event: AboutWithdrawal, before: Outcome | null): Outcome | null => {
  if (event.type === "closed") return event.outcome;
  if (event.type === "decided") {
    if (event.decision !== "leave_to_books") return event.decision;
    // What was stated about its cash stays.
    return before === "handed_out" || before === "not_handed_out" ? before : "unclear";
  }
  return event.type === "handed_out" || event.type === "not_handed_out" ? event.type : before;
};

const begun = (of: Facts, atMs: number) => ({
  facts: of,
  /** Null if the amount cannot be parsed. */
  minor: parseAmount(of.amount, of.currency),
  /** When its first entry was written: at the press of confirm or reject. */
  atMs,
  /** Which final report the service accepted; null: none yet. */
  taken: null as "link" | "undelivered" | null,
  outcome: null as Outcome | null,
  discrepancy: null as string | null,
  /** A manager's note about all problems so far. */
  cleared: null as Cleared | null,
  people: [] as readonly string[],
  /** Whether the service accepted this terminal's confirm. */
  isConfirmed: false,
  handedOutAtMs: null as number | null,
});
/** What lists, figures and books need of a withdrawal. Times in milliseconds since the epoch by the terminal's clock. */
export type WithdrawalRecord = Readonly<ReturnType<typeof begun>>;

/** The record after one more event. @param before null for the first event. @param atMs when the event was written. */
export const recordAfter = (
  before: WithdrawalRecord | null,
  event: AboutWithdrawal & Pick<RecordedEvent, "actor">,
  atMs: number,
): WithdrawalRecord => {
  const record = before ?? begun(event.withdrawal, atMs);
  const actor = event.actor ?? null;
  const handedOut = record.handedOutAtMs === null && isHandOut(event);
  const word = wordForBooks(event);
  const found = event.type === "closed" ? null : word;
  return {
    ...record,
    facts: event.withdrawal,
    minor: parseAmount(event.withdrawal.amount, event.withdrawal.currency),
    taken: event.type === "report_accepted" && event.report !== "reject" ? event.report : record.taken,
    outcome: outcomeAfter(event, record.outcome),
    discrepancy: found === null ? record.discrepancy : [record.discrepancy, found].filter(Boolean).join(", "),
    cleared: word === null ? record.cleared : null,
    people: isPersonCode(actor) && !record.people.includes(actor) ? [...record.people, actor] : record.people,
    isConfirmed: record.isConfirmed || event.type === "confirm_accepted" || event.type === "settled",
    handedOutAtMs: handedOut ? atMs : record.handedOutAtMs,
  };
};

/** The problems of a withdrawal in the core's words, or null. */
export const notedOf = ({ outcome, discrepancy }: Pick<WithdrawalRecord, "outcome" | "discrepancy">): string | null =>
  discrepancy ?? (outcome === "unclear" ? "unclear" : null);

/** Result of a withdrawal for the history. */
export const resultOf = (record: Pick<WithdrawalRecord, "outcome" | "discrepancy" | "cleared">): HistoryResult => {
  const { outcome, cleared } = record;
  const noted = notedOf(record);
  if (noted !== null && cleared === null) return "to_clear";
  if (outcome === null) return "open";
  if (noted !== null) return "cleared";
  return outcome === "handed_out" || outcome === "not_handed_out" ? outcome : "ended";
};

/** A record with its place in the order of beginning. */
export interface Placed {
  readonly place: number;
  readonly record: WithdrawalRecord;
}

const placed = (row: Record<string, unknown>): Placed => ({ place: Number(row.place), record: bodyIn(row) });
const bodyIn = <T>({ body }: Record<string, unknown>): T => JSON.parse(String(body)) as T;

const schema = `
  CREATE TABLE mark (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, link TEXT NOT NULL) STRICT;
  CREATE TABLE withdrawal (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, transaction_id TEXT NOT NULL, terminal_reference TEXT NOT NULL,
    currency TEXT NOT NULL, minor INTEGER, at INTEGER NOT NULL, outcome TEXT, result TEXT NOT NULL, people TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX withdrawal_at ON withdrawal (at, place);
  CREATE INDEX withdrawal_transaction ON withdrawal (transaction_id);
  CREATE TABLE step (place INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (place, sequence)) STRICT, WITHOUT ROWID;
  CREATE TABLE receipt (place INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE person (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE day_report (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE day_note (number INTEGER NOT NULL, about TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (number, about)) STRICT, WITHOUT ROWID;
`;
/** Raised when a column changes its meaning or what is stored in it; other changes show in the text of the schema. */
const meaning = 6;
/** A file with another format is rebuilt. A signed 32-bit number, as SQLite stores it. */
const indexFormat = crc32(`${meaning}${schema}`) | 0;

const tableNames = [...schema.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name);

/** Creates the tables if they are missing or of another format. */
const prepareTables = (database: JournalDatabase): void => {
  const format = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (format === indexFormat) return;
  for (const table of tableNames) database.exec(`DROP TABLE IF EXISTS ${table}`);
  database.exec(`${schema}PRAGMA user_version = ${indexFormat};`);
};

interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

type Value = number | string;

/** Normalises a code that was dictated or copied with spaces. */
const searched = (code: string): string => code.toUpperCase().replace(/[\s-]/g, "");
/** Reads letters that this network's alphabet leaves out as digits; ids of other networks are matched as typed. */
const asTransactionId = (code: string): string => code.replace(/O/g, "0").replace(/[IL]/g, "1");

const conditionsOf = (range: TimeRange, filter: HistoryFilter | undefined): [readonly string[], readonly Value[]] => {
  const conditions: [string, ...Value[]][] = [["at >= ? AND at < ?", range.fromMs, range.toMs]];
  if (filter?.result) conditions.push(["result = ?", filter.result]);
  if (filter?.cashier) conditions.push(["instr(people, ?) > 0", ` ${filter.cashier} `]);
  const code = searched(filter?.code ?? "");
  conditions.push([
    "(instr(transaction_id, ?) > 0 OR instr(upper(transaction_id), ?) > 0 OR instr(replace(upper(terminal_reference), '-', ''), ?) > 0)",
    asTransactionId(code),
    code,
    code,
  ]);
  return [conditions.map(([text]) => text), conditions.flatMap(([, ...values]) => values)];
};

const select = "SELECT place, body FROM withdrawal";
// Numbers from JavaScript are floats in SQLite, hence the CAST.
const groups = `SELECT CAST((at - ?1) / ?3 AS INTEGER) AS slot, currency, outcome, count(*) AS count, count(minor) AS amounts, sum(minor) AS sum
  FROM withdrawal WHERE at >= ?1 AND at < ?2 GROUP BY 1, 2, 3`;

/** The index in one open database. */
export const openTables = (database: JournalDatabase) => {
  prepareTables(database);
  const statements = new Map<string, ReturnType<JournalDatabase["prepare"]>>();
  const sql = (text: string): ReturnType<JournalDatabase["prepare"]> => {
    const statement = statements.get(text) ?? database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  const first = <T>(row: Record<string, unknown> | undefined, read: (row: Record<string, unknown>) => T): T | null =>
    row === undefined ? null : read(row);

  return {
    mark: () =>
      first(sql("SELECT sequence, link FROM mark").get(), ({ sequence, link }) => ({
        sequence: Number(sequence),
        link: String(link),
      })),
    saveMark: ({ sequence, hash }: Pick<JournalHead, "sequence" | "hash">): void =>
      void sql("INSERT OR REPLACE INTO mark (one, sequence, link) VALUES (1, ?, ?)").run(sequence, hash),
    clear(): void {
      for (const table of tableNames) database.exec(`DELETE FROM ${table}`);
    },
    inTransaction(work: () => void): void {
      database.exec("BEGIN");
      try {
        work();
        database.exec("COMMIT");
      } catch (error) {
        if (database.isTransaction) database.exec("ROLLBACK");
        throw error;
      }
    },
    close: (): void => database.close(),

    find: (withdrawalId: string): Placed | null => first(sql(`${select} WHERE id = ?`).get(withdrawalId), placed),
    findTransaction: (transactionId: string): Placed | null =>
      first(sql(`${select} WHERE transaction_id = ? ORDER BY place DESC LIMIT 1`).get(transactionId), placed),
    nextPlace: (): number => Number(sql("SELECT max(place) AS place FROM withdrawal").get()?.place ?? 0) + 1,
    /** The columns are for queries; the body is the whole record. */
    save({ place, record }: Placed): void {
      const { facts, people, minor, atMs, outcome } = record;
      const { withdrawalId, transactionId, terminalReference, currency } = facts;
      const said = [currency, minor, atMs, outcome, resultOf(record), ` ${people.join(" ")} `, JSON.stringify(record)];
      for (const code of people) sql("INSERT OR IGNORE INTO person (code) VALUES (?)").run(code);
      sql(
        `INSERT OR REPLACE INTO withdrawal (place, id, transaction_id, terminal_reference, currency, minor, at, outcome, result, people, body)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(place, withdrawalId, transactionId, terminalReference, ...said);
    },
    people: (): readonly string[] =>
      sql("SELECT code FROM person ORDER BY code")
        .all()
        .map(({ code }) => String(code)),
    addStep: (place: number, sequence: number): void =>
      void sql("INSERT OR IGNORE INTO step (place, sequence) VALUES (?, ?)").run(place, sequence),
    steps: (place: number): readonly number[] =>
      sql("SELECT sequence FROM step WHERE place = ? ORDER BY sequence")
        .all(place)
        .map(({ sequence }) => Number(sequence)),

    saveReceipt: (place: number, receipt: Receipt): void =>
      void sql("INSERT OR REPLACE INTO receipt (place, body) VALUES (?, ?)").run(place, JSON.stringify(receipt)),
    receipt: (place: number): Receipt | null =>
      first(sql("SELECT body FROM receipt WHERE place = ?").get(place), bodyIn<Receipt>),
    saveDay: (report: DayReport): void =>
      void sql("INSERT OR REPLACE INTO day_report (number, body) VALUES (?, ?)").run(
        report.number,
        JSON.stringify(report),
      ),
    saveDayNote: (day: number, note: DayReport["clearedUp"][number]): void =>
      void sql("INSERT OR REPLACE INTO day_note (number, about, body) VALUES (?, ?, ?)").run(
        day,
        note.about,
        JSON.stringify(note),
      ),
    /** Newest first, from the day `newest` back. */
    days: (newest: number, limit: number): readonly DayReport[] =>
      sql("SELECT body FROM day_report WHERE number <= ? ORDER BY number DESC LIMIT ?")
        .all(newest, limit)
        .map((row): DayReport => bodyIn(row))
        .map((report) => {
          const notes = sql("SELECT body FROM day_note WHERE number = ? ORDER BY about DESC").all(report.number);
          return { ...report, clearedUp: notes.map((row): DayReport["clearedUp"][number] => bodyIn(row)) };
        }),

    /** Newest first. @param before the withdrawal after which the list goes on. */
    list(range: TimeRange, filter: HistoryFilter | undefined, before: Placed | null, limit: number): readonly Placed[] {
      const [texts, values] = conditionsOf(range, filter);
      const where = [...texts, ...(before === null ? [] : ["(at, place) < (?, ?)"])].join(" AND ");
      return sql(`${select} WHERE ${where} ORDER BY at DESC, place DESC LIMIT ?`)
        .all(...values, ...(before === null ? [] : [before.record.atMs, before.place]), limit)
        .map(placed);
    },
    /** The withdrawals of a day in groups with the same currency and outcome, by slots of `slotMs`. */
    figureGroups: (fromMs: number, toMs: number, slotMs: number) =>
      sql(groups)
        .all(fromMs, toMs, slotMs)
        .map((row) => ({
          slot: Number(row.slot),
          currency: String(row.currency),
          outcome: row.outcome as Outcome | null,
          count: Number(row.count),
          /** Number of those with a known amount, and their sum. */
          amounts: Number(row.amounts),
          sumMinor: Number(row.sum),
        })),
    records: (fromMs: number, toMs: number): readonly WithdrawalRecord[] =>
      sql(`${select} WHERE at >= ? AND at < ? ORDER BY at, place`)
        .all(fromMs, toMs)
        .map((row) => placed(row).record),
  };
};

/** See `openTables`. */
export type Tables = ReturnType<typeof openTables>;
