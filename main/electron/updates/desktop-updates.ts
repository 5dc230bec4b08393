/** The updates of the desktop program: the electron-updater class, its network, and how the program exits. */
import { existsSync, readFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import path from "node:path";
import { app, session } from "electron";
import { type AppUpdater, BaseUpdater, DebUpdater, MacUpdater, NsisUpdater } from "electron-updater";
import type { Log } from "../../host/log-file.ts";
import type { Clock } from "../../terminal/ports.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { terminalActor } from "../../terminal/withdrawal/inputs.ts";
import type { ReleaseFeed } from "../../updates/feed.ts";
import { createUpdates, type UpdateFile, type Updates } from "../../updates/updates.ts";
import { startAgain } from "../quit.ts";
import { WholeAppImageUpdater } from "./appimage-updater.ts";
import { openFeedSource } from "./feed-source.ts";
import { feedSuffix, type InstallKind, installKind, isUnattended } from "./install-kind.ts";
import { UnattendedNsisUpdater } from "./nsis-updater.ts";

const readPackageType = (): string | null => {
  try {
    return readFileSync(path.join(process.resourcesPath, "package-type"), "utf8");
  } catch {
    return null;
  }
};

/** Null: no updates. See `installKind`. */
const thisInstallation = (): InstallKind | null =>
  installKind({
    platform: process.platform,
    env: process.env,
    isPackaged: app.isPackaged,
    program: process.execPath,
    packageType: readPackageType(),
    exists: existsSync,
  });

/** An installer that cannot be started reports its error within this time. */
const startErrorMs = 1_500;
/** Time for macOS to copy and verify the new version. */
const macTimeoutMs = 180_000;

/** Installs the download and exits; if that fails, this version starts again. */
export const installAndEnd = (updater: AppUpdater, log: Log): void => {
  const restartThisVersion = (why: string): void => {
    log("error", "the new version could not be installed", { why });
    startAgain(process.argv.slice(1));
    app.exit(0);
  };
  let hasFailed = false;
  updater.on("error", (error) => {
    hasFailed = true;
    if (updater instanceof MacUpdater) restartThisVersion(String(error));
  });
  // The new version starts while this one exits, and must not count as its second instance.
  app.releaseSingleInstanceLock();
  if (updater instanceof BaseUpdater) {
    const isBegun = updater.install(true, true);
    const installerRuns = () => isBegun && !hasFailed;
    setTimeout(
      () => (installerRuns() ? app.exit(0) : restartThisVersion("its installation did not begin")),
      startErrorMs,
    );
  } else {
    setTimeout(() => restartThisVersion("macOS did not take it"), macTimeoutMs);
    updater.quitAndInstall(true, true);
  }
};

/** electron-updater's session name: uses the system's proxy, no cache, and no page's cookies. */
const network = "electron-updater";

const updaterOf = (kind: InstallKind): AppUpdater => {
  switch (kind) {
    case "appimage":
      return new WholeAppImageUpdater();
    case "deb":
      return new DebUpdater();
    case "nsis_user":
      return new UnattendedNsisUpdater();
    case "nsis_machine":
      return new NsisUpdater();
    case "mac":
      return new MacUpdater();
  }
};

interface UpdatedTerminal {
  readonly terminal: Pick<Terminal, "snapshot" | "show" | "record">;
  readonly clock: Clock;
  servesOthers(): boolean;
}

/** Opens updates; none without a release key, or if the installation cannot be replaced. @param quit ends the program cleanly. */
export const openDesktopUpdates = (
  { terminal, clock, servesOthers }: UpdatedTerminal,
  release: ReleaseFeed | null,
  file: UpdateFile,
  log: Log,
  data: string,
  quit: () => void,
): {
  readonly updates: Updates | null;
  /** Call it last, when the terminal is closed: installs, or exits. */
  end(): void;
} => {
  const kind = thisInstallation();
  if (kind === null || release === null) return { updates: null, end: () => app.exit(0) };
  const updater = updaterOf(kind);
  const source = openFeedSource({
    updater,
    release,
    fetch: (url, init) => session.fromPartition(network, { cache: false }).fetch(url, init),
    suffix: feedSuffix(process.platform, process.arch),
    isUnattended: isUnattended(kind, process.argv),
    file,
    clock,
    log,
    // If the free space is unknown the download is tried; what does not fit is deleted.
    freeBytes: () =>
      statfs(data).then(
        ({ bavail, bsize }) => bavail * bsize,
        () => Number.POSITIVE_INFINITY,
      ),
    install: quit,
  });
  const updates = createUpdates({
    source,
    file,
    clock,
    log,
    snapshot: terminal.snapshot,
    servesOthers,
    minuteOfDay() {
      const now = new Date(clock.now());
      return now.getHours() * 60 + now.getMinutes();
    },
    show: (update) => terminal.show({ update }),
    record: (next) => terminal.record("update_begun", next, terminalActor),
  });
  return { updates, end: () => (updates.isInstalling() ? installAndEnd(updater, log) : app.exit(0)) };
};
