/** `npm run bench -- fuzz [COUNT]`: the hostile requests of the service's suite in full number, on both stores. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readFlags, wholeNumber } from "../../tools/command-line.ts";

const root = join(import.meta.dirname, "..", "..");
const usage = `Usage: npm run bench -- fuzz [COUNT]

  COUNT    how many requests on each store (default: 20000)
  --help   this text`;
const [count = "20000"] = readFlags(usage, {}, true).positionals;
wholeNumber("COUNT", count);
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(process.execPath, [vitest, "run", "test/service/fuzz.test.ts"], {
  cwd: root,
  env: { ...process.env, FUZZ_REQUESTS: count },
  stdio: "inherit",
});
process.exit(status ?? 1);
