/** The machines of a story and the people at them, wired so that the checker sees all they do. Nothing moves before the service boots. */
import { cpSync } from "node:fs";
import { parseAmount } from "../../backend/contract/money.ts";
import { type Screen, settingsSchema } from "../../preload/contract.ts";
import { type Administration, createAdministration } from "./administration.ts";
import { watchAuthority } from "./authority.ts";
import { bankHost, createBank, type SimulatedBank } from "./bank.ts";
import { type BookGuard, createBookGuard } from "./book-guard.ts";
import { bankKey, shop, tillDevice, tillSecret } from "./boot-service.ts";
import { createProxy, serviceUrl, tillTransport } from "./carrier.ts";
import { type Cashier, createCashier } from "./cashier.ts";
import { referenceAtBank } from "./customer.ts";
import { createDrawerBook } from "./drawer-book.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import type { ServiceRow } from "./evidence.ts";
import { createFaultInjector, type FaultInjector } from "./fault-injector.ts";
import { createForeignTerminal } from "./foreign-terminal.ts";
import { createSandbox, type Sandbox, sandboxUrl } from "./installation/sandbox.ts";
import { createNetwork, type Network } from "./network.ts";
import { createOccupancy, type Occupancy } from "./occupancy.ts";
import { createPaperBook } from "./paper-book.ts";
import type { Plan } from "./plan.ts";
import type { Programs } from "./programs.ts";
import { createJournalReader, type JournalReader } from "./read-journal.ts";
import { createScheduler, type Scheduler } from "./scheduler.ts";
import { createScreenChecks, type ScreenChecks } from "./screen-checks.ts";
import { createServiceMachine, type ServiceMachine } from "./service.ts";
import { createTill, type TillMachine } from "./till.ts";
import { createTwins, type Twins } from "./twins.ts";
import { createWatch, type Watch } from "./watch.ts";

/** Everybody and everything in a story. */
export interface Stage {
  readonly scheduler: Scheduler;
  readonly injector: FaultInjector;
  readonly network: Network;
  readonly bank: SimulatedBank;
  readonly service: ServiceMachine;
  /** Training's own; null in stories without an installation's life. */
  readonly sandbox: Sandbox | null;
  /** Whoever runs the service. */
  readonly administration: Administration;
  /** How much later than its deadline an approval may count. */
  readonly approvalSlackMs: number;
  readonly guard: BookGuard;
  /** Tills that must show that the service knows another journal. */
  readonly forked: Set<number>;
  readonly tills: readonly TillMachine[];
  readonly twins: Twins;
  /** A second machine on a copy of this till's folder; null where it has one, or has no folder. */
  readonly addTwin: (till: TillMachine) => TillMachine | null;
  readonly cashiers: readonly Cashier[];
  /** One for each till. */
  readonly journals: readonly JournalReader[];
  readonly watch: Watch;
  readonly screenChecks: ScreenChecks;
  readonly occupancy: Occupancy;
  readonly eventLog: EventLog;
}

/** When virtual time begins, by every clock that is right: so that a year ends soon after. */
export const epochMs = Date.UTC(2025, 11, 31, 23, 40);
/** A process of a fleet may be so far off the database's time, and some milliseconds more. */
const fleetSlackMs = 6_100;
/** Promise 5: so much longer than its own SCA time-out a till may be held. */
const slackMs = 5_000;

const buildService = (
  plan: Plan,
  programs: Programs,
  {
    scheduler,
    injector,
    network,
    bank,
    watch,
    screenChecks,
    eventLog,
    guard,
  }: Omit<Stage, "service" | "sandbox" | "administration" | "tills" | "cashiers" | "addTwin">,
  onSettled: (row: ServiceRow) => void,
): ServiceMachine =>
  createServiceMachine({
    seed: plan.seed,
    epochMs,
    scheduler,
    injector,
    network,
    bank,
    bootService: programs.bootService,
    currency: plan.currency,
    answers: plan.answers,
    processes: plan.processes,
    hasNextKey: plan.acts?.some(({ kind }) => kind === "service_key_rotated") === true,
    onPowerCut: () => eventLog.note("the service loses its power"),
    onCommit: (rows) => {
      for (const row of rows) eventLog.note(`the service has ${row.transactionId} ${row.status}`);
      for (const row of rows) guard.made(row.transactionId, { serviceUrl, merchantId: shop });
      watch.committed(rows);
      screenChecks.committed(rows);
      for (const row of rows) if (row.status === "settled") onSettled(row);
    },
  });

