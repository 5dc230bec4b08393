/** Whether the clock may end data. A start in a wrong year would otherwise end in a minute what the law keeps for ten. */
import { setSetting, settingByName } from "../store/settings.ts";
import { one, run, type UnitOfWork } from "../store/store.ts";

const name = "purge_clock";
const dayMs = 86_400_000;
/** Longer than a weekend: a service that nobody started for longer is taken for one whose clock has jumped. */
const gapMaxMs = 4 * dayMs;
/** So long a clock must have gone on without a jump. */
const trustedAfterMs = 7 * dayMs;
/** Processes of a fleet take turns, and differ by much less. */
const backMaxMs = 60 * 60_000;

/** What was written at the last look: `since` and `seen`, epoch milliseconds. */
const read = (value: string | undefined): { readonly since: number; readonly seen: number } | null => {
  const [since = Number.NaN, seen = Number.NaN] = (value ?? "").split(" ").map(Number);
  return Number.isFinite(since) && Number.isFinite(seen) ? { since, seen } : null;
};

/** To be asked every hour. True once the clock has gone on for a week, with pauses of four days at most. */
export function* isClockTrusted(now: number): UnitOfWork<boolean> {
  const known = read((yield* one(settingByName({ name })))?.value);
  const hasJumped = known === null || now - known.seen > gapMaxMs || now < known.seen - backMaxMs;
  const since = hasJumped ? now : known.since;
  yield* run(setSetting({ name, value: `${since} ${now}` }));
  return now - since >= trustedAfterMs;
}
