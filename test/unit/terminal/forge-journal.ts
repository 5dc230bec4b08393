import { DatabaseSync } from "node:sqlite";
import { chainBegin, makeRow, type Row } from "../../../main/terminal/journal/chain.ts";

/** What a hand with a database tool, the sources and no key does: writes all rows anew and computes the chain. */
export const forgeJournal = (
  path: string,
  change: (bodies: string[]) => string[],
  secret: Buffer | null = null,
): void => {
  const database = new DatabaseSync(path);
  database.exec("DROP TRIGGER journal_is_not_changed; DROP TRIGGER journal_is_not_cut;");
  const rows = database.prepare("SELECT at, body FROM journal ORDER BY sequence").all() as {
    at: number;
    body: string;
  }[];
  database.exec("DELETE FROM journal");
  let last: Pick<Row, "sequence" | "hash"> = chainBegin;
  const insert = database.prepare("INSERT INTO journal (sequence, at, body, previous, hash) VALUES (?, ?, ?, ?, ?)");
  for (const body of change(rows.map((row) => row.body))) {
    const row = makeRow(last.hash, { sequence: last.sequence + 1, at: 1, body }, secret);
    insert.run(row.sequence, row.at, row.body, row.previous, row.hash);
    last = row;
  }
  database.close();
};
