/** A terminal with its services, up to the guard that checks who sends a command: the same pieces in the same order in both hosts. */
import { existsSync } from "node:fs";
import path from "node:path";
import { type Settings, shopProfileSchema } from "../preload/contract.ts";
import { hasEarlierLife, purposeFolder } from "./host/data-folder.ts";
import { withAnswers } from "./host/host-answers.ts";
import { readJson, tryWriteJson } from "./host/json-file.ts";
import type { Log } from "./host/log-file.ts";
import { type KeyStore, openJournalKeys } from "./host/secrets.ts";
import { openSettingsFile, settingsPath } from "./host/settings-file.ts";
import { type ReportHost, withSupportReport } from "./host/support-report.ts";
import { createGuard, type Guard } from "./people/guard.ts";
import { openPeopleFile } from "./people/people-file.ts";
import { withOwnService } from "./service/own/commands.ts";
import { addressOf, openOwnService, portsOf } from "./service/own/process.ts";
import { withPhoneAccess } from "./service/phone-proxy.ts";
import { fetchOver, type ServiceChannel, type ServiceChild } from "./service/service-channel.ts";
import { startTraining } from "./service/training.ts";
import { createNodePorts } from "./terminal/node-ports.ts";
import type { Secrets, SettingsStore, ShopStore } from "./terminal/ports.ts";
import { type Fetch, onConnectionLost, type TransportOptions } from "./terminal/service/transport.ts";
import { createTerminal, type Terminal } from "./terminal/terminal.ts";

/** What the switch needs from its host. */
interface PurposeHost {
  readonly data: string;
  readonly training: boolean;
  readonly log: Log;
  /** False: real money needs a start that allows it in a browser. Default: true. */
  readonly mayGoLive?: boolean;
  /** Ends this terminal and starts the other one, some time after the answer. */
  readonly restart: (training: boolean) => void;
}

/** The other terminal speaks this one's language from its first start; the set-up's practice ends with the way back. */
const prepareOther = (
  { data, log }: PurposeHost,
  { training, practice }: { readonly training: boolean; readonly practice?: true | undefined },
  { language, colorScheme }: Settings,
): void => {
  const folder = purposeFolder(data, training);
  const isNew = !existsSync(settingsPath(folder));
  const file = openSettingsFile(folder, log);
  const before = file.load();
  const isOver = training || before.setUp === "practice";
  const setUp = practice ? "practice" : isOver ? "done" : before.setUp;
  if (!isNew && setUp === before.setUp) return;
  try {
    file.save({ ...before, setUp, ...(isNew && { language, colorScheme }) });
  } catch (error) {
    log("warn", "the settings of the other purpose could not be kept", { error: String(error) });
  }
};

type Switchable = Pick<Terminal, "dispatch" | "snapshot">;

/** The terminal with `switch_purpose` answered: refused as `busy` while real money may be in a withdrawal. */
const withPurposeSwitch = <T extends Switchable>(terminal: T, host: PurposeHost): T =>
  withAnswers<"purpose", T>(terminal, {
    switch_purpose(command) {
      const { header, settings } = terminal.snapshot();
      if (command.training === host.training) return { ok: true };
      if (!command.training && host.mayGoLive === false) return { ok: false, code: "not_in_browser" };
      if (!host.training && header.unfinished > 0) return { ok: false, code: "busy" };
      prepareOther(host, command, settings);
      host.restart(command.training);
      return { ok: true };
    },
  });

/** Notes what is to be ended, last first, when the start fails after it. */
export type OnFailure = (end: () => unknown) => void;

/** Runs a start. When it rejects, what it had begun is ended, also where one of the ends fails, and its error is thrown. */
export const startOrUndo = async <T>(start: (onFailure: OnFailure) => Promise<T>): Promise<T> => {
  const ends: (() => unknown)[] = [];
  try {
    return await start((end) => ends.push(end));
  } catch (error) {
    for (const end of ends.toReversed())
      try {
        await end();
      } catch {
        // What the start failed by is what is said.
      }
    throw error;
  }
};

/** Neither call throws: a file that cannot be read counts as absent. */
const openShopFile = (folder: string): ShopStore => {
  const file = path.join(folder, "shop.json");
  return {
    load() {
      try {
        return readJson(file, shopProfileSchema);
      } catch {
        return null;
      }
    },
    save: (profile) => void tryWriteJson(file, profile),
  };
};

