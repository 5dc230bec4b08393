/**
 * Opens the terminal's page without naming its one-time address as an argument: those every user of the machine can read and
 * could use first. A file that only this user can read leads there instead.
 */
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const fileIn = (folder: string): string => path.join(folder, "open-till.html");

const pageTo = (address: string): string => {
  // Parsed again: an address holds no quote or bracket then.
  const { href } = new URL(address);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${href}"><title>Tillcash</title></head>
<body><a href="${href}">Open the terminal</a></body></html>\n`;
};

/** Writes the file (mode 0600) into the terminal's data folder; the result is its `file:` address. Throws when it cannot be written. */
export const writeEntryFile = (folder: string, address: string): string => {
  const file = fileIn(folder);
  rmSync(file, { force: true });
  writeFileSync(file, pageTo(address), { mode: 0o600, flag: "wx" });
  return pathToFileURL(file).href;
};

/** Nothing is left behind once the address was used, or the terminal ends. */
export const removeEntryFile = (folder: string): void => rmSync(fileIn(folder), { force: true });
