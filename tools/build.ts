/**
 * Builds `out/` when it is missing or older than a source. `--quiet` prints one line and failures, on stderr, so that a
 * command that builds first keeps stdout for itself.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readFlags } from "./command-line.ts";

const usage = `Usage: npm run build

Builds the programs into out/.

  --quiet   one line, and failures alone; nothing at all when nothing changed
  --force   also when nothing changed since the last build (npm run build does)
  --help    this text`;

const { values: flags } = readFlags(usage, {
  quiet: { type: "boolean", default: false },
  force: { type: "boolean", default: false },
});
const root = dirname(import.meta.dirname);
const out = join(root, "out");
const stampFile = join(out, ".built");

/** A hash over names, sizes and times of all sources: equal when nothing changed since the last build. */
function fingerprint(): string {
  const hash = createHash("sha256").update(process.version);
  const sources = globSync(
    [
      "{backend,main,outbound,preload,renderer}/**/*.*",
      "package-lock.json",
      "package.json",
      "electron.vite.config.ts",
      "tools/office.vite.config.ts",
    ],
    { cwd: root },
  );
  for (const file of sources.sort()) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

/** Builds into a draft folder and renames it at the end, so that a failed build keeps the old ones. */
function build(quiet: boolean): void {
  const draft = join(out, `.draft-${process.pid}`);
  const run = (program: string, args: readonly string[]): number | null =>
    spawnSync(process.execPath, [join(root, "node_modules", program), "build", ...args], {
      cwd: root,
      // Vitest sets `test`, with which the chain's page would name this machine's folders.
      env: { ...process.env, NODE_ENV: "production" },
      stdio: ["ignore", quiet ? 2 : "inherit", "inherit"],
    }).status;
  const programs = ["--outDir", draft, "--logLevel", quiet ? "error" : "info"];
  // The chain's page is placed beside the service's program and ships with it.
  const place = ["--config", join(root, "tools/office.vite.config.ts"), "--outDir", join(draft, "main/office")];
  const status =
    run("electron-vite/bin/electron-vite.js", programs) ||
    run("vite/bin/vite.js", [...place, "--logLevel", quiet ? "error" : "warn"]);
  if (status === 0) {
    for (const section of ["main", "preload", "renderer"]) {
      const place = join(out, section);
      if (existsSync(place)) renameSync(place, join(draft, `${section}.old`));
      renameSync(join(draft, section), place);
    }
  }
  rmSync(draft, { recursive: true, force: true });
  if (status !== 0) {
    console.error("The build failed; what was built before is still there.");
    process.exit(status ?? 1);
  }
}

const wanted = fingerprint();
const isFresh = existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted;
if (!isFresh || flags.force) {
  mkdirSync(out, { recursive: true });
  if (flags.quiet) console.error("Building Tillcash; this is needed once after each change …");
  build(flags.quiet);
  writeFileSync(stampFile, wanted);
}
