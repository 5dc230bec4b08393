/** `npm run bench -- fuzz [COUNT]`: the hostile requests of the service's suite in full number, on both stores. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const count = process.argv.slice(2).find((word) => /^\d+$/.test(word)) ?? "20000";
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "test/service/fuzz.test.ts"], {
  cwd: root,
  env: { ...process.env, FUZZ_REQUESTS: count },
  stdio: "inherit",
});
process.exit(status ?? 1);
