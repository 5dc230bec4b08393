/** The bundled service in Electron: a utility process, which ends with this program however that ends. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { utilityProcess } from "electron";
import type { ServiceChild } from "../service/service-channel.ts";

/** Starts `file` (the built service) with exactly this environment. */
export function startUtilityChild(file: string, env: Record<string, string | undefined>): ServiceChild {
  const set = Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
  const child = utilityProcess.fork(file, [], { env: set, stdio: "pipe", serviceName: "Tillcash service" });
  // A fatal error of the engine is emitted too, and would be thrown here without a listener; `exit` follows in any case.
  child.on("error", () => undefined);
  const exited = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
  });
  return {
    exited,
    onLine(listener) {
      for (const stream of [child.stdout, child.stderr]) {
        if (stream) createInterface(Readable.from(stream)).on("line", listener);
      }
    },
    onMessage: (listener) => void child.on("message", listener),
    send: (message) => child.postMessage(message),
    stop: () => child.postMessage("stop"),
    // Its own `kill` is SIGTERM, which a process that hangs may never act on.
    kill() {
      try {
        if (child.pid !== undefined) process.kill(child.pid, "SIGKILL");
      } catch {
        // It has ended, and `exit` is on its way.
      }
    },
  };
}
