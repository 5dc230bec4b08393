import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { AsReported } from "../../backend/contract/pos.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { checkAudit } from "../../backend/operate/audit.ts";
import { auditedStore } from "../../backend/operate/audited-store.ts";
import { eraseUser } from "../../backend/operate/erase-user.ts";
import { closeDays } from "../../backend/operate/proof.ts";
import { purge, purgeOnTrustedClock } from "../../backend/operate/purge.ts";
import { ServiceError } from "../../backend/service-error.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { decidableAfterMs, decideCash, decideWithdrawal, listOpen } from "../../backend/withdrawals/open.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { applyRestore, correctRestore } from "../../backend/withdrawals/restored.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { type Chance, createChance } from "../random.ts";
import { byEffort } from "../runner/effort.ts";
import { createPlace } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import {
  accepted,
  bank,
  confirmIt,
  createWorld,
  declined,
  placeOrder,
  secondTill,
  testKeys,
  till,
  type World,
} from "./world.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;
const seeds = Array.from({ length: byEffort({ usual: 10, torture: 500 }) }, (_, n) => n + 1);

/** Long enough for what was started to come to its end. */
const settled = async () => {
  for (let turns = 0; turns < 20; turns += 1) await nextTurn();
};

/** What may happen to an installation, and how often beside the others. */
const movesOf = async ({ service, bank: theBank }: World, clock: VirtualClock, chance: Chance) => {
  const placed: [Transaction, ...Transaction[]] = [await placeOrder(service)];
  /** Mostly one of the newest: of the others nearly all have ended. */
  const some = () =>
    chance.pick([chance.pick(placed), ...placed.slice(-1), ...placed.slice(-2)] as [Transaction, ...Transaction[]]);
  const id = () => some().transaction_id;
  const posId = (of: Transaction) => chance.pick(["pos-", "pos-", "pos-", "other-"]) + of.transaction_id;
  const reported = (one: Transaction): AsReported | undefined =>
    chance.pick([undefined, { transaction_id_partner: posId(one), amount: one.amount, currency: one.currency }]);
  const link = (one: Transaction, handOutId: string | null) =>
    linkTransaction(service, till, one.transaction_id, chance.pick([null, "7"]), reported(one), handOutId);
  const undelivered = (one: Transaction) =>
    declareUndelivered(service, till, one.transaction_id, "till_short", chance.pick([null, "8"]), reported(one));
  const confirm = (one: Transaction) =>
    confirmIt(service, one, chance.pick([till, till, till, secondTill]), posId(one));
  /** An operator has mostly waited for as long as it takes, and reads the list of what is open. */
  const listed = async (): Promise<string> => {
    clock.jump(chance.pick([0, decidableAfterMs]));
    return chance.pick([id(), ...(await listOpen(service)).map(({ row }) => row.id)]);
  };
  const decide = async (cash: "handed-out" | "not-handed-out") =>
    decideCash(service, await listed(), cash, "op", "n", true);
  const decidePayment = async (outcome: "paid" | "not-paid") =>
    decideWithdrawal(service, await listed(), outcome, "op", "n");
  const closeAsOperator = (of: string) => {
    const command = { name: "reports close", words: [of], flags: {}, actor: "operator op" };
    const store = auditedStore(service.store, testKeys, clock, command);
    return closeDispute({ ...service, store }, of, "op", "n", Number.POSITIVE_INFINITY);
  };
  /** What a process has heard of an order that others have by now, or that a failover has forgotten. */
  const lateWord = (of: string) => {
    const sent = { attempts: chance.between(1, 3), unsent_attempts: 0, due_at: clock.now(), claimed_by: "another" };
    const order = {
      id: `settle_${of}`,
      transaction_id: of,
      partner_id: bank.partnerId,
      partner_reference: null,
      ...sent,
    };
    const answer = chance.pick(["accepted", "declined", null] as const);
    return settleAnswered(service, { ...order, body: "{}", created_at: clock.now(), last_error: null }, answer);
  };
  const purgeSome = () => {
    let batches = chance.between(1, 6);
    const archive = chance.pick([dayMs, 20 * dayMs]);
    const purging = purge(service, { ...periods, archive }, () => batches-- === 0);
    return clock.drive(purging, 5);
  };
  const correct = () => {
    const since = clock.now() - chance.pick([1, 60, 3_000]) * minuteMs;
    const told = chance.pick([[], [{ since: since - minuteMs, knownUntil: since - minuteMs }]]);
    return correctRestore(service, { forgotSince: since, by: "op", told });
  };
  const timeout = () => Promise.reject(new Error("timeout"));
  const settles = (onSettle: World["bank"]["onSettle"]) => Object.assign(theBank, { onSettle });
  const periods = {
    checkins: null,
    sign_ins: null,
    idempotency_keys: 3 * dayMs,
    withdrawals: 2 * dayMs,
    archive: chance.pick([null, 20 * dayMs]),
  };
  const moves: Record<string, readonly [weight: number, move: () => unknown]> = {
    request: [20, async () => placed.push(await placeOrder(service, { sca_required: chance.happens(0.5) }))],
    confirm: [20, () => confirm(some())],
    approve: [24, () => resolveSca(service, bank, id(), "approved").finally(settled)],
    deny: [8, () => resolveSca(service, bank, id(), "denied")],
    reject: [10, () => rejectTransaction(service, till, id())],
    cancel: [10, () => cancelWithdrawal(service, bank, id())],
    link: [20, () => link(some(), chance.pick([null, "h1", "h2"]))],
    undelivered: [10, () => undelivered(some())],
    "close a dispute": [10, async () => closeAsOperator(await listed())],
    "decide a payment": [10, () => decidePayment(chance.pick(["paid", "not-paid"]))],
    "decide cash": [10, () => decide(chance.pick(["handed-out", "not-handed-out"]))],
    erase: [2, () => eraseUser({ store: service.store, random: service.random }, bank.partnerId, "ann")],
    restore: [3, () => applyRestore(service, { forgotSince: clock.now() - minuteMs })],
    "restore corrected": [2, correct],
    "late word": [6, () => lateWord(id())],
    "another bank": [10, () => settles(chance.pick([() => accepted, () => declined, timeout]))],
    "time passes": [5, () => clock.advance(5_000, settled)],
    "clock jumps": [20, () => clock.jump(chance.pick([1_000, 5_000, 30_000, chance.between(0, 20) * minuteMs]))],
    "clock is set back": [4, () => clock.jump(-chance.pick([1_000, 10 * minuteMs, 120 * minuteMs, dayMs]))],
    "next day": [5, () => clock.jump(dayMs)],
    "next month": [4, () => clock.jump(31 * dayMs)],
    "close days": [10, () => closeDays(service)],
    purge: [10, () => clock.drive(purge(service, periods), 5)],
    "purge that is stopped": [6, purgeSome],
    "purge on a trusted clock": [
      10,
      () =>
        clock.drive(
          purgeOnTrustedClock(service, periods, () => false),
          5,
        ),
    ],
    verify: [10, () => checkAudit({ ...service, keys: testKeys }, chance.pick([{}, { new: "1" }]))],
  };
  return moves;
};

