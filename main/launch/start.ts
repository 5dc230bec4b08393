/** Starts the built terminal in Electron and waits until it exits. */
import { spawn } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { settingBounds } from "../../preload/choices.ts";

/** The help of `npm start -- --help`. */
export const usage = `Usage: npm start -- [options]

  --browser        open the terminal in the browser, also where Electron could run
  --port NUMBER    the terminal's port on 127.0.0.1 (browser only; 0 picks a free one)
  --data FOLDER    journal, settings and the training database (default: data/till)
  --live           no training service: the terminal is enrolled on its set-up screen
  --allow-browser  with --live: real money in an ordinary browser, which keeps less than the installed program does
  --allow-sandbox  with --live, for developers: also at a service without a bank, whose money is not real
  --allow-plain-http
                   with --live, for developers: also at a service of this machine by plain http, where any program can answer
  --end-sessions   every open page of this browser terminal has to come in again; starts nothing
  --no-open        print the address, open no browser
  --fetch          try to fetch Electron's runtime again after a slow failure
  --help           this text`;

/** See `usage`. */
export type StartFlags = NonNullable<ReturnType<typeof readFlags>>;

const readPort = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= settingBounds.port.max))
    throw new Error(`--port must be a number from 0 to ${settingBounds.port.max}, not "${text}".`);
  return port;
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        browser: { type: "boolean", default: false },
        port: { type: "string" },
        data: { type: "string", default: path.join("data", "till") },
        live: { type: "boolean", default: false },
        "allow-browser": { type: "boolean", default: false },
        "allow-sandbox": { type: "boolean", default: false },
        "allow-plain-http": { type: "boolean", default: false },
        "end-sessions": { type: "boolean", default: false },
        "no-open": { type: "boolean", default: false },
        fetch: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    // Cuts off Node's advice about arguments that begin with a hyphen: this command has none.
    const [sentence] = String(error instanceof Error ? error.message : error).split(/\. (?:To|This) /);
    throw new Error(`${sentence}.\nSee npm start -- --help.`);
  }
};

/** Parses the arguments after the program's name; null for `--help`. @throws Error with a readable message. */
export function readFlags(args: readonly string[]) {
  const values = parse(args);
  if (values.help) return null;
  // An empty path would mean the current folder.
  if (values.data.trim() === "") throw new Error("--data names no folder.");
  return {
    browser: values.browser,
    /** On 127.0.0.1, in the browser; 0 picks a free one, null prefers the one used last. */
    port: readPort(values.port),
    data: path.resolve(values.data),
    training: !values.live,
    allowBrowser: values["allow-browser"],
    allowSandbox: values["allow-sandbox"],
    allowPlainHttp: values["allow-plain-http"],
    endSessions: values["end-sessions"],
    open: !values["no-open"],
    fetch: values.fetch,
  };
}

const checkEveryMs = 250;
/** Read at start: the shell may exit before the first check. */
const parent = process.ppid;

/** Calls `stop` once after the shell of the npm script that started this program has exited. */
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
  // Chromium refuses its sandbox as root, and the terminal never runs without one.
  return userId === 0 ? "Electron's sandbox does not run as root" : null;
}

/** @param root holds package.json. The program says over IPC that its window is open; an earlier exit counts as a failure to open. */
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