/** What is its host's own about a terminal. `data`: the terminal's data folder. */
export interface TerminalParts extends Omit<PurposeHost, "training">, ReportHost {
  /** Where the files of this purpose lie. */
  readonly files: string;
  /** Null: training, at the bundled service with its sandbox. */
  readonly credential: Secrets | null;
  /** What the journal's keys are sealed with; null where files are all there is. */
  readonly keyStore: KeyStore | null;
  readonly settings: SettingsStore;
  /** A developer's start: real money's terminal at a service without a bank, or at one of this machine by plain http. Default: neither. */
  readonly takes?: Pick<TransportOptions, "takesSandbox" | "takesPlainHttp"> | undefined;
  /** Starts the bundled service as a child of this program. */
  readonly startService: (env: Record<string, string | undefined>) => ServiceChild;
  /** The environment of the own service. Default: this program's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Notes what ends again if the start fails. */
  readonly onFailure: OnFailure;
}

/** A terminal that is not started yet. When it rejects, what it had started is registered with `onFailure`. */
export const openTerminal = async (parts: TerminalParts) => {
  const { data, files, log, onFailure } = parts;
  const isTraining = parts.credential === null;
  const ownService = openOwnService({ ...parts, folder: path.join(data, "service"), start: parts.startService });
  onFailure(ownService.stop);
  const reserved = portsOf(ownService.settings());
  const training = isTraining ? await startTraining({ folder: files, start: parts.startService, log, reserved }) : null;
  if (training !== null) onFailure(training.stop);
  let watched: ServiceChannel | null = null;
  let connectionLost = (): void => undefined;
  /** Its port may be anybody's: this program's own service is called over the channel to it, or not at all. */
  const ownServiceAt = (address: string): Fetch | null => {
    const settings = ownService.settings();
    const own = training?.address ?? (settings && addressOf(settings));
    if (address !== own) return null;
    const channel = (training ?? ownService).channel();
    if (channel !== watched) void channel?.ended.then(() => connectionLost());
    watched = channel;
    return (request) => fetchOver(channel, request);
  };
  const secrets = training?.secrets ?? parts.credential;
  if (secrets === null) throw new Error("no secrets for this purpose");
  const earlier = !isTraining && hasEarlierLife(files);
  const ports = createNodePorts({
    journalPath: path.join(files, "journal.db"),
    journalKeys: await openJournalKeys(files, parts.keyStore),
    secrets,
    settings: parts.settings,
    shop: openShopFile(files),
    training: isTraining,
    hasEarlierLife: earlier,
    network: { ...parts.takes, ownServiceAt },
    log,
  });
  onFailure(ports.journal.close);
  const terminal = await createTerminal(ports);
  onFailure(terminal.close);
  connectionLost = terminal.connectionLost;
  const stopWatching = onConnectionLost(connectionLost);
  onFailure(stopWatching);
  const { clock } = ports;
  const phones = withPhoneAccess(terminal, { training, clock, log, reserved });
  onFailure(phones.stop);
  const switching = withPurposeSwitch(phones.terminal, { ...parts, training: isTraining });
  const answering = withOwnService(withSupportReport(switching, parts), ownService, { training: isTraining, log });
  let guard: Guard | null = null;
  return {
    terminal,
    clock,
    /** Whether the own service is reached from other machines. */
    servesOthers: (): boolean => (ownService.settings()?.network ?? null) !== null,
    /** Where the customer's part can be played, in training. */
    phone: training && `${training.address}/sandbox`,
    /** Puts people and their rights before all commands; called once. @param withOwn adds what only this host answers. */
    guard(withOwn: (terminal: Terminal) => Terminal = (inner) => inner): Guard {
      guard = createGuard({
        terminal: withOwn(answering),
        file: openPeopleFile(files, log),
        clock,
        openUntilPin: isTraining,
      });
      onFailure(guard.close);
      return guard;
    },
    /** Resolves when terminal and services have ended, whatever one of them failed with. */
    async stop(): Promise<void> {
      guard?.close();
      phones.stop();
      stopWatching();
      await Promise.allSettled([terminal.close(), training?.stop(), ownService.stop()]);
    },
  };
};
