/** The desktop program without its window: the shared terminal with this host's secrets, network and updates. */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { app, shell, utilityProcess } from "electron";
import { joinNetwork } from "../host/join-network.ts";
import { KeyStoreUnusable, openCredentialFile } from "../host/secrets.ts";
import { openTerminal, type TerminalParts } from "../open-terminal.ts";
import type { ServiceChild } from "../service/service-channel.ts";
import { releaseFeed } from "../updates/feed.ts";
import { atStart, openUpdateFile, withUpdates } from "../updates/updates.ts";
import { noKeyStoreText, openKeyStore } from "./key-store.ts";
import { selfCheck } from "./self-check.ts";
import { withSystemProxy } from "./system-proxy.ts";
import { openDesktopUpdates } from "./updates/desktop-updates.ts";
import { type Windows, withWindowCommands } from "./window.ts";

/** Starts `file` (the built service) with only this environment. */
function startUtilityChild(file: string, env: Record<string, string | undefined>): ServiceChild {
  const set = Object.fromEntries(Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined));
  const child = utilityProcess.fork(file, [], { env: set, stdio: "pipe", serviceName: "Tillcash service" });
  // Without a listener a fatal engine error would be thrown here; `exit` follows in any case.
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
    // `child.kill` sends SIGTERM, which a hanging process may ignore.
    kill() {
      try {
        if (child.pid !== undefined) process.kill(child.pid, "SIGKILL");
      } catch {
        // It has ended already.
      }
    },
  };
}

/** Used to find the proxy while no service is known; any external address does. */
const anyAddress = "https://tillcash.eu/";

interface DesktopOptions
  extends Pick<TerminalParts, "data" | "files" | "settings" | "takes" | "log" | "onFailure" | "restart"> {
  readonly training: boolean;
  readonly program: string;
  readonly windows: Windows;
}

/** Opens the terminal for the window. If it rejects, what was started is registered with `onFailure`. */
export const openDesktopTerminal = async (options: DesktopOptions) => {
  const { data, files, training, log, onFailure, program, windows } = options;
  const keyStore = openKeyStore();
  if (!training && !(await keyStore.isAvailable())) throw new KeyStoreUnusable(noKeyStoreText);
  const credential = training ? null : await openCredentialFile(files, log, keyStore);
  const env =
    credential === null ? process.env : await withSystemProxy(process.env, credential.load()?.serviceUrl ?? anyAddress);
  if (credential !== null) joinNetwork(env, log);
  const opened = await openTerminal({
    ...options,
    credential,
    keyStore: training ? null : keyStore,
    startService: (own) => startUtilityChild(program, own),
    env,
    check: () => selfCheck(data),
    reveal: (file) => shell.showItemInFolder(file),
  });
  const { terminal } = opened;
  const updateFile = openUpdateFile(data, log);
  updateFile.save(atStart(updateFile.load(), app.getVersion()));
  log("info", "the program started", { version: app.getVersion() });
  // In training the live journal is not open, so open withdrawals are unknown and nothing may be updated.
  const release = training ? null : releaseFeed();
  const { updates, end } = openDesktopUpdates(opened, release, updateFile, log, data, windows.close);
  onFailure(() => updates?.close());
  return {
    terminal,
    guard: opened.guard((inner) => withUpdates(withWindowCommands(inner, windows), updates)),
    phone: opened.phone,
    end,
    async stop(): Promise<void> {
      updates?.close();
      await opened.stop();
    },
  };
};
