/** The port `UpdateSource` over electron-updater: a signed feed, limited downloads, and an orderly exit before it installs. */
import { type AppUpdater, CancellationToken } from "electron-updater";
import type { Log } from "../../host/log-file.ts";
import type { Clock } from "../../terminal/ports.ts";
import type { Feed } from "../../updates/feed.ts";
import type { ReleaseFeed } from "../../updates/release-feed.ts";
import { type CheckResult, type Fetched, NoDiskSpace, type UpdateSource } from "../../updates/source.ts";
import type { UpdateFile } from "../../updates/update-file.ts";
import { boundDownloads, type Executor } from "./bounded-download.ts";
import { sha512Of } from "./sha512.ts";
import { type FeedAccess, RefusedFeed, signedProvider } from "./signed-provider.ts";

/** The download, the kept version, and the copy that replaces the program. */
const copiesAtOnce = 3;
/** Disk space left free, so that the journal can always be written. */
const roomForBooksBytes = 256 * 1024 * 1024;

/** What the host brings along. */
export interface FeedSourceParts {
  /** electron-updater's class for this kind of installation. */
  readonly updater: AppUpdater;
  readonly release: ReleaseFeed;
  readonly fetch: FeedAccess["fetch"];
  /** As `feedSuffix`. */
  readonly suffix: string;
  readonly isUnattended: boolean;
  readonly file: UpdateFile;
  readonly clock: Clock;
  readonly log: Log;
  /** Free space on the disk with the terminal's data; infinite where it is unknown. */
  readonly freeBytes: () => Promise<number>;
  readonly keepRunningVersion: UpdateSource["keepRunningVersion"];
  /** Exits the terminal in order, then replaces the program. */
  readonly install: UpdateSource["install"];
}

/** Configures electron-updater so that it does nothing by itself. */
export const openFeedSource = (parts: FeedSourceParts): UpdateSource => {
  const { updater, file, clock, log } = parts;
  let name = "";
  let latest: Feed | null = null;
  Object.assign(updater, {
    autoDownload: false,
    autoInstallOnAppQuit: false,
    allowDowngrade: false,
    disableWebInstaller: true,
    // Its block maps are not signed, and are unpacked before anything of them is verified.
    disableDifferentialDownload: true,
    logger: {
      info: () => undefined,
      warn: (text: unknown) => log("warn", "updater", { text: String(text) }),
      error: (text: unknown) => log("warn", "updater", { text: String(text) }),
    },
  });
  // Not in its types, and the only access to its requests (AppUpdater.js, `httpExecutor`).
  const bound = boundDownloads((updater as unknown as { httpExecutor: Executor }).httpExecutor, clock);
  const updateProvider = signedProvider({
    release: parts.release,
    fetch: parts.fetch,
    feed: () => name,
    seenMs: (feed) => file.load().seen[feed] ?? null,
    onTrusted(feed, issuedMs) {
      latest = feed;
      file.save({ seen: { ...file.load().seen, [feed.feed]: issuedMs } });
    },
    nowMs: () => clock.now(),
  });
  updater.setFeedURL({ provider: "custom", updateProvider });

  return {
    isUnattended: parts.isUnattended,
    async check(channel): Promise<CheckResult> {
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
      if (freeBytes < copiesAtOnce * sizeMax + roomForBooksBytes) throw new NoDiskSpace(`${freeBytes} bytes are free`);
      bound({
        sizeMax,
        progress: (bytes) => progress(Math.floor((100 * bytes) / sizeMax)),
        giveUp(why) {
          log("warn", "a download was aborted", { why });
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
    keepRunningVersion: parts.keepRunningVersion,
    install: parts.install,
  };
};
