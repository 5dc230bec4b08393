/**
 * The built terminal and the built service as processes of their own, killed with SIGKILL while a scripted cashier and
 * customers work; then the same promises, from the journal, the database and the bank's ledger.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseAmount } from "../../../backend/contract/money.ts";
import { openNodeSqlite } from "../../../backend/store/sqlite-engine.ts";
import { openJournal } from "../../../main/terminal/journal.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import type { Child } from "../../e2e/stage/child.ts";
import { startService } from "../../e2e/stage/programs.ts";
import { createBank } from "../bank.ts";
import { createCashier } from "../cashier.ts";
import { startCustomer } from "../customer.ts";
import type { Evidence } from "../evidence.ts";
import { checkAtEnd, type Violation } from "../invariants.ts";
import { createLuck } from "../luck.ts";
import { createOccupancy } from "../occupancy.ts";
import { defaultFaultRates, makePlan, type PlannedWithdrawal } from "../plan.ts";
import { createChance, seedOf } from "../random.ts";
import { createJournalReader } from "../read-journal.ts";
import { readReport, readRow, readRows } from "../read-service.ts";
import { createWatch } from "../watch.ts";
import { createBankCaller } from "./bank-caller.ts";
import { createBridgeTill } from "./bridge-till.ts";
import { serveBank, serveDrawer } from "./servers.ts";

export interface RealRun {
  readonly violations: readonly Violation[];
  readonly kills: number;
  /** Withdrawals by the status in which they ended. */
  readonly ends: Readonly<Record<string, number>>;
  readonly exitCodes: readonly (number | null)[];
  readonly summary: string;
}

/** People here are as slow as in virtual time, and their time runs so much faster. */
const pace = 0.1;
const betweenKillsMs = { least: 300, most: 2_500 } as const;
const betweenCustomersMs = 2_000;
const drainMostMs = 120_000;
/** A shared machine may hold a process up; this is no measure of speed. */
const slackMs = 20_000;
const bankCredential = { merchantId: "demo-bank", deviceId: "server-1", secret: "bank-secret" };
const tillCredential = { merchantId: "demo-shop", deviceId: "till-1", secret: "till-secret" };

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Deadlines are not paced, so customers who play with them have no part here. */
const paced = (planned: PlannedWithdrawal, atMs: number): PlannedWithdrawal => ({
  ...planned,
  startMs: atMs,
  till: 0,
  alsoAtTill: null,
  customer: planned.customer === "approves_late" || planned.customer === "ignores" ? "approves" : planned.customer,
  cashier: planned.cashier === "unplugs" ? "plain" : planned.cashier,
});

