/** The index's tables. Derived from the journal: losing them loses nothing. */
import { crc32 } from "node:zlib";
import type { JournalDatabase } from "../database-port.ts";

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
  CREATE TABLE day_note (number INTEGER NOT NULL, about TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (number, about)) STRICT, WITHOUT ROWID;
`;
/** Raised when a column comes to hold something else; a file of other columns is known by their text. */
const meaning = 4;
/** A file of another version is rebuilt. A signed number of 32 bits, as SQLite keeps it. */
const indexFormat = crc32(`${meaning}${schema}`) | 0;

/** All of them. */
export const tableNames = [...schema.matchAll(/CREATE TABLE (\w+)/g)].map(([, name]) => name);

/** Makes them where there are none, or those of another version. */
export const prepareTables = (database: JournalDatabase): void => {
  const format = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
  if (format === indexFormat) return;
  for (const table of tableNames) database.exec(`DROP TABLE IF EXISTS ${table}`);
  database.exec(`${schema}PRAGMA user_version = ${indexFormat};`);
};
