/** Idempotency keys that are forgotten after their time. */
import { setSetting, settingByName } from "../store/settings.ts";
import { all, one, run, type UnitOfWork } from "../store/store.ts";
import { forgetKeys } from "../withdrawals/store/archive.ts";

/** Up to which time of creation keys are forgotten, so that no look begins at the first withdrawal of all. */
const markName = "idempotency_keys_forgotten_until";

/**
 * From then on a repeat under the key is a request of its own.
 * @param before epoch milliseconds; keys of withdrawals from before are forgotten, `limit` of them at most.
 * @returns how many.
 */
export function* forgetIdempotencyKeys(before: number, limit: number): UnitOfWork<number> {
  const from = Number((yield* one(settingByName({ name: markName })))?.value ?? 0);
  const rows = yield* all(forgetKeys({ from, before, limit }));
  const newest = rows.reduce((latest, { created_at }) => Math.max(latest, Number(created_at)), from);
  if (newest > from) yield* run(setSetting({ name: markName, value: String(newest) }));
  return rows.length;
}
