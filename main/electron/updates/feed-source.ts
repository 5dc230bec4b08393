/** electron-updater as the updates see it: a feed that must be signed, bounded downloads, and an end in order before it installs. */
import { type AppUpdater, CancellationToken } from "electron-updater";
import type { Log } from "../../host/log-file.ts";
import type { Clock } from "../../terminal/ports.ts";
import type { Feed } from "../../updates/feed.ts";
import type { ReleaseFeed } from "../../updates/release-feed.ts";
import { type Fetched, type Looked, NoRoom, type UpdateSource } from "../../updates/source.ts";
import type { UpdateFile } from "../../updates/update-file.ts";
import { boundDownloads, type Executor } from "./bounded-download.ts";
import { sha512Of } from "./sha512.ts";
import { type FeedAccess, RefusedFeed, signedProvider } from "./signed-provider.ts";

/** What was fetched, the kept version, and the one that is put in place. */
const copiesAtOnce = 3;
/** Left for the journal, which nothing may keep from writing. */
const roomForBooksBytes = 256 * 1024 * 1024;

/** What the host brings along. */
export interface FeedSourceParts {
  /** Of this kind of installation. */
  readonly updater: AppUpdater;
  readonly release: ReleaseFeed;
  readonly fetch: FeedAccess["fetch"];
  /** As `feedSuffix`. */
  readonly suffix: string;
  readonly isUnattended: boolean;
  readonly file: UpdateFile;
  readonly clock: Clock;
  readonly log: Log;
  /** On the disk with the terminal's data. */
  readonly freeBytes: () => Promise<number>;
  readonly keepPresent: UpdateSource["keepPresent"];
  /** Ends the terminal in order, then puts the fetched version into the program's place. */
  readonly install: UpdateSource["install"];
}

/** Sets electron-updater up so that nothing of it happens by itself. */
export const openFeedSource = (parts: FeedSourceParts): UpdateSource => {
  const { updater, file, clock, log } = parts;
  let name = "";
  let latest: Feed | null = null;
  Object.assign(updater, {
    autoDownload: false,
    autoInstallOnAppQuit: false,
    allowDowngrade: false,
    disableWebInstaller: true,
    // Its block maps are not signed, and are unpacked before anything of them is looked at.
    disableDifferentialDownload: true,
    logger: {
      info: () => undefined,
      warn: (text: unknown) => log("warn", "updater", { text: String(text) }),
      error: (text: unknown) => log("warn", "updater", { text: String(text) }),
    },
  });
  // Not in its types, and the one way to its requests (AppUpdater.js, `httpExecutor`).
  const bound = boundDownloads((updater as unknown as { httpExecutor: Executor }).httpExecutor, clock);
  const updateProvider = signedProvider({
    release: parts.release,
    fetch: parts.fetch,
    feed: () => name,
    seenMs: (feed) => file.load().seen[feed] ?? null,
    believed(feed, issuedMs) {
      latest = feed;
      file.save({ seen: { ...file.load().seen, [feed.feed]: issuedMs } });
    },
    nowMs: () => clock.now(),
  });
  updater.setFeedURL({ provider: "custom", updateProvider });

  return {
    isUnattended: parts.isUnattended,
    async look(channel): Promise<Looked> {
      name = channel + parts.suffix;
      try {
        const result = await updater.checkForUpdates();
        if (result === null || !result.isUpdateAvailable) return { kind: "none" };
        return { kind: "found", version: result.updateInfo.version };
      } catch (error) {
        return {
          kind: "failed",
          why: error instanceof RefusedFeed ? error.why : "unreachable",
          detail: error instanceof Error ? error.message : String(error),
        };
      }
    },
    async fetch(progress): Promise<Fetched> {
      const feed = latest;
      if (feed === null) throw new Error("nothing was found to fetch");
      const token = new CancellationToken();
      const sizeMax = Math.max(...feed.files.map(({ size }) => size));
      const freeBytes = await parts.freeBytes();
      if (freeBytes < copiesAtOnce * sizeMax + roomForBooksBytes) throw new NoRoom(`${freeBytes} bytes are free`);
      bound({
        sizeMax,
        progress: (bytes) => progress(Math.floor((100 * bytes) / sizeMax)),
        giveUp(why) {
          log("warn", "a download was given up", { why });
          token.cancel();
        },
      });
      try {
        const [fetched] = await updater.downloadUpdate(token);
        if (fetched === undefined) throw new Error("nothing was fetched");
        return { version: feed.version, file: fetched };
      } finally {
        bound(null);
      }
    },
    async isWhole({ version, file: fetched }) {
      try {
        const hash = await sha512Of(fetched);
        return latest?.version === version && latest.files.some(({ sha512 }) => sha512 === hash);
      } catch {
        return false;
      }
    },
    keepPresent: parts.keepPresent,
    install: parts.install,
  };
};
