/** The service as a program of its own, where one token stands for all terminals, with the store that BENCH_STORE names: as it is, or with one commit a request. */
import { parseConfig } from "../../../backend/config.ts";
import { createLog } from "../../../backend/log.ts";
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
process.on("SIGTERM", () => void running.stop().then(() => process.exit(0)));
process.on("message", () => {
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
console.log(`listening on ${running.port}`);
