/** A story before it runs: who wants how much, when, and what goes wrong. Plain data, so that it can be cut smaller. */
import type { PartnerAnswers } from "../../backend/contract/partner.ts";
import { createChance, seedOf } from "../random.ts";
import { type PlannedAct, planActs } from "./acts.ts";
import { type PlannedTurn, planTurns, type TurnKind } from "./turns.ts";
import { type PlannedWrongTime, planWrongTimes } from "./wrong-times.ts";

/** Probabilities per message, per call of a port, or per withdrawal. */
export interface FaultRates {
  readonly requestLost: number;
  readonly answerLost: number;
  readonly duplicated: number;
  readonly delayed: number;
  readonly reset: number;
  readonly garbled: number;
  /** Answered with a 502 that is not JSON, before or after the service did it. */
  readonly badGateway: number;
  /** To a till, about a transaction: a proxy answers with what it had before to the same call, or to another one. */
  readonly answerStale: number;
  readonly answerSwapped: number;
  /** The bank books, then says nothing, or fails with a 5xx. */
  readonly bankSilentAfterBooking: number;
  readonly bankFails: number;
  /** Something in its answer speaks of a failure, beside a yes: it has done nothing. */
  readonly bankFailsInAYes: number;
  readonly tillDiskFails: number;
  readonly serviceDiskFails: number;
  /** A single statement of it fails; half of the times SQLite has rolled the transaction back by itself. */
  readonly serviceStatementFails: number;
  /** Of a shared database alone: a commit is done, and the connection is lost before its answer. */
  readonly serviceCommitUnclear: number;
  readonly drawerFails: number;
  /** At each use of printer or drawer: something is wrong with the device for a while. */
  readonly printerFails: number;
  /** At each call of a port, each timer and each answer: the machine dies there. */
  readonly tillDies: number;
  readonly serviceDies: number;
}
/** A key of `FaultRates`. */
export type FaultName = keyof FaultRates;

/** A bad day, not a hopeless one: most withdrawals still end as they should. */
export const defaultFaultRates: FaultRates = {
  requestLost: 0.02,
  answerLost: 0.02,
  duplicated: 0.02,
  delayed: 0.02,
  reset: 0.01,
  garbled: 0.005,
  badGateway: 0.01,
  answerStale: 0.005,
  answerSwapped: 0.003,
  bankSilentAfterBooking: 0.03,
  bankFails: 0.03,
  bankFailsInAYes: 0.03,
  tillDiskFails: 0.002,
  serviceDiskFails: 0.001,
  serviceStatementFails: 0.0003,
  serviceCommitUnclear: 0.001,
  drawerFails: 0.04,
  printerFails: 0.03,
  tillDies: 0.001,
  serviceDies: 0.0005,
};

/** Nothing goes wrong by itself. */
export const noFaults = Object.fromEntries(Object.keys(defaultFaultRates).map((name) => [name, 0])) as Record<
  FaultName,
  number
>;

/** What the customer does after the barcode was shown. */
export type CustomerWay =
  | "approves"
  | "denies"
  | "ignores"
  | "approves_late"
  | "cancels"
  | "no_sca"
  | "says_both"
  | "cancels_late";
/** What the cashier does other than what the screen says. */
export type CashierWay =
  | "plain"
  | "rejects"
  | "confirms_twice"
  | "mashes"
  | "walks_away"
  | "declares"
  | "serves_next"
  | "two_at_once"
  | "unplugs";
/** What the bank answers in the end; the last two say one thing to the first Settle order and another to its repeats. */
export type BankWay = "accepts" | "declines_start" | "declines_settle" | "yes_then_no" | "no_then_yes";

/** One customer's visit. */
export interface PlannedWithdrawal {
  readonly index: number;
  readonly till: number;
  /** Virtual milliseconds since the run began. */
  readonly startMs: number;
  readonly amountMinor: number;
  readonly customer: CustomerWay;
  readonly cashier: CashierWay;
  /** Another till at which the customer shows the same barcode, soon after; null for most. */
  readonly alsoAtTill: number | null;
  readonly bank: BankWay;
}

