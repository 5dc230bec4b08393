/** Signs the update feeds of a release, after comparing them with the files beside them. */
import { createPrivateKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { openFeed, publicKeyText, type ReleaseFeed, sha512Of, signFeed } from "../../main/updates/feed.ts";

/** Feed address of versions that are only for a test (`rehearse-update`): this computer. */
export const rehearsedUrl = "http://127.0.0.1:8799/";

/** Terminals refuse a feed after this time, so it must be signed again before, even without a release. */
const validDays = 90;
const dayMs = 86_400_000;

/** Whether a file is a feed: `latest.yml`, `beta-linux-arm64.yml`. */
export const isFeedFile = (name: string): boolean => /^(latest|beta)(-[a-z0-9-]+)?\.yml$/.test(name);

/** A feed or key that cannot be used for signing; the message is for the person who makes the release. */
export class FeedRefused extends Error {}

/** What a feed is signed with. */
export interface FeedSigning {
  /** Null: this program takes no updates. */
  readonly release: ReleaseFeed | null;
  /** Ed25519, in PEM. */
  readonly privateKey: string;
  /** The version in package.json. */
  readonly version: string;
  readonly nowMs: number;
}

/** As written by electron-builder; a previously signed feed also has the signature's fields. */
interface WrittenFeed {
  readonly version: string;
  readonly files: readonly { readonly url: string; readonly sha512: string; readonly size: number }[];
}

const checkFiles = async (folder: string, name: string, { version, files }: WrittenFeed, wanted: string) => {
  if (version !== wanted) throw new FeedRefused(`${name} offers ${version}, and this is version ${wanted}.`);
  for (const { url, sha512, size } of files) {
    const file = path.join(folder, url);
    if (path.basename(url) !== url || !existsSync(file))
      throw new FeedRefused(`${name} names ${url}, which is not beside it.`);
    if (statSync(file).size !== size || (await sha512Of(file)) !== sha512)
      throw new FeedRefused(`${url} is not the file that ${name} was written for.`);
  }
};

const keyFrom = (pem: string, release: ReleaseFeed): KeyObject => {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new FeedRefused("UPDATE_FEED_KEY holds no private key in PEM.");
  }
  if (!release.keys.some((one) => publicKeyText(one) === publicKeyText(key)))
    throw new FeedRefused("This key is not one of main/updates/release-feed.json: no terminal would trust it.");
  return key;
};

/**
 * Signs every feed in a folder in place; `latest` is also written as `beta`, for those who take test versions. Signing again
 * renews them. @returns the feeds' names; null where the program takes no updates.
 * @throws FeedRefused
 */
export const signFeeds = async (folder: string, signing: FeedSigning): Promise<readonly string[] | null> => {
  const { release, version, nowMs } = signing;
  if (release === null) return null;
  const key = keyFrom(signing.privateKey, release);
  const names = existsSync(folder) ? readdirSync(folder).filter(isFeedFile).sort() : [];
  if (names.length === 0) throw new FeedRefused(`${folder} holds no feed: npm run package writes it.`);
  const signed = new Map<string, string>();
  for (const name of names) {
    const document = readFileSync(path.join(folder, name), "utf8");
    const written = parse(document) as WrittenFeed;
    await checkFiles(folder, name, written, version);
    const own = name.replace(/\.yml$/, "");
    const feeds = version.includes("-") ? [own] : [own, own.replace(/^latest/, "beta")];
    for (const feed of feeds) {
      const text = stringify(
        {
          ...written,
          feed,
          issued: new Date(nowMs).toISOString(),
          expires: new Date(nowMs + validDays * dayMs).toISOString(),
        },
        { lineWidth: 0 },
      );
      signed.set(`${feed}.yml`, signFeed(text, key));
    }
  }
  for (const [name, document] of signed) {
    if (openFeed(document, release.keys).kind !== "signed") throw new FeedRefused(`${name} could not be signed.`);
    writeFileSync(path.join(folder, name), document);
  }
  return [...signed.keys()];
};

/** Makes a key pair; the private half goes into a new file. @returns the public key for release-feed.json. @throws EEXIST */
export const makeFeedKey = (file: string): string => {
  const { privateKey } = generateKeyPairSync("ed25519");
  writeFileSync(file, privateKey.export({ format: "pem", type: "pkcs8" }), { mode: 0o600, flag: "wx" });
  return publicKeyText(privateKey);
};
