/** The terminal on the desktop. Starts the core, the service in training, and one locked window. */
import path from "node:path";
import { app, type BrowserWindow, dialog, Menu, powerMonitor, session, shell } from "electron";
import { registerScheme, servePage } from "./electron/app-scheme.ts";
import { createCloseConfirmation } from "./electron/close-confirmation.ts";
import { debuggingSwitch, readDesktopFlags } from "./electron/command-line.ts";
import { keepCrashDumps, logProcessEnds } from "./electron/crash-dumps.ts";
import { keepCustomerDisplay } from "./electron/customer-window.ts";
import { connectBridge } from "./electron/ipc.ts";
import { noKeyStoreText, openKeyStore } from "./electron/key-store.ts";
import { openDataFolder } from "./electron/open-data-folder.ts";
import { guardPermissions } from "./electron/permissions.ts";
import { quitAfter, relaunch } from "./electron/quit.ts";
import { scannerDevices } from "./electron/scanner-devices.ts";
import { startUtilityChild } from "./electron/service-process.ts";
import { openSettings } from "./electron/settings.ts";
import { lockNavigation, openWindow } from "./electron/window.ts";
import { openCredentialFile } from "./host/credential-file.ts";
import { purposeFolder } from "./host/data-folder.ts";
import { writeEntryFile } from "./host/entry-file.ts";
import { claimOrHandOver, type Instance, takenText } from "./host/instance.ts";
import { openJournalKeys } from "./host/journal-key-file.ts";
import { type Log, openLog } from "./host/log-file.ts";
import { withPurposeSwitch } from "./host/purpose-switch.ts";
import { openShopFile } from "./host/shop-file.ts";
import { type Begun, startOrUndo } from "./host/start-or-undo.ts";
import { withSupportReport } from "./host/support-report.ts";
import { endOnUncaughtErrors, uncaughtText } from "./host/uncaught-errors.ts";
import { createGuard } from "./people/guard.ts";
import { openPeopleFile } from "./people/people-file.ts";
import { withOwnService } from "./service/own/commands.ts";
import { portsOf } from "./service/own/environment.ts";
import { openOwnService } from "./service/own/process.ts";
import { startTraining } from "./service/training.ts";
import { createNodePorts } from "./terminal/node-ports.ts";
import { createTerminal } from "./terminal/terminal.ts";

const built = path.dirname(import.meta.dirname);
const flags = readDesktopFlags(process.argv, app.isPackaged);

app.enableSandbox();
registerScheme();
const folder = openDataFolder(flags.data);
keepCrashDumps(folder);

let window: BrowserWindow | null = null;
let phone: string | null = null;
const toFront = (): void => {
  if (window?.isMinimized()) window.restore();
  window?.focus();
};

async function run(): Promise<void> {
  const log = openLog(folder);
  endOnUncaughtErrors(log, () => {
    dialog.showErrorBox("Tillcash", uncaughtText);
    app.exit(1);
  });
  logProcessEnds(log);
  lockNavigation(log, (address) => address === phone);
  await app.whenReady();

  const claim = await claimOrHandOver(folder);
  if (claim.kind === "taken") {
    if (claim.address !== null) await shell.openExternal(writeEntryFile(folder, claim.address));
    else {
      const why = takenText(folder, claim.isWindow);
      console.error(why);
      dialog.showErrorBox("Tillcash", why);
    }
    return app.exit(0);
  }
  await startOrUndo((begun) => {
    begun(claim.instance.release);
    begun(claim.instance.withdraw);
    return openTerminal(claim.instance, log, begun);
  });
}

