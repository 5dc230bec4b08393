/** Collects the files of a release and writes their checksums for `sha256sum --check`. */
import { createHash } from "node:crypto";
import { copyFileSync, createReadStream, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { isFeedFile } from "./feed.ts";
import { isReleaseFile } from "./installers.ts";

const sumOf = async (file: string): Promise<string> => {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
};

/**
 * Copies the release's files from `dist` to `dist/release`, with `SHA256SUMS-PLATFORM` beside them.
 * @returns their names; none where there is no installer.
 */
export const gatherRelease = async (dist: string, platform: string): Promise<readonly string[]> => {
  const names = existsSync(dist) ? readdirSync(dist).filter(isReleaseFile).sort() : [];
  if (names.length === 0) return [];
  const release = path.join(dist, "release");
  rmSync(release, { recursive: true, force: true });
  mkdirSync(release);
  const lines: string[] = [];
  for (const name of names) {
    copyFileSync(path.join(dist, name), path.join(release, name));
    // Feeds change when they are signed later; their signature covers them.
    if (isFeedFile(name)) continue;
    lines.push(`${await sumOf(path.join(release, name))}  ${name}\n`);
  }
  writeFileSync(path.join(release, `SHA256SUMS-${platform}`), lines.join(""));
  return names;
};
