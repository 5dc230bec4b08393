/** The process of the own service: supervised, with the host's settings and a log of its own. */
import { mkdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { OwnServiceStatus } from "../../../preload/contract.ts";
import { type Log, openLineFile } from "../../host/log-file.ts";
import { choosePort } from "../ports.ts";
import type { ServiceChannel, ServiceChild } from "../service-channel.ts";
import { type Supervised, type Supervision, superviseService } from "../supervisor.ts";
import { ownEnvironment } from "./environment.ts";
import { type FoundSettings, loadOwnSettings, type OwnServiceSettings, saveOwnSettings } from "./settings-file.ts";

const startTimeoutMs = 20_000;
const checkEveryMs = 50;

/** Where its files are, and how it is started. */
export interface OwnServiceOptions {
  /** Holds the service's files and nothing else. */
  readonly folder: string;
  readonly start: (env: Record<string, string | undefined>) => ServiceChild;
  readonly log: Log;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The process and its settings. */
export interface OwnServiceProcess {
  readonly folder: string;
  /** Null: no service was set up here. */
  settings(): OwnServiceSettings | null;
  /** Null: no service was set up here, or the set-up is unfinished. */
  status(): OwnServiceStatus | null;
  /** The service's own sentence about why it could not start; null otherwise. */
  lastOutput(): string | null;
  /** Null while it does not run. */
  channel(): ServiceChannel | null;
  save(settings: Omit<OwnServiceSettings, "version">): void;
  /**
   * Starts it, or restarts it with the saved settings. While the set-up is unfinished, a taken port is replaced by a free one.
   * Resolves when it runs, is given up, or after 20 s; null: it does not run.
   */
  start(): Promise<ServiceChannel | null>;
  watch(listener: () => void): void;
  stop(): Promise<void>;
}

const statusOf = (state: Supervision): OwnServiceStatus => {
  const { kind } = state;
  if (kind === "running") return { state: kind, why: null };
  return { state: kind, why: state.reason?.why ?? (kind === "starting" ? null : "failed") };
};

/** Starts it at once where its set-up is finished. */
export const openOwnService = ({ folder, start, log, env = process.env }: OwnServiceOptions): OwnServiceProcess => {
  let found: FoundSettings = loadOwnSettings(folder);
  let supervised: Supervised | null = null;
  const listeners = new Set<() => void>();
  const settings = (): OwnServiceSettings | null => (found.kind === "found" ? found.settings : null);

  const save = (next: Omit<OwnServiceSettings, "version">): void => {
    if (found.kind === "newer") throw new Error("the settings of the service are a newer program's");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    saveOwnSettings(folder, next);
    found = { kind: "found", settings: { ...next, version: 1 } };
    for (const listener of listeners) listener();
  };

  /** While the set-up is unfinished only the bank's file names the port, so one that another program took can be replaced. */
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

  if (found.kind === "newer") log("error", "the settings of the service are a newer program's: left as they are", {});
  if (settings()?.shop != null) supervised = begin();

  return {
    folder,
    settings,
    status() {
      if (found.kind === "newer") return { state: "given_up", why: "newer_settings" };
      if (settings()?.shop == null || supervised === null) return null;
      return statusOf(supervised.state());
    },
    lastOutput() {
      const state = supervised?.state();
      return state === undefined || state.kind === "running" ? null : (state.reason?.message ?? null);
    },
    channel: () => supervised?.channel() ?? null,
    save,
    async start() {
      if (settings() === null) return null;
      const before = supervised?.state();
      if (supervised === null) supervised = begin();
      else supervised.restart();
      const until = performance.now() + startTimeoutMs;
      while (performance.now() < until) {
        const state = supervised.state();
        if (state !== before && state.kind === "running") return state.channel;
        if (state !== before && state.kind === "given_up") return null;
        await delay(checkEveryMs);
      }
      return null;
    },
    watch: (listener) => void listeners.add(listener),
    stop: async () => supervised?.stop(),
  };
};
