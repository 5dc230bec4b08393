/** Starts a built program as a user would, waits for the line that says where it listens, and can kill it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A running program. */
export interface Child {
  /** What the pattern's first group caught in the line that was waited for. */
  readonly address: string;
  /** All that it has printed so far, both streams. */
  output(): string;
  /** As Ctrl-C or a service manager stops it; rejects when it does not end in time. */
  stop(): Promise<number | null>;
  /** As a power cut stops it. */
  kill(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  readonly running: boolean;
}

/** For machines that do much else: a start takes one second of a processor, a stop waits 12 s for the service. */
const startTimeoutMs = 180_000;
const stopTimeoutMs = 90_000;
const outputLinesMax = 2_000;

/** Rejects when the line does not come in time, with what was printed until then. */
export const startChild = async (
  file: string,
  options: {
    readonly args?: readonly string[];
    readonly nodeArgs?: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly ready: RegExp;
  },
): Promise<Child> => {
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), file, ...(options.args ?? [])], {
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const exited = once(child, "exit");
  const address = await readyAddress(child, options.ready, lines, file);

  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await exited;
    }
  };
  return {
    address,
    output: () => lines.join("\n"),
    get running() {
      return child.exitCode === null && child.signalCode === null;
    },
    signal: (name) => void child.kill(name),
    kill,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill("SIGTERM");
      const timer = setTimeout(() => void kill(), stopTimeoutMs);
      await exited;
      clearTimeout(timer);
      if (child.signalCode === "SIGKILL") throw new Error(`${file} did not stop in ${stopTimeoutMs} ms`);
      return child.exitCode;
    },
  };
};

const readyAddress = (child: ChildProcess, ready: RegExp, lines: string[], file: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail("printed no address in time"), startTimeoutMs);
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill("SIGKILL");
      reject(new Error(`${file} ${why}:\n${lines.join("\n")}`));
    };
    child.once("error", (problem) => fail(problem.message));
    child.once("exit", (code, signal) => fail(`ended with ${code ?? signal}`));
    for (const stream of [child.stdout, child.stderr]) {
      if (!stream) continue;
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (lines.length > outputLinesMax) lines.shift();
        const found = ready.exec(line);
        if (!found) return;
        clearTimeout(timer);
        resolve(found[1] ?? found[0]);
      });
    }
  });
