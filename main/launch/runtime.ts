/** Finds Electron's runtime without touching the network, or fetches it within a time limit. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";

/** A failure faster than `slowMs` is cheap and repeated at each start; a slower one is remembered for a day. */
const usualBounds = { fetchMs: 60_000, slowMs: 5_000 };
const rememberedMs = 24 * 60 * 60_000;

/** Path of Electron's program, or why there is none. */
type Runtime = { readonly kind: "here"; readonly program: string } | { readonly kind: "absent"; readonly why: string };

const attemptSchema = z.object({ version: z.string(), atMs: z.number(), why: z.string() });

type ElectronPackage = NonNullable<ReturnType<typeof findPackage>>;

function findPackage(from: string) {
  try {
    const file = createRequire(path.join(from, "package.json")).resolve("electron/package.json");
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, "utf8")));
    return { folder: path.dirname(file), version };
  } catch {
    return null;
  }
}

/** Importing `electron` would start a download; reading what its installer leaves behind does not. */
function findProgram({ folder }: ElectronPackage): string | null {
  try {
    const relative = readFileSync(path.join(folder, "path.txt"), "utf8");
    const program = path.join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? path.join(folder, "dist"), relative);
    return existsSync(program) ? program : null;
  } catch {
    return null;
  }
}

/** Downloads the archive into Electron's own cache, checked against the package's checksums. */
async function download(
  found: ElectronPackage,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const require = createRequire(path.join(found.folder, "package.json"));
  const { downloadArtifact } = (await import(pathToFileURL(require.resolve("@electron/get")).href)) as {
    downloadArtifact(options: object): Promise<string>;
  };
  await downloadArtifact({
    version: found.version,
    artifactName: "electron",
    platform: process.platform,
    arch: process.arch,
    checksums: require("./checksums.json") as Record<string, string>,
    downloadOptions: {
      quiet: true,
      signal,
      getProgressCallback: async ({ percent }: { percent: number }) => onProgress(percent),
    },
  });
}

/** The package's own installer finds the archive in the cache and unpacks it. */
const unpack = (found: ElectronPackage, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const installer = spawn(process.execPath, [path.join(found.folder, "install.js")], { stdio: "ignore", signal });
    installer.once("error", reject);
    installer.once("exit", (code) => (code === 0 ? resolve() : reject(new Error("it could not be unpacked"))));
  });

const readable = (error: unknown, fetchMs: number): string => {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError" || error.name === "AbortError") {
    return `the download did not end within ${fetchMs / 1000} s`;
  }
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return (cause || error.message).split("\n")[0] ?? error.name;
};

function remembered(file: string, version: string, nowMs: number): string | null {
  try {
    const last = attemptSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    const isRecent = last.version === version && nowMs - last.atMs < rememberedMs && last.atMs <= nowMs;
    return isRecent ? `${last.why} (tried less than a day ago; "npm start -- --fetch" tries again)` : null;
  } catch {
    return null;
  }
}

/** Finds the runtime, or fetches it within 60 s. @param onProgress called with 0 to 1. @param again ignores a remembered failure. */
export async function findRuntime(
  root: string,
  onProgress: (share: number) => void,
  again: boolean,
  bounds = usualBounds,
): Promise<Runtime> {
  const found = findPackage(root);
  if (found === null) return { kind: "absent", why: "the electron package is not installed" };
  const program = findProgram(found);
  if (program !== null) return { kind: "here", program };

  const note = path.join(root, "node_modules", ".cache", "tillcash", "electron-fetch.json");
  const startedMs = Date.now();
  const earlier = again ? null : remembered(note, found.version, startedMs);
  if (earlier !== null) return { kind: "absent", why: earlier };
  try {
    const signal = AbortSignal.timeout(bounds.fetchMs);
    await download(found, onProgress, signal);
    await unpack(found, signal);
    const fetched = findProgram(found);
    if (fetched === null) throw new Error("the download holds no program");
    return { kind: "here", program: fetched };
  } catch (error) {
    const why = `its runtime could not be fetched: ${readable(error, bounds.fetchMs)}`;
    if (Date.now() - startedMs > bounds.slowMs) {
      mkdirSync(path.dirname(note), { recursive: true });
      writeFileSync(note, JSON.stringify({ version: found.version, atMs: Date.now(), why }));
    }
    return { kind: "absent", why };
  }
}
