/** Decides whether an update feed is trusted: signed for this program and channel, not expired and not replayed. */
import type { KeyObject } from "node:crypto";
import { z } from "zod";
import type { FeedTrouble } from "../../preload/updates.ts";
import { openFeed } from "./signed-feed.ts";

/** Longest feed that is read at all, in characters; a real one has about a thousand. */
export const feedLengthMax = 64 * 1024;

/** A name beside the feed and nothing else: no other server, no folder. */
const fileName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._ -]{0,199}$/);

/** A date without quotes is a date to YAML already. */
const instant = z.preprocess((value) => (value instanceof Date ? value.toISOString() : value), z.iso.datetime());

/** As electron-builder writes it (`UpdateInfo`), with the three fields that a release adds before it signs. */
const feedSchema = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
  files: z
    .array(
      z.object({
        url: fileName,
        sha512: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
        /** In bytes: no more than that is taken. */
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
  /** After this a newer feed may be withheld by whoever answers, so this one is refused. */
  expires: instant,
});
/** A feed whose checks all passed. */
export type Feed = z.infer<typeof feedSchema>;

/** What the feed is checked against. */
export interface FeedContext {
  readonly keys: readonly KeyObject[];
  /** The feed that was asked for: `latest-linux`. */
  readonly feed: string;
  /** When the newest trusted feed of this name was issued, in ms since the epoch; null before the first. */
  readonly seenMs: number | null;
  readonly nowMs: number;
  /** Parses the signed text as the updater itself would. May throw. */
  readonly parse: (text: string) => unknown;
}

/** A trusted feed, or why it was refused. */
export type ReadFeed =
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
