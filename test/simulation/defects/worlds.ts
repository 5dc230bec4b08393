/** Worlds full of the moments at which a planted defect shows: a dozen withdrawals are enough then, from nearly any seed. */
import { createChance, seedOf } from "../../random.ts";
import { type FaultRates, makePlan, type Plan, type PlannedWithdrawal } from "../plan.ts";
import { epochMs } from "../stage.ts";
import type { TurnKind } from "../turns.ts";

/** What is otherwise in a story than on a usual day. */
export type World = (plan: Plan) => Partial<Plan>;

const second = 1_000;
const minute = 60 * second;
const yearEndsAtMs = Date.UTC(2026, 0, 1);

/** Some faults come more often. */
export const often =
  (rates: Partial<FaultRates>): World =>
  ({ faults }) => ({ faults: { ...faults, ...rates } });
/** Three requests of ten never arrive. */
export const lostRequests = often({ requestLost: 0.3 });
/** A till dies at one call of a hundred. */
export const deadlyTills = often({ tillDies: 0.01 });
/** A bank that has booked says nothing of it, four times of ten. */
export const silentBank = often({ bankSilentAfterBooking: 0.4 });

/** Operators count right: a till that has left a withdrawal to the books says nothing against a wrong word about its cash. */
export const countedRight: World = () => ({ miscounts: false });

/** All customers, or their cashiers, do the same. */
export const everybody =
  (way: Partial<PlannedWithdrawal>): World =>
  ({ withdrawals }) => ({ withdrawals: withdrawals.map((one) => ({ ...one, ...way })) });

/** Nobody refuses, walks away or is declined: as many hand-outs as can be. */
export const served = everybody({ customer: "approves", cashier: "plain", bank: "accepts" });

/** Each customer shows the barcode at the next till, too. */
export const atTwoTills: World = ({ withdrawals, tills }) => ({
  withdrawals: withdrawals.map((one) => ({ ...one, alsoAtTill: (one.till + 1) % tills })),
});

/** One till for all, and so many more entries in its journal. */
export const atOneTill: World = ({ withdrawals }) => ({
  tills: 1,
  withdrawals: withdrawals.map((one, index) => ({
    ...one,
    till: 0,
    startMs: (index + 1) * 20 * second,
    alsoAtTill: null,
  })),
});

/** Customers are still there when what was lost has been made good. */
export const slowly: World = ({ withdrawals }) => ({
  withdrawals: withdrawals.map((one) => ({ ...one, startMs: one.startMs * 2 })),
});

/** The currency has no minor digits. */
export const inYen: World = () => ({ currency: "JPY" });

/** The drawers are counted by days. */
export const byDays: World = () => ({ days: true });

/** Several processes serve on one database, whose clock is ahead for a while. */
export const fleet: World = () => ({
  processes: 3,
  clockJumps: [
    { machine: "service", atMs: 30 * second, byMs: 60 * minute },
    { machine: "service", atMs: 120 * second, byMs: -60 * minute },
  ],
  restlessMs: 6 * minute,
});

/** The service's database is put back to a copy while customers come. */
export const putBack: World = () => ({
  putBack: [{ copyAtMs: 40 * second, putBackAtMs: 140 * second }],
  restlessMs: 6 * minute,
});

/** A standby that lacks the last seconds is promoted while customers come and the processes live on; a minute later somebody says so. */
export const failover: World = ({ seed }) => {
  const { between, pick } = createChance(seedOf(seed, "failover of a defect's world"));
  const putBackAtMs = between(30 * second, 140 * second);
  const copyAtMs = putBackAtMs - pick([300, 2 * second, 8 * second, 20 * second]);
  return {
    processes: 3,
    putBack: [{ copyAtMs, putBackAtMs, saidAtMs: putBackAtMs + between(5 * second, 60 * second) }],
    restlessMs: 6 * minute,
  };
};

/** Of such a failover, which takes whole withdrawals with it, nobody says anything for two minutes. */
export const failoverUnsaid: World = ({ seed }) => {
  const { between } = createChance(seedOf(seed, "unsaid failover of a defect's world"));
  const putBackAtMs = between(40 * second, 140 * second);
  return {
    processes: 2,
    putBack: [{ copyAtMs: putBackAtMs - 30 * second, putBackAtMs, saidAtMs: putBackAtMs + 120 * second }],
    restlessMs: 6 * minute,
  };
};

/** And then to a newer one, of which it was not: the bank has heard since that what it paid is canceled. */
export const putBackTwice: World = () => ({
  putBack: [
    { copyAtMs: 40 * second, putBackAtMs: 140 * second },
    { copyAtMs: 130 * second, putBackAtMs: 200 * second },
  ],
  restlessMs: 6 * minute,
});

/**
 * The service runs on its only till's machine: folder and database are put back from copies a minute apart, and what is handed out in
 * between has the numbers of entries that the database's copy knows otherwise.
 */
export const oneMachinePutBack: World = () => ({
  days: false,
  turns: [{ till: 0, kind: "restored", atMs: 60 * second, forMs: 95 * second }],
  putBack: [{ copyAtMs: 150 * second, putBackAtMs: 260 * second }],
  restlessMs: 6 * minute,
});

/** Each till has this turn once, while its customers come, for so many minutes. */
export const turn =
  (kind: TurnKind, forMinutes: readonly [number, number] = [1, 3]): World =>
  ({ seed, tills }) => ({
    // Some turns would make a drawer's day wrong by themselves.
    days: false,
    turns: Array.from({ length: tills }, (_, till) => {
      const { between } = createChance(seedOf(seed, "turn of a defect's world", till));
      const [low, high] = forMinutes;
      return { till, kind, atMs: between(15 * second, 90 * second), forMs: between(low * minute, high * minute) };
    }),
  });

/** Each till's folder is put back to a copy of before its first PIN; until then no cash is handed out. */
export const firstPinPutBack: World = ({ tills, withdrawals }) => ({
  days: false,
  turns: Array.from({ length: tills }, (_, till) => ({
    till,
    kind: "restored" as const,
    atMs: 20 * second,
    forMs: 100 * second,
  })),
  withdrawals: withdrawals.map((one) => ({
    ...one,
    startMs: one.startMs + 30 * second,
    cashier: "rejects",
    alsoAtTill: null,
  })),
});

/** All of it begins so many minutes before the year ends. */
export const beforeYearsEnd =
  (minutes: number): World =>
  ({ withdrawals, turns }) => {
    const laterMs = yearEndsAtMs - epochMs - minutes * minute;
    return {
      withdrawals: withdrawals.map((one) => ({ ...one, startMs: one.startMs + laterMs })),
      turns: turns.map((one) => ({ ...one, atMs: one.atMs + laterMs })),
    };
  };

const customers = 12;

/** A story in these worlds; nothing else happens in it but a usual day's faults. */
export const storyIn = (worlds: readonly World[], seed: number): Plan => {
  const usual = makePlan(seed, { withdrawals: customers, turns: [] });
  let plan: Plan = {
    ...usual,
    processes: 1,
    putBack: [],
    acts: [],
    clockJumps: [],
    wrongTimes: [],
    restlessMs: 3 * minute,
  };
  for (const world of worlds) plan = { ...plan, ...world(plan) };
  return plan;
};
