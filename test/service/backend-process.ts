/** The built service as its own process, as a user runs it, for tests that kill it. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { bareEnvironment } from "../runner/run-program.ts";

/** One process of the service. */
export interface BackendProcess {
  readonly url: string;
  /** SIGKILL: no handler, no flush. Resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; the exit code. */
  stop(): Promise<number | null>;
}

const program = join(import.meta.dirname, "../../out/main/service.js");

/** Resolves when it has printed where it listens. */
export const startBackend = async (env: Readonly<Record<string, string>>): Promise<BackendProcess> => {
  const child = spawn(process.execPath, [program], {
    env: {
      ...bareEnvironment,
      PORT: "0",
      LOG_LEVEL: "error",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const killAtExit = () => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => {
      process.off("exit", killAtExit);
      resolve(code);
    });
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  return {
    url: await listening(child),
    kill: async () => void (await end("SIGKILL")),
    stop: () => end("SIGTERM"),
  };
};

const listening = (child: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let output = "";
    const onOutput = (chunk: Buffer) => {
      output = `${output}${chunk}`.slice(-10_000);
      const url = /service listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (url) resolve(url);
    };
    child.stdout?.on("data", onOutput);
    child.stderr?.on("data", onOutput);
    child.once("exit", (code) => reject(new Error(`the service ended with ${code}: ${output}`)));
  });
