/** Many customers who never approve, each with a till that waits: how late readers learn of the cancellation. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { confirm, placeOrders, signInAll } from "./client.ts";
import { Connection, requestBytes } from "./load.ts";
import { startProgram } from "./programs.ts";

const makers = 64;
const scaSeconds = 20;
const waitSeconds = 25;

/** What `waits` held-open requests cost, and how many were answered wrongly. */
interface Soak {
  readonly waits: number;
  readonly heldMb: number;
  readonly p99LateMs: number;
  readonly wrong: number;
}

/** From the deadline, as the service states it, to the answer in the reader's hands: one machine, one clock. */
export const soak = async (waits: number): Promise<Soak> => {
  const folder = mkdtempSync(join(tmpdir(), "tillcash-bench-"));
  const bank = await startProgram("bank-server.ts");
  const program = await startProgram("host.ts", {
    DATABASE_URL: `sqlite:${join(folder, "service.db")}`,
    PARTNER_URL: `http://127.0.0.1:${bank.port}`,
    SCA_TIMEOUT_SECONDS: String(scaSeconds),
    HELD_READS_PER_TOKEN: "1000000",
  });
  const signed = await signInAll(program.port);
  const working = Array.from({ length: makers }, () => new Connection(program.port));
  const ids = await placeOrders(working, signed, waits);
  const readers: Connection[] = [];
  const late: number[] = [];
  let wrong = 0;
  const read = async (id: string): Promise<void> => {
    const reader = new Connection(program.port);
    readers.push(reader);
    const path = `/transaction?id=${id}&wait=${waitSeconds}&status=awaiting_sca`;
    const reply = await reader.send(requestBytes("GET", path, signed.till));
    const transaction = JSON.parse(reply.text) as { status: string; sca_expires_at: string };
    if (transaction.status === "canceled") late.push(Date.now() - Date.parse(transaction.sca_expires_at));
    else wrong += 1;
  };
  const reads: Promise<void>[] = [];
  const queue = [...ids];
  await Promise.all(
    working.map(async (connection) => {
      for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
        await confirm(connection, signed, id);
        reads.push(read(id));
      }
    }),
  );
  program.child.send("memory");
  const heldMb = await new Promise<number>((resolve) =>
    program.child.once("message", (usage: NodeJS.MemoryUsage) =>
      resolve((usage.heapUsed + usage.external) / 1024 / 1024),
    ),
  );
  await Promise.all(reads);
  for (const connection of [...working, ...readers]) connection.close();
  await Promise.all([program.stop(), bank.stop()]);
  rmSync(folder, { recursive: true, force: true });
  late.sort((one, other) => one - other);
  return { waits: ids.length, heldMb, p99LateMs: late[Math.floor(late.length * 0.99)] ?? Number.NaN, wrong };
};
