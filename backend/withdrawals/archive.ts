/** Withdrawals that ended long ago, moved out of the way of the running ones. */

import { all, one, run, type UnitOfWork } from "../store/store.ts";
import { archivedById, archivedShownById, copyToArchive, lockEnded, removeArchived } from "./closed.ts";
import { type Row, type ShownRow, shownById, withdrawalById } from "./store.ts";

/** The withdrawal, wherever it is: it is archived and never comes back, so this order of looks misses none. */
export function* oneOrArchived(id: string): UnitOfWork<Row | undefined> {
  return (yield* one(withdrawalById({ id }))) ?? (yield* one(archivedById({ id })));
}

/** The same as far as it is shown. */
export function* shownOrArchived(id: string): UnitOfWork<ShownRow | undefined> {
  return (yield* one(shownById({ id }))) ?? (yield* one(archivedShownById({ id })));
}

/** Moves the oldest to which nothing has happened since `before`; their history stays. @returns how many. */
export function* archiveEnded(before: number, now: number, limit: number): UnitOfWork<number> {
  const ids = (yield* all(lockEnded({ before, limit }))).map(({ id }) => id);
  if (ids.length === 0) return 0;
  yield* run(copyToArchive(ids, now));
  return yield* run(removeArchived(ids));
}
