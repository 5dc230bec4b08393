/** The own service as a supervised process, with settings (`service.json`), environment and log of its own. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type OwnServiceStatus, ownNetworkSchema } from "../../../preload/contract.ts";
import { portSchema } from "../../../preload/settings.ts";
import { readJson, writeJson } from "../../host/json-file.ts";
import { type Log, openLineFile } from "../../host/log-file.ts";
import type { ServiceChannel, ServiceChild } from "../service-channel.ts";
import { choosePort, type Environment, inheritedFrom, type Supervised, superviseService } from "../supervisor.ts";

const formatVersion = 1;

const settingsSchema = z.object({
  version: z.literal(formatVersion),
  /** On 127.0.0.1, for this terminal. Part of the service's name in the journal, so it never changes after set-up. */
  port: portSchema,
  backupFolder: z.string().min(1),
  network: ownNetworkSchema.nullable(),
  /** Null until set-up is finished; until then the service does not start with the program. */
  shop: z.string().nullable(),
  bank: z.string().nullable(),
  /** The bank's file was written with this port, so that a set-up that was cut off waits for it. */
  isBankTold: z.boolean(),
  /** Shops and banks of unfinished set-ups: a set-up with other names revokes their access. */
  attempts: z
    .array(z.object({ shop: z.string(), bank: z.string() }))
    .max(50)
    .default([]),
});
/** Content of `service.json`. */
export type OwnServiceSettings = Readonly<z.infer<typeof settingsSchema>>;

/** Written by a newer program; left unchanged. */
const newerSchema = z.object({ version: z.number().gt(formatVersion) }).transform(() => "newer" as const);

const fileIn = (folder: string): string => path.join(folder, "service.json");

/** @throws the system's error when it cannot be written. */
export const saveOwnSettings = (folder: string, settings: Omit<OwnServiceSettings, "version">): void =>
  writeJson(fileIn(folder), { ...settings, version: formatVersion });

/** Variables for connections from this machine to a bank. */
const outbound = ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"] as const;

/** Path of the database in the service's folder. */
export const databaseIn = (folder: string): string => path.join(folder, "service.db");

/** The service's address in the credential and in the journal. Calls go over the channel, whichever program holds the port. */
export const addressOf = ({ port }: Pick<OwnServiceSettings, "port">): string => `http://127.0.0.1:${port}`;

/** The port in the address of an own service, whose settings may be lost; null for any other address. */
export const portIn = (address: string): number | null => {
  const [, port] = /^http:\/\/127\.0\.0\.1:(\d+)$/.exec(address) ?? [];
  return portSchema.safeParse(Number(port)).data ?? null;
};

/** Every port that the service listens on; empty before set-up. */
export const portsOf = (settings: Pick<OwnServiceSettings, "port" | "network"> | null): readonly number[] =>
  settings === null ? [] : [settings.port, ...(settings.network === null ? [] : [settings.network.port])];

/** @param env this program's. @returns the environment of the child process. */
export const ownEnvironment = (
  folder: string,
  { port, backupFolder, network }: OwnServiceSettings,
  env: Environment,
): Environment => {
  const local = { HOST: "127.0.0.1", PORT: String(port) };
  const open = (at: NonNullable<typeof network>) => ({
    HOST: "0.0.0.0",
    PORT: String(at.port),
    PUBLIC_URL: at.publicUrl,
    TLS_CERT: at.certFile,
    TLS_KEY: at.keyFile,
  });
  return {
    ...inheritedFrom(env, outbound),
    ...(network === null ? local : open(network)),
    DATABASE_URL: `sqlite:${databaseIn(folder)}`,
    BACKUP_DIR: backupFolder,
    METRICS_PORT: "0",
  };
};

const startTimeoutMs = 20_000;
const checkEveryMs = 50;

/** See `openOwnService`. */
export type OwnServiceProcess = ReturnType<typeof openOwnService>;

/** Starts the service if its set-up is finished. @param folder holds the service's files and nothing else. */
export const openOwnService = ({
  folder,
  start,
  log,
  env = process.env,
}: {
  readonly folder: string;
  readonly start: (env: Environment) => ServiceChild;
  readonly log: Log;
  readonly env?: Environment | undefined;
}) => {
  // A damaged file is set aside and counts as missing: a new set-up finds shop, bank and database again.
  let found = readJson(fileIn(folder), z.union([settingsSchema, newerSchema]));
  let supervised: Supervised | null = null;
  const listeners = new Set<() => void>();
  const settings = (): OwnServiceSettings | null => (found === "newer" ? null : found);

  const save = (next: Omit<OwnServiceSettings, "version">): void => {
    if (found === "newer") throw new Error("the settings of the service are a newer program's");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    saveOwnSettings(folder, next);
    found = { ...next, version: formatVersion };
    for (const listener of listeners) listener();
  };

  /** Before set-up is finished only the bank's file contains the port, so a port taken by another program can be replaced. */
  const chooseSetUpPort = async (): Promise<void> => {
    const before = settings();
    if (before === null || before.shop !== null) return;
    const port = await choosePort(before.port, before.isBankTold);
    const kept = settings();
    if (kept?.shop === null && kept.port !== port) save({ ...kept, port, isBankTold: false });
  };

  const begin = (): Supervised =>
    superviseService({
      async start() {
        await chooseSetUpPort();
        const kept = settings();
        if (kept === null) throw new Error("no service was set up here");
        return start(ownEnvironment(folder, kept, env));
      },
      log,
      output: openLineFile(folder, "service.log"),
      monotonicMs: () => performance.now(),
      changed() {
        for (const listener of listeners) listener();
      },
    });

  if (found === "newer") log("error", "the settings of the service are a newer program's: left as they are", {});
  if (settings()?.shop != null) supervised = begin();

  return {
    folder,
    settings,
    /** Null: there is none, or its set-up is unfinished. */
    status(): OwnServiceStatus | null {
      if (found === "newer") return { state: "given_up", why: "newer_settings" };
      if (settings()?.shop == null || supervised === null) return null;
      const state = supervised.state();
      if (state.kind === "running") return { state: "running", why: null };
      return { state: state.kind, why: state.reason?.why ?? (state.kind === "starting" ? null : "failed") };
    },
    /** The service's own message about why it could not start, or null. */
    lastOutput(): string | null {
      const state = supervised?.state();
      return state === undefined || state.kind === "running" ? null : (state.reason?.message ?? null);
    },
    /** Null while the service is not running. */
    channel: (): ServiceChannel | null => supervised?.channel() ?? null,
    save,
    /** Starts the service, or restarts it with the saved settings; null if it is given up, lacks its port, or does not run within 20 s. */
    async start(): Promise<ServiceChannel | null> {
      if (settings() === null) return null;
      const before = supervised?.state();
      if (supervised === null) supervised = begin();
      else supervised.restart();
      const until = performance.now() + startTimeoutMs;
      while (performance.now() < until) {
        const state = supervised.state();
        if (state !== before && state.kind === "running") return state.channel;
        // Before set-up is finished the next try takes another port; afterwards only a person can free it.
        const lacksPort = state.kind === "restarting" && state.reason?.why === "port_taken" && settings()?.shop != null;
        if (state !== before && (state.kind === "given_up" || lacksPort)) return null;
        await delay(checkEveryMs);
      }
      return null;
    },
    watch: (listener: () => void): void => void listeners.add(listener),
    stop: async (): Promise<void> => supervised?.stop(),
  };
};
