/** What a clock that was ahead has left behind: a process whose time is right again begins without it. */
import { deleteFutureTokens } from "../access/token-store.ts";
import type { Service } from "../context.ts";
import { all, run, type UnitOfWork } from "../store/store.ts";
import { bySweeper } from "./history.ts";
import { expiredFrom } from "./lifecycle.ts";
import { recordTransition } from "./record-transition.ts";
import { expireFuture } from "./store/expiries.ts";
import type { UpdatedRow } from "./store/updated-row.ts";
import { countExpiry } from "./transition.ts";

const rowsPerCommitMax = 500;
/** By how much the clocks of a fleet's processes may differ, and one be set back at a start that nobody should notice. */
const slackMs = 5_000;

function* endSome(service: Pick<Service, "keys">, now: number): UnitOfWork<readonly UpdatedRow[]> {
  const rows = yield* all(expireFuture({ now, future: now + slackMs, limit: rowsPerCommitMax }));
  for (const row of rows) yield* recordTransition(service, row, expiredFrom(row), now, bySweeper);
  return rows;
}

/**
 * To be called at the start, before anybody is answered: within a process time never runs back. Withdrawals that wait for a
 * deadline are closed as if it had passed, and tokens end: the seconds for an approval would else last as long as the clock was ahead.
 * @throws ServiceError `unavailable`.
 */
export const endFuture = async (service: Service): Promise<void> => {
  const { store, clock } = service;
  await store.write(() => run(deleteFutureTokens({ future: clock.now() + slackMs })));
  for (;;) {
    const rows = await store.write(() => endSome(service, clock.now()));
    for (const row of rows) countExpiry(service, row);
    if (rows.length < rowsPerCommitMax) return;
  }
};
