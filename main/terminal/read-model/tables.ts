/** The index's tables and every statement on them. Derived from the journal: losing it loses nothing. */
import type { Cleared, DayReport, HistoryFilter, Outcome } from "../../../preload/contract.ts";
import type { JournalDatabase } from "../database-port.ts";
import type { Receipt } from "../receipts/receipt-schema.ts";
import { resultOf, type WithdrawalRecord } from "./record.ts";

/** A file of another version is made anew. */
const indexFormat = 2;

const schema = `
  CREATE TABLE mark (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, link TEXT NOT NULL) STRICT;
  CREATE TABLE withdrawal (
    place INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, transaction_id TEXT NOT NULL, partner_id TEXT NOT NULL,
    amount TEXT NOT NULL, currency TEXT NOT NULL, shop TEXT NOT NULL, minor INTEGER, at INTEGER NOT NULL,
    state TEXT NOT NULL, outcome TEXT, result TEXT NOT NULL, discrepancy TEXT, people TEXT NOT NULL,
    confirmed INTEGER NOT NULL, scanned_at INTEGER, approval_ms INTEGER, handed_out_at INTEGER, cash_ms INTEGER,
    cleared TEXT
  ) STRICT;
  CREATE INDEX withdrawal_at ON withdrawal (at, place);
  CREATE INDEX withdrawal_transaction ON withdrawal (transaction_id);
  CREATE TABLE step (place INTEGER NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (place, sequence)) STRICT, WITHOUT ROWID;
  CREATE TABLE receipt (place INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE person (code TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE day_report (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
  PRAGMA user_version = ${indexFormat};
`;
const tables = ["mark", "withdrawal", "step", "receipt", "person", "day_report"];

/** Where a list goes on: behind the withdrawal with this time and place. */
export interface Cursor {
  readonly atMs: number;
  readonly place: number;
}

/** A record with its place in the order in which they began. */
export interface Placed {
  readonly place: number;
  readonly record: WithdrawalRecord;
}

/** How far the index has read the journal. */
export interface Mark {
  readonly sequence: number;
  readonly link: string;
}

/** A half-open range of times, as the filter's days come to. */
export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

type Value = number | string;
const number = (value: unknown): number | null => (value === null ? null : Number(value));

const placed = (row: Record<string, unknown>): Placed => ({
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

const columns =
  "place, id, transaction_id, partner_id, amount, currency, shop, minor, at, state, outcome, result, discrepancy, people, confirmed, scanned_at, approval_ms, handed_out_at, cash_ms, cleared";

/** Also what a person reads aloud or copies with spaces. */
const searched = (code: string): string => code.toUpperCase().replace(/[\s-]/g, "");
/** In this network's ids, letters that the alphabet leaves out are taken for their digits; another one's are as they are. */
const asTransactionId = (code: string): string => code.replace(/O/g, "0").replace(/[IL]/g, "1");

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

/** The statements over one open database. */
export const openTables = (database: JournalDatabase) => {
  const format = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (format !== indexFormat) {
    for (const table of tables) database.exec(`DROP TABLE IF EXISTS ${table}`);
    database.exec(schema);
  }
  const byId = database.prepare(`SELECT ${columns} FROM withdrawal WHERE id = ?`);
  const byTransaction = database.prepare(
    `SELECT ${columns} FROM withdrawal WHERE transaction_id = ? ORDER BY place DESC LIMIT 1`,
  );
  const save = database.prepare(
    `INSERT OR REPLACE INTO withdrawal (${columns}) VALUES (${columns.replace(/\w+/g, "?")})`,
  );
  const lastPlace = database.prepare("SELECT max(place) AS place FROM withdrawal");
  const addStep = database.prepare("INSERT OR IGNORE INTO step (place, sequence) VALUES (?, ?)");
  const saveReceipt = database.prepare("INSERT OR REPLACE INTO receipt (place, body) VALUES (?, ?)");
  const addPerson = database.prepare("INSERT OR IGNORE INTO person (code) VALUES (?)");
  const saveDay = database.prepare("INSERT OR REPLACE INTO day_report (number, body) VALUES (?, ?)");
  const saveMark = database.prepare("INSERT OR REPLACE INTO mark (one, sequence, link) VALUES (1, ?, ?)");
  const figureRows = database.prepare(
    "SELECT at, place, minor, currency, outcome, approval_ms, cash_ms FROM withdrawal WHERE (at, place) > (?, ?) AND at < ? ORDER BY at, place LIMIT ?",
  );

  return {
    mark(): Mark | null {
      const row = database.prepare("SELECT sequence, link FROM mark").get();
      return row === undefined ? null : { sequence: Number(row.sequence), link: String(row.link) };
    },
    /** Forgets everything. */
    clear(): void {
      for (const table of tables) database.exec(`DELETE FROM ${table}`);
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
    find(withdrawalId: string): Placed | null {
      const row = byId.get(withdrawalId);
      return row === undefined ? null : placed(row);
    },
    findTransaction(transactionId: string): Placed | null {
      const row = byTransaction.get(transactionId);
      return row === undefined ? null : placed(row);
    },
    nextPlace: (): number => Number(lastPlace.get()?.place ?? 0) + 1,
    save({ place, record }: Placed): void {
      const { facts } = record;
      for (const code of record.people) addPerson.run(code);
      const values: (Value | null)[] = [
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
      save.run(...(values as Value[]));
    },
    addStep: (place: number, sequence: number): void => void addStep.run(place, sequence),
    saveReceipt: (place: number, receipt: Receipt): void => void saveReceipt.run(place, JSON.stringify(receipt)),
    saveDay: (report: DayReport): void => void saveDay.run(report.number, JSON.stringify(report)),
    saveMark: ({ sequence, link }: Mark): void => void saveMark.run(sequence, link),
    steps: (place: number): readonly number[] =>
      database
        .prepare("SELECT sequence FROM step WHERE place = ? ORDER BY sequence")
        .all(place)
        .map((row) => Number(row.sequence)),
    receipt(place: number): Receipt | null {
      const row = database.prepare("SELECT body FROM receipt WHERE place = ?").get(place);
      return row === undefined ? null : (JSON.parse(String(row.body)) as Receipt);
    },
    people: (): readonly string[] =>
      database
        .prepare("SELECT code FROM person ORDER BY code")
        .all()
        .map((row) => String(row.code)),
    days: (limit: number): readonly DayReport[] =>
      database
        .prepare("SELECT body FROM day_report ORDER BY number DESC LIMIT ?")
        .all(limit)
        .map((row) => JSON.parse(String(row.body)) as DayReport),
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
    figureRows: (toMs: number, after: Cursor, limit: number): readonly Record<string, unknown>[] =>
      figureRows.all(after.atMs, after.place, toMs, limit),
    /** Records of a time, oldest first, those behind the cursor: a slice at a time. */
    records: (toMs: number, after: Cursor, limit: number): readonly Placed[] =>
      database
        .prepare(`SELECT ${columns} FROM withdrawal WHERE (at, place) > (?, ?) AND at < ? ORDER BY at, place LIMIT ?`)
        .all(after.atMs, after.place, toMs, limit)
        .map(placed),
    close: (): void => database.close(),
  };
};

/** The index's tables. */
export type Tables = ReturnType<typeof openTables>;
