/** The embedded store: one file, one process that serves, durable commits shared by the requests of a tick. */
import type { Clock } from "../ports.ts";
import { ServiceError } from "../service-error.ts";
import { createChanges } from "./changes.ts";
import { openSqliteFile, type SqliteFile } from "./sqlite-open.ts";
import { createSqliteReads } from "./sqlite-reads.ts";
import { createSqliteWrites } from "./sqlite-writes.ts";
import type { Query } from "./statement.ts";
import type { Rows, Store } from "./store.ts";

/** The file and its clock. */
export interface SqliteOptions extends SqliteFile {
  readonly clock: Clock;
  /** Units that share a commit: 1,000 by default; 1 turns the sharing off, to measure what it brings. */
  readonly unitsPerCommitMax?: number;
}

/** @throws StoreRefused when the file is no database, or one of a newer program. */
export const openSqliteStore = async (options: SqliteOptions): Promise<Store> => {
  const { clock } = options;
  const db = openSqliteFile(options);
  const changes = createChanges();
  const answer = (query: Query<unknown>): Rows => {
    const { text, values } = query.sql("sqlite");
    return db.query(text, values, query.name !== null);
  };
  const reads = createSqliteReads(db, clock, answer);
  const unitsPerCommit = options.unitsPerCommitMax;
  const writes = createSqliteWrites({ db, clock, answer, onChanged: changes.notify, unitsPerCommit });
  const stopping = () => new ServiceError("unavailable", "The service is stopping.");
  let closed = false;

  return {
    dialect: "sqlite",
    write: (unit) => (closed ? Promise.reject(stopping()) : writes.write(unit)),
    read: (unit) => (closed ? Promise.reject(stopping()) : reads.read(unit)),
    onChange: changes.on,

    async close() {
      if (closed) return;
      writes.flush();
      reads.flush();
      closed = true;
      writes.refuseAll(stopping());
      db.close();
    },
  };
};
