/** The terminal in an ordinary browser: the desktop's core served on loopback, in training mode with the bundled service. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { portSchema } from "../../preload/settings.ts";
import { openPrivateFolder, purposeFolder } from "../host/data-folder.ts";
import { claimOrHandOver, type Instance, removeEntryFile } from "../host/instance.ts";
import { joinNetwork } from "../host/join-network.ts";
import { openMemory } from "../host/json-file.ts";
import { openLog } from "../host/log-file.ts";
import { openPage } from "../host/pages.ts";
import { openCredentialFile } from "../host/secrets.ts";
import { openSettingsFile } from "../host/settings-file.ts";
import { checkMachine, hostLooks } from "../host/support-report.ts";
import { type OnFailure, openTerminal, startOrUndo, type TerminalParts } from "../open-terminal.ts";
import { startNodeChild } from "../service/node-child.ts";
import { createClock } from "../terminal/adapters.ts";
import { createStartingApp, createTillApp, openSessions } from "./till-app.ts";

/** An open port with its sessions. */
export type Listener = Awaited<ReturnType<typeof openListener>>;

const bind = async (server: Server, port: number): Promise<number> => {
  server.listen({ host: "127.0.0.1", port });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

/** @param wanted 0 picks a free port; null prefers the one in `file`, so that a browser finds its terminal again. */
const openListener = async (wanted: number | null, file: string) => {
  let app = new Hono();
  const server = createAdaptorServer({
    fetch: (request, env) => app.fetch(request, env),
    serverOptions: { maxHeaderSize: 16 * 1024 },
  }) as Server;
  const memory = openMemory(file, portSchema);
  const last = wanted ?? memory.load() ?? 0;
  const port = await bind(server, last).catch((error: unknown) => {
    if (wanted !== null) throw error;
    return bind(server, 0);
  });
  if (wanted === null) memory.save(port);
  const sessions = openSessions(createClock().monotonicMs);
  const starting = createStartingApp(sessions, port);
  app = starting;
  return {
    port,
    sessions,
    /** Serves this app from now on; null: answers 503. */
    serve(next: Hono | null): void {
      app = next ?? starting;
    },
    /** Closes open connections; pages reconnect by themselves. */
    endConnections: (): void => server.closeAllConnections(),
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
};

interface HostOptions extends Pick<TerminalParts, "data" | "takes" | "mayGoLive" | "restart"> {
  /** The folder of the built programs, which holds `main/` and `renderer/`. */
  readonly built: string;
  /** 0 picks a free one; null prefers the one used last. */
  readonly port: number | null;
  /** The previous host's listener in this program, to keep its pages connected. Default: a new one. */
  readonly listener?: Listener | undefined;
  /** Training with the bundled service's sandbox; otherwise the terminal is enrolled on its set-up screen. */
  readonly training: boolean;
  /** Called when another program holds the data folder and does not identify itself, before waiting for it. */
  readonly waiting?: () => void;
  /** Called when a second start was given an address for this terminal. */
  readonly entered: () => void;
}

/** A started host, or one already running on this folder; `isWindow`: that one is the desktop program. */
export type BrowserHost = Awaited<ReturnType<typeof openBrowserHost>>;

/** Starts the terminal on loopback, unless one runs on this folder. If it rejects, nothing is left running. */
export async function openBrowserHost(options: HostOptions) {
  openPrivateFolder(options.data);
  const claim = await claimOrHandOver(options.data, options.waiting);
  if (claim.kind === "taken") return { ...claim, kind: "running_already" } as const;
  const { instance } = claim;
  return startOrUndo((onFailure) => {
    onFailure(instance.release);
    return openClaimed(options, instance, onFailure);
  });
}

async function openClaimed(options: HostOptions, instance: Instance, onFailure: OnFailure) {
  const log = openLog(options.data);
  if (!options.training) joinNetwork(process.env, log);
  const program = path.join(options.built, "main", "service.js");
  const files = purposeFolder(options.data, options.training);
  const opened = await openTerminal({
    ...options,
    files,
    credential: options.training ? null : await openCredentialFile(files, log, null),
    keyStore: null,
    settings: openSettingsFile(files, log),
    startService: (env) => startNodeChild(program, env),
    check: () => checkMachine(hostLooks(options.data)),
    log,
    onFailure,
  });
  const { terminal } = opened;
  const guard = opened.guard();
  const listener = options.listener ?? (await openListener(options.port, path.join(options.data, "till-port.json")));
  onFailure(listener.close);
  const { port, sessions } = listener;
  const newAddress = (): string => `http://127.0.0.1:${port}/#enter=${sessions.issueEntry()}`;
  listener.serve(
    createTillApp({
      bridge: guard,
      page: openPage(
        path.join(options.built, "renderer"),
        options.training ? process.env.ELECTRON_RENDERER_URL : undefined,
      ),
      sessions,
      handOverSecret: instance.secret,
      port,
      entered: () => removeEntryFile(options.data),
      endConnections: listener.endConnections,
      handOver() {
        options.entered();
        return newAddress();
      },
    }),
  );
  instance.publish(port);
  terminal.start();

  return {
    kind: "started" as const,
    address: newAddress(),
    phone: opened.phone,
    /** Withdrawals that may hold money, or whose end was not reported to the service yet. */
    unfinished: (): number => terminal.snapshot().header.unfinished,
    listener,
    /** @param isRestart the listener stays open for the next host of this program. Default: false. */
    async stop(isRestart = false): Promise<void> {
      instance.withdraw();
      removeEntryFile(options.data);
      listener.serve(null);
      if (isRestart) listener.endConnections();
      else listener.close();
      await opened.stop();
      instance.release();
    },
  };
}
