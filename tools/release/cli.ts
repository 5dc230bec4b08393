/** `npm run release -- STEP`: the steps of a release, so that a workflow needs no scripts of its own. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { releaseFeed, releaseFeedOf } from "../../main/updates/feed.ts";
import { gatherRelease } from "./checksums.ts";
import { FeedRefused, makeFeedKey, rehearsedUrl, signFeeds } from "./feed.ts";
import type { Platform } from "./installers.ts";
import { certificateNames, type Signing, signingOf } from "./signing.ts";

const root = path.resolve(import.meta.dirname, "../..");
const usage = `Usage: npm run release -- STEP

  runtime              fetches Electron's runtime for this machine
  package [OPTIONS]    npm run package: makes this machine's installers in dist: signed where the certificate's variables are set, else marked
                       by a file UNSIGNED-PLATFORM.txt beside them
  version TAG          refuses a tag that is not the version of package.json
  previous DIR         fetches the installers of the release before (GitHub's gh); none before the first
  checksums DIST       gathers installers and update feed in DIST/release, with their SHA-256
  feed DIR             signs the update feeds in DIR with the key in UPDATE_FEED_KEY; again, to renew them
  rehearse-update [OPTIONS]
                       two versions that take updates from this very computer: this one in dist, the next one with its signed
                       feed in dist-next, for npm run smoke:desktop -- --update dist-next. Never to be given to a shop
  feed-key FILE        makes the key that signs feeds; it goes into FILE, its public half is printed
  publish TAG DIR      makes the release on GitHub from what lies in DIR`;

class Refused extends Error {}

const signAll = async (folder: string): Promise<void> => {
  const signing = {
    release: releaseFeed(),
    privateKey: process.env.UPDATE_FEED_KEY ?? "",
    version: versionTag().slice(1),
    nowMs: Date.now(),
  };
  const names = await signFeeds(folder, signing).catch((error: unknown) => {
    throw error instanceof FeedRefused ? new Refused(error.message) : error;
  });
  if (names === null)
    console.log("Not signed: main/updates/release-feed.json names no key, so this program takes no updates.");
  else for (const name of names) console.log(name);
};

/** @throws Refused with the message `failed` if the program fails; its output says why. */
const run = (program: string, args: readonly string[], failed: string, env: NodeJS.ProcessEnv = process.env): void => {
  try {
    execFileSync(program, args, { cwd: root, stdio: "inherit", env });
  } catch {
    throw new Refused(failed);
  }
};

const packageAll = (words: readonly string[]): void => {
  // Others than whoever packs it have to read it.
  process.umask(0o022);
  // In a workflow a missing secret is an empty variable, which electron-builder would take for a certificate.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name, text]) => text !== "" || !certificateNames.some((one) => one === name)),
  );
  let signing: Signing;
  try {
    signing = signingOf(process.platform as Platform, env);
  } catch (error) {
    throw new Refused((error as Error).message);
  }
  // The secret is the key's text; notarization takes a file.
  const appleKey = mkdtempSync(path.join(tmpdir(), "tillcash-key-"));
  if (env.APPLE_API_KEY?.startsWith("-----BEGIN")) {
    writeFileSync(path.join(appleKey, "key.p8"), env.APPLE_API_KEY, { mode: 0o600 });
    env.APPLE_API_KEY = path.join(appleKey, "key.p8");
  }
  const builder = path.join(root, "node_modules/electron-builder/cli.js");
  const failed =
    "No installer was made. electron-builder fetches Electron's runtime and its targets' tools: where there is no network, " +
    "npm run package:check packs with a stub in place of the runtime.";
  try {
    run(process.execPath, [builder, "--publish", "never", ...signing.flags, ...words], failed, env);
  } finally {
    rmSync(appleKey, { recursive: true, force: true });
  }
  if (signing.kind !== "unsigned") return;
  writeFileSync(path.join(root, "dist", `UNSIGNED-${process.platform}.txt`), signing.note);
  console.warn(`::warning::${signing.note.trim()}`);
};
/** The feed's address and key are built into the program; the repository's file is restored at the end. */
const rehearseUpdate = async (words: readonly string[]): Promise<void> => {
  const file = path.join(root, "main/updates/release-feed.json");
  const kept = readFileSync(file, "utf8");
  const work = mkdtempSync(path.join(tmpdir(), "tillcash-rehearsal-"));
  const key = path.join(work, "key.pem");
  const document = { url: rehearsedUrl, keys: [makeFeedKey(key)] };
  const version = versionTag().slice(1);
  const next = version.replace(/^(\d+\.\d+)\.(\d+).*$/, (_, start, patch) => `${start}.${Number(patch) + 1}`);
  try {
    writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
    run(process.execPath, [path.join(root, "tools/build.ts"), "--quiet"], "The programs could not be built.");
    packageAll(words);
    packageAll([...words, "-c.directories.output=dist-next", `-c.extraMetadata.version=${next}`]);
    const signing = { release: releaseFeedOf(document), privateKey: readFileSync(key, "utf8") };
    await signFeeds(path.join(root, "dist-next"), { ...signing, version: next, nowMs: Date.now() });
  } finally {
    writeFileSync(file, kept);
    rmSync(work, { recursive: true, force: true });
  }
};

