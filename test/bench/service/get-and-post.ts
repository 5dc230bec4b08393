/** One read and one validated call, against bare node:http, turn about so that a busy machine is busy for both. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { placeOrder, signInAll } from "./client.ts";
import { Connection, measureRate, median, requestBytes } from "./load.ts";
import { type Program, startProgram } from "./programs.ts";

const connections = 64;

/** Requests a second of both, their ratio, and microseconds of CPU for each request. */
export interface Compared {
  readonly what: string;
  readonly ours: number;
  readonly bare: number;
  readonly ratio: number;
  readonly cpuOursMicros: number;
  readonly cpuBareMicros: number;
  /** Of `least-server.ts` to bare node:http; NaN for a POST. */
  readonly leastRatio: number;
  readonly cpuLeastMicros: number;
}

interface Measured {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

const unmeasured: Measured = { perSecond: Number.NaN, cpuMicros: Number.NaN };

const measure = async (program: Program, bytes: Buffer, status: number, durationMs: number): Promise<Measured> => {
  let count = 0;
  const before = program.cpuMs();
  const { perSecond } = await measureRate(program.port, connections, durationMs, async (connection) => {
    const reply = await connection.send(bytes);
    if (reply.status !== status) throw new Error(`${reply.status}: ${reply.text}`);
    count += 1;
  });
  return { perSecond, cpuMicros: ((program.cpuMs() - before) * 1000) / count };
};

/** The median of `rounds` rounds, each of `durationMs` for every program. */
export const compareGetAndPost = async (rounds: number, durationMs: number): Promise<readonly Compared[]> => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-bench-"));
  const bare = await startProgram("bare-server.ts");
  const least = await startProgram("least-server.ts");
  const ours = await startProgram("host.ts", { DATABASE_URL: `sqlite:${join(folder, "service.db")}` });
  const signed = await signInAll(ours.port);
  const connection = new Connection(ours.port);
  const ready = await placeOrder(connection, signed, true);
  const closed = await placeOrder(connection, signed, true);
  const reject = requestBytes("POST", "/transaction/reject", signed.till, { transaction_id: closed });
  await connection.send(reject);
  connection.close();

  const calls: [string, Buffer, number][] = [
    ["GET /transaction", requestBytes("GET", `/transaction?id=${ready}`, signed.till), 200],
    ["validated POST (reject again)", reject, 201],
  ];
  const compared: Compared[] = [];
  for (const [what, bytes, status] of calls) {
    const all: { ours: Measured; bare: Measured; least: Measured }[] = [];
    for (let round = 0; round < rounds; round += 1)
      all.push({
        bare: await measure(bare, bytes, status, durationMs),
        ours: await measure(ours, bytes, status, durationMs),
        least: status === 200 ? await measure(least, bytes, status, durationMs) : unmeasured,
      });
    compared.push({
      what,
      ours: median(all.map((each) => each.ours.perSecond)),
      bare: median(all.map((each) => each.bare.perSecond)),
      ratio: median(all.map((each) => each.ours.perSecond / each.bare.perSecond)),
      cpuOursMicros: median(all.map((each) => each.ours.cpuMicros)),
      cpuBareMicros: median(all.map((each) => each.bare.cpuMicros)),
      leastRatio: median(all.map((each) => each.least.perSecond / each.bare.perSecond)),
      cpuLeastMicros: median(all.map((each) => each.least.cpuMicros)),
    });
  }
  await Promise.all([ours.stop(), bare.stop(), least.stop()]);
  rmSync(folder, { recursive: true, force: true });
  return compared;
};
