/** The feed that a release writes: a program believes it, and nothing is signed that is not what lies beside it. */
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { readFeed, releaseFeedOf } from "../../../main/updates/feed.ts";
import { FeedRefused, type FeedSigning, makeFeedKey, signFeeds } from "../../../tools/release/feed.ts";

const nowMs = Date.UTC(2026, 10, 22);
let folder: string;
let signing: FeedSigning;
let publicKey: string;

/** As electron-builder leaves it. */
const write = (name: string, file: string, version = "0.2.0"): void => {
  const content = `${file} of ${version}`;
  const sha512 = createHash("sha512").update(content).digest("base64");
  writeFileSync(path.join(folder, file), content);
  writeFileSync(
    path.join(folder, name),
    stringify({
      version,
      files: [{ url: file, sha512, size: content.length }],
      path: file,
      sha512,
      releaseDate: "2026-11-22T08:00:00.000Z",
    }),
  );
};

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-feed-"));
  const keyFile = path.join(folder, "feed.pem");
  publicKey = makeFeedKey(keyFile);
  signing = {
    release: releaseFeedOf({ url: "https://feed.example/", keys: [publicKey] }),
    privateKey: readFileSync(keyFile, "utf8"),
    version: "0.2.0",
    nowMs,
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const read = (feed: string, atMs = nowMs) =>
  readFeed(readFileSync(path.join(folder, `${feed}.yml`), "utf8"), {
    keys: signing.release?.keys ?? [],
    feed,
    seenMs: null,
    nowMs: atMs,
    parse: (text) => parse(text),
  });

test("each platform's feed is signed, for both channels, and believed for ninety days", async () => {
  write("latest-linux.yml", "Tillcash-0.2.0.AppImage");
  write("latest.yml", "Tillcash Setup 0.2.0.exe");
  expect(await signFeeds(folder, signing)).toEqual(["latest-linux.yml", "beta-linux.yml", "latest.yml", "beta.yml"]);
  for (const feed of ["latest-linux", "beta-linux", "latest", "beta"])
    expect(read(feed)).toMatchObject({ kind: "trusted", feed: { version: "0.2.0", feed } });
  expect(read("latest", nowMs + 89 * 86_400_000)).toMatchObject({ kind: "trusted" });
  expect(read("latest", nowMs + 90 * 86_400_000)).toEqual({ kind: "refused", why: "expired" });
});

test("signed again, it is the same release with a later time", async () => {
  write("latest-mac.yml", "Tillcash-0.2.0-mac.zip");
  await signFeeds(folder, signing);
  await signFeeds(folder, { ...signing, nowMs: nowMs + 80 * 86_400_000 });
  expect(read("latest-mac", nowMs + 100 * 86_400_000)).toMatchObject({
    kind: "trusted",
    issuedMs: nowMs + 80 * 86_400_000,
  });
});

test("a version that is still being tried is for those who take such versions alone", async () => {
  write("beta-linux.yml", "Tillcash-0.3.0-beta.1.AppImage", "0.3.0-beta.1");
  expect(await signFeeds(folder, { ...signing, version: "0.3.0-beta.1" })).toEqual(["beta-linux.yml"]);
});

describe("nothing is signed", () => {
  const refusal = (change: Partial<FeedSigning> = {}) => signFeeds(folder, { ...signing, ...change });

  test.each([
    [
      "an installer that changed",
      () => writeFileSync(path.join(folder, "a.AppImage"), "a.AppImage of 6.6.6"),
      /is not the file/,
    ],
    ["an installer that is not there", () => rmSync(path.join(folder, "a.AppImage")), /which is not beside it/],
    ["a feed of another version", () => write("latest-linux.yml", "a.AppImage", "0.1.9"), /offers 0\.1\.9/],
    ["no feed at all", () => rmSync(path.join(folder, "latest-linux.yml")), /holds no feed/],
  ])("with %s", async (_what, spoil, sentence) => {
    write("latest-linux.yml", "a.AppImage");
    spoil();
    const before = readdirSync(folder);
    await expect(refusal()).rejects.toThrow(sentence);
    expect(readdirSync(folder)).toEqual(before);
  });

  test("with a key that no terminal knows, or none", async () => {
    write("latest-linux.yml", "a.AppImage");
    const other = path.join(folder, "other.pem");
    makeFeedKey(other);
    await expect(refusal({ privateKey: readFileSync(other, "utf8") })).rejects.toThrow(/no terminal would trust it/);
    await expect(refusal({ privateKey: "" })).rejects.toThrow(FeedRefused);
    expect(await refusal({ release: null, privateKey: "" })).toBeNull();
    expect(readFileSync(path.join(folder, "latest-linux.yml"), "utf8")).not.toContain("ed25519");
  });
});

test.skipIf(process.platform === "win32")("a key is for its owner alone and never written over", () => {
  const file = path.join(folder, "feed.pem");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(() => makeFeedKey(file)).toThrow(/EEXIST/);
});
