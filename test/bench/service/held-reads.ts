/** Many tills that wait on PostgreSQL while the connection that listens is cut again and again: how soon others confirm. */
import pg from "pg";
import { confirm, placeOrder, placeOrders, signInAll } from "./client.ts";
import { Connection, requestBytes } from "./load.ts";
import { startProgram } from "./programs.ts";

const makers = 32;
const waitSeconds = 25;
/** As often as a shop's busiest hour would, and far from what the machine can do: a queue would be the bench's own. */
const confirmEveryMs = 25;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ends the connection that listens, every so often; resolves when `stopped` says so. */
const cutListener = async (url: string, everyMs: number, stopped: () => boolean): Promise<void> => {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  while (!stopped()) {
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'tillcash listener'",
    );
    await sleep(everyMs);
  }
  await admin.end();
};

/**
 * The slowest percent of confirms, in milliseconds, for `durationMs`.
 * @param cutEveryMs after so long the listener's connection is cut; sooner than it can connect again: there is no LISTEN.
 */
export const confirmWhileHeld = async (
  url: string,
  held: number,
  cutEveryMs: number,
  durationMs: number,
): Promise<number> => {
  const bank = await startProgram("bank-server.ts");
  const program = await startProgram("host.ts", {
    DATABASE_URL: url,
    PARTNER_URL: `http://127.0.0.1:${bank.port}`,
    HELD_READS_PER_TOKEN: "1000000",
  });
  const signed = await signInAll(program.port);
  const working = Array.from({ length: makers }, () => new Connection(program.port));
  const ids = await placeOrders(working, signed, held);
  let stopped = false;
  const readers = ids.map(() => new Connection(program.port));
  const reading = readers.map(async (reader, at) => {
    const bytes = requestBytes("GET", `/transaction?id=${ids[at]}&wait=${waitSeconds}&status=ready`, signed.till);
    while (!stopped) await reader.send(bytes).catch(() => {});
  });
  await sleep(5_000);
  const cutting = cutListener(url, cutEveryMs, () => stopped);
  const times: number[] = [];
  const [connection] = working;
  if (connection === undefined) throw new Error("no connection");
  const startedAt = performance.now();
  while (performance.now() - startedAt < durationMs) {
    const id = await placeOrder(connection, signed, true);
    const at = performance.now();
    await confirm(connection, signed, id);
    times.push(performance.now() - at);
    await sleep(confirmEveryMs);
  }
  stopped = true;
  for (const each of [...working, ...readers]) each.close();
  await Promise.all([...reading, cutting]);
  await Promise.all([program.stop(), bank.stop()]);
  times.sort((one, other) => one - other);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
};
