/** Starts the built terminal in Electron and waits for its end. */
import { spawn } from "node:child_process";
import path from "node:path";
import type { StartFlags } from "./start-flags.ts";

const checkEveryMs = 250;
/** Read when the program starts: the shell may end before anyone asks. */
const parent = process.ppid;

/** Calls `stop` once when this program was started by an npm script and its shell has ended. */
export function whenShellEnds(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, checkEveryMs);
  timer.unref();
}

/** How a start in Electron ended. `never_opened`: no window was shown, so the browser can take its place. */
type Ended = { readonly kind: "ran"; readonly code: number } | { readonly kind: "never_opened"; readonly why: string };

const stderrMax = 4_000;

/** Why Electron cannot open a window here at all; null when it may. */
export function obstacle(env: NodeJS.ProcessEnv, platform: NodeJS.Platform, userId: number | undefined): string | null {
  if (platform !== "linux") return null;
  if (!env.DISPLAY && !env.WAYLAND_DISPLAY) return "there is no display";
  // As root, Chromium runs only without its sandbox; the terminal never runs without.
  return userId === 0 ? "Electron's sandbox does not run as root" : null;
}

/** `root` holds package.json. The program says over the channel that its window is open; an end before that is a failure to open. */
export function startDesktop(program: string, root: string, flags: StartFlags): Promise<Ended> {
  const args = [
    root,
    ...(flags.training ? ["--training"] : []),
    ...(flags.allowSandbox ? ["--allow-sandbox"] : []),
    ...(flags.allowPlainHttp ? ["--allow-plain-http"] : []),
    `--data=${path.join(flags.data)}`,
  ];
  const { ELECTRON_RUN_AS_NODE: _, NODE_OPTIONS: __, ...env } = process.env;
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, stdio: ["ignore", "inherit", "pipe", "ipc"] });
    let opened = false;
    let lastOutput = "";
    child.stderr?.on("data", (bytes: Buffer) => {
      lastOutput = (lastOutput + bytes.toString()).slice(-stderrMax);
      if (opened) process.stderr.write(bytes);
    });
    child.once("message", () => {
      opened = true;
    });
    child.once("error", (error) => resolve({ kind: "never_opened", why: error.message }));
    child.once("exit", (code) => {
      if (opened || code === 0) return resolve({ kind: "ran", code: code ?? 1 });
      const why = lastOutput.trim().split("\n").at(-1) ?? "";
      resolve({ kind: "never_opened", why: why || `Electron ended with code ${code}` });
    });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
    whenShellEnds(() => child.kill("SIGTERM"));
  });
}