export const playReal = async (options: {
  readonly kills: number;
  readonly seed: number;
  readonly onKill?: (text: string) => void;
}): Promise<RealRun> => {
  const { seed } = options;
  const chance = createChance(seedOf(seed, "kills"));
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-real-"));
  const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const began = performance.now();
  let isOver = false;
  const now = (): number => (performance.now() - began) / pace;
  const after = (delayMs: number, run: () => void): (() => void) => {
    const timer = setTimeout(() => !isOver && run(), delayMs * pace);
    return () => clearTimeout(timer);
  };
  const scheduler = { now, after, at: (time: number, run: () => void) => after(Math.max(0, time - now()), run) };

  try {
    const luck = createLuck(seed, defaultFaultRates);
    luck.start();
    const bank = createBank(
      Date.now,
      luck,
      (userId) => ways.get(userId) ?? "accepts",
      () => {},
    );
    const ways = new Map<string, PlannedWithdrawal["bank"]>();
    const bankServer = await serveBank(bank);
    closers.push(bankServer.close);

    const data = path.join(folder, "till");
    mkdirSync(data);
    const database = path.join(folder, "service.db");
    let service: Child | null = null;
    let servicePort = 0;
    const startAgain = async (): Promise<void> => {
      service = await startService({
        data: folder,
        port: servicePort,
        env: { PARTNER_URL: bankServer.url, PARTNER_SECRET: "signs the calls to the real bank", LOG_LEVEL: "error" },
      });
      servicePort = Number(new URL(service.address).port);
    };
    await startAgain();
    closers.push(() => service?.kill());
    const serviceUrl = `http://127.0.0.1:${servicePort}`;
    const books = openNodeSqlite(database, 2_000);
    closers.push(books.close);

    let cashierHasDrawer = (): void => {};
    const drawer = await serveDrawer(() => cashierHasDrawer());
    closers.push(drawer.close);
    const settings = settingsSchema.parse({
      camera: { enabled: false },
      drawer: { kind: "network", host: "127.0.0.1", port: drawer.port, sensor: false },
    });
    writeFileSync(path.join(data, "settings.json"), JSON.stringify(settings));
    writeFileSync(path.join(data, "credential.json"), JSON.stringify({ serviceUrl, ...tillCredential }));

    const journal = createJournalReader(0);
    const watch = createWatch({ now: Date.now, serviceNow: Date.now, journals: [journal] });
    const readOne = (id: string) => readRow(books, id);
    const occupancy = createOccupancy(() => performance.now(), settings.scaTimeoutSeconds * 1_000 + slackMs);
    let lastStep = "";
    const till = createBridgeTill(data, ({ screen }) => {
      occupancy.shows(0, screen);
      if (screen.kind === "payable" && screen.step !== lastStep) {
        const row = readOne(screen.transactionId);
        if (row) watch.saw(row);
        watch.offered(0, screen.transactionId);
      }
      lastStep = screen.step;
      cashier.look(screen);
    });
    const cashier = createCashier({
      seed,
      scheduler,
      till,
      onCash: (transactionId, amount) => {
        const row = readOne(transactionId);
        if (row) watch.saw(row);
        watch.cashLeft({ till: 0, transactionId, amountMinor: parseAmount(amount, "EUR") ?? 0 });
      },
      onTrace: () => {},
    });
    cashierHasDrawer = cashier.drawerOpened;
    await till.start();
    closers.push(till.kill);

    const call = createBankCaller(() => serviceUrl, bankCredential, watch.approvalArrived);
    const plan = makePlan(seed, { withdrawals: 10 * options.kills + 100, tills: 1 });
    /** Who has come to the till and not gone away. */
    const standing = new Set<string>();
    let customers = 0;
    let isOpen = true;
    const doors = (async () => {
      while (isOpen) {
        const planned = plan.withdrawals[customers];
        if (!planned) return;
        customers += 1;
        ways.set(`user-${planned.index}`, planned.bank);
        startCustomer({
          seed,
          planned: paced(planned, now()),
          store: tillCredential.merchantId,
          scheduler,
          call,
          look: readOne,
          serviceNow: Date.now,
          arrive: (customer) => {
            standing.add(customer.transactionId);
            cashier.arrive(customer);
          },
          leave: (customer) => {
            standing.delete(customer.transactionId);
            cashier.leave(customer);
          },
        });
        await pause(betweenCustomersMs);
      }
    })();

    let kills = 0;
    for (; kills < options.kills; kills++) {
      await pause(chance.between(betweenKillsMs.least, betweenKillsMs.most));
      const victim = chance.pick(["till", "service", "both"]);
      options.onKill?.(`kill ${kills + 1}: ${victim}, ${customers} customers, till on ${till.snapshot?.screen.kind}`);
      const fell: Promise<void>[] = [];
      if (victim !== "service") fell.push(till.kill().then(() => occupancy.off(0)));
      if (victim !== "till") fell.push((service as Child | null)?.kill() ?? Promise.resolve());
      await Promise.all(fell);
      const back: Promise<void>[] = [];
      if (victim !== "till") back.push(startAgain());
      if (victim !== "service") back.push(till.start());
      await Promise.all(back);
    }
    isOpen = false;
    await doors;
    luck.stop();

    const drained = (): boolean => {
      const shown = till.snapshot;
      if (shown?.screen.kind !== "ready" || shown.header.open.length > 0 || shown.header.undelivered) return false;
      const open = [...readRows(books).values()].filter(
        ({ transactionId, status }) =>
          status === "awaiting_sca" ||
          status === "settling" ||
          status === "settled" ||
          (status === "ready" && standing.has(transactionId)),
      );
      return open.length === 0 && performance.now() - quietSince > 5_000;
    };
    const quietSince = performance.now();
    const giveUpAt = quietSince + drainMostMs;
    while (!drained() && performance.now() < giveUpAt) await pause(200);

    const report = await readReport(
      (sent) => fetch(sent.url, { method: sent.method, headers: sent.headers, body: sent.body }),
      serviceUrl,
      bankCredential,
      Date.now() - 86_400_000,
    );
    const openIds = new Set(till.snapshot?.header.open.map((one) => one.withdrawalId));
    const exitCodes = [await till.stop(), await (service as Child | null)?.stop()].map((code) => code ?? null);
    const file = openJournal(path.join(data, "journal.db"), 0, "read");
    const { damaged } = file.verify();
    journal.take([...file.read(Number.MAX_SAFE_INTEGER).entries].map(({ body }) => body));
    file.close();
    const rows = readRows(books);
    // An order that nobody brought to a till lapses after 15 minutes, long after this run.
    const brought = new Map([...rows].filter(([, row]) => row.status !== "ready"));
    const evidence: Evidence = {
      offers: watch.offers,
      cash: watch.cash,
      approvals: watch.approvals,
      journals: [...journal.accounts()].map(([id, account]) => ({ ...account, open: openIds.has(id) })),
      rows: brought,
      ledger: bank.ledger,
      report,
      blocked: occupancy.tooLong(),
    };
    const violations: Violation[] = [
      ...watch.violations,
      ...checkAtEnd(evidence),
      ...damaged.map(({ sequence, why }) => ({
        invariant: 4 as const,
        transactionId: null,
        text: `journal entry ${sequence}: ${why}`,
      })),
    ];
    const ends: Record<string, number> = {};
    for (const row of rows.values()) ends[row.status] = (ends[row.status] ?? 0) + 1;
    const counted = Object.entries(ends).map(([status, count]) => `${count} ${status}`);
    const found = violations.map((one) => `promise ${one.invariant}: ${one.transactionId ?? ""} ${one.text}`);
    const summary = [`${kills} kills, ${rows.size} withdrawals: ${counted.join(", ")}; seed ${seed}`, ...found].join(
      "\n",
    );
    return { violations, kills, ends, exitCodes, summary };
  } finally {
    isOver = true;
    for (const close of closers.reverse()) await close();
  }
};