const needed = (word: string | undefined, name: string): string => {
  if (word === undefined) throw new Refused(`${name} is missing.\n${usage}`);
  return word;
};

/** Tag of the newest release other than `current`; null when there is none. */
const previousTag = (current: string): string | null => {
  let listed: string;
  try {
    const args = ["release", "list", "--json", "tagName", "--limit", "20"];
    listed = execFileSync("gh", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? "").trim();
    const why = (error as NodeJS.ErrnoException).code === "ENOENT" ? "is not installed" : `could not list: ${said}`;
    throw new Refused(`GitHub's gh ${why}.`);
  }
  return (JSON.parse(listed) as { tagName: string }[]).find(({ tagName }) => tagName !== current)?.tagName ?? null;
};

const versionTag = (): string =>
  `v${(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string }).version}`;

const steps: Readonly<Record<string, (words: readonly string[]) => unknown>> = {
  runtime: () =>
    run(
      process.execPath,
      [path.join(root, "node_modules/electron/install.js")],
      "Electron's runtime could not be fetched.",
    ),
  package: packageAll,
  version([word]) {
    const tag = needed(word, "TAG");
    if (tag !== versionTag())
      throw new Refused(`the tag ${tag} does not fit package.json, which says ${versionTag()}.`);
  },
  previous([word]) {
    const folder = needed(word, "DIR");
    mkdirSync(folder, { recursive: true });
    const tag = previousTag(versionTag());
    if (tag !== null)
      run("gh", ["release", "download", tag, "--dir", folder, "--skip-existing"], `${tag} could not be fetched.`);
  },
  async checksums([word]) {
    const dist = needed(word, "DIST");
    const names = await gatherRelease(dist, process.platform);
    if (names.length === 0) throw new Refused(`${dist} holds no installer: npm run package makes them.`);
    for (const name of names) console.log(name);
  },
  feed: ([word]) => signAll(needed(word, "DIR")),
  "rehearse-update": rehearseUpdate,
  "feed-key"([word]) {
    const file = needed(word, "FILE");
    if (existsSync(file)) throw new Refused(`${file} exists; a key is never written over.`);
    console.log(makeFeedKey(file));
  },
  publish([tag, word]) {
    const folder = needed(word, "TAG or DIR");
    if (!existsSync(folder)) throw new Refused(`${folder} is not there: npm run release -- checksums makes it.`);
    const files = readdirSync(folder).map((name) => path.join(folder, name));
    const args = ["release", "create", needed(tag, "TAG"), ...files, "--verify-tag", "--generate-notes"];
    run("gh", args, "The release was not made.");
  },
};

const [name = "", ...words] = process.argv.slice(2);
const step = steps[name];
try {
  if (["", "--help", "-h"].includes(name)) console.log(usage);
  else if (step) await step(words);
  else throw new Refused(`There is no step "${name}".\n${usage}`);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
