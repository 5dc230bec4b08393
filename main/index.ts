/** The terminal on the desktop: one instance, its core, and one locked window. */
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { app, type BrowserWindow, crashReporter, dialog, Menu, powerMonitor, session, shell } from "electron";
import { registerScheme, servePage } from "./electron/app-scheme.ts";
import { type CustomerDisplay, keepCustomerDisplay, openScreenMemory } from "./electron/customer-window.ts";
import {
  isOnWayland,
  isOwnAppImage,
  noSandboxText,
  readDesktopFlags,
  switchRefusal,
  x11Switch,
} from "./electron/desktop-flags.ts";
import { openDesktopTerminal } from "./electron/desktop-terminal.ts";
import { connectBridge } from "./electron/ipc.ts";
import { openDataFolder } from "./electron/open-data-folder.ts";
import { guardPermissions, scannerDevices } from "./electron/permissions.ts";
import { createRestart, quitAfter, startAgain } from "./electron/quit.ts";
import { mayBegin, noteTerminal } from "./electron/second-user.ts";
import { runSelfCheck } from "./electron/self-check.ts";
import { openSettings } from "./electron/settings.ts";
import { endStart, StartRefused } from "./electron/start-failure.ts";
import { keepStartWithSystem } from "./electron/start-with-system.ts";
import {
  createCloseConfirmation,
  keepAwake,
  keepWindowMode,
  lockNavigation,
  openWindow,
  type WindowMode,
} from "./electron/window.ts";
import { crashFolder, endOnUncaughtErrors, pruneCrashes, uncaughtText } from "./host/crashes.ts";
import { purposeFolder } from "./host/data-folder.ts";
import {
  claimOrHandOver,
  type Instance,
  takenText,
  waitForHolder,
  waitingText,
  writeEntryFile,
} from "./host/instance.ts";
import { type Log, openLog } from "./host/log-file.ts";
import { type OnFailure, startOrUndo } from "./open-terminal.ts";

/** To be called before Electron is ready, so that no process begins without it. @param data the terminal's folder. */
const keepCrashDumps = (data: string): void => {
  app.setPath("crashDumps", crashFolder(data));
  crashReporter.start({ uploadToServer: false });
  pruneCrashes(data);
};

/** Logs the end of a process that has no window to say so (the graphics process, a helper), and keeps the dumps few. */
const logProcessEnds = (log: Log, data: string): void => {
  app.on("child-process-gone", (_event, { type, reason, exitCode }) => {
    if (reason !== "clean-exit") log("error", "a process of the program ended", { type, reason, exitCode });
    pruneCrashes(data);
  });
  app.on("render-process-gone", () => pruneCrashes(data));
};

/** Whether the system's folder for temporary files takes one more. */
const hasTempRoom = (): boolean => {
  try {
    rmdirSync(mkdtempSync(path.join(tmpdir(), "tillcash-")));
    return true;
  } catch {
    return false;
  }
};

/** The built files' folder: this one lies in `main`, or in `main/chunks`. */
const built = import.meta.dirname.replace(/[\\/]main([\\/]chunks)?$/, "");
const flags = readDesktopFlags(process.argv, app.isPackaged);
// Another program's must neither be replaced by an update nor be started in this one's place.
if (!isOwnAppImage(process.env, process.execPath)) delete process.env.APPIMAGE;

const refusal = app.isPackaged ? switchRefusal(app.commandLine) : null;
// The check opens no page, and tells of the sandbox.
if (refusal !== null && !(flags.check && refusal === noSandboxText)) throw new StartRefused(refusal, 2);
if (refusal === null) app.enableSandbox();
registerScheme();
const folder = openDataFolder(flags.data);
keepCrashDumps(folder);

/** The one installed terminal of this user. Who names a folder knows of it. */
const isUsual = app.isPackaged && !flags.training && flags.data === undefined;

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
  logProcessEnds(log, folder);
  lockNavigation(log, (address) => address === phone);
  await app.whenReady();

  const claim = await claimOrHandOver(folder, () => log("warn", waitingText(folder)));
  if (claim.kind === "taken") {
    if (claim.address !== null) await shell.openExternal(writeEntryFile(folder, claim.address));
    else {
      const why = takenText(folder, claim.isWindow);
      console.error(why);
      dialog.showErrorBox("Tillcash", why);
    }
    return app.exit(0);
  }
  if (isUsual && !(await mayBegin(folder))) {
    claim.instance.release();
    return app.exit(0);
  }
  await startOrUndo((onFailure) => {
    onFailure(claim.instance.release);
    onFailure(claim.instance.withdraw);
    return openProgram(claim.instance, log, onFailure);
  });
}

