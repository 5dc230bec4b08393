/** electron-updater's generic server with a signed feed: what is not signed for this program is never looked at. */
import { type AppUpdater, Provider, type UpdateInfo } from "electron-updater";
import { type ProviderRuntimeOptions, parseUpdateInfo, resolveFiles } from "electron-updater/out/providers/Provider.js";
import type { FeedTrouble } from "../../../preload/contract.ts";
import { type Feed, feedLengthMax, readFeed } from "../../updates/feed.ts";
import type { ReleaseFeed } from "../../updates/release-feed.ts";

const feedTimeoutMs = 30_000;

/** A feed that is not believed. */
export class RefusedFeed extends Error {
  readonly why: FeedTrouble;
  constructor(why: FeedTrouble) {
    super(`the feed is not believed: ${why}`);
    this.why = why;
  }
}

/** What the provider needs; electron-updater makes it by itself and hands it nothing of ours. */
export interface FeedAccess {
  readonly release: ReleaseFeed;
  /** The platform's own, so that its proxy and its certificates count. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Of the feed that is asked for: `latest-linux`. */
  readonly feed: () => string;
  readonly seenMs: (feed: string) => number | null;
  /** A feed was believed. */
  readonly believed: (feed: Feed, issuedMs: number) => void;
  readonly nowMs: () => number;
}

/** The text of an answer, as far as a feed may be long. @throws Error for any other. */
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

/** The class that electron-updater is given as its provider (`CustomPublishOptions.updateProvider`). */
export const signedProvider = ({ release, fetch, feed, seenMs, believed, nowMs }: FeedAccess) =>
  class extends Provider<UpdateInfo> {
    constructor(_options: object, _updater: AppUpdater, runtimeOptions: ProviderRuntimeOptions) {
      super(runtimeOptions);
    }

    async getLatestVersion(): Promise<UpdateInfo> {
      const name = feed();
      const url = new URL(`${name}.yml`, release.url);
      const answer = await fetch(url.href, {
        cache: "no-store",
        credentials: "omit",
        headers: { "cache-control": "no-cache" },
        signal: AbortSignal.timeout(feedTimeoutMs),
      });
      const read = readFeed(await readBounded(answer), {
        keys: release.keys,
        feed: name,
        seenMs: seenMs(name),
        nowMs: nowMs(),
        parse: (text) => parseUpdateInfo(text, name, url),
      });
      if (read.kind === "refused") throw new RefusedFeed(read.why);
      believed(read.feed, read.issuedMs);
      const { version, files, releaseDate, minimumSystemVersion, stagingPercentage } = read.feed;
      const [first] = files;
      // `path` and `sha512` are for readers of an older form.
      return {
        version,
        files,
        releaseDate,
        minimumSystemVersion,
        stagingPercentage,
        path: first?.url,
        sha512: first?.sha512,
      } as UpdateInfo;
    }

    resolveFiles(info: UpdateInfo) {
      return resolveFiles(info, new URL(release.url));
    }
  };
