/** What a clock that was ahead has left behind: once the time is right again, nothing of it may last for as long as it was. */
import { shortenFutureTokens } from "../access/token-store.ts";
import type { Service } from "../context.ts";
import { tokenLifetimeSeconds } from "../contract/pos.ts";
import type { Tx } from "../store/store.ts";
import { bySweeper } from "./history.ts";
import { expiredFrom } from "./lifecycle.ts";
import { expireFuture, type UpdatedRow } from "./store.ts";
import { countExpiry, recordTransition } from "./transition.ts";

const rowsPerCommitMax = 500;
/** By how much the clocks of a fleet's processes may differ, and one be set back at a start that nobody should notice. */
const slackMs = 5_000;

/** @param confirmedAfter what was confirmed later and waits for its approval is ended too, whenever it was asked for. */
async function endSome(
  tx: Tx,
  service: Pick<Service, "keys">,
  now: number,
  confirmedAfter: number,
): Promise<readonly UpdatedRow[]> {
  const future = now + slackMs;
  await tx.run(shortenFutureTokens({ future, expires: now + tokenLifetimeSeconds * 1000 }));
  const rows = await tx.all(expireFuture({ now, createdAfter: future, confirmedAfter, limit: rowsPerCommitMax }));
  for (const row of rows) await recordTransition(tx, service, row, expiredFrom(row), now, bySweeper);
  return rows;
}

/**
 * For a process that is alone with its database, at its start and before anybody is answered: within it time never runs back.
 * What waits for a deadline is closed as if it had passed: the seconds for an approval would else last as long as the clock was ahead.
 * @throws ServiceError `unavailable`.
 */
export const endFuture = async (service: Service): Promise<void> => {
  const { store, clock } = service;
  for (;;) {
    const rows = await store.write((tx) => endSome(tx, service, clock.now(), clock.now() + slackMs));
    for (const row of rows) countExpiry(service, row);
    if (rows.length < rowsPerCommitMax) return;
  }
};

/** For a fleet whose clock stepped back (`EndUncertain`): nobody knows how long ago anything was confirmed, so nothing may be approved. */
export async function endUncertain(tx: Tx, service: Pick<Service, "keys">, now: number): Promise<boolean> {
  return (await endSome(tx, service, now, 0)).length < rowsPerCommitMax;
}