/** A machine's wall clock is moved by `byMs`, at a virtual time. */
export interface PlannedClockJump {
  readonly machine: number | "service";
  readonly atMs: number;
  readonly byMs: number;
}

/** A copy of the service's database is made, and minutes later it takes the place of the database that there is then. */
export interface PlannedPutBack {
  readonly copyAtMs: number;
  readonly putBackAtMs: number;
  /**
   * The copy is what a standby has when it is promoted: the processes go on with what they remember, until an operator stops them
   * here and says what was lost.
   */
  readonly saidAtMs?: number;
}

/** A whole story. */
export interface Plan {
  readonly seed: number;
  readonly tills: number;
  /** All shops'. */
  readonly currency: string;
  /** How the bank says yes and no. */
  readonly answers: PartnerAnswers;
  /** What operators change while the shops work; null: nobody looks after the service. */
  readonly acts: readonly PlannedAct[] | null;
  readonly withdrawals: readonly PlannedWithdrawal[];
  readonly clockJumps: readonly PlannedClockJump[];
  readonly faults: FaultRates;
  /** Whether the tills count their drawers by days. */
  readonly days: boolean;
  /** Processes of the service on one database; with more than one, a fleet behind a load balancer. */
  readonly processes: number;
  /** When the service's database is put back to copies; empty in most stories. */
  readonly putBack: readonly PlannedPutBack[];
  /** When the service does not know what day it is. */
  readonly wrongTimes: readonly PlannedWrongTime[];
  /** What the installation lives through besides; nothing in most stories. */
  readonly turns: readonly PlannedTurn[];
  /** Whether an operator who has a drawer counted says the wrong thing; by default every third time. */
  readonly miscounts?: boolean;
  /** Faults go on so long after the last customer, 15 min by default. */
  readonly restlessMs?: number;
}

/** With two minor digits, none and three. */
const currencies = ["EUR", "EUR", "JPY", "KWD"] as const;

/** Mean pause between two customers at one till. */
const pauseMs = 45_000;
const jumpEveryWithdrawals = 40;
const hourMs = 3_600_000;

const oddCustomers = ["denies", "ignores", "approves_late", "cancels", "no_sca", "says_both", "cancels_late"] as const;
const oddBanks = ["declines_start", "declines_settle", "yes_then_no", "no_then_yes"] as const;
const oddCashiers = [
  "rejects",
  "confirms_twice",
  "mashes",
  "walks_away",
  "declares",
  "serves_next",
  "two_at_once",
  "unplugs",
] as const;

const putBackOnceIn = 3;
/** Half of the times it was the wrong copy: an older one, a newer one or the same takes its place soon after, and perhaps one more. */
const drawPutBack = (seed: number, untilMs: number): readonly PlannedPutBack[] => {
  const chance = createChance(seedOf(seed, "service put back"));
  if (chance.between(1, putBackOnceIn) > 1) return [];
  const copyAtMs = chance.between(Math.floor(untilMs / 5), Math.floor((untilMs * 3) / 5));
  const first = { copyAtMs, putBackAtMs: copyAtMs + chance.between(60_000, 6 * 60_000) };
  const all = [first];
  for (let last = first; all.length < 3 && chance.happens(0.5); all.push(last))
    last = {
      copyAtMs: chance.happens(0.3)
        ? copyAtMs
        : Math.max(1, chance.between(copyAtMs - 3 * 60_000, first.putBackAtMs - 1_000)),
      putBackAtMs: last.putBackAtMs + chance.between(20_000, 4 * 60_000),
    };
  return all;
};

const failoverOnceIn = 3;
/** Of a fleet: a standby that lacks the last seconds is promoted, and minutes later somebody says so. */
const drawFailover = (seed: number, untilMs: number): readonly PlannedPutBack[] => {
  const chance = createChance(seedOf(seed, "failover"));
  if (chance.between(1, failoverOnceIn) > 1) return [];
  const putBackAtMs = chance.between(Math.floor(untilMs / 5), Math.floor((untilMs * 4) / 5));
  const copyAtMs = Math.max(1, putBackAtMs - chance.pick([300, 2_000, 10_000, 30_000]));
  return [{ copyAtMs, putBackAtMs, saidAtMs: putBackAtMs + chance.between(5_000, 2 * 60_000) }];
};

