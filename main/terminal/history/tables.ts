/** The index's tables. Derived from the journal: losing them loses nothing. */
import { crc32 } from "node:zlib";
import type { DayReport, HistoryFilter, Outcome } from "../../../preload/contract.ts";
import type { JournalDatabase } from "../ports.ts";
import type { Receipt } from "../printing/receipt.ts";
import type { FigureRow } from "./figures.ts";
import { columns, type Placed, placed, valuesOf } from "./record.ts";

const schema = `
  CREATE TABLE mark (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, link TEXT NOT NULL) STRICT;
  CREATE TABLE withdrawal (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, transaction_id TEXT NOT NULL, partner_id TEXT NOT NULL,
    amount TEXT NOT NULL, currency TEXT NOT NULL, shop TEXT NOT NULL, minor INTEGER, at INTEGER NOT NULL,
    state TEXT NOT NULL, outcome TEXT, result TEXT NOT NULL, discrepancy TEXT, people TEXT NOT NULL,
    confirmed INTEGER NOT NULL, handed_out_at INTEGER, cleared TEXT
  ) STRICT;
  CREATE INDEX withdrawal_at ON withdrawal (at, place);
  CREATE INDEX withdrawal_transaction ON withdrawal (transaction_id);
  CREATE TABLE step (place INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (place, sequence)) STRICT, WITHOUT ROWID;
  CREATE TABLE receipt (place INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE person (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE day_report (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE day_note (number INTEGER NOT NULL, about TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (number, about)) STRICT, WITHOUT ROWID;
`;
/** Raised when a column comes to hold something else; a file of other columns is known by their text. */
const meaning = 4;
/** A file of another version is rebuilt. A signed number of 32 bits, as SQLite keeps it. */
const indexFormat = crc32(`${meaning}${schema}`) | 0;

/** All of them. */
const tableNames = [...schema.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name);

/** Makes them where there are none, or those of another version. */
const prepareTables = (database: JournalDatabase): void => {
  const format = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (format === indexFormat) return;
  for (const table of tableNames) database.exec(`DROP TABLE IF EXISTS ${table}`);
  database.exec(`${schema}PRAGMA user_version = ${indexFormat};`);
};

/** A half-open range of times, as the filter's days come to. */
interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

type Value = number | string;

/** Also what a person reads aloud or copies with spaces. */
const searched = (code: string): string => code.toUpperCase().replace(/[\s-]/g, "");
/** In this network's ids, letters that the alphabet leaves out are taken for their digits; another one's are as they are. */
const asTransactionId = (code: string): string => code.replace(/O/g, "0").replace(/[IL]/g, "1");

/** A list's conditions, and the values in them. */
const conditionsOf = (range: TimeRange, filter: HistoryFilter | undefined): [readonly string[], readonly Value[]] => {
  const conditions: [string, ...Value[]][] = [["at >= ? AND at < ?", range.fromMs, range.toMs]];
  if (filter?.result) conditions.push(["result = ?", filter.result]);
  if (filter?.cashier) conditions.push(["instr(people, ?) > 0", ` ${filter.cashier} `]);
  const code = searched(filter?.code ?? "");
  if (code !== "")
    conditions.push([
      "(instr(transaction_id, ?) > 0 OR instr(upper(transaction_id), ?) > 0 OR instr(replace(upper(partner_id), '-', ''), ?) > 0)",
      asTransactionId(code),
      code,
      code,
    ]);
  return [conditions.map(([text]) => text), conditions.flatMap(([, ...values]) => values)];
};

/** Where a list goes on: behind the withdrawal with this time and place. */
export interface Cursor {
  readonly atMs: number;
  readonly place: number;
}

/** How far the index has read the journal. */
interface Mark {
  readonly sequence: number;
  readonly link: string;
}

/** Of the file as a whole. */
const wholeFile = (database: JournalDatabase) => {
  const saveMark = database.prepare("INSERT OR REPLACE INTO mark (one, sequence, link) VALUES (1, ?, ?)");
  return {
    mark(): Mark | null {
      const row = database.prepare("SELECT sequence, link FROM mark").get();
      return row === undefined ? null : { sequence: Number(row.sequence), link: String(row.link) };
    },
    saveMark: ({ sequence, link }: Mark): void => void saveMark.run(sequence, link),
    /** Forgets everything. */
    clear(): void {
      for (const table of tableNames) database.exec(`DELETE FROM ${table}`);
    },
    /** All of it or nothing. */
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
  };
};

