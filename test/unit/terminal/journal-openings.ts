/** Opens journals as the product does, keeps which were opened and are open, and lets a test stand in the way of a statement. */
import { basename } from "node:path";
import { type OpenDatabase, openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import type { JournalDatabase } from "../../../main/terminal/ports.ts";

/** What a test does instead; may throw as a disk would. */
export interface InTheWay {
  /** Before a text is executed in a file. */
  exec?(sql: string, file: string, database: Pick<JournalDatabase, "exec">): void;
  /** The values that a prepared statement is run with. */
  run?(
    sql: string,
    values: (string | number | null)[],
    file: string,
    database: Pick<JournalDatabase, "exec">,
  ): (string | number | null)[];
  /** Before a prepared statement is asked for a row. */
  get?(sql: string, file: string): void;
}

/** One opener for one test; files are named by mode and name: `read journal.db`. */
export const watchOpenings = (inTheWay: InTheWay = {}) => {
  const opened: string[] = [];
  const stillOpen: string[] = [];
  const open: OpenDatabase = (path, mode) => {
    const database = openNodeDatabase(path, mode);
    const file = basename(path);
    const name = `${mode} ${file}`;
    opened.push(name);
    stillOpen.push(name);
    return {
      exec(sql) {
        inTheWay.exec?.(sql, file, database);
        database.exec(sql);
      },
      prepare(sql) {
        const statement = database.prepare(sql);
        return {
          setReturnArrays: (enabled) => statement.setReturnArrays(enabled),
          all: (...values) => statement.all(...values),
          iterate: (...values) => statement.iterate(...values),
          get(...values) {
            inTheWay.get?.(sql, file);
            return statement.get(...values);
          },
          run: (...values) => statement.run(...(inTheWay.run?.(sql, values, file, database) ?? values)),
        };
      },
      get isTransaction() {
        return database.isTransaction;
      },
      close() {
        stillOpen.splice(stillOpen.indexOf(name), 1);
        database.close();
      },
    };
  };
  return { open, opened, stillOpen };
};
