/**
 * Builds `out/` when it is missing or older than a source. `node tools/build.ts` shows progress; `--quiet` only failures,
 * so that a command that builds first has its own lines alone on stdout.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
const stampFile = join(root, "out", ".built");

/** Names, sizes and times of all that goes into the build: equal prints mean that nothing was touched since. */
function fingerprint(): string {
  const hash = createHash("sha256").update(process.version);
  const sources = globSync(
    ["{backend,main,preload,renderer}/**/*.*", "package-lock.json", "package.json", "electron.vite.config.ts"],
    { cwd: root },
  );
  for (const file of sources.sort()) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

const wanted = fingerprint();
const fresh = existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted;
if (!fresh || process.argv.includes("--force")) {
  const quiet = process.argv.includes("--quiet");
  const program = join(root, "node_modules", "electron-vite", "bin", "electron-vite.js");
  const built = spawnSync(process.execPath, [program, "build", "--logLevel", quiet ? "error" : "info"], {
    cwd: root,
    stdio: ["ignore", quiet ? 2 : "inherit", "inherit"],
  });
  if (built.status !== 0) {
    console.error("The build failed; nothing was started.");
    process.exit(built.status ?? 1);
  }
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, wanted);
}
