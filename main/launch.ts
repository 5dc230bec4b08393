/** `npm start`: opens the terminal in Electron if its runtime is here or can be fetched in 60 s, else in the browser. */
import path from "node:path";
import { findRuntime } from "./launch/runtime.ts";
import { obstacle, readFlags, type StartFlags, startDesktop, usage } from "./launch/start.ts";

const built = path.dirname(import.meta.dirname);
const root = path.dirname(built);

let shownPercent = -10;
function showProgress(share: number): void {
  const percent = Math.floor(share * 100);
  if (percent < shownPercent + 10) return;
  shownPercent = percent;
  console.log(`Fetching Electron … ${percent} %`);
}

/** Runs the terminal in Electron until it exits. @returns why it did not open there, or null. */
async function tryDesktop(flags: StartFlags): Promise<string | null> {
  if (flags.browser || flags.port !== null) return "the browser was asked for";
  const hindered = obstacle(process.env, process.platform, process.getuid?.());
  if (hindered !== null) return hindered;
  const runtime = await findRuntime(root, showProgress, flags.fetch);
  if (runtime.kind === "absent") return runtime.why;
  const ended = await startDesktop(runtime.program, root, flags);
  if (ended.kind === "never_opened") return ended.why;
  process.exitCode = ended.code;
  return null;
}

try {
  const flags = readFlags(process.argv.slice(2));
  if (flags === null) console.log(usage);
  else {
    const why = await tryDesktop(flags);
    if (why !== null) {
      console.log(`Not in Electron (${why}); the terminal opens in the browser.`);
      const { runBrowserHost } = await import("./browser/run.ts");
      await runBrowserHost(flags, built);
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
