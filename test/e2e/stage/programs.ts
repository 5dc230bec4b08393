/** The built programs as a user runs them: the browser host with its training service, the service alone, the till live. */
import { existsSync } from "node:fs";
import path from "node:path";
import { readJson } from "../../../main/host/json-file.ts";
import { portSchema } from "../../../preload/settings.ts";
import { type Child, startChild } from "./child.ts";

/** The project's folder. */
export const root = path.resolve(import.meta.dirname, "../../..");
/** `BUILT` names another build, so that a tree that is being worked on can be tested as it was. */
const out = process.env.BUILT ?? path.join(root, "out");
/** A built program's file. @throws Error where it was not built. */
export const built = (name: string): string => {
  const file = path.join(out, "main", name);
  if (!existsSync(file)) throw new Error(`${file} is missing: run "npm run build" first`);
  return file;
};

const loading = (file: string): readonly string[] => ["--import", path.join(import.meta.dirname, file)];

/** The browser host and its one-time entry. */
export interface TillHost {
  readonly child: Child;
  /** Opens the till once. */
  readonly entry: string;
}

/** How the host is started. */
export interface HostOptions {
  /** Journal, settings and the training database. */
  readonly data: string;
  /** Null: training, with the bundled service. */
  readonly live: boolean;
  /** 0 picks a free one. */
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Lets `child.signal("SIGUSR2")` move its wall clock by this much. */
  readonly clockJumpMs?: number;
  /** PINs cost it nothing; no program without this knows them again. Default: false. */
  readonly hasQuickPins?: boolean;
  /** While this file exists its time stands still. */
  readonly standsStillWith?: string;
}

/** Resolves when the terminal says where it is. */
export const startTillHost = async (options: HostOptions): Promise<TillHost> => {
  const args = ["--no-open", "--port", String(options.port ?? 0), "--data", options.data];
  const child = await startChild(built("browser-host.js"), {
    args: options.live
      ? [...args, "--live", "--allow-browser", "--allow-sandbox", "--allow-plain-http"]
      : [...args, "--allow-browser"],
    nodeArgs: [
      ...(options.hasQuickPins === true ? loading("quick-pins.mjs") : []),
      ...(options.clockJumpMs === undefined ? [] : loading("clock-jump.mjs")),
      ...(options.standsStillWith === undefined ? [] : loading("standstill.mjs")),
    ],
    env: {
      ...options.env,
      CLOCK_JUMP_MS: String(options.clockJumpMs ?? 0),
      STANDS_STILL_WITH: options.standsStillWith ?? "",
    },
    ready: /^The terminal is at (http:\S+)/,
  });
  return { child, entry: child.address };
};

/** The same start while a till runs on this data: prints an address of the running one and ends. */
export const addressFromRunningTill = async (data: string, live: boolean): Promise<string> => {
  const args = ["--no-open", "--port", "0", "--data", data, ...(live ? ["--live", "--allow-browser"] : [])];
  const second = await startChild(built("browser-host.js"), { args, env: {}, ready: /running already: (http:\S+)/ });
  await second.kill();
  return second.address;
};

const trainingTimeoutMs = 180_000;

/**
 * Where the training service of the host on this data folder is, once it answers. A slow machine's host starts without it and
 * prints its phone's address before anything listens there; and the usual port may be another host's.
 */
export const trainingServiceOf = async (data: string): Promise<string> => {
  const giveUpAt = performance.now() + trainingTimeoutMs;
  for (;;) {
    // Written when the service listens for the first time.
    const port = readJson(path.join(data, "training", "service-port.json"), portSchema);
    const address = `http://127.0.0.1:${port}`;
    if (port !== null && (await fetch(`${address}/healthz`).catch(() => null))?.ok) return address;
    if (performance.now() > giveUpAt) throw new Error(`no training service of ${data} after ${trainingTimeoutMs} ms`);
    await new Promise((done) => setTimeout(done, 20));
  }
};

/** How the service is started; `port` 0, the default, picks a free one. */
export interface ServiceOptions {
  readonly data: string;
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** The service alone, with its sandbox. */
export const startService = (options: ServiceOptions): Promise<Child> =>
  startChild(built("service.js"), {
    args: ["--sandbox"],
    env: {
      HOST: "127.0.0.1",
      PORT: String(options.port ?? 0),
      DATABASE_URL: `sqlite:${path.join(options.data, "service.db")}`,
      LOG_LEVEL: "warn",
      ...options.env,
    },
    ready: /^service listening on (http:\S+)/,
  });

/** What the operator runs for a new terminal; resolves with the code as it is printed. */
export const makeEnrolmentCode = async (data: string, device: string, publicUrl: string): Promise<string> => {
  const made = await startChild(built("service.js"), {
    args: ["credentials", "add", "terminal", "demo-shop", device, "--enrol"],
    env: { DATABASE_URL: `sqlite:${path.join(data, "service.db")}`, SANDBOX: "1", PUBLIC_URL: publicUrl },
    ready: /([0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})/,
  });
  return made.address;
};
