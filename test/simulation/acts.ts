/** What operators change at the service while shops work, drawn before a story begins; each is taken back after minutes. */
import { createChance, seedOf } from "../random.ts";

/** Limits, blocked and erased users, shops and banks that are changed in the middle of things. */
export const actKinds = [
  "user_day",
  "shop_day",
  "terminal_hour",
  "amounts",
  "shop_disabled",
  "shop_disallowed",
  "user_blocked",
  "user_erased",
  "client_revoked",
  "key_rotated",
  "address_moved",
] as const;
/** One kind of change; the service's key is changed once, in some stories. */
export type ActKind = (typeof actKinds)[number] | "service_key_rotated";

/** It holds from `atMs` to `atMs + forMs`, virtual milliseconds since the run began. */
export interface PlannedAct {
  readonly kind: ActKind;
  readonly atMs: number;
  readonly forMs: number;
  /** The limit in minor units, or the number of the user. */
  readonly size: number;
}

const minute = 60_000;
/** Mean time between two changes of a story. */
const everyMs = 7 * minute;
/** From smallest to largest: some are hit at once, some never. */
const limits: Readonly<Partial<Record<ActKind, readonly [number, number]>>> = {
  user_day: [300, 1_500],
  shop_day: [1_000, 30_000],
  terminal_hour: [300, 8_000],
  amounts: [50, 400],
};
/** What a limit is drawn in, in minor units. */
const unit = 100;
const usersDrawn = 60;
const serviceKeyOnceIn = 4;

/**
 * Given both keys from the beginning, the service goes over to the other one, before its clock is ever wrong: a row that was written ahead
 * of a rotation's time, under the key before, is taken for a forged one.
 */
const drawServiceKey = (seed: number, untilMs: number): readonly PlannedAct[] => {
  const chance = createChance(seedOf(seed, "service key"));
  if (chance.between(1, serviceKeyOnceIn) > 1 || untilMs < 2 * minute) return [];
  return [{ kind: "service_key_rotated", atMs: chance.between(minute, untilMs - minute), forMs: 0, size: 0 }];
};

/** @param untilMs when the last customer comes; all is as it was by then. @param steadyMs until when the service's clock is right. */
export const planActs = (seed: number, untilMs: number, steadyMs: number): readonly PlannedAct[] => {
  const chance = createChance(seedOf(seed, "administration"));
  const acts: PlannedAct[] = [];
  for (let atMs = chance.between(everyMs / 4, everyMs); ; ) {
    const kind = chance.pick(actKinds);
    const forMs = kind in limits ? chance.between(3 * minute, 9 * minute) : chance.between(minute / 2, 2 * minute);
    const [low, high] = limits[kind] ?? [0, usersDrawn];
    const size = chance.between(low, high) * (kind in limits ? unit : 1);
    if (atMs + forMs > untilMs) return [...acts, ...drawServiceKey(seed, Math.min(untilMs, steadyMs))];
    acts.push({ kind, atMs, forMs, size });
    atMs += forMs + chance.between(everyMs / 2, (everyMs * 3) / 2);
  }
};
