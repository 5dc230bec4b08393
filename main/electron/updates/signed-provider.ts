/** electron-updater's generic provider with a signed feed: what is not signed for this program is never used. */
import { type AppUpdater, Provider, type UpdateInfo } from "electron-updater";
import { type ProviderRuntimeOptions, parseUpdateInfo, resolveFiles } from "electron-updater/out/providers/Provider.js";
import type { FeedTrouble } from "../../../preload/contract.ts";
import { type Feed, feedLengthMax, readFeed } from "../../updates/feed.ts";
import type { ReleaseFeed } from "../../updates/release-feed.ts";

const feedTimeoutMs = 30_000;

/** A feed that is not trusted. */
export class RefusedFeed extends Error {
  readonly why: FeedTrouble;
  constructor(why: FeedTrouble) {
    super(`the feed is not trusted: ${why}`);
    this.why = why;
  }
}

/** What the provider needs: electron-updater constructs it and passes it nothing of ours. */
export interface FeedAccess {
  readonly release: ReleaseFeed;
  /** The platform's own, so that its proxy and certificate authorities apply. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Name of the feed to request: `latest-linux`. */
  readonly feed: () => string;
  /** See `FeedContext`. */
  readonly seenMs: (feed: string) => number | null;
  /** Called with each feed that is trusted. */
  readonly onTrusted: (feed: Feed, issuedMs: number) => void;
  readonly nowMs: () => number;
}

/** The text of an answer, up to `feedLengthMax`. @throws RefusedFeed for a longer one, Error for a status that is not 2xx. */
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
export const signedProvider = ({ release, fetch, feed, seenMs, onTrusted, nowMs }: FeedAccess) =>
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
      onTrusted(read.feed, read.issuedMs);
      const { version, files, releaseDate, minimumSystemVersion, stagingPercentage } = read.feed;
      const [first] = files;
      // `path` and `sha512` are deprecated, but their type still requires them.
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
