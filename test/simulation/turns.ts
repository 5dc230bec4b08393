/** What an installation lives through in a story, drawn before it begins: one turn at a till after the other, with rest between. */
import { createChance, seedOf } from "../random.ts";

/** What can happen to a till besides its withdrawals. */
export const turnKinds = [
  "training",
  "key_lost",
  "key_revoked",
  "new_device",
  "other_shop",
  "older_program",
  "newer_program",
  "careless_program",
  "restored",
  "disk_full",
  "disk_fills",
  "suspended",
  "other_host",
  "wrong_clock",
  "second_machine",
  "settings_lost",
  "people_lost",
  "journal_key_lost",
  "offline",
  "settings_changed",
] as const;
/** One kind of turn. */
export type TurnKind = (typeof turnKinds)[number];

/** It lasts from `atMs` to `atMs + forMs`, virtual milliseconds since the run began. */
export interface PlannedTurn {
  readonly till: number;
  readonly kind: TurnKind;
  readonly atMs: number;
  readonly forMs: number;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Turns that would make a drawer's day wrong by themselves: a copy of its sums, or another shop's. */
const notWithDays: ReadonlySet<TurnKind> = new Set([
  "restored",
  "other_shop",
  "careless_program",
  "older_program",
  "second_machine",
]);

/** Two managers who each give their own machine a new key would take it from each other for ever. */
const besideTwins: readonly TurnKind[] = [
  "second_machine",
  "second_machine",
  "suspended",
  "disk_full",
  "wrong_clock",
  "offline",
];

/** But for one machine with both; see `withOneMachine`. */
const notWithPutBack: ReadonlySet<TurnKind> = new Set(["restored", "careless_program"]);

const longest: Readonly<Partial<Record<TurnKind, number>>> = {
  disk_full: 3 * hour,
  disk_fills: 3 * hour,
  suspended: 3 * day,
  offline: 3 * day,
};
/** Of twenty disks that are full, machines that sleep or cables that are out, one is for hours, or days. */
const longOnceIn = 20;

/** @param untilMs when the last customer comes; what begins before may end later. */
export const planTurns = (options: {
  readonly seed: number;
  readonly tills: number;
  readonly untilMs: number;
  readonly days: boolean;
  /** When the service's database is copied and put back, each time. */
  readonly putBack: readonly {
    readonly copyAtMs: number;
    readonly putBackAtMs: number;
    /** It is a failover then, of no till's machine. */
    readonly saidAtMs?: number;
  }[];
  readonly kinds?: readonly TurnKind[];
}): readonly PlannedTurn[] => {
  const isPutBack = options.putBack.length > 0;
  const draw = createChance(seedOf(options.seed, "two machines"));
  const areTwins = !options.days && options.kinds === undefined && draw.happens(0.2);
  const usual = areTwins ? besideTwins : turnKinds.filter((kind) => kind !== "second_machine");
  const kinds = (options.kinds ?? usual).filter(
    (kind) => !(options.days && notWithDays.has(kind)) && !(isPutBack && notWithPutBack.has(kind)),
  );
  const turns: PlannedTurn[] = [];
  for (let till = 0; till < options.tills; till++) {
    const chance = createChance(seedOf(options.seed, "installation", till));
    // Some were installed by the program before: it runs from the beginning on, until it is upgraded.
    const upgradedAtMs = kinds.includes("older_program") && chance.happens(0.3) ? chance.between(3, 12) * minute : 0;
    if (upgradedAtMs > 0) turns.push({ till, kind: "older_program", atMs: 0, forMs: upgradedAtMs });
    for (let atMs = upgradedAtMs + chance.between(2, 8) * minute; atMs < options.untilMs; ) {
      const kind = kinds[chance.between(0, kinds.length - 1)];
      if (kind === undefined) break;
      const most = longest[kind];
      const isLong = most !== undefined && chance.between(1, longOnceIn) === 1;
      const forMs = isLong ? chance.between(most / 3, most) : chance.between(2, 6) * minute;
      turns.push({ till, kind, atMs, forMs });
      atMs += forMs + chance.between(5, 15) * minute;
    }
  }
  const isOneMachine = !options.days && !areTwins && (options.kinds ?? turnKinds).includes("restored");
  return isOneMachine ? withOneMachine(turns, options) : turns;
};

/**
 * The service runs on the machine of a till, which is put back as a whole: the folder is copied and put back up to three
 * minutes before the service's database, or soon after. In half of the stories in which that happens once.
 */
const withOneMachine = (
  turns: readonly PlannedTurn[],
  { seed, tills, putBack }: Parameters<typeof planTurns>[0],
): readonly PlannedTurn[] => {
  const chance = createChance(seedOf(seed, "one machine"));
  const [only, second] = putBack;
  if (only === undefined || only.saidAtMs !== undefined || second !== undefined || chance.happens(0.5)) return turns;
  const till = chance.between(0, tills - 1);
  const atMs = Math.max(1, only.copyAtMs + chance.between(-3 * minute, 20_000));
  const untilMs = only.putBackAtMs + chance.between(-3 * minute, 20_000);
  const isApart = (turn: PlannedTurn): boolean =>
    turn.till !== till || turn.atMs > untilMs + 5 * minute || turn.atMs + turn.forMs < atMs;
  return [...turns.filter(isApart), { till, kind: "restored", atMs, forMs: Math.max(minute / 2, untilMs - atMs) }];
};
