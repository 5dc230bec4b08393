/**
 * The built terminal and the built service as processes of their own, killed with SIGKILL while a scripted cashier and
 * customers work; then the same promises, from the journal, the database and the bank's ledger.
 */
import { settingsSchema } from "../../../preload/contract.ts";
import { createPresence } from "../../runner/presence.ts";
import { createBank } from "../bank.ts";
import { referenceAtBank } from "../customer.ts";
import { createFaultInjector } from "../fault-injector.ts";
import type { Violation } from "../invariants.ts";
import { createOccupancy } from "../occupancy.ts";
import { defaultFaultRates, makePlan } from "../plan.ts";
import { createJournalReader } from "../read-journal.ts";
import { readRows } from "../read-service.ts";
import { createWatch } from "../watch.ts";
import { createBankCaller } from "./bank-caller.ts";
import { openCounter } from "./counter.ts";
import { openDoors } from "./customers.ts";
import { runFinalCheck } from "./final-check.ts";
import { formatKill, formatRun } from "./format.ts";
import { betweenKillsMs, type Kill } from "./kills.ts";
import { createManager } from "./manager.ts";
import { createPacedClock, pause } from "./paced-clock.ts";
import { bankCredential, type Shop } from "./shop.ts";

/** What a run came to. */
export interface RealRun {
  readonly violations: readonly Violation[];
  readonly kills: readonly Kill[];
  /** Withdrawals by the status in which they ended. */
  readonly ends: Readonly<Record<string, number>>;
  readonly exitCodes: readonly (number | null)[];
  readonly summary: string;
}

const pace = 0.1;
const drainMaxMs = 120_000;
/** Nothing open for so long: no late answer of a killed program is under way any more. */
const quietMs = 5_000;
/** As in virtual time; the time for which a killed service was away comes on top, as it was measured. */
const slackMs = 5_000;

/** Whatever stands open where cash may be: at the till, or at the service for somebody who came. */
const isDrained = ({ till, books }: Shop, atTill: ReadonlySet<string>): boolean => {
  const shown = till.snapshot;
  if (shown?.screen.kind !== "ready" || shown.header.open.length > 0 || shown.header.pendingReports) return false;
  return [...readRows(books).values()].every(
    ({ transactionId, status }) =>
      !["awaiting_sca", "settling", "settled"].includes(status) && (status !== "ready" || !atTill.has(transactionId)),
  );
};

/** Whoever stood at the till at the kills may have gone without cash: the next customers show that the shop still works. */
const serveOne = async ({ books }: Shop): Promise<void> => {
  const giveUpAt = performance.now() + drainMaxMs;
  const isServed = (): boolean => [...readRows(books).values()].some(({ status }) => status === "linked");
  while (!isServed() && performance.now() < giveUpAt) await pause(200);
};

const drain = async (shop: Shop, atTill: ReadonlySet<string>): Promise<void> => {
  const giveUpAt = performance.now() + drainMaxMs;
  for (let quietSince = performance.now(); performance.now() < giveUpAt; await pause(200)) {
    if (!isDrained(shop, atTill)) quietSince = performance.now();
    else if (performance.now() - quietSince > quietMs) return;
  }
};

/** Starts everything in a folder of its own, kills so many times, then checks the books. */
export const playReal = async (options: {
  readonly kills: number;
  readonly seed: number;
  readonly betweenMs?: { readonly min: number; readonly max: number };
  readonly onKill?: (text: string) => void;
}): Promise<RealRun> => {
  const { seed } = options;
  const began = performance.now();
  const closers: (() => unknown)[] = [];
  const clock = createPacedClock(pace);
  const plan = makePlan(seed, { withdrawals: 20 * options.kills + 100, tills: 1 });
  const injector = createFaultInjector(seed, defaultFaultRates);
  const ways = new Map(plan.withdrawals.map(({ index, bank }) => [referenceAtBank(index), bank]));
  const bank = createBank({
    now: Date.now,
    injector,
    wayOf: (reference) => ways.get(reference) ?? "accepts",
    onPayment: () => {},
  });
  const journal = createJournalReader(0);
  const watch = createWatch({ now: Date.now, serviceNow: Date.now, journals: [journal] });
  const scaMs = settingsSchema.parse({}).scaTimeoutSeconds * 1_000;
  const presence = createPresence();
  const occupancy = createOccupancy(presence.now, scaMs + slackMs);

  try {
    const { shop, cashier, killer, rowOf } = await openCounter({
      seed,
      scheduler: clock.scheduler,
      bank,
      watch,
      occupancy,
      betweenKillsMs: options.betweenMs ?? betweenKillsMs,
      atEnd: (close) => closers.push(close),
    });
    injector.start();
    await shop.till.start();
    const manager = createManager({
      shop,
      watch,
      isPaid: (id) => bank.ledger.payments.some((one) => one.reference === id),
    });
    await manager.begin();
    const reading = manager.readOn();
    closers.push(reading.stop);
    const doors = openDoors({
      plan,
      scheduler: clock.scheduler,
      call: createBankCaller(() => shop.service.url, bankCredential, watch.approvalArrived),
      rowOf,
      cashier,
    });
    closers.push(doors.close);

    const kills: Kill[] = [];
    while (kills.length < options.kills) {
      const kill = await killer.killNext();
      kills.push(kill);
      options.onKill?.(formatKill(kills.length, kill, doors.count));
    }
    await reading.stop();
    await serveOne(shop);
    await doors.close();
    injector.stop();
    await drain(shop, doors.atTill);
    const { violations, rows, exitCodes } = await runFinalCheck(
      shop,
      {
        watch,
        journal,
        bank,
        blocked: occupancy.tooLong(),
      },
      manager,
    );
    const ends: Record<string, number> = {};
    for (const { status } of rows.values()) ends[status] = (ends[status] ?? 0) + 1;
    const tookMs = performance.now() - began;
    const summary = formatRun({
      seed,
      kills,
      ends,
      violations,
      tookMs,
      heldMaxMs: occupancy.longestMs(),
      reads: manager.reads,
    });
    return { violations, kills, ends, exitCodes, summary };
  } finally {
    clock.stop();
    presence.stop();
    for (const close of closers.reverse()) await close();
  }
};