/** A till and the cashier who looks at it. */
const buildTill = (
  index: number,
  plan: Plan,
  programs: Programs,
  stage: Omit<Stage, "administration" | "tills" | "cashiers" | "addTwin">,
  original: TillMachine | null = null,
): { readonly till: TillMachine; readonly cashier: Cashier } => {
  const { scheduler, injector, network, service, sandbox, guard, occupancy, watch, screenChecks, eventLog, twins } =
    stage;
  const services = new Map([[serviceUrl, service], ...(sandbox ? [[sandboxUrl, sandbox.service] as const] : [])]);
  const hasLife = plan.turns.length > 0;
  /** Screens are told again when something else on them changes. */
  let shownStep = "";
  const onScreen = (screen: Screen): void => {
    // Whom a manager has to help is not held by a withdrawal; practice is nobody's money.
    if (hasLife && (screen.kind === "setup" || screen.kind === "blocked")) occupancy.off(index);
    else occupancy.shows(index, screen);
    if (till.life.training) {
      cashier.screenChanged(screen);
      return;
    }
    if (shownStep !== screen.step) screenChecks.shown(index, screen, till.snapshot?.settings.openOnSettled === true);
    if (screen.kind === "payable" && shownStep !== screen.step) watch.offered(index, screen.transactionId);
    shownStep = screen.step;
    cashier.screenChanged(screen);
  };
  const drawerBook = createDrawerBook(index, (text) => watch.report(8, "", text));
  const authority = watchAuthority((text) => watch.report(15, "", `till ${index} ${text}`));
  const proxy = createProxy(injector);
  const paper = createPaperBook(index, (text) => watch.report(12, "", text));
  const disk = hasLife ? programs.openFolder(index) : programs.openDisk(index);
  if (original?.home != null && disk.home !== undefined) cpSync(original.home, disk.home, { recursive: true });
  const till: TillMachine = createTill({
    index,
    epochMs,
    scheduler,
    bootTerminal: programs.bootTerminal,
    faults: injector.of(`till ${index}`),
    disk,
    trainingCredential: { serviceUrl: sandboxUrl, merchantId: shop, deviceId: tillDevice(index), secret: tillSecret },
    credential: original?.credential ?? {
      serviceUrl,
      merchantId: shop,
      deviceId: tillDevice(index),
      secret: tillSecret,
    },
    days: plan.days,
    onWritten: (bodies) => {
      stage.journals[index]?.take(bodies);
      drawerBook.take(bodies);
      twins.writes(index, bodies);
    },
    transport: (signal, hasCable) => tillTransport(index, network, services, guard, twins, proxy, signal, hasCable),
    onDiskFull: () => occupancy.diskFailed(index),
    onSnapshot: (snapshot) => {
      if (!till.life.training) authority.shows(snapshot);
      onScreen(snapshot.screen);
    },
    onDrawerTold: () => screenChecks.drawerTold(index),
    onPaper: paper.take,
    onFalseOpening: () => watch.report(12, "", `till ${index} takes its drawer for open, and it stands shut`),
    onPress: (command, screen) => {
      if (!till.life.training) screenChecks.pressed(index, command, screen);
    },
    onAsk: (command, snapshot) => authority.asks(command, snapshot),
    onDrawerOpened: () => cashier.drawerOpened(),
    onDiskFilled: () => eventLog.note(`till ${index}'s disk is full while it writes an archive`),
    onPutBack: authority.putBack,
    onPowerCut: () => {
      eventLog.note(`till ${index} loses its power`);
      authority.restarted();
      shownStep = "";
      occupancy.off(index);
    },
  });
  const cashier = createCashier({
    seed: plan.seed,
    scheduler,
    till,
    currency: plan.currency,
    onCash: (transactionId, { amount, currency }) => {
      // Training's cash is none; that of a withdrawal which a copy does not know is.
      if (watch.row(transactionId) === null && !watch.lost.has(transactionId)) return;
      eventLog.note(`till ${index}: ${amount} ${currency} leave the drawer for ${transactionId}`);
      const amountMinor = parseAmount(amount, currency) ?? 0;
      drawerBook.cashLeft(amountMinor);
      watch.cashLeft({ till: index, transactionId, amountMinor, currency });
    },
    cashMinor: () => drawerBook.cashMinor,
    tillMayForget: plan.turns.some((turn) => turn.till === index && turn.kind === "restored"),
    takesOnTrust: original !== null,
    onTrace: (text) => eventLog.note(`till ${index} ${text}`),
  });
  return { till, cashier };
};

