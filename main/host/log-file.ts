/** The host's own log: JSON lines in `till.log`, one older file kept beside it. Never holds secrets or users. */
import { appendFileSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { freeBytes, roomLeftBytes } from "../terminal/journal/files.ts";

const bytesMax = 5 * 1024 * 1024;
/** The last room of a disk is the journal's. */
const bytesMaxWithoutRoom = 256 * 1024;

/** What a log asks of its disk. */
const usualDisk = {
  freeBytes,
  append: (file: string, text: string): void => appendFileSync(file, text, { mode: 0o600 }),
};

/** Writes one line of the host's log. `detail` holds no secret and no customer. */
export type Log = (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;

/** A log of a data folder, the older file first; either may be missing. */
export const logFiles = (folder: string, name = "till.log"): readonly [older: string, current: string] => {
  const file = path.join(folder, name);
  return [`${file}.1`, file];
};

/** Appends lines to `NAME`, which becomes `NAME.1` at 5 MiB, or sooner on a full disk. Failures go to stderr once: no reason to stop selling. */
export function openLineFile(folder: string, name: string, disk = usualDisk): (line: string) => void {
  const [older, file] = logFiles(folder, name);
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let complained = false;
  return (line) => {
    try {
      if (bytes > bytesMaxWithoutRoom && (bytes > bytesMax || disk.freeBytes(file) < roomLeftBytes)) {
        renameSync(file, older);
        bytes = 0;
      }
      disk.append(file, `${line}\n`);
      bytes += line.length + 1;
    } catch (error) {
      if (!complained) console.error(`The log cannot be written: ${String(error)}`);
      complained = true;
    }
  };
}

/** The host's own log. */
export function openLog(folder: string, disk = usualDisk): Log {
  const write = openLineFile(folder, "till.log", disk);
  return (level, message, detail) => write(JSON.stringify({ at: new Date().toISOString(), level, message, ...detail }));
}
