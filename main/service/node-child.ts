/** The service as a child process of plain Node. It exits when its IPC channel closes, also after this program crashes. */
import { fork } from "node:child_process";
import { createInterface } from "node:readline";
import type { ServiceChild } from "./service-channel.ts";

/** Starts `file` (the built service) with exactly this environment. */
export function startNodeChild(file: string, env: Record<string, string | undefined>): ServiceChild {
  const child = fork(file, [], {
    env,
    execArgv: [],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // A process group of its own: Ctrl+C goes to the host only, which may ask first and then stops the service in order.
    detached: process.platform !== "win32",
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
    child.once("error", () => resolve(null));
  });
  // The channel may be closed already; `exited` resolves then.
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
    // Works on Windows, too, which has no signals.
    stop: () => send("stop"),
    kill: () => child.kill("SIGKILL"),
  };
}
