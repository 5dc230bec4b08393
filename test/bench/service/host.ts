/** The service as a program of its own, where one token stands for all terminals, with the store that BENCH_STORE names: as it is, or with one commit a request. */
import { parseConfig } from "../../../backend/config.ts";
import { createMetrics } from "../../../backend/http/metrics.ts";
import { createLog } from "../../../backend/log.ts";
import { purge } from "../../../backend/operate/purge.ts";
import { acceptFound } from "../../../backend/operate/setting-proof.ts";
import { type RetentionPeriods, retained } from "../../../backend/retention.ts";
import { startService } from "../../../backend/serve.ts";
import { openStore } from "../../../backend/store/open.ts";
import { openSqliteStore } from "../../../backend/store/sqlite.ts";

const result = parseConfig({ HELD_READS_PER_TOKEN: "100000", ...process.env, PORT: "0", SANDBOX: "1" });
if (!result.ok) throw new Error(result.problems.join("\n"));
const { config } = result;
const openAlone: typeof openStore = (url, clock) =>
  openSqliteStore({ path: url.slice("sqlite:".length), clock, unitsPerCommitMax: 1 });
const open = process.env.BENCH_STORE === "alone" ? openAlone : openStore;
const running = await startService(config, createLog("error"), { open });
let stopping = false;
process.on("SIGTERM", () => {
  stopping = true;
  void running.stop().then(() => process.exit(0));
});

const purgeOlder = async (periods: Partial<RetentionPeriods>): Promise<void> => {
  const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;
  const { store, clock, keys } = running.commandContext;
  const telemetry = createMetrics().telemetry;
  const startedAt = performance.now();
  await purge({ store, clock, telemetry, keys }, { ...nothing, ...periods }, () => stopping);
  process.send?.({ tookMs: performance.now() - startedAt });
};
const accept = async (): Promise<void> => {
  process.send?.(await acceptFound(running.commandContext, "bench"));
};
/** `memory`: what is used after a collection. `accept`: what was written beside the service is audited as it is. Periods: ends what is older, as retention does, until it stops, and says how long it took. */
process.on("message", (asked: "memory" | "accept" | Partial<RetentionPeriods>) => {
  if (asked === "accept") return void accept();
  if (asked !== "memory") return void purgeOlder(asked);
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
console.log(`listening on ${running.port}`);
