/** Whole withdrawals, 64 at a time, with a bank: durable, in memory, one commit a request, and on PostgreSQL. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Signed, signInAll, wholeWithdrawal } from "./client.ts";
import { measureRate, median } from "./load.ts";
import { type Program, startProgram } from "./programs.ts";

const clients = 64;

/** Withdrawals a second from order to link, CPU microseconds for one, and the slowest percent. */
export interface Withdrawals {
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly p99Ms: number;
}

/** `durable`: SQLite, commits by tick; `memory`: the same without a disk; `alone`: one commit a request. */
type Variant = "durable" | "memory" | "alone";

interface Running {
  readonly program: Program;
  readonly signed: Signed;
}

const start = async (bankPort: number, settings: Record<string, string>): Promise<Running> => {
  const program = await startProgram("host.ts", {
    PARTNER_URL: `http://127.0.0.1:${bankPort}`,
    TOKEN_SECRET: "a token secret of the bench",
    ...settings,
  });
  return { program, signed: await signInAll(program.port) };
};

const measure = async ({ program, signed }: Running, durationMs: number): Promise<Withdrawals> => {
  let count = 0;
  const before = program.cpuMs();
  const { perSecond, p99Ms } = await measureRate(program.port, clients, durationMs, async (connection) => {
    await wholeWithdrawal(connection, signed);
    count += 1;
  });
  return { perSecond, p99Ms, cpuMicros: ((program.cpuMs() - before) * 1000) / count };
};

const middle = (measured: readonly Withdrawals[]): Withdrawals => ({
  perSecond: median(measured.map((each) => each.perSecond)),
  cpuMicros: median(measured.map((each) => each.cpuMicros)),
  p99Ms: median(measured.map((each) => each.p99Ms)),
});

/** The variants turn about, so that a busy machine is busy for all of them. */
export const compareStores = async (rounds: number, durationMs: number): Promise<Record<Variant, Withdrawals>> => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-bench-"));
  const bank = await startProgram("bank-server.ts");
  const variants: readonly [Variant, Record<string, string>][] = [
    ["durable", { DATABASE_URL: `sqlite:${join(folder, "durable.db")}` }],
    ["memory", { DATABASE_URL: "sqlite::memory:" }],
    ["alone", { DATABASE_URL: `sqlite:${join(folder, "alone.db")}`, BENCH_STORE: "alone" }],
  ];
  const running = new Map<Variant, Running>();
  for (const [variant, settings] of variants) running.set(variant, await start(bank.port, settings));
  const measured: Record<Variant, Withdrawals[]> = { durable: [], memory: [], alone: [] };
  for (let round = 0; round < rounds; round += 1)
    for (const [variant, each] of running) measured[variant].push(await measure(each, durationMs));
  await Promise.all([...running.values()].map(({ program }) => program.stop()));
  await bank.stop();
  rmSync(folder, { recursive: true, force: true });
  return { durable: middle(measured.durable), memory: middle(measured.memory), alone: middle(measured.alone) };
};

/** SQLite, one and two processes on PostgreSQL, side by side. */
interface PostgresCompared {
  readonly durable: Withdrawals;
  readonly one: Withdrawals;
  readonly two: Withdrawals;
  /** Of the rounds' own ratios: what a busy machine does to one it does to the other. */
  readonly againstDurable: number;
  readonly cpuOfTwo: number;
}

const together = (left: Withdrawals, right: Withdrawals): Withdrawals => {
  const perSecond = left.perSecond + right.perSecond;
  const cpuMicros = (left.cpuMicros * left.perSecond + right.cpuMicros * right.perSecond) / perSecond;
  return { perSecond, cpuMicros, p99Ms: Math.max(left.p99Ms, right.p99Ms) };
};

/** One and two processes on one PostgreSQL, and one on SQLite, in turn. CPU is that of the service's processes alone. */
export const comparePostgres = async (url: string, rounds: number, durationMs: number): Promise<PostgresCompared> => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-bench-"));
  const bank = await startProgram("bank-server.ts");
  const sqlite = await start(bank.port, { DATABASE_URL: `sqlite:${join(folder, "durable.db")}` });
  const first = await start(bank.port, { DATABASE_URL: url });
  const second = await start(bank.port, { DATABASE_URL: url });
  const all: { durable: Withdrawals; one: Withdrawals; two: Withdrawals }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const durable = await measure(sqlite, durationMs);
    const one = await measure(first, durationMs);
    const [left, right] = await Promise.all([measure(first, durationMs), measure(second, durationMs)]);
    all.push({ durable, one, two: together(left, right) });
  }
  await Promise.all([sqlite, first, second].map(({ program }) => program.stop()));
  await bank.stop();
  rmSync(folder, { recursive: true, force: true });
  return {
    durable: middle(all.map(({ durable }) => durable)),
    one: middle(all.map(({ one }) => one)),
    two: middle(all.map(({ two }) => two)),
    againstDurable: median(all.map(({ one, durable }) => one.perSecond / durable.perSecond)),
    cpuOfTwo: median(all.map(({ one, two }) => two.cpuMicros / one.cpuMicros)),
  };
};
