/** Runs one plan to its end: real terminals, real service, simulated everything else; then asks the checker. */
import { createHash } from "node:crypto";
import { parseAmount } from "../../backend/contract/money.ts";
import { createTerminal } from "../../main/terminal/terminal.ts";
import { type Screen, settingsSchema } from "../../preload/contract.ts";
import { createBank } from "./bank.ts";
import { bootService, partner, shop, tillDevice, tillSecret } from "./boot-service.ts";
import { bankCaller, serviceUrl, tillTransport } from "./carrier.ts";
import { type Cashier, createCashier } from "./cashier.ts";
import { startCustomer } from "./customer.ts";
import type { Evidence } from "./evidence.ts";
import { checkAtEnd, tillsStayFree, type Violation } from "./invariants.ts";
import { createLuck } from "./luck.ts";
import { createNetwork } from "./network.ts";
import { createOccupancy } from "./occupancy.ts";
import type { FaultName, Plan } from "./plan.ts";
import { createJournalReader } from "./read-journal.ts";
import { readReport, readRows } from "./read-service.ts";
import { createScheduler } from "./scheduler.ts";
import { type BootService, createServiceMachine } from "./service.ts";
import { type BootTerminal, createTill, type TillMachine } from "./till.ts";
import { assertSameRows, createWatch } from "./watch.ts";

export interface Programs {
  readonly bootTerminal: BootTerminal;
  readonly bootService: BootService;
}
export const realPrograms: Programs = {
  bootTerminal: (ports) => createTerminal(ports, checkpointEvery),
  bootService,
};

export interface Story {
  readonly violations: readonly Violation[];
  readonly faults: Readonly<Record<FaultName, number>>;
  readonly steps: number;
  /** How the withdrawals ended, by the service's status. */
  readonly ends: Readonly<Record<string, number>>;
  /** Of all that was seen to happen, in order: the same for the same plan. */
  readonly traceHash: string;
  /** What people and machines did, line by line; empty unless asked for. */
  readonly trace: readonly string[];
}

const epochMs = Date.UTC(2026, 0, 5, 8);
/** After the last customer: faults go on this long, then stop, then all must drain. */
const restlessMs = 15 * 60_000;
const drainMs = 45 * 60_000;
/** When nothing has been open for so long after the faults, no late message can be under way any more. */
const quietMs = 3 * 60_000;
const stepsMax = 200_000_000;
const slackMs = 5_000;
/** Characters. */
const hashedAtOnce = 65_536;
/** So that a till which lives for some hours and dies now and then starts from checkpoints too. */
const checkpointEvery = 150;

