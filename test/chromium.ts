/**
 * A Chromium for tests, demo and bench on any machine: `CHROMIUM_PATH` if set, else the one packed inside the npm package
 * `@sparticuz/chromium` (x64 Linux), else an installed Chrome or Chromium. Nothing is downloaded.
 */
import { execFile } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright";

/** The program, and the environment that it needs beside the usual one. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Record<string, string>;
}

const installed = [
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

const unpackTimeoutMs = 120_000;
const ownEnv = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((pair): pair is [string, string] => pair[1] !== undefined));

let found: Promise<Chromium> | undefined;

/** Finds or unpacks the browser; throws a sentence that says what to do when there is none. */
export const findChromium = (): Promise<Chromium> => {
  found ??= find();
  return found;
};

/** Starts it. Playwright is loaded only now: `--help` of a program need not wait for it. */
export const launchChromium = async (args: readonly string[] = []): Promise<Browser> => {
  const { chromium } = await import("playwright");
  return chromium.launch({ ...(await findChromium()), args: [...args] });
};

const find = async (): Promise<Chromium> => {
  const chosen = process.env.CHROMIUM_PATH;
  if (chosen) {
    if (!existsSync(chosen)) throw new Error(`CHROMIUM_PATH names no file: ${chosen}`);
    return { executablePath: chosen, env: ownEnv() };
  }
  if (process.platform === "linux" && process.arch === "x64") {
    const packed = await unpacked();
    if (packed) return packed;
  }
  const executablePath = installed.find((file) => existsSync(file));
  if (executablePath) return { executablePath, env: ownEnv() };
  throw new Error("No Chromium here: set CHROMIUM_PATH to the executable of a Chrome or Chromium.");
};

/** Unpacks into a folder of its own and renames it into place, so that any number of processes may do it at once. */
const unpacked = async (): Promise<Chromium | null> => {
  let packageFolder: string;
  try {
    packageFolder = path.resolve(path.dirname(createRequire(import.meta.url).resolve("@sparticuz/chromium")), "..");
  } catch {
    return null;
  }
  const { version } = JSON.parse(readFileSync(path.join(packageFolder, "package.json"), "utf8")) as { version: string };
  const root = writableCache(path.resolve(packageFolder, "../../.cache/chromium"));
  const folder = path.join(root, version);
  if (!existsSync(path.join(folder, "ready"))) await unpackInto(packageFolder, root, folder);
  return {
    executablePath: path.join(folder, "chromium"),
    env: {
      ...ownEnv(),
      LD_LIBRARY_PATH: path.join(folder, "al2023/lib"),
      FONTCONFIG_FILE: path.join(folder, "fonts.conf"),
    },
  };
};

const writableCache = (preferred: string): string => {
  try {
    mkdirSync(preferred, { recursive: true });
    accessSync(preferred, constants.W_OK);
    return preferred;
  } catch {
    const own = path.join(tmpdir(), `tillcash-chromium-${process.getuid?.() ?? "all"}`);
    mkdirSync(own, { recursive: true });
    return own;
  }
};

/** The package unpacks into the system's temporary folder; a child with its own TMPDIR keeps that away from ours. */
const unpackInto = async (packageFolder: string, root: string, folder: string): Promise<void> => {
  const temporary = mkdtempSync(path.join(root, "unpacking-"));
  const libraries = path.join(packageFolder, "bin/al2023.tar.br");
  const script = `const { default: chromium, inflate } = await import("@sparticuz/chromium");
    await chromium.executablePath(); await inflate(${JSON.stringify(libraries)});`;
  try {
    await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
      cwd: packageFolder,
      env: { ...process.env, TMPDIR: temporary },
      timeout: unpackTimeoutMs,
    });
    const fonts = [`<dir>${folder}/fonts/fonts</dir>`, `<dir>${folder}/fonts</dir>`, "<dir>/usr/share/fonts</dir>"];
    writeFileSync(
      path.join(temporary, "fonts.conf"),
      `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${fonts.join("")}<cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
    );
    writeFileSync(path.join(temporary, "ready"), "");
    renameSync(temporary, folder);
  } catch (problem) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(path.join(folder, "ready"))) throw problem;
  }
};