/** Withdrawals one by one: what the index is made with, and what is asked by an id. */
const singleWithdrawals = (database: JournalDatabase) => {
  const byId = database.prepare(`SELECT ${columns} FROM withdrawal WHERE id = ?`);
  const byTransaction = database.prepare(
    `SELECT ${columns} FROM withdrawal WHERE transaction_id = ? ORDER BY place DESC LIMIT 1`,
  );
  const save = database.prepare(
    `INSERT OR REPLACE INTO withdrawal (${columns}) VALUES (${columns.replace(/\w+/g, "?")})`,
  );
  const lastPlace = database.prepare("SELECT max(place) AS place FROM withdrawal");
  const addStep = database.prepare("INSERT OR IGNORE INTO step (place, sequence) VALUES (?, ?)");
  const addPerson = database.prepare("INSERT OR IGNORE INTO person (code) VALUES (?)");
  return {
    find(withdrawalId: string): Placed | null {
      const row = byId.get(withdrawalId);
      return row === undefined ? null : placed(row);
    },
    findTransaction(transactionId: string): Placed | null {
      const row = byTransaction.get(transactionId);
      return row === undefined ? null : placed(row);
    },
    nextPlace: (): number => Number(lastPlace.get()?.place ?? 0) + 1,
    save(one: Placed): void {
      for (const code of one.record.people) addPerson.run(code);
      save.run(...valuesOf(one));
    },
    people: (): readonly string[] =>
      database
        .prepare("SELECT code FROM person ORDER BY code")
        .all()
        .map((row) => String(row.code)),
    addStep: (place: number, sequence: number): void => void addStep.run(place, sequence),
    steps: (place: number): readonly number[] =>
      database
        .prepare("SELECT sequence FROM step WHERE place = ? ORDER BY sequence")
        .all(place)
        .map((row) => Number(row.sequence)),
  };
};

/** What is printed once more. */
const papers = (database: JournalDatabase) => {
  const saveReceipt = database.prepare("INSERT OR REPLACE INTO receipt (place, body) VALUES (?, ?)");
  const saveDay = database.prepare("INSERT OR REPLACE INTO day_report (number, body) VALUES (?, ?)");
  const saveDayNote = database.prepare("INSERT OR REPLACE INTO day_note (number, about, body) VALUES (?, ?, ?)");
  const dayNotes = database.prepare("SELECT body FROM day_note WHERE number = ? ORDER BY about DESC");
  return {
    saveReceipt: (place: number, receipt: Receipt): void => void saveReceipt.run(place, JSON.stringify(receipt)),
    receipt(place: number): Receipt | null {
      const row = database.prepare("SELECT body FROM receipt WHERE place = ?").get(place);
      return row === undefined ? null : (JSON.parse(String(row.body)) as Receipt);
    },
    saveDay: (report: DayReport): void => void saveDay.run(report.number, JSON.stringify(report)),
    saveDayNote: (day: number, note: DayReport["clearedUp"][number]): void =>
      void saveDayNote.run(day, note.about, JSON.stringify(note)),
    /** Newest first, with what a manager noted about them. */
    days: (limit: number): readonly DayReport[] =>
      database
        .prepare("SELECT body FROM day_report ORDER BY number DESC LIMIT ?")
        .all(limit)
        .map((row) => JSON.parse(String(row.body)) as DayReport)
        .map((report) => ({
          ...report,
          clearedUp: dayNotes.all(report.number).map((row) => JSON.parse(String(row.body))),
        })),
  };
};

const number = (value: unknown): number | null => (value === null ? null : Number(value));

/** Withdrawals of a time. */
const ranges = (database: JournalDatabase) => {
  const figureRows = database.prepare(
    "SELECT at, place, minor, currency, outcome FROM withdrawal WHERE (at, place) > (?, ?) AND at < ? ORDER BY at, place LIMIT ?",
  );
  return {
    /** Newest first, those before the cursor. */
    list(range: TimeRange, filter: HistoryFilter | undefined, before: Cursor | null, limit: number): readonly Placed[] {
      const [texts, values] = conditionsOf(range, filter);
      const where = [...texts, ...(before === null ? [] : ["(at, place) < (?, ?)"])].join(" AND ");
      return database
        .prepare(`SELECT ${columns} FROM withdrawal WHERE ${where} ORDER BY at DESC, place DESC LIMIT ?`)
        .all(...values, ...(before === null ? [] : [before.atMs, before.place]), limit)
        .map(placed);
    },
    /** What the figures count, oldest first, those behind the cursor: a slice at a time. */
    figureRows: (toMs: number, after: Cursor, limit: number): readonly (FigureRow & Cursor)[] =>
      figureRows.all(after.atMs, after.place, toMs, limit).map((row) => ({
        atMs: Number(row.at),
        place: Number(row.place),
        minor: number(row.minor),
        currency: String(row.currency),
        outcome: row.outcome as Outcome | null,
      })),
    /** Records of a time, oldest first, those behind the cursor: a slice at a time. */
    records: (toMs: number, after: Cursor, limit: number): readonly Placed[] =>
      database
        .prepare(`SELECT ${columns} FROM withdrawal WHERE (at, place) > (?, ?) AND at < ? ORDER BY at, place LIMIT ?`)
        .all(after.atMs, after.place, toMs, limit)
        .map(placed),
  };
};

/** The statements over one open database. */
export const openTables = (database: JournalDatabase) => {
  prepareTables(database);
  return {
    ...wholeFile(database),
    ...singleWithdrawals(database),
    ...papers(database),
    ...ranges(database),
  };
};

/** The index's tables. */
export type Tables = ReturnType<typeof openTables>;
