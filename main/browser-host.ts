/** The browser host as a program of its own: `node out/main/browser-host.js [options]`. */
import path from "node:path";
import { runBrowserHost } from "./browser/run.ts";
import { readFlags, usage } from "./launch/start.ts";

try {
  const flags = readFlags(process.argv.slice(2));
  if (flags === null) console.log(usage);
  else await runBrowserHost(flags, path.dirname(import.meta.dirname));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  // Anything still running must not keep the folder locked.
  process.exit(1);
}