async function openProgram(instance: Instance, log: Log, onFailure: OnFailure): Promise<void> {
  instance.publish(null);
  // The default menu would offer reloading, zooming and developer tools to anyone at the terminal.
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

  const restart = createRestart();
  let mode: WindowMode | null = null;
  let display: CustomerDisplay | null = null;
  const desktop = await openDesktopTerminal({
    data: folder,
    files,
    training: flags.training,
    takes: { takesSandbox: flags.allowSandbox, takesPlainHttp: flags.allowPlainHttp },
    settings: settings.till,
    program: path.join(built, "main", "service.js"),
    log,
    onFailure,
    restart(training) {
      mode?.allowExit();
      restart.begin(training);
    },
    windows: {
      moveCustomerDisplay: () => display?.moveOn() ?? false,
      close() {
        mode?.allowExit();
        window?.close();
      },
    },
  });
  const { terminal, guard } = desktop;
  void desktop.phone?.then((address) => {
    phone = address;
  });
  powerMonitor.on("resume", terminal.wake);
  powerMonitor.on("unlock-screen", terminal.wake);
  powerMonitor.on("suspend", guard.lock);
  powerMonitor.on("lock-screen", guard.lock);
  connectBridge(guard, () => window?.webContents ?? null, log);
  terminal.start();

  window = openWindow(path.join(built, "preload", "index.cjs"), log, () => {
    dialog.showErrorBox("Tillcash", "The terminal's window keeps failing. Start the terminal again; nothing is lost.");
    // Not closed, which asks first: whoever stayed would have no page, and could not leave a kiosk.
    window?.destroy();
  });
  display = keepCustomerDisplay({
    bridge: guard,
    terminal: window,
    preload: path.join(built, "preload", "customer.cjs"),
    log,
    memory: openScreenMemory(files),
    canBePlaced: !isOnWayland({ ...process, commandLine: app.commandLine }),
  });
  mode = keepWindowMode(window, guard);
  if (app.isPackaged && !flags.training) keepStartWithSystem(guard, log);
  if (isUsual) noteTerminal(guard);
  const letSleep = keepAwake(guard);
  const question = createCloseConfirmation(guard, window);
  const opened = mode;
  window.on("close", (event) => {
    if (opened.isClosable() && question.isAnswered()) return;
    event.preventDefault();
    if (!opened.isClosable()) return;
    void question.confirmClose().then((close) => {
      if (close) return window?.close();
      opened.cancelExit();
      restart.cancel();
    });
  });
  window.on("closed", () => {
    window = null;
    app.quit();
  });
  // Tells `npm start` that the window opened; it takes an earlier exit for a failure.
  window.once("ready-to-show", () => process.send?.("opened"));

  const stop = async (): Promise<void> => {
    letSleep();
    await desktop.stop();
    instance.withdraw();
    instance.release();
  };
  const systemEnds = quitAfter(stop, restart, desktop.end);
  // Linux (5 s for all programs together) and macOS wait for programs that ask for it, until they exit.
  powerMonitor.on("shutdown", (event?: { preventDefault(): void }) => {
    event?.preventDefault();
    systemEnds();
  });
  // Windows kills this process right after `session-end` and sends no `will-quit`. Nothing has to be waited for: each
  // journal entry is on disk before it has effects, and the journal is closed when this returns.
  window.on("session-end", systemEnds);
}

const forX11 = app.isPackaged && !flags.check ? x11Switch({ ...process, commandLine: app.commandLine }) : null;
if (forX11 !== null) {
  startAgain([...process.argv.slice(1), forX11]);
  app.exit(0);
} else if (flags.check) {
  // The check may run beside a running terminal.
  app
    .whenReady()
    .then(() => runSelfCheck(folder, refusal))
    .then((code) => app.exit(code))
    .catch((error: unknown) => endStart(error, () => openLog(folder)));
} else if (app.requestSingleInstanceLock()) {
  app.on("second-instance", toFront);
  run().catch((error: unknown) => endStart(error, () => openLog(folder)));
} else if (!hasTempRoom()) {
  // Its lock needs a socket there, and what is said of it is the same: the folder's own lock decides (ProcessSingleton::Create).
  run().catch((error: unknown) => endStart(error, () => openLog(folder)));
} else {
  // Electron cannot tell another holder of the lock from a disk that refuses it (RequestSingleInstanceLock).
  waitForHolder(folder)
    .then(() => app.quit())
    .catch((error: unknown) => endStart(error, () => openLog(folder)));
}
