/** Runs one plan to its end: real terminals, real service, simulated everything else; then asks the checker. */
import { parseAmount } from "../../backend/contract/money.ts";
import { createTerminal } from "../../main/terminal/terminal.ts";
import { type Screen, settingsSchema } from "../../preload/contract.ts";
import { createBank } from "./bank.ts";
import { bootService, partner, shop, tillDevice, tillSecret } from "./boot-service.ts";
import { bankCaller, serviceUrl, tillTransport } from "./carrier.ts";
import { type Cashier, createCashier } from "./cashier.ts";
import { startCustomer } from "./customer.ts";
import type { Approval, CashGiven, Evidence, Offer } from "./evidence.ts";
import { checkAlways, checkAtEnd, type Violation } from "./invariants.ts";
import { createLuck } from "./luck.ts";
import { createNetwork } from "./network.ts";
import { createOccupancy } from "./occupancy.ts";
import type { FaultName, Plan } from "./plan.ts";
import { readAccounts } from "./read-journal.ts";
import { readReport, readRow, readRows } from "./read-service.ts";
import { createScheduler } from "./scheduler.ts";
import { type BootService, createServiceMachine } from "./service.ts";
import { type BootTerminal, createTill, type TillMachine } from "./till.ts";

export interface Programs {
  readonly bootTerminal: BootTerminal;
  readonly bootService: BootService;
}
export const realPrograms: Programs = { bootTerminal: createTerminal, bootService };

export interface Story {
  readonly violations: readonly Violation[];
  readonly faults: Readonly<Record<FaultName, number>>;
  readonly steps: number;
  /** How the withdrawals ended, by the service's status. */
  readonly ends: Readonly<Record<string, number>>;
  /** What people and machines did, line by line; empty unless asked for. */
  readonly trace: readonly string[];
}

const epochMs = Date.UTC(2026, 0, 5, 8);
/** After the last customer: faults go on this long, then stop, then all must drain. */
const restlessMs = 15 * 60_000;
const drainMs = 45 * 60_000;
const stepsMax = 200_000_000;
const checkEverySteps = 5_000;
const slackMs = 5_000;

export const runStory = async (
  plan: Plan,
  options: { readonly trace?: boolean; readonly programs?: Programs } = {},
): Promise<Story> => {
  const { bootTerminal, bootService: boot } = options.programs ?? realPrograms;
  const scheduler = createScheduler();
  const luck = createLuck(plan.seed, plan.faults);
  const network = createNetwork(scheduler, luck);
  const trace: string[] = [];
  const note = (text: string): void => {
    if (options.trace) trace.push(`${(scheduler.now() / 1_000).toFixed(3).padStart(10)} s  ${text}`);
  };
  const wayByUser = new Map(plan.withdrawals.map((planned) => [`user-${planned.index}`, planned.bank]));
  const bank = createBank(scheduler.now, luck, (userId) => wayByUser.get(userId) ?? "accepts");
  const service = createServiceMachine({ seed: plan.seed, epochMs, scheduler, luck, network, bank, bootService: boot });

  const offers: Offer[] = [];
  const cash: CashGiven[] = [];
  const approvals: Approval[] = [];
  const occupancy = createOccupancy(scheduler.now);
  const tills: TillMachine[] = [];
  const cashiers: Cashier[] = [];

  const onScreen = (index: number, screen: Screen): void => {
    occupancy.shows(index, screen);
    if (screen.kind === "payable") {
      const { transactionId } = screen;
      const serviceStatus = readRow(service.database, transactionId)?.status ?? null;
      offers.push({ till: index, transactionId, atMs: scheduler.now(), serviceStatus });
    }
    cashiers[index]?.look(screen);
  };

  for (let index = 0; index < plan.tills; index++) {
    const trained = { serviceUrl, merchantId: shop, deviceId: tillDevice(index), secret: tillSecret };
    const till: TillMachine = createTill({
      index,
      epochMs,
      scheduler,
      luck,
      bootTerminal,
      credential: trained,
      transport: tillTransport(index, network, service),
      onSnapshot: (snapshot) => onScreen(index, snapshot.screen),
      onDrawerOpened: () => cashiers[index]?.drawerOpened(),
      onPowerCut: () => {
        note(`till ${index} loses its power`);
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
          cash.push({
            till: index,
            transactionId,
            amountMinor: parseAmount(amount, "EUR") ?? 0,
            atMs: scheduler.now(),
          });
        },
        onTrace: (text) => note(`till ${index} ${text}`),
      }),
    );
  }

  /** Steps on until `work` is done; false when nothing is left that could do it. */
  const until = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    void work.finally(() => {
      isDone = true;
    });
    while (!isDone && (await scheduler.step()));
    return work;
  };

  const evidence = (report: ReadonlyMap<string, string>): Evidence => ({
    offers,
    cash,
    approvals,
    journals: tills.flatMap((till) => readAccounts(till)),
    rows: readRows(service.database),
    ledger: bank.ledger,
    report,
    blocked: occupancy.intervals(),
    blockedMostMs: settingsSchema.parse({}).scaTimeoutSeconds * 1_000 + slackMs,
  });

  await until(service.boot());
  const call = bankCaller(network, service, partner, (transactionId) =>
    approvals.push({ transactionId, atMs: service.now() }),
  );
  for (const till of tills) till.boot();
  for (const planned of plan.withdrawals)
    startCustomer({
      seed: plan.seed,
      planned,
      scheduler,
      call,
      look: (transactionId) => readRow(service.database, transactionId),
      serviceNow: service.now,
      arrive: (customer) => {
        note(`customer ${planned.index} is at till ${planned.till} with ${customer.transactionId}`);
        cashiers[planned.till]?.arrive(customer);
      },
      leave: (customer) => cashiers[planned.till]?.leave(customer),
    });
  for (const jump of plan.clockJumps) scheduler.at(jump.atMs, () => tills[jump.till]?.jumpClock(jump.byMs));
  luck.start();

  const lastMs = plan.withdrawals.at(-1)?.startMs ?? 0;
  scheduler.at(lastMs + restlessMs, luck.stop);
  let steps = 0;
  let violations: readonly Violation[] = [];
  for (; steps < stepsMax && violations.length === 0; steps++) {
    const nextAt = scheduler.nextAt();
    if (nextAt === null || nextAt > lastMs + restlessMs + drainMs) break;
    await scheduler.step();
    if (steps % checkEverySteps === checkEverySteps - 1) violations = checkAlways(evidence(new Map()));
  }
  const last = evidence(await until(readReport(service.fetch, serviceUrl, partner, epochMs)));
  if (violations.length === 0) violations = checkAtEnd(last);
  const ends: Record<string, number> = {};
  for (const row of last.rows.values()) ends[row.status] = (ends[row.status] ?? 0) + 1;
  return { violations, faults: luck.counts, steps, ends, trace };
};