/** Drawn from the seed alone; three tills unless told otherwise. */
export const makePlan = (
  seed: number,
  options: {
    readonly withdrawals: number;
    readonly tills?: number;
    readonly faults?: FaultRates;
    /** Only these turns of an installation's life, in every story; else all of them, in half of the stories. */
    readonly turns?: readonly TurnKind[];
  },
): Plan => {
  const tills = options.tills ?? 3;
  const withdrawals: PlannedWithdrawal[] = [];
  const clockJumps: PlannedClockJump[] = [];
  const nextAt = Array.from({ length: tills }, (_, till) => 1_000 * (till + 1));
  let serviceOffMs = 0;
  for (let index = 0; index < options.withdrawals; index++) {
    const chance = createChance(seedOf(seed, "withdrawal", index));
    const till = index % tills;
    const startMs = nextAt[till] ?? 0;
    nextAt[till] = startMs + chance.between(pauseMs / 3, (pauseMs * 5) / 3);
    const cashier: CashierWay = chance.happens(0.6) ? "plain" : chance.pick(oddCashiers);
    const isOdd = chance.happens(0.25);
    withdrawals.push({
      index,
      till,
      startMs,
      amountMinor: chance.between(10, 500) * 100,
      // Nobody but the service can hold the deadline when the till is off.
      customer: isOdd ? chance.pick(oddCustomers) : cashier === "unplugs" ? "approves_late" : "approves",
      cashier,
      alsoAtTill: tills > 1 && chance.happens(0.05) ? (till + chance.between(1, tills - 1)) % tills : null,
      bank: chance.happens(0.9) ? "accepts" : chance.pick(oddBanks),
    });
    if (index % jumpEveryWithdrawals === jumpEveryWithdrawals - 1) {
      clockJumps.push({ machine: till, atMs: startMs, byMs: chance.pick([-hourMs, hourMs, -90_000, 7_000]) });
      const offMs = chance.pick([-300_000, hourMs, -30_000, 7_000, 41_000]);
      clockJumps.push({ machine: "service", atMs: startMs + pauseMs, byMs: offMs - serviceOffMs });
      serviceOffMs = offMs;
    }
  }
  const days = seed % 2 === 1;
  const untilMs = withdrawals.at(-1)?.startMs ?? 0;
  const hasLife = options.turns !== undefined || Math.floor(seed / 2) % 2 === 1;
  const kinds = options.turns === undefined ? {} : { kinds: options.turns };
  const processes = createChance(seedOf(seed, "fleet")).pick([1, 1, 1, 2, 3, 4]);
  const restored = drawPutBack(seed, untilMs);
  const putBack = restored.length === 0 && processes > 1 ? drawFailover(seed, untilMs) : restored;
  const turns = hasLife ? planTurns({ seed, tills, untilMs, days, putBack, ...kinds }) : [];
  // A fleet's dumps know nothing of each other: while its clock is wrong a second one has numbers below those that banks have heard.
  const isSteady = processes > 1 && restored.length > 1;
  const wrongTimes = isSteady ? [] : planWrongTimes(seed, untilMs);
  const jumps = clockJumps.filter(({ machine }) => machine === "service");
  const steadyMs = Math.min(...[...jumps, ...wrongTimes].map(({ atMs }) => atMs), untilMs);
  const currency = createChance(seedOf(seed, "currency")).pick(currencies);
  return {
    seed,
    tills,
    currency,
    // Of a bank without words an operator has to decide what it answers after a silence.
    answers: createChance(seedOf(seed, "bank")).pick(["by-status-word", "by-status-word", "by-status-code"]),
    acts: planActs(seed, untilMs, steadyMs),
    putBack,
    processes,
    withdrawals,
    clockJumps: isSteady ? clockJumps.filter(({ machine }) => machine !== "service") : clockJumps,
    wrongTimes,
    faults: options.faults ?? defaultFaultRates,
    days,
    turns,
  };
};
