/** Rows of `limit_locks`: who writes one holds it until the commit. */
import { statement } from "../../store/statement.ts";

/** Waits for the bucket and holds it. */
export const lockBucket = statement("limit_lock", (db, p: { bucket: number }) =>
  db
    .insertInto("limit_locks")
    .values({ bucket: p.bucket })
    .onConflict((taken) => taken.column("bucket").doUpdateSet((set) => ({ bucket: set.ref("excluded.bucket") }))),
);
