/** Programs to measure, each a process of its own, and the CPU time that they used. */
import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One process under measurement. */
export interface Program {
  readonly port: number;
  readonly child: ChildProcess;
  /** Milliseconds of CPU so far; NaN where the system does not tell. */
  cpuMs(): number;
  stop(): Promise<void>;
}

const clockTicksPerSecond = 100;

/** Of a process, milliseconds; NaN where the system does not tell. */
export const cpuOf = (pid: number | undefined): number => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
  } catch {
    return Number.NaN;
  }
};

/** Starts a file of this folder; resolves when it says which port it listens on. */
export const startProgram = async (file: string, settings: Record<string, string> = {}): Promise<Program> => {
  const child = spawn(process.execPath, ["--expose-gc", join(import.meta.dirname, file)], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  // A bench that fails leaves nothing behind.
  const stopAtExit = () => void child.kill("SIGKILL");
  process.on("exit", stopAtExit);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout?.on("data", (chunk) => {
      const found = /listening on (\d+)/.exec(String(chunk));
      if (found) resolve(Number(found[1]));
    });
    void exited.then(() => reject(new Error(`${file} ended`)));
  });
  return {
    port,
    child,
    cpuMs: () => cpuOf(child.pid),
    async stop() {
      child.kill("SIGTERM");
      await exited;
      process.off("exit", stopAtExit);
    },
  };
};
