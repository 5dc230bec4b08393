/** `npm run release -- STEP`: the steps of a release, so that a workflow needs no scripts of its own. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { releaseFeed } from "../../main/updates/feed.ts";
import { gatherRelease } from "./checksums.ts";
import { FeedRefused, makeFeedKey, signFeeds } from "./feed.ts";

const root = path.resolve(import.meta.dirname, "../..");
const usage = `Usage: npm run release -- STEP

  runtime              fetches Electron's runtime for this machine
  version TAG          refuses a tag that is not the version of package.json
  previous DIR         fetches the installers of the release before (GitHub's gh); none before the first
  checksums DIST       gathers installers and update feed in DIST/release, with their SHA-256
  feed DIR             signs the update feeds in DIR with the key in UPDATE_FEED_KEY; again, to renew them
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

const run = (program: string, args: readonly string[]): void => {
  execFileSync(program, args, { cwd: root, stdio: "inherit" });
};
const needed = (word: string | undefined, name: string): string => {
  if (word === undefined) throw new Refused(`${name} is missing.\n${usage}`);
  return word;
};

/** Tag of the newest release other than `current`; null when there is none. */
const previousTag = (current: string): string | null => {
  const listed = execFileSync("gh", ["release", "list", "--json", "tagName", "--limit", "20"], { encoding: "utf8" });
  return (JSON.parse(listed) as { tagName: string }[]).find(({ tagName }) => tagName !== current)?.tagName ?? null;
};

const versionTag = (): string =>
  `v${(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string }).version}`;

const steps: Readonly<Record<string, (words: readonly string[]) => unknown>> = {
  runtime: () => run(process.execPath, [path.join(root, "node_modules/electron/install.js")]),
  version([word]) {
    const tag = needed(word, "TAG");
    if (tag !== versionTag())
      throw new Refused(`the tag ${tag} does not fit package.json, which says ${versionTag()}.`);
  },
  previous([word]) {
    const folder = needed(word, "DIR");
    mkdirSync(folder, { recursive: true });
    const tag = previousTag(versionTag());
    if (tag !== null) run("gh", ["release", "download", tag, "--dir", folder, "--skip-existing"]);
  },
  async checksums([word]) {
    const dist = needed(word, "DIST");
    for (const name of await gatherRelease(dist, process.platform)) console.log(name);
  },
  feed: ([word]) => signAll(needed(word, "DIR")),
  "feed-key"([word]) {
    const file = needed(word, "FILE");
    if (existsSync(file)) throw new Refused(`${file} exists; a key is never written over.`);
    console.log(makeFeedKey(file));
  },
  publish([tag, word]) {
    const folder = needed(word, "TAG or DIR");
    const files = readdirSync(folder).map((name) => path.join(folder, name));
    run("gh", ["release", "create", needed(tag, "TAG"), ...files, "--verify-tag", "--generate-notes"]);
  },
};

const [name = "", ...words] = process.argv.slice(2);
const step = steps[name];
try {
  if (name === "--help" || name === "-h") console.log(usage);
  else if (step) await step(words);
  else throw new Refused(`There is no step "${name}".\n${usage}`);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
