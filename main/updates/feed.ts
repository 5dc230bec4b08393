/**
 * Checks an update feed: signed for this program and channel, not expired, not replayed. The signature is the last
 * line, a YAML comment `# ed25519 KEYID SIGNATURE`, and covers every byte before it.
 */
import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { isServiceUrl } from "../../backend/contract/service-url.ts";
import type { FeedTrouble } from "../../preload/updates.ts";
import written from "./release-feed.json" with { type: "json" };

/** Prefix of the signed text, so that other texts signed with the same key cannot pass for a feed. */
const purpose = "Tillcash update feed, format 1\n";
const lastLine = /^([\s\S]*\n)# ed25519 ([0-9a-f]{16}) ([A-Za-z0-9+/]{86}==)\n$/;

const toSign = (text: string): Buffer => Buffer.from(purpose + text, "utf8");

/** Reads a public key as in the release's configuration: DER in base64. @throws Error if it is not an Ed25519 key. */
export const publicKeyFrom = (base64: string): KeyObject => {
  const key = createPublicKey({ key: Buffer.from(base64, "base64"), format: "der", type: "spki" });
  if (key.asymmetricKeyType !== "ed25519") throw new Error("an update key must be an Ed25519 key");
  return key;
};

/** The reverse of `publicKeyFrom`; takes a private key too. */
export const publicKeyText = (key: KeyObject): string =>
  (key.type === "private" ? createPublicKey(key) : key).export({ format: "der", type: "spki" }).toString("base64");

/** Id of a key in the signature's line. */
const keyIdOf = (key: KeyObject): string => createHash("sha256").update(publicKeyText(key)).digest("hex").slice(0, 16);

/** Signs a feed. @param text without a signature. */
export const signFeed = (text: string, privateKey: KeyObject): string => {
  const body = text.endsWith("\n") ? text : `${text}\n`;
  return `${body}# ed25519 ${keyIdOf(privateKey)} ${sign(null, toSign(body), privateKey).toString("base64")}\n`;
};

/** The signed text without its signature line, or why it is not trusted. */
type OpenedFeed =
  | { readonly kind: "signed"; readonly text: string }
  | { readonly kind: "unsigned" }
  | { readonly kind: "wrong_signature" };

/** Verifies the signature and reads nothing else of the document. @param keys the trusted keys. */
export const openFeed = (document: string, keys: readonly KeyObject[]): OpenedFeed => {
  const [, text, keyId, signature] = lastLine.exec(document) ?? [];
  if (text === undefined || signature === undefined) return { kind: "unsigned" };
  const key = keys.find((one) => keyIdOf(one) === keyId);
  const isRight = key !== undefined && verify(null, toSign(text), key, Buffer.from(signature, "base64"));
  return isRight ? { kind: "signed", text } : { kind: "wrong_signature" };
};

const releaseSchema = z.object({
  /** Https; ends in a slash. */
  url: z.url().refine((url) => isServiceUrl(url) && url.endsWith("/")),
  /** Public Ed25519 keys, DER in base64: the current one, and a second one during a rotation. */
  keys: z.array(z.string().transform(publicKeyFrom)).max(2).readonly(),
});

/** The feed of a release. */
export type ReleaseFeed = Readonly<z.infer<typeof releaseSchema>>;

/** Null if there is no key: such a build takes no updates. @throws ZodError, or Error for a key that is not Ed25519. */
export const releaseFeedOf = (document: unknown): ReleaseFeed | null => {
  const feed = releaseSchema.parse(document);
  return feed.keys.length === 0 ? null : feed;
};

/** The feed of this build; null: it takes no updates. */
export const releaseFeed = (): ReleaseFeed | null => releaseFeedOf(written);

/** Maximum length of a feed in characters; real ones have about a thousand. */
export const feedLengthMax = 64 * 1024;

/** A file name beside the feed: no other server, no folder. */
const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._ -]{0,199}$/);

/** YAML parses dates without quotes into dates. */
const instant = z.preprocess((value) => (value instanceof Date ? value.toISOString() : value), z.iso.datetime());

/** As electron-builder writes it (`UpdateInfo`), with the three fields that a release adds before it signs. */
const feedSchema = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
  files: z
    .array(
      z.object({
        url: fileName,
        sha512: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
        /** In bytes; at most this much is downloaded. */
        size: z.int().positive(),
        blockMapSize: z.int().positive().optional(),
        isAdminRightsRequired: z.boolean().optional(),
      }),
    )
    .min(1),
  releaseDate: instant,
  minimumSystemVersion: z.string().optional(),
  stagingPercentage: z.int().min(0).max(100).optional(),
  /** Which feed this is: `latest-linux`. One of another channel or system is refused. */
  feed: z.string(),
  issued: instant,
  /** Refused after this time, because an attacker could withhold newer feeds. */
  expires: instant,
});
/** A feed whose checks all passed. */
export type Feed = z.infer<typeof feedSchema>;

/** What the feed is checked against. */
export interface FeedContext {
  readonly keys: readonly KeyObject[];
  /** Name of the requested feed: `latest-linux`. */
  readonly feed: string;
  /** When the newest trusted feed of this name was issued, in ms since the epoch; null before the first. */
  readonly seenMs: number | null;
  readonly nowMs: number;
  /** Parses the signed text as the updater itself would. May throw. */
  readonly parse: (text: string) => unknown;
}

type ReadFeed =
  | { readonly kind: "trusted"; readonly feed: Feed; readonly issuedMs: number }
  | { readonly kind: "refused"; readonly why: FeedTrouble };

const refuse = (why: FeedTrouble): ReadFeed => ({ kind: "refused", why });

const parseFeed = (text: string, parse: FeedContext["parse"]): Feed | null => {
  try {
    return feedSchema.parse(parse(text));
  } catch {
    return null;
  }
};

/** Checks the signature first: an unsigned document is not even parsed. */
export const readFeed = (document: string, { keys, feed, seenMs, nowMs, parse }: FeedContext): ReadFeed => {
  if (document.length > feedLengthMax) return refuse("malformed");
  const opened = openFeed(document, keys);
  if (opened.kind !== "signed") return refuse(opened.kind);
  const found = parseFeed(opened.text, parse);
  if (found === null) return refuse("malformed");
  if (found.feed !== feed) return refuse("other_feed");
  const issuedMs = Date.parse(found.issued);
  if (seenMs !== null && issuedMs < seenMs) return refuse("replayed");
  if (Date.parse(found.expires) <= nowMs) return refuse("expired");
  return { kind: "trusted", feed: found, issuedMs };
};

/** A file's hash in base64, as a feed has it. */
export const sha512Of = async (file: string): Promise<string> => {
  const hash = createHash("sha512");
  await pipeline(createReadStream(file), hash);
  return hash.digest("base64");
};
