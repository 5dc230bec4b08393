/** The service as a child process of plain Node. It exits when the channel to this process closes, also after a crash. */
import { fork } from "node:child_process";
import { createInterface } from "node:readline";
import type { ServiceChild } from "./service-channel.ts";

/** Starts `file` (the built service) with exactly this environment. */
export function startNodeChild(file: string, env: Record<string, string | undefined>): ServiceChild {
  const child = fork(file, [], {
    env,
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // A group of its own: Ctrl+C is for the host, which may have to ask first and then stops the service in order.
    detached: process.platform !== "win32",
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve(null));
  });
  // The channel may be closed already; `exited` says so.
  const send = (message: unknown): void => {
    if (child.connected) child.send(message as object, () => undefined);
  };
  return {
    exited,
    onLine(listener) {
      for (const stream of [child.stdout, child.stderr]) if (stream) createInterface(stream).on("line", listener);
    },
    onMessage: (listener) => void child.on("message", listener),
    send,
    // A message works where there are no signals.
    stop: () => send("stop"),
    kill: () => child.kill("SIGKILL"),
  };
}
