/** Everything of the desktop program but its window: the services, the core, and the guard before it. */
import path from "node:path";
import { shell } from "electron";
import { openCredentialFile } from "../host/credential-file.ts";
import { joinNetwork } from "../host/join-network.ts";
import { openJournalKeys } from "../host/journal-key-file.ts";
import type { Log } from "../host/log-file.ts";
import { withPurposeSwitch } from "../host/purpose-switch.ts";
import { openShopFile } from "../host/shop-file.ts";
import type { Begun } from "../host/start-or-undo.ts";
import { withSupportReport } from "../host/support-report.ts";
import { createGuard, type Guard } from "../people/guard.ts";
import { openPeopleFile } from "../people/people-file.ts";
import { withOwnService } from "../service/own/commands.ts";
import { portsOf } from "../service/own/environment.ts";
import { openOwnService } from "../service/own/process.ts";
import { withPhoneAccess } from "../service/phone-proxy/commands.ts";
import { startTraining } from "../service/training.ts";
import { createNodePorts } from "../terminal/node-ports.ts";
import type { SettingsStore } from "../terminal/ports.ts";
import { createTerminal, type Terminal } from "../terminal/terminal.ts";
import { withUpdates } from "../updates/commands.ts";
import { endTrialWhenGoing } from "../updates/end-trial.ts";
import { releaseFeed } from "../updates/release-feed.ts";
import { openUpdateFile } from "../updates/update-file.ts";
import { noKeyStoreText, openKeyStore } from "./key-store.ts";
import { startUtilityChild } from "./service-process.ts";
import { withSystemProxy } from "./system-proxy.ts";
import { openDesktopUpdates } from "./updates/desktop-updates.ts";
import { pruneKept } from "./updates/kept-versions.ts";
import { type Windows, withWindowCommands } from "./window-commands.ts";

/** Asked for where no service is known yet: any address outside shows the way there. */
const anyAddress = "https://tillcash.eu/";

/** What it is opened with. */
export interface CoreOptions {
  /** The terminal's data folder. */
  readonly folder: string;
  /** Where the files of this purpose lie. */
  readonly files: string;
  readonly training: boolean;
  /** A developer's start: real money's terminal at a service without a bank. */
  readonly takesSandbox: boolean;
  readonly settings: SettingsStore;
  /** The built service. */
  readonly program: string;
  readonly log: Log;
  readonly begun: Begun;
  /** Ends this program and starts the one for the other purpose. */
  readonly restart: (training: boolean) => void;
  readonly windows: Windows;
}

/** What the window works with. */
export interface Core {
  readonly terminal: Terminal;
  readonly guard: Guard;
  /** Where the customer's part can be played, in training. */
  readonly phone: string | null;
  stop(): Promise<void>;
  /** Ends the program, once all of it was stopped and let go. */
  end(): void;
}

/** What was begun is in `begun` when it rejects. */
export const openCore = async (options: CoreOptions): Promise<Core> => {
  const { folder, files, log, begun, program } = options;
  const keyStore = openKeyStore();
  if (!options.training && !(await keyStore.isAvailable())) throw new Error(noKeyStoreText);
  const kept = options.training ? null : await openCredentialFile(files, log, keyStore);
  const env = kept === null ? process.env : await withSystemProxy(process.env, kept.load()?.serviceUrl ?? anyAddress);
  if (kept !== null) joinNetwork(env, log);
  const ownService = openOwnService({
    folder: path.join(folder, "service"),
    start: (own) => startUtilityChild(program, own),
    log,
    env,
  });
  begun(ownService.stop);
  const reserved = portsOf(ownService.settings());
  const training = options.training
    ? await startTraining({
        folder: files,
        start: (own) => startUtilityChild(program, own),
        log,
        reserved,
      })
    : null;
  if (training !== null) begun(training.stop);
  const secrets = training?.secrets ?? kept;
  if (secrets === null) throw new Error("no secrets for this purpose");
  const ports = createNodePorts({
    journalPath: path.join(files, "journal.db"),
    journalKeys: await openJournalKeys(files, training === null ? keyStore : null),
    secrets,
    settings: options.settings,
    shop: openShopFile(files),
    training: options.training,
    takesSandbox: options.takesSandbox,
    log,
  });
  begun(ports.journal.close);
  const terminal = await createTerminal(ports);
  begun(terminal.close);
  const switchable = withPurposeSwitch(terminal, {
    data: folder,
    training: options.training,
    log,
    restart: options.restart,
  });
  const reporting = withSupportReport(switchable, {
    data: folder,
    log,
    reveal: (file) => shell.showItemInFolder(file),
  });
  const serving = withOwnService(reporting, ownService, { training: options.training, log });
  const phones = withPhoneAccess(serving, { training, clock: ports.clock, log, reserved });
  begun(phones.stop);
  const updateFile = openUpdateFile(folder, log);
  const { updates, end } = openDesktopUpdates({
    terminal,
    // The book of real money is not open in training, so nobody knows there what is under way.
    release: training === null ? releaseFeed() : null,
    file: updateFile,
    clock: ports.clock,
    log,
    data: folder,
    servesOthers: () => (ownService.settings()?.network ?? null) !== null,
    quit: options.windows.close,
  });
  begun(() => updates?.close());
  endTrialWhenGoing(updateFile, terminal, ports.clock, ({ installer }) => void pruneKept(folder, [installer]));
  const guard = createGuard({
    terminal: withUpdates(withWindowCommands(phones.terminal, options.windows), updates),
    file: openPeopleFile(files, log),
    clock: ports.clock,
    openUntilPin: options.training,
  });
  begun(guard.close);
  return {
    terminal,
    guard,
    phone: training && `${training.address}/sandbox`,
    end,
    async stop() {
      guard.close();
      updates?.close();
      phones.stop();
      await Promise.allSettled([terminal.close(), training?.stop(), ownService.stop()]);
    },
  };
};
