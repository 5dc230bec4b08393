/** Inspects a packed program: its fuses, its files, and files that must not be packed. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../..");

/** A file in a packed program. */
interface PackedFile {
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
