/** electron-updater's own code on plain Node: its AppImage updater over a feed server, with folders and a network of the test's own. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AppAdapter } from "electron-updater/out/AppAdapter.js";
import { WholeAppImageUpdater } from "../../../main/electron/updates/appimage-updater.ts";
import { openFeedSource } from "../../../main/electron/updates/feed-source.ts";
import { openUpdateFile, type UpdateFile, type UpdateSource } from "../../../main/updates/updates.ts";
import { VirtualClock } from "../terminal/virtual-clock.ts";
import { standInForElectron } from "./electron-net.ts";
import { type FeedServer, newKeys, startFeedServer } from "./feed-server.ts";

const require = createRequire(import.meta.url);
standInForElectron();

/** As `ElectronAppAdapter.js` (6.8.10), with folders of the test's own. */
const appIn = (folder: string, version: string, atQuit: SourceStage["atQuit"]): AppAdapter => ({
  version,
  name: "tillcash",
  isPackaged: true,
  appUpdateConfigPath: path.join(folder, "app-update.yml"),
  userDataPath: folder,
  baseCachePath: folder,
  whenReady: async () => undefined,
  relaunch: () => undefined,
  quit: () => undefined,
  onQuit: (handler) => void atQuit.push(handler),
});

/** One program over one server. */
export interface SourceStage {
  readonly server: FeedServer;
  readonly keys: ReturnType<typeof newKeys>;
  readonly clock: VirtualClock;
  readonly folder: string;
  /** The AppImage that runs. */
  readonly program: string;
  readonly updater: WholeAppImageUpdater;
  readonly source: UpdateSource;
  readonly file: UpdateFile;
  readonly log: string[];
  /** What the updater wants done when the program ends. */
  readonly atQuit: ((exitCode: number) => void)[];
  /** Free on the disk; no end of it at first. */
  readonly room: { bytes: number };
  /** Starts the program again, as `version`. */
  restart(version?: string): SourceStage;
  close(): Promise<void>;
}

const open = (
  folder: string,
  version: string,
  server: FeedServer,
  keys: SourceStage["keys"],
  clock: VirtualClock,
): SourceStage => {
  const [log, atQuit]: [string[], SourceStage["atQuit"]] = [[], []];
  const room = { bytes: Number.POSITIVE_INFINITY };
  const write = (level: string, text: string, detail?: object): void => {
    log.push(`${level} ${text} ${JSON.stringify(detail)}`);
  };
  const program = path.join(folder, "Tillcash.AppImage");
  // Both are what AppImage's runtime sets and AppImageUpdater reads.
  process.env.APPIMAGE = program;
  const updater = new WholeAppImageUpdater(null, appIn(folder, version, atQuit));
  // With an app of its own the updater makes no executor (AppUpdater.js, constructor); this is the one it has in Electron.
  const { ElectronHttpExecutor } = require("electron-updater/out/electronHttpExecutor.js");
  Object.assign(updater, { httpExecutor: new ElectronHttpExecutor() });
  const file = openUpdateFile(folder, write);
  const source = openFeedSource({
    updater,
    release: { url: server.url, keys: [keys.publicKey] },
    fetch,
    suffix: "-linux",
    isUnattended: true,
    file,
    clock,
    log: write,
    freeBytes: async () => room.bytes,
    install: () => updater.install(true, true),
  });
  const restart = (next = version) => open(folder, next, server, keys, clock);
  const close = async (): Promise<void> => {
    delete process.env.APPIMAGE;
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { server, keys, clock, folder, program, updater, source, file, log, atQuit, room, restart, close };
};

/** Version 0.1.0 over an empty server. */
export const openSourceStage = async (): Promise<SourceStage> => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-update-"));
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "app-update.yml"), "provider: generic\nupdaterCacheDirName: tillcash-updater\n");
  writeFileSync(path.join(folder, "Tillcash.AppImage"), "version 0.1.0");
  return open(folder, "0.1.0", await startFeedServer(), newKeys(), new VirtualClock());
};

/** A file's text. */
export const textOf = (file: string): string => readFileSync(file, "utf8");