export const runStory = async (
  plan: Plan,
  options: { readonly trace?: boolean; readonly programs?: Programs } = {},
): Promise<Story> => {
  const { bootTerminal, bootService: boot } = options.programs ?? realPrograms;
  const scheduler = createScheduler();
  const luck = createLuck(plan.seed, plan.faults);
  const network = createNetwork(scheduler, luck);
  const trace: string[] = [];
  const hash = createHash("sha256");
  let unhashed = "";
  const note = (text: string): void => {
    unhashed += `${scheduler.now()} ${text}\n`;
    if (unhashed.length > hashedAtOnce) {
      hash.update(unhashed);
      unhashed = "";
    }
    if (options.trace) trace.push(`${(scheduler.now() / 1_000).toFixed(3).padStart(10)} s  ${text}`);
  };
  const wayByUser = new Map(plan.withdrawals.map((planned) => [`user-${planned.index}`, planned.bank]));
  const journals = Array.from({ length: plan.tills }, (_, index) => createJournalReader(index));
  const watch = createWatch({ now: scheduler.now, serviceNow: () => service.now(), journals });
  const bank = createBank(
    scheduler.now,
    luck,
    (userId) => wayByUser.get(userId) ?? "accepts",
    (payment) => {
      note(`the bank pays ${payment.amount} EUR for ${payment.reference}`);
      watch.bankPaid(payment);
    },
  );
  const service = createServiceMachine({
    seed: plan.seed,
    epochMs,
    scheduler,
    luck,
    network,
    bank,
    bootService: boot,
    onPowerCut: () => note("the service loses its power"),
    onCommit: (rows) => {
      for (const row of rows) note(`the service has ${row.transactionId} ${row.status}`);
      watch.committed(rows);
    },
  });
  const occupancy = createOccupancy(scheduler.now, settingsSchema.parse({}).scaTimeoutSeconds * 1_000 + slackMs);
  const tills: TillMachine[] = [];
  const cashiers: Cashier[] = [];
  /** Screens are told again when something else on them changes. */
  const shownSteps: string[] = [];

  const onScreen = (index: number, screen: Screen): void => {
    occupancy.shows(index, screen);
    if (screen.kind === "payable" && shownSteps[index] !== screen.step) watch.offered(index, screen.transactionId);
    shownSteps[index] = screen.step;
    cashiers[index]?.look(screen);
  };

  for (let index = 0; index < plan.tills; index++) {
    const till: TillMachine = createTill({
      index,
      epochMs,
      scheduler,
      luck,
      bootTerminal,
      credential: { serviceUrl, merchantId: shop, deviceId: tillDevice(index), secret: tillSecret },
      onWritten: (bodies) => journals[index]?.take(bodies),
      transport: (signal) => tillTransport(index, network, service, signal),
      onDiskFull: () => occupancy.diskFailed(index),
      onSnapshot: (snapshot) => onScreen(index, snapshot.screen),
      onDrawerOpened: () => cashiers[index]?.drawerOpened(),
      onPowerCut: () => {
        note(`till ${index} loses its power`);
        shownSteps[index] = "";
        occupancy.off(index);
      },
    });
    tills.push(till);
    cashiers.push(
      createCashier({
        seed: plan.seed,
        scheduler,
        till,
        onCash: (transactionId, amount) => {
          note(`till ${index}: ${amount} EUR leave the drawer for ${transactionId}`);
          watch.cashLeft({ till: index, transactionId, amountMinor: parseAmount(amount, "EUR") ?? 0 });
        },
        onTrace: (text) => note(`till ${index} ${text}`),
      }),
    );
  }

  /** Steps on until `work` is done. */
  const until = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    void work.finally(() => {
      isDone = true;
    });
    await scheduler.run(() => !isDone);
    return work;
  };

  const evidence = (report: ReadonlyMap<string, string>): Evidence => ({
    offers: watch.offers,
    cash: watch.cash,
    approvals: watch.approvals,
    journals: tills.flatMap((till, index) => {
      const open = new Set(till.snapshot?.header.open.map((one) => one.withdrawalId));
      return [...(journals[index]?.accounts().entries() ?? [])].map(([withdrawalId, account]) => ({
        ...account,
        open: open.has(withdrawalId),
      }));
    }),
    rows: readRows(service.database),
    ledger: bank.ledger,
    report,
    blocked: occupancy.tooLong(),
  });

  await until(service.boot());
  const call = bankCaller(network, service, partner, (transactionId) => {
    note(`the approval of ${transactionId} reaches the service`);
    watch.approvalArrived(transactionId);
  });
  for (const till of tills) till.boot();
  for (const planned of plan.withdrawals)
    startCustomer({
      seed: plan.seed,
      planned,
      store: shop,
      scheduler,
      call,
      look: watch.row,
      serviceNow: service.now,
      arrive: (customer, till) => {
        note(`customer ${planned.index} is at till ${till} with ${customer.transactionId}`);
        cashiers[till]?.arrive(customer);
      },
      leave: (customer) => {
        for (const cashier of cashiers) cashier.leave(customer);
      },
    });
  for (const { machine, atMs, byMs } of plan.clockJumps)
    scheduler.at(atMs, () => {
      note(`the clock of ${machine === "service" ? "the service" : `till ${machine}`} jumps by ${byMs} ms`);
      (machine === "service" ? service : tills[machine])?.jumpClock(byMs);
    });
  luck.start();

  const lastMs = plan.withdrawals.at(-1)?.startMs ?? 0;
  const calmAt = lastMs + restlessMs;
  scheduler.at(calmAt, luck.stop);
  let steps = 0;
  let busyAt = 0;
  const isBusy = (): boolean =>
    watch.unfinished.size > 0 ||
    tills.some(({ snapshot }) => snapshot?.screen.kind !== "ready" || snapshot.header.open.length > 0);
  const goesOn = (): boolean => {
    if (watch.violations.length > 0 || occupancy.tooLong().length > 0) return false;
    steps += 1;
    const nowMs = scheduler.now();
    if (nowMs < calmAt) return true;
    if (isBusy()) busyAt = nowMs;
    return steps < stepsMax && nowMs - busyAt < quietMs && nowMs < calmAt + drainMs;
  };
  await scheduler.run(goesOn);
  let violations: readonly Violation[] = watch.violations;
  if (violations.length === 0) {
    luck.stop();
    const last = evidence(await until(readReport(service.fetch, serviceUrl, partner, epochMs)));
    violations = occupancy.tooLong().length > 0 ? tillsStayFree(last) : checkAtEnd(last);
    if (violations.length === 0) assertSameRows(watch.rows, last.rows);
  }
  const ends: Record<string, number> = {};
  for (const row of watch.rows.values()) ends[row.status] = (ends[row.status] ?? 0) + 1;
  for (const till of tills) till.dispose();
  service.dispose();
  return { violations, faults: luck.counts, steps, ends, traceHash: hash.update(unhashed).digest("hex"), trace };
};