async function openTerminal(instance: Instance, log: Log, begun: Begun): Promise<void> {
  instance.publish(null);
  // The default menu offers reloading, zooming and developer tools to whoever stands at the terminal.
  if (app.isPackaged && process.platform !== "darwin") Menu.setApplicationMenu(null);

  const files = purposeFolder(folder, flags.training);
  const settings = openSettings(files, log);
  const devServer = app.isPackaged ? undefined : process.env.ELECTRON_RENDERER_URL;
  servePage(session.defaultSession, path.join(built, "renderer"), devServer);
  guardPermissions(
    session.defaultSession,
    scannerDevices(
      settings.devices,
      () => window,
      () => settings.till.load().language,
    ),
  );

  const program = path.join(built, "main", "service.js");
  const ownService = openOwnService({
    folder: path.join(folder, "service"),
    start: (env) => startUtilityChild(program, env),
    log,
  });
  begun(ownService.stop);
  const training = flags.training
    ? await startTraining({
        folder: files,
        start: (env) => startUtilityChild(program, env),
        log,
        reserved: portsOf(ownService.settings()),
      })
    : null;
  if (training !== null) begun(training.stop);
  phone = training && `${training.address}/sandbox`;
  const keyStore = openKeyStore();
  if (training === null && !(await keyStore.isAvailable())) throw new Error(noKeyStoreText);
  const ports = createNodePorts({
    journalPath: path.join(files, "journal.db"),
    journalKeys: await openJournalKeys(files, training === null ? keyStore : null),
    secrets: training?.secrets ?? (await openCredentialFile(files, log, keyStore)),
    settings: settings.till,
    shop: openShopFile(files),
    training: training !== null,
    log,
  });
  begun(ports.journal.close);
  const terminal = await createTerminal(ports);
  begun(terminal.close);
  const file = openPeopleFile(files, log);
  const switchable = withPurposeSwitch(terminal, {
    data: folder,
    training: training !== null,
    log,
    restart: relaunch,
  });
  const reporting = withSupportReport(switchable, {
    data: folder,
    log,
    reveal: (file) => shell.showItemInFolder(file),
  });
  const serving = withOwnService(reporting, ownService, { training: flags.training, log });
  const guard = createGuard({ terminal: serving, file, clock: ports.clock, openUntilPin: training !== null });
  begun(guard.close);
  powerMonitor.on("resume", terminal.wake);
  powerMonitor.on("unlock-screen", terminal.wake);
  powerMonitor.on("suspend", guard.lock);
  powerMonitor.on("lock-screen", guard.lock);
  connectBridge(guard, () => window?.webContents ?? null, log);
  terminal.start();

  window = openWindow({
    preload: path.join(built, "preload", "index.cjs"),
    log,
    gaveUp() {
      dialog.showErrorBox(
        "Tillcash",
        "The terminal's window keeps failing. Start the terminal again; nothing is lost.",
      );
      app.quit();
    },
  });
  keepCustomerDisplay({ bridge: guard, terminal: window, preload: path.join(built, "preload", "customer.cjs"), log });
  const question = createCloseConfirmation(guard, window);
  window.on("close", (event) => {
    if (question.isAnswered()) return;
    event.preventDefault();
    void question.confirmClose().then((close) => close && window?.close());
  });
  window.on("closed", () => {
    window = null;
    app.quit();
  });
  // A signal to `npm start`, which otherwise takes an early end for a failure to open.
  window.once("ready-to-show", () => process.send?.("opened"));

  quitAfter(async () => {
    guard.close();
    await Promise.allSettled([terminal.close(), training?.stop(), ownService.stop()]);
    instance.withdraw();
    instance.release();
  });
}

const refused = app.isPackaged ? debuggingSwitch(app.commandLine) : null;
if (refused !== null) {
  dialog.showErrorBox("Tillcash", `Tillcash does not start with --${refused}.`);
  app.exit(2);
} else if (app.requestSingleInstanceLock()) {
  app.on("second-instance", toFront);
  run().catch((error: unknown) => {
    dialog.showErrorBox("Tillcash cannot start", error instanceof Error ? error.message : String(error));
    app.exit(1);
  });
} else {
  app.quit();
}