/** What has happened in a story, as its histories and audit have it. */
const readHappened = (store: Store): Promise<ReadonlySet<string>> =>
  store.read(async (tx) => {
    const events = await tx.all(adhoc((db) => db.selectFrom("withdrawal_events").selectAll()));
    const audited = await tx.all(adhoc((db) => db.selectFrom("audit").selectAll()));
    return new Set([
      ...events.map(({ kind, to_status, actor }) => `${kind === "transition" ? to_status : kind} by ${actor}`),
      ...audited.map(({ event }) => event),
    ]);
  });

/** @returns what has happened. @throws with the moves that were played. */
const playHistory = async (seed: number): Promise<ReadonlySet<string>> => {
  const chance = createChance(seed);
  const clock = new VirtualClock();
  const place = await createPlace("sqlite");
  const world = await createWorld(await place.open(clock), { clock, options: { pollMs: 1e9 } });
  const played: string[] = [];
  try {
    const moves = await movesOf(world, clock, chance);
    const [first = "", ...others] = Object.entries(moves).flatMap(([name, [weight]]) =>
      Array<string>(weight).fill(name),
    );
    while (played.length < 300) {
      const name = chance.pick([first, ...others]);
      played.push(name);
      try {
        await moves[name]?.[1]();
      } catch (error) {
        // Most moves are refused at most moments; a verification that fails is an internal error.
        if (!(error instanceof ServiceError) || error.code === "internal_error") throw error;
      }
    }
    await checkAudit({ ...world.service, keys: testKeys });
    return await readHappened(world.service.store);
  } catch (error) {
    throw new Error(`after: ${played.join(", ")}`, { cause: error });
  } finally {
    await world.service.stop();
    await place.dispose();
  }
};

const played = new Map<number, Promise<ReadonlySet<string>>>();
const historyOf = (seed: number): Promise<ReadonlySet<string>> => {
  const history = played.get(seed) ?? playHistory(seed);
  played.set(seed, history);
  return history;
};

// An honest history, however odd its order and its clocks, is never taken for tampering: the audit holds at every moment.
test.each(seeds)("the audit holds in the honest history of seed %i", async (seed) => {
  expect((await historyOf(seed)).size).toBeGreaterThan(0);
});

test("what may happen to a withdrawal, its days and its month has happened in these histories", async () => {
  const moved = [
    "settling by device",
    "settling by partner",
    "settled by partner",
    "failed by partner",
    "linked by device",
  ];
  const ended = ["undelivered by device", "rejected by device", "expired by sweeper", "canceled by partner"];
  const odd = ["canceled by sweeper", "canceled by operator", "decided by operator", "contradicted by partner"];
  const restored = ["database restored", "reported_again by device", "approved by partner", "reported after restore"];
  const days = ["history_day", "history_verified", "history_month_ended", "names_forgotten", "reports close"];
  const left = new Set([...moved, ...ended, ...odd, ...restored, ...days]);
  for (const seed of seeds) for (const each of await historyOf(seed)) left.delete(each);
  expect([...left]).toEqual([]);
});