/** The same plan and programs give the same stage. */
export const buildStage = (
  plan: Plan,
  programs: Programs,
  keepsLines: boolean,
  injector = createFaultInjector(plan.seed, plan.faults),
): Stage => {
  const scheduler = createScheduler();
  const network = createNetwork(scheduler, injector);
  const eventLog = createEventLog(scheduler.now, keepsLines);
  const journals = Array.from({ length: plan.tills }, (_, index) => createJournalReader(index, plan.turns.length > 0));
  const twins = createTwins(scheduler.now);
  const approvalSlackMs = plan.processes > 1 ? fleetSlackMs : 0;
  const decided = new Set<string>();
  const watch = createWatch({
    approvalSlackMs,
    twins,
    now: scheduler.now,
    serviceNow: () => service.now(),
    journals,
    isDenied: (id) => bank.ledger.denied.has(id),
    isDecided: (id) => decided.has(id),
  });
  const occupancy = createOccupancy(scheduler.now, settingsSchema.parse({}).scaTimeoutSeconds * 1_000 + slackMs);
  const ways = new Map(plan.withdrawals.map((planned) => [referenceAtBank(planned.index), planned.bank]));
  const bank = createBank({
    now: scheduler.now,
    injector,
    wayOf: (reference) => ways.get(reference) ?? "accepts",
    onPayment: (payment) => {
      eventLog.note(`the bank pays ${payment.amount} ${plan.currency} for ${payment.reference}`);
      watch.bankPaid(payment);
    },
    answers: plan.answers,
    calendarMs: plan.seed % 3 === 0 ? null : () => epochMs + scheduler.now(),
  });
  bank.takeKeys([bankKey]);
  bank.listenAt([bankHost]);
  const screenChecks = createScreenChecks({
    // What an operator decides while a till is away its screen has yet to learn.
    watch: { ...watch, row: (id) => (watch.lost.has(id) || decided.has(id) ? null : watch.row(id)) },
    nowMs: () => scheduler.now(),
    serviceNow: () => service.now(),
    hold: (transactionId) => bank.ledger.holds.get(transactionId),
    intended: (till, row) => journals[till]?.intended(row.transactionId, row.terminalReference) ?? false,
  });
  const guard = createBookGuard(watch, serviceUrl, shop);
  const parts = {
    scheduler,
    injector,
    network,
    bank,
    journals,
    watch,
    screenChecks,
    occupancy,
    eventLog,
    guard,
    twins,
    forked: new Set<number>(),
    approvalSlackMs,
  };
  const service: ServiceMachine = buildService(plan, programs, parts, (row) => {
    const till = journals.findIndex((journal) => journal.intended(row.transactionId, row.terminalReference));
    if (till >= 0) foreignTerminal.settled(row, till);
  });
  const foreignTerminal = createForeignTerminal({ scheduler, service, watch });
  const { bootService } = programs;
  const onMade = (id: string): void => guard.made(id, { serviceUrl: sandboxUrl, merchantId: shop });
  const sandbox =
    plan.turns.length === 0
      ? null
      : createSandbox({
          seed: plan.seed,
          currency: plan.currency,
          epochMs,
          scheduler,
          injector,
          network,
          bootService,
          onMade,
        });
  const counters = journals.map((_, index) => buildTill(index, plan, programs, { ...parts, service, sandbox }));
  const tills = counters.map(({ till }) => till);
  const cashiers = counters.map(({ cashier }) => cashier);
  const addTwin: Stage["addTwin"] = (original) => {
    const written = journals[original.index];
    if (original.home === null || twins.twinOf(original.index) !== null || written === undefined) return null;
    const index = tills.length;
    twins.pair(original.index, index);
    journals.push(written.twin(index));
    const { till, cashier } = buildTill(index, plan, programs, { ...parts, service, sandbox }, original);
    tills.push(till);
    cashiers.push(cashier);
    return till;
  };
  const { acts, currency, miscounts } = plan;
  return {
    ...parts,
    administration: createAdministration({
      acts,
      currency,
      scheduler,
      service,
      bank,
      note: eventLog.note,
      wasGiven: watch.wasGiven,
      miscounts,
      decided,
    }),
    service,
    sandbox,
    tills,
    cashiers,
    addTwin,
  };
};
