/** The port `UpdateSource` over electron-updater: a signed feed, limited downloads, and an orderly exit before it installs. */
import { type AppUpdater, CancellationToken, Provider, type UpdateInfo } from "electron-updater";
import { type ProviderRuntimeOptions, parseUpdateInfo, resolveFiles } from "electron-updater/out/providers/Provider.js";
import type { FeedTrouble } from "../../../preload/contract.ts";
import type { Log } from "../../host/log-file.ts";
import type { Cancel, Clock } from "../../terminal/ports.ts";
import { type Feed, feedLengthMax, type ReleaseFeed, readFeed, sha512Of } from "../../updates/feed.ts";
import {
  type CheckResult,
  type Fetched,
  NoDiskSpace,
  type UpdateFile,
  type UpdateSource,
} from "../../updates/updates.ts";

/** A download is aborted after this long without a byte. Electron's requests have no time-out of their own. */
export const stallMs = 60_000;
/** A download is aborted after this time, so that a very slow server does not delay the next check. */
const downloadTimeoutMs = 6 * 3_600_000;

/** The part of a response that is used (builder-util-runtime, `HttpExecutor.doDownload`). */
interface Incoming {
  on(event: "data", listener: (chunk: { readonly length: number }) => void): unknown;
  on(event: "end" | "error" | "aborted" | "close", listener: () => void): unknown;
}

/** A request as `HttpExecutor.createRequest` makes it: Electron's ClientRequest, or Node's. */
interface Outgoing {
  on(event: "abort" | "error" | "close" | "redirect", listener: () => void): unknown;
  abort(): void;
}

/** builder-util-runtime, `HttpExecutor`: one for Electron's network, one for Node's. */
export interface Executor {
  createRequest(options: object, callback: (response: Incoming) => void): Outgoing;
}

interface Bounds {
  readonly sizeMax: number;
  readonly progress: (bytes: number) => void;
  /** Called once when the request is aborted: because it exceeded `sizeMax`, stalled, or took too long. */
  readonly giveUp: (why: string) => void;
}

/** Limits the executor's requests. @returns a function that sets the next download's limits; null: abort at its first byte. */
export const boundDownloads = (executor: Executor, clock: Clock): ((bounds: Bounds | null) => void) => {
  let current: Bounds | null = null;
  const create = executor.createRequest.bind(executor);
  executor.createRequest = (options, callback) => {
    const bounds = current;
    let cancel: Cancel | null = null;
    let bytes = 0;
    const end = (why: string): void => {
      stopClocks();
      request.abort();
      bounds?.giveUp(why);
    };
    const wait = (): void => {
      cancel?.();
      cancel = clock.after(stallMs, () => end("nothing came any more"));
    };
    const cancelWhole = clock.after(downloadTimeoutMs, () => end("it took too long"));
    const stopClocks = (): void => {
      cancel?.();
      cancelWhole();
    };
    const request = create(options, (response) => {
      for (const event of ["end", "error", "aborted", "close"] as const) response.on(event, stopClocks);
      response.on("data", (chunk) => {
        bytes += chunk.length;
        if (bounds === null || bytes > bounds.sizeMax) return end("more came than was signed");
        bounds.progress(bytes);
        wait();
      });
      callback(response);
    });
    // A redirect makes a new request.
    for (const event of ["abort", "error", "close", "redirect"] as const) request.on(event, stopClocks);
    wait();
    return request;
  };
  return (bounds) => {
    current = bounds;
  };
};

const feedTimeoutMs = 30_000;

class RefusedFeed extends Error {
  readonly why: FeedTrouble;
  constructor(why: FeedTrouble) {
    super(`the feed is not trusted: ${why}`);
    this.why = why;
  }
}

/** Reads an answer's text, up to `feedLengthMax`. @throws RefusedFeed for a longer one, Error for a status that is not 2xx. */
const readBounded = async (answer: Response): Promise<string> => {
  if (!answer.ok) throw new Error(`the update server answers ${answer.status}`);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    length += piece.length;
    if (length > feedLengthMax) throw new RefusedFeed("malformed");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
};

/** Copies on disk: the download, and the one that replaces the program. */
const copiesAtOnce = 2;
/** Disk space left free, so that the journal can always be written. */
const roomForBooksBytes = 256 * 1024 * 1024;

interface FeedSourceParts {
  readonly updater: AppUpdater;
  readonly release: ReleaseFeed;
  /** The platform's fetch, with its proxy and certificate authorities. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly suffix: string;
  readonly isUnattended: boolean;
  readonly file: UpdateFile;
  readonly clock: Clock;
  readonly log: Log;
  /** Free space on the disk with the terminal's data; infinite where it is unknown. */
  readonly freeBytes: () => Promise<number>;
  /** Exits the terminal in order, then replaces the program. */
  readonly install: UpdateSource["install"];
}

/** Configures electron-updater so that it does nothing by itself. */
export const openFeedSource = (parts: FeedSourceParts): UpdateSource => {
  const { updater, release, file, clock, log } = parts;
  let name = "";
  let latest: Feed | null = null;
  Object.assign(updater, {
    autoDownload: false,
    autoInstallOnAppQuit: false,
    allowDowngrade: false,
    disableWebInstaller: true,
    // Block maps are not signed, and are unpacked before verification.
    disableDifferentialDownload: true,
    logger: {
      info: () => undefined,
      warn: (text: unknown) => log("warn", "updater", { text: String(text) }),
      error: (text: unknown) => log("warn", "updater", { text: String(text) }),
    },
  });
  // Not in its types, but the only access to its requests (AppUpdater.js, `httpExecutor`).
  const bound = boundDownloads((updater as unknown as { httpExecutor: Executor }).httpExecutor, clock);
  /** Constructed by electron-updater, so it cannot get our parameters (`CustomPublishOptions.updateProvider`). */
  const updateProvider = class extends Provider<UpdateInfo> {
    constructor(_options: object, _updater: AppUpdater, runtimeOptions: ProviderRuntimeOptions) {
      super(runtimeOptions);
    }

    async getLatestVersion(): Promise<UpdateInfo> {
      const feed = name;
      const url = new URL(`${feed}.yml`, release.url);
      const answer = await parts.fetch(url.href, {
        cache: "no-store",
        credentials: "omit",
        headers: { "cache-control": "no-cache" },
        signal: AbortSignal.timeout(feedTimeoutMs),
      });
      const { seen } = file.load();
      const read = readFeed(await readBounded(answer), {
        keys: release.keys,
        feed,
        seenMs: seen[feed] ?? null,
        nowMs: clock.now(),
        parse: (text) => parseUpdateInfo(text, feed, url),
      });
      if (read.kind === "refused") throw new RefusedFeed(read.why);
      latest = read.feed;
      file.save({ seen: { ...seen, [feed]: read.issuedMs } });
      const { version, files, releaseDate, minimumSystemVersion, stagingPercentage } = read.feed;
      // `path` and `sha512` are deprecated, but their type still requires them.
      const first = { path: files[0]?.url, sha512: files[0]?.sha512 };
      return { version, files, releaseDate, minimumSystemVersion, stagingPercentage, ...first } as UpdateInfo;
    }

    resolveFiles(info: UpdateInfo) {
      return resolveFiles(info, new URL(release.url));
    }
  };
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
    async matchesChecksum({ version, file: fetched }) {
      try {
        const hash = await sha512Of(fetched);
        return latest?.version === version && latest.files.some(({ sha512 }) => sha512 === hash);
      } catch {
        return false;
      }
    },
    install: parts.install,
  };
};
