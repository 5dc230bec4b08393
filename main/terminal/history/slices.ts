import type { Cursor } from "../read-model/tables.ts";

/** Rows that are read at once, before other work gets a turn. */
const sliceRows = 5_000;

/** What to read, and what to do with it. */
export interface Slices<T> {
  /** The earliest time, milliseconds since the epoch. */
  readonly fromMs: number;
  /** Up to `limit` rows after the cursor, oldest first. */
  readonly read: (after: Cursor, limit: number) => readonly T[];
  readonly cursorOf: (row: T) => Cursor;
  readonly take: (row: T) => void;
}

/** Reads slice after slice; `pause` yields to other work between two. */
export const readSlices = async <T>(
  { fromMs, read, cursorOf, take }: Slices<T>,
  pause: () => Promise<void>,
): Promise<void> => {
  let after: Cursor = { atMs: fromMs - 1, place: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const rows = read(after, sliceRows);
    for (const row of rows) take(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < sliceRows) return;
    after = cursorOf(last);
    await pause();
  }
};
