/** Writing what time has done: the expiries of `lifecycle.ts` as statements. */

import type { Service } from "../context.ts";
import { all, type UnitOfWork } from "../store/store.ts";
import { bySweeper } from "./history.ts";
import { expiredFrom } from "./lifecycle.ts";
import { recordTransition } from "./record-transition.ts";
import { expireMany, expireOne, type UpdatedRow } from "./store.ts";

type Keyed = Pick<Service, "keys">;

/** Writes what time has done to one withdrawal; gives the row only if this unit did it. */
export function* writeExpiry(service: Keyed, id: string, now: number): UnitOfWork<UpdatedRow | undefined> {
  const [row] = yield* all(expireOne({ id, now }));
  if (row) yield* recordTransition(service, row, expiredFrom(row), now, bySweeper);
  return row;
}

/** The same for the `limit` oldest that are due; other processes may do so at once. */
export function* writeDueExpiries(service: Keyed, now: number, limit: number): UnitOfWork<readonly UpdatedRow[]> {
  const rows = yield* all(expireMany({ now, limit }));
  for (const row of rows) yield* recordTransition(service, row, expiredFrom(row), now, bySweeper);
  return rows;
}
