/** Which feeds are believed: a table, with what a hostile server or proxy could make of a good one. */
import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  type FeedContext,
  publicKeyFrom,
  publicKeyText,
  readFeed,
  releaseFeed,
  releaseFeedOf,
  signFeed,
} from "../../../main/updates/feed.ts";
import { feedText, newKeys, signedFeed } from "./feed-server.ts";

const ours = newKeys();
const next = newKeys();
const strangers = newKeys();
const good = signedFeed("program", ours.privateKey);
const issuedMs = Date.parse("2026-11-20T08:00:00.000Z");
const dayMs = 86_400_000;

const context: FeedContext = {
  keys: [ours.publicKey, next.publicKey],
  feed: "latest-linux",
  seenMs: null,
  nowMs: issuedMs + dayMs,
  parse: (text) => parse(text),
};
const signatureOf = (document: string): string => document.trimEnd().split("\n").at(-1) ?? "";
const signed = (fields: Parameters<typeof feedText>[1]): string => signedFeed("program", ours.privateKey, fields);
const signedText = (change: (text: string) => string): string => signFeed(change(feedText("program")), ours.privateKey);

describe("a feed is believed", () => {
  test.each([
    ["signed by the present key", good, {}],
    ["signed by the key that follows", signedFeed("program", next.privateKey), {}],
    ["the very one that was seen before", good, { seenMs: issuedMs }],
    ["a newer one than was seen", good, { seenMs: issuedMs - 1 }],
    ["by a terminal whose clock is behind", good, { nowMs: issuedMs - 400 * dayMs }],
    ["of the other channel, where that is asked for", signed({ feed: "beta-linux" }), { feed: "beta-linux" }],
  ])("%s", (_what, document, known) => {
    expect(readFeed(document, { ...context, ...known })).toMatchObject({
      kind: "trusted",
      issuedMs,
      feed: { version: "0.2.0" },
    });
  });
});

describe("a feed is refused", () => {
  test.each([
    ["unsigned", "without a signature", feedText("program"), {}],
    ["unsigned", "empty", "", {}],
    ["unsigned", "a page of a hotel's network", "<html>Sign in to the network</html>", {}],
    ["unsigned", "with something behind the signature", `${good}version: 9.9.9\n`, {}],
    ["unsigned", "cut", good.slice(0, -10), {}],
    ["wrong_signature", "signed by a stranger", signedFeed("program", strangers.privateKey), {}],
    [
      "wrong_signature",
      "signed by a stranger under our key's name",
      signedFeed("program", strangers.privateKey).replace(/# ed25519 \w+/, signatureOf(good).slice(0, 26)),
      {},
    ],
    ["wrong_signature", "with another version", good.replace("version: 0.2.0", "version: 0.3.0"), {}],
    ["wrong_signature", "with another file's hash", good.replace(/sha512: [A-Za-z0-9+/]{4}/, "sha512: AAAA"), {}],
    ["wrong_signature", "with another end of its line", good.replace("\n", "\r\n"), {}],
    ["wrong_signature", "with the signature of another feed", `${feedText("other")}${signatureOf(good)}\n`, {}],
    [
      "wrong_signature",
      "under a signature of our key that was made for no feed",
      `${feedText("program")}${signatureOf(good).slice(0, 26)} ${sign(null, Buffer.from(feedText("program")), ours.privateKey).toString("base64")}\n`,
      {},
    ],
    ["other_feed", "of the other channel", signed({ feed: "beta-linux" }), {}],
    ["other_feed", "of another system", signed({ feed: "latest-mac" }), {}],
    ["replayed", "older than one that was seen", good, { seenMs: issuedMs + 1 }],
    ["expired", "that nobody renewed", good, { nowMs: Date.parse("2027-02-18T08:00:00.000Z") }],
    ["malformed", "with a file in another place", signed({ url: "https://elsewhere.example/a.AppImage" }), {}],
    ["malformed", "with a file in a folder above", signed({ url: "../a.AppImage" }), {}],
    ["malformed", "with a file in a folder beside", signed({ url: "other/a.AppImage" }), {}],
    ["malformed", "with a hidden file", signed({ url: ".a.AppImage" }), {}],
    ["malformed", "with a name of 201 characters", signed({ url: "a".repeat(201) }), {}],
    ["malformed", "without a file", signedText((text) => text.replace(/files:\n(?: .*\n)+/, "files: []\n")), {}],
    ["malformed", "with a hash that is none", signedText((text) => text.replaceAll(/(?<=sha512: )\S+/g, "AAAA")), {}],
    ["malformed", "of a size that there is not", signed({ size: 0 }), {}],
    ["malformed", "with a version that is none", signed({ version: "newest" }), {}],
    ["malformed", "with a version that goes on", signed({ version: "0.2.0 or newer" }), {}],
    ["unsigned", "as long as any may be", " ".repeat(65_536), {}],
    ["malformed", "longer than any", " ".repeat(65_537), {}],
    ["malformed", "that is no YAML", signFeed("a: [", ours.privateKey), {}],
  ])("as %s: %s", (why, _what, document, known) => {
    expect(readFeed(document, { ...context, ...known })).toEqual({ kind: "refused", why });
  });

  test("before a byte of it is parsed, when the signature is wrong", () => {
    let parsed = 0;
    const count = (text: string) => {
      parsed += 1;
      return parse(text);
    };
    readFeed(signedFeed("program", strangers.privateKey), { ...context, parse: count });
    expect(parsed).toBe(0);
    readFeed(good, { ...context, parse: count });
    expect(parsed).toBe(1);
  });
});

describe("the release's configuration", () => {
  test("names a place; a build without a key takes no updates", () => {
    expect(releaseFeedOf({ url: "https://feed.example/", keys: [] })).toBeNull();
    expect(() => releaseFeed()).not.toThrow();
  });

  test("holds public keys", () => {
    const text = publicKeyText(ours.privateKey);
    expect(publicKeyText(publicKeyFrom(text))).toBe(text);
    expect(releaseFeedOf({ url: "https://feed.example/", keys: [text] })?.keys).toHaveLength(1);
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  test.each([
    ["plain http", { url: "http://feed.example/", keys: [] }],
    ["an address that is no folder", { url: "https://feed.example/latest.yml", keys: [] }],
    ["another kind of key", { url: "https://feed.example/", keys: [publicKeyText(rsa)] }],
    ["what is no key", { url: "https://feed.example/", keys: ["AAAA"] }],
    ["a third key", { url: "https://feed.example/", keys: Array(3).fill(publicKeyText(ours.publicKey)) }],
  ])("is refused with %s", (_what, document) => {
    expect(() => releaseFeedOf(document)).toThrow();
  });
});
