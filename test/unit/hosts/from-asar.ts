/**
 * Loaded with `node --import`: files of the archive that ASAR names are there as Electron has them, for `import` and for
 * reading, and nowhere else (electron/lib/node/asar-fs-wrapper.ts: a path that goes on behind `app.asar` is inside of it).
 */
import childProcess, { type ForkOptions } from "node:child_process";
import fs from "node:fs";
import { createRequire, registerHooks, syncBuiltinESMExports } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const asar = createRequire(import.meta.url)("@electron/asar") as typeof import("@electron/asar");
const archive = process.env.ASAR ?? "";

/** The name inside of the archive; null for a path elsewhere. */
const inside = (file: unknown): string | null => {
  const name = file instanceof URL ? fileURLToPath(file) : String(file);
  return name.startsWith(archive + path.sep) ? path.relative(archive, name) : null;
};
const notFound = (file: unknown): Error => Object.assign(new Error(`ENOENT: ${String(file)}`), { code: "ENOENT" });
const read = (file: unknown, name: string): Buffer => {
  try {
    return asar.extractFile(archive, name);
  } catch {
    throw notFound(file);
  }
};

registerHooks({
  resolve(specifier, context, next) {
    const isRelative = specifier.startsWith(".") && context.parentURL !== undefined;
    const url = isRelative ? new URL(specifier, context.parentURL).href : specifier;
    if (!url.startsWith("file:") || inside(fileURLToPath(url)) === null) return next(specifier, context);
    return { url, shortCircuit: true };
  },
  load(url, context, next) {
    const name = url.startsWith("file:") ? inside(fileURLToPath(url)) : null;
    if (name === null) return next(url, context);
    return { format: "module", source: read(url, name), shortCircuit: true };
  },
});

/** The calls by which the program reads its own files. */
const { readFileSync, existsSync, statSync, readdirSync } = fs;
const readFile = fs.promises.readFile;
const decoded = (content: Buffer, options: unknown): Buffer | string => {
  const encoding = typeof options === "string" ? options : (options as { encoding?: string } | undefined)?.encoding;
  return encoding === undefined || encoding === null ? content : content.toString(encoding as BufferEncoding);
};
/** What `withFileTypes` gives, as far as the program looks at it. */
const entriesOf = (file: string, name: string) => {
  const entry = asar.statFile(archive, name);
  if (!("files" in entry)) throw notFound(file);
  return Object.entries(entry.files).map(([one, child]) => ({ name: one, isDirectory: () => "files" in child }));
};
const isThere = (name: string): boolean => {
  try {
    return asar.statFile(archive, name) !== undefined;
  } catch {
    return false;
  }
};
Object.assign(fs, {
  readFileSync(file: string, options: undefined) {
    const name = inside(file);
    return name === null ? readFileSync(file, options) : decoded(read(file, name), options);
  },
  readdirSync(file: string, options: undefined) {
    const name = inside(file);
    return name === null ? readdirSync(file, options) : entriesOf(file, name);
  },
  existsSync(file: string) {
    const name = inside(file);
    return name === null ? existsSync(file) : isThere(name);
  },
  statSync(file: string, options: undefined) {
    const name = inside(file);
    if (name === null) return statSync(file, options);
    if (!isThere(name)) throw notFound(file);
    return statSync(archive);
  },
});
Object.assign(fs.promises, {
  async readFile(file: string, options: undefined) {
    const name = inside(file);
    return name === null ? readFile(file, options) : decoded(read(file, name), options);
  },
});
/** A program in the archive is forked as this file is started for it. */
const { fork } = childProcess;
Object.assign(childProcess, {
  fork(file: string, args: readonly string[], options: ForkOptions) {
    const name = inside(file);
    const env = { ...options.env, ASAR: archive, ASAR_ENTRY: name ?? "" };
    return name === null ? fork(file, args, options) : fork(fileURLToPath(import.meta.url), args, { ...options, env });
  },
});
syncBuiltinESMExports();

// Started for itself, it runs one of the programs in the archive.
const entry = process.env.ASAR_ENTRY;
if (entry !== undefined) await import(pathToFileURL(path.join(archive, entry)).href);
