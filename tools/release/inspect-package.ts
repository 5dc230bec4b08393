/** Inspects a packed program: its fuses, its files, and files that must not be packed. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { fuseSentinel } from "./stub-runtime.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** In the order of the fuse wire (electron/fuses, FuseV1Options). */
const fuseNames = [
  "runAsNode",
  "enableCookieEncryption",
  "enableNodeOptionsEnvironmentVariable",
  "enableNodeCliInspectArguments",
  "enableEmbeddedAsarIntegrityValidation",
  "onlyLoadAppFromAsar",
  "loadBrowserProcessSpecificV8Snapshot",
  "grantFileProtocolExtraPrivileges",
  "wasmTrapHandlers",
] as const;
/** Each fuse by its name: true is on. */
export type Fuses = Readonly<Record<(typeof fuseNames)[number], boolean>>;

/** The fuses of a packed program. @throws Error without a fuse wire, or with another number of fuses. */
export function readFuses(program: string): Fuses {
  const bytes = readFileSync(program);
  const at = bytes.indexOf(fuseSentinel);
  if (at < 0) throw new Error(`${program} has no fuses`);
  const wire = bytes.toString("latin1", at + fuseSentinel.length + 2);
  const count = bytes[at + fuseSentinel.length + 1];
  if (count !== fuseNames.length) throw new Error(`${program} has ${count} fuses, ${fuseNames.length} are known`);
  return Object.fromEntries(fuseNames.map((name, index) => [name, wire[index] === "1"])) as Fuses;
}

/** A file in a packed program. */
export interface PackedFile {
  /** Relative to the app's folder, with `/`. */
  readonly name: string;
  readonly bytes: number;
}

/** Every file below a folder. */
export const listFiles = (folder: string): readonly PackedFile[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ name: path.relative(folder, file).replaceAll("\\", "/"), bytes: statSync(file).size }));

const textual = /\.(?:js|cjs|mjs|html|css|json)$/;

/** What no package may contain, each with its name. */
const forbidden: readonly { readonly why: string; readonly isIn: (file: PackedFile, text: () => string) => boolean }[] =
  [
    { why: "a source", isIn: ({ name }) => /\.tsx?$/.test(name) },
    { why: "a source map", isIn: ({ name }) => name.endsWith(".map") },
    { why: "a test", isIn: ({ name }) => /\.(?:test|spec)\./.test(name) || name.startsWith("test/") },
    { why: "a database or a log", isIn: ({ name }) => /\.(?:db|db-wal|log|lock)$/.test(name) },
    {
      why: "a private key",
      isIn: ({ name }, text) => textual.test(name) && /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text()),
    },
    { why: "a path of this machine", isIn: ({ name }, text) => textual.test(name) && text().includes(root) },
  ];

/** Files that must not have been packed, each with the reason. */
export const findForbidden = (folder: string): readonly string[] =>
  listFiles(folder).flatMap((file) => {
    const text = (): string => readFileSync(path.join(folder, file.name), "utf8");
    return forbidden.filter(({ isIn }) => isIn(file, text)).map(({ why }) => `${file.name}: ${why}`);
  });
