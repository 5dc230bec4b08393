/** What 100,000 withdrawals do to the memory of the process, and to the time it needs to start again. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signInAll, wholeWithdrawal } from "./client.ts";
import { Connection, median } from "./load.ts";
import { startProgram } from "./programs.ts";

const clients = 64;
const built = join(import.meta.dirname, "..", "..", "..", "out", "main", "service.js");
const starts = 7;
const leastProgram = `const server = require("node:http").createServer((_, response) => response.end());
server.listen(0, "127.0.0.1", () => console.log("listening on " + server.address().port));`;

/** What was measured, in MB and milliseconds. */
interface MemoryAndStart {
  readonly withdrawals: number;
  /** Heap and external bytes after a collection, at a fifth and at the end. */
  readonly earlyMb: number;
  readonly lateMb: number;
  /** Of the built service, with the file that the run has left; NaN where nothing was built. */
  readonly startMs: number;
  /** Of a bare node:http, in turns with it: what the machine takes to start Node at all. */
  readonly bareStartMs: number;
}

const memoryOf = async (child: ChildProcess): Promise<number> => {
  const message = once(child, "message");
  child.send("memory");
  const [usage] = (await message) as [NodeJS.MemoryUsage];
  return (usage.heapUsed + usage.external) / 1024 / 1024;
};

/** Of a program that prints where it listens, from its start to its first answer. Rejects when it does not start. */
const firstAnswerOf = async (args: readonly string[], settings: Record<string, string> = {}): Promise<number> => {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const refused = exited.then(([code]) => Promise.reject(new Error(`${args[0]} ended with ${code}`)));
  const [line] = (await Promise.race([once(child.stdout, "data"), refused])) as [Buffer];
  const [, port] = /(?:127\.0\.0\.1:|on )(\d+)/.exec(String(line)) ?? [];
  await (await fetch(`http://127.0.0.1:${port}/healthz`)).text();
  const elapsedMs = performance.now() - startedAt;
  child.kill("SIGTERM");
  await exited;
  return elapsedMs;
};

/** Of the built service. */
export const firstAnswerMs = (databaseUrl: string): Promise<number> =>
  firstAnswerOf([built, "--sandbox", "--port", "0"], { DATABASE_URL: databaseUrl, LOG_LEVEL: "warn" });

/** Plays so many withdrawals on a service with an empty SQLite file. */
export const measureMemoryAndStart = async (withdrawals: number): Promise<MemoryAndStart> => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-bench-"));
  const databaseUrl = `sqlite:${join(folder, "service.db")}`;
  const bank = await startProgram("bank-server.ts");
  const program = await startProgram("host.ts", {
    DATABASE_URL: databaseUrl,
    PARTNER_URL: `http://127.0.0.1:${bank.port}`,
  });
  const signed = await signInAll(program.port);
  const connections = Array.from({ length: clients }, () => new Connection(program.port));
  let left = withdrawals;
  const until = (rest: number) =>
    Promise.all(
      connections.map(async (connection) => {
        while (left > rest) {
          left -= 1;
          await wholeWithdrawal(connection, signed);
        }
      }),
    );
  await until(withdrawals * 0.8);
  const earlyMb = await memoryOf(program.child);
  await until(0);
  const lateMb = await memoryOf(program.child);
  for (const connection of connections) connection.close();
  await Promise.all([program.stop(), bank.stop()]);
  const times: number[] = [];
  const bareTimes: number[] = [];
  for (let each = 0; each < starts; each += 1) {
    if (existsSync(built)) times.push(await firstAnswerMs(databaseUrl));
    bareTimes.push(await firstAnswerOf(["-e", leastProgram]));
  }
  rmSync(folder, { recursive: true, force: true });
  return { withdrawals, earlyMb, lateMb, startMs: median(times), bareStartMs: median(bareTimes) };
};
