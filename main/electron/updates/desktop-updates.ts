/** The updates of the desktop program: which of electron-updater's classes it uses, over which network, and how it exits. */
import { statfs } from "node:fs/promises";
import { app, session } from "electron";
import { type AppUpdater, DebUpdater, MacUpdater, NsisUpdater } from "electron-updater";
import { latestSnapshot } from "../../host/latest-snapshot.ts";
import type { Log } from "../../host/log-file.ts";
import type { Clock } from "../../terminal/ports.ts";
import { terminalActor } from "../../terminal/state/actor.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import type { ReleaseFeed } from "../../updates/release-feed.ts";
import type { UpdateFile } from "../../updates/update-file.ts";
import { createUpdates, type Updates } from "../../updates/updates.ts";
import { openFeedSource } from "./feed-source.ts";
import { InPlaceUpdater } from "./in-place-updater.ts";
import { installAndEnd } from "./install.ts";
import { feedSuffix, type InstallKind, isUnattended } from "./install-kind.ts";
import { keepVersions } from "./kept-versions.ts";
import { thisInstallation } from "./this-installation.ts";

/** As electron-updater names the session of its own requests: the system's proxy, no cache, no cookies of a page. */
const network = "electron-updater";

const updaterOf = (kind: InstallKind): AppUpdater => {
  switch (kind) {
    case "appimage":
      return new InPlaceUpdater();
    case "deb":
      return new DebUpdater();
    case "nsis_user":
    case "nsis_machine":
      return new NsisUpdater();
    case "mac":
      return new MacUpdater();
  }
};

/** What the desktop host brings along. */
export interface DesktopUpdateParts {
  readonly terminal: Pick<Terminal, "subscribe" | "showUpdate" | "record">;
  readonly release: ReleaseFeed | null;
  readonly file: UpdateFile;
  readonly clock: Clock;
  readonly log: Log;
  readonly data: string;
  readonly servesOthers: () => boolean;
  /** Closes the window, also one that a cashier may not close, and so ends the program in order. */
  readonly quit: () => void;
}

/** The updates, and how this program exits. */
export interface DesktopUpdates {
  /** Null: this program takes none. */
  readonly updates: Updates | null;
  /** Called last, when everything of the terminal is closed: installs, or exits. */
  end(): void;
}

/** Without a release's key, or where nothing can be replaced, there are no updates. */
export const openDesktopUpdates = (parts: DesktopUpdateParts): DesktopUpdates => {
  const { terminal, release, file, clock, log, data } = parts;
  const kind = thisInstallation();
  if (kind === null || release === null) return { updates: null, end: () => app.exit(0) };
  const updater = updaterOf(kind);
  const version = app.getVersion();
  let isInstalling = false;
  const source = openFeedSource({
    updater,
    release,
    fetch: (url, init) => session.fromPartition(network, { cache: false }).fetch(url, init),
    suffix: feedSuffix(process.platform, process.arch),
    isUnattended: isUnattended(kind, process.argv),
    file,
    clock,
    log,
    // Where the free space is unknown the download is tried: what does not fit is deleted again.
    freeBytes: () =>
      statfs(data).then(
        ({ bavail, bsize }) => bavail * bsize,
        () => Number.POSITIVE_INFINITY,
      ),
    keepRunningVersion: keepVersions({ kind, version, program: process.execPath, env: process.env, data }, file, log),
    install() {
      isInstalling = true;
      parts.quit();
    },
  });
  const updates = createUpdates({
    source,
    file,
    clock,
    log,
    version,
    snapshot: () => latestSnapshot(terminal),
    servesOthers: parts.servesOthers,
    minuteOfDay() {
      const now = new Date(clock.now());
      return now.getHours() * 60 + now.getMinutes();
    },
    show: terminal.showUpdate,
    record: (next) => terminal.record("update_begun", next, terminalActor),
  });
  return { updates, end: () => (isInstalling ? installAndEnd(updater, log) : app.exit(0)) };
};
