/** Runs one program to its end, within a bound; its output is shown as it comes, or kept to be shown on failure. */
import { spawn } from "node:child_process";
import path from "node:path";
import { createInterface } from "node:readline";

/** The project's folder. */
export const root = path.resolve(import.meta.dirname, "../..");
const graceMs = 10_000;
const lastWordsMs = 2_000;
/** Spares each start of a program the stripping and compiling of what did not change: half of a short one's time. */
const compileCache = path.join(root, "node_modules", ".cache", "node-compile");
/** Where Playwright keeps its tests as it has compiled them: it takes seconds of a processor without. */
export const playwrightCache = path.join(root, "node_modules", ".cache", "playwright");

/** No authorities of this machine: its hundreds of certificates are a tenth of a program's start, and no test depends on them. */
const noAuthorities = { SSL_CERT_FILE: "/dev/null", SSL_CERT_DIR: "", NODE_EXTRA_CA_CERTS: "" };

/** The environment of a program that shall know nothing else of ours. */
export const bareEnvironment: NodeJS.ProcessEnv = {
  ...noAuthorities,
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** How a program ended; both its streams together. */
export interface Ended {
  /** null when it was killed or could not be started. */
  readonly code: number | null;
  /** Empty when it was shown. */
  readonly output: string;
}

/** `file` is a JavaScript program below the project's folder; it runs on this very Node. */
export function runProgram(
  file: string,
  args: readonly string[],
  timeoutMs: number,
  shown: boolean,
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [path.join(root, file), ...args], {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        FORCE_COLOR: process.stdout.isTTY ? "1" : "0",
        NODE_NO_WARNINGS: "1",
        NODE_COMPILE_CACHE: compileCache,
        ...noAuthorities,
        ...environment,
      },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      // Whole lines, as another program may be shown at the same time.
      if (shown) createInterface({ input: stream }).on("line", (line) => console.log(line));
      else
        stream.on("data", (bytes: Buffer) => {
          output += bytes.toString();
        });
    }
    let killer: NodeJS.Timeout | undefined;
    let leaver: NodeJS.Timeout | undefined;
    const timer = setTimeout(() => {
      output += `\nstopped after ${timeoutMs / 1000} s`;
      child.kill("SIGTERM");
      killer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    }, timeoutMs);
    const end = (code: number | null, why = ""): void => {
      clearTimeout(timer);
      clearTimeout(killer);
      clearTimeout(leaver);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code, output: output + why });
    };
    child.once("error", (error) => end(null, error.message));
    child.once("close", (code) => end(code));
    // What it has left behind may hold its output open.
    child.once("exit", (code) => {
      leaver = setTimeout(() => end(code), lastWordsMs);
    });
  });
}
