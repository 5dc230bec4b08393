/** Builds a terminal with its services and the guard that checks permissions: the same pieces in the same order for both hosts. */
import { existsSync } from "node:fs";
import path from "node:path";
import { type Settings, shopProfileSchema } from "../preload/contract.ts";
import { hasEarlierLife, purposeFolder } from "./host/data-folder.ts";
import { withAnswers } from "./host/host-answers.ts";
import { openMemory } from "./host/json-file.ts";
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
import type { Secrets, SettingsStore } from "./terminal/ports.ts";
import { type Fetch, onConnectionLost, type TransportOptions } from "./terminal/service/transport.ts";
import { createTerminal, type Terminal } from "./terminal/terminal.ts";
import type { Answers } from "./terminal/withdrawal/inputs.ts";

interface PurposeHost {
  readonly data: string;
  readonly training: boolean;
  readonly log: Log;
  /** False: real money needs a start that allows it in a browser. Default: true. */
  readonly mayGoLive?: boolean;
  /** Exits and starts again for the other purpose, shortly after the reply was sent. */
  readonly restart: (training: boolean) => void;
}

/**
 * Prepares the other purpose's settings: a new one gets this language and colours, and practice during set-up is marked
 * so that it leads back.
 */
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

/** Adds `switch_purpose` to the terminal; refused as `busy` while a withdrawal of real money is unfinished. */
export const withPurposeSwitch = <T extends Switchable>(terminal: T, host: PurposeHost): T => {
  /** Real money is left for certain; in training a window may ask first, and stay. */
  let isLeaving = false;
  const answers: Answers<"purpose"> = {
    switch_purpose(command) {
      const { header, settings } = terminal.snapshot();
      if (isLeaving || command.training === host.training) return { ok: true };
      if (!command.training && host.mayGoLive === false) return { ok: false, code: "not_in_browser" };
      if (!host.training && header.unfinished > 0) return { ok: false, code: "busy" };
      prepareOther(host, command, settings);
      isLeaving = !host.training;
      host.restart(command.training);
      return { ok: true };
    },
  };
  // No new work on a program that is about to end.
  return withAnswers(terminal, answers, ({ type }) =>
    isLeaving && type !== "switch_purpose" ? { ok: false, code: "busy" } : null,
  );
};

/** Registers a clean-up for a start that fails later; the last registered runs first. */
export type OnFailure = (end: () => unknown) => void;

/** Runs a start. If it rejects, runs all registered clean-ups, even if some fail, and throws the start's error. */
export const startOrUndo = async <T>(start: (onFailure: OnFailure) => Promise<T>): Promise<T> => {
  const ends: (() => unknown)[] = [];
  try {
    return await start((end) => ends.push(end));
  } catch (error) {
    for (const end of ends.toReversed())
      try {
        await end();
      } catch {
        // The start's own error is the one to report.
      }
    throw error;
  }
};

/** What the host provides for a terminal. `data`: the terminal's data folder. */
export interface TerminalParts extends Omit<PurposeHost, "training">, ReportHost {
  /** Folder of this purpose (training or real money). */
  readonly files: string;
  /** Null: training, with the bundled service and its sandbox. */
  readonly credential: Secrets | null;
  /** Seals the journal's keys; null if there is no key store but files. */
  readonly keyStore: KeyStore | null;
  readonly settings: SettingsStore;
  /** For developers: lets a real-money terminal use a service without a bank, or one of this machine by plain http. Default: neither. */
  readonly takes?: Pick<TransportOptions, "takesSandbox" | "takesPlainHttp"> | undefined;
  readonly startService: (env: Record<string, string | undefined>) => ServiceChild;
  /** The environment of the own service. Default: this program's. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly onFailure: OnFailure;
}

/** @returns a terminal that is not started yet. If it rejects, what was already opened is registered with `onFailure`. */
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
  /** Another program may hold its port, so this program's own service is called only over the channel. */
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
    shop: openMemory(path.join(files, "shop.json"), shopProfileSchema),
    training: isTraining,
    hasEarlierLife: earlier,
    network: { ...parts.takes, ownServiceAt },
    log,
  });
  onFailure(ports.journal.close);
  const terminal = await createTerminal(ports);
  onFailure(terminal.close);
  connectionLost = terminal.connectionLost;
  void training?.phone.then((sandboxUrl) => terminal.show({ sandboxUrl }));
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
    /** Whether other machines can reach the own service. */
    servesOthers: (): boolean => (ownService.settings()?.network ?? null) !== null,
    /** See `Training`; null: real money. */
    phone: training?.phone ?? null,
    /** Adds sign-in and permission checks in front of all commands; call once. @param withOwn adds the host's own commands. */
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
    /** Resolves when terminal and services have stopped, even if one of them failed. */
    async stop(): Promise<void> {
      guard?.close();
      phones.stop();
      stopWatching();
      await Promise.allSettled([terminal.close(), training?.stop(), ownService.stop()]);
    },
  };
};
