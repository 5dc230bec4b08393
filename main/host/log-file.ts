/** The host's own log: JSON lines in `till.log`, and one older file. It never contains secrets or customers. */
import { appendFileSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { freeBytes, roomLeftBytes } from "../terminal/journal/files.ts";

const bytesMax = 5 * 1024 * 1024;
/** On a full disk the remaining space is for the journal. */
const bytesMaxWithoutRoom = 256 * 1024;

const usualDisk = {
  freeBytes,
  append: (file: string, text: string): void => appendFileSync(file, text, { mode: 0o600 }),
};

/** Writes one line of the host's log. `detail` must contain no secrets and no customers. */
export type Log = (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;

/** The files of a log, the older first; either may be missing. */
export const logFiles = (folder: string, name = "till.log"): readonly [older: string, current: string] => {
  const file = path.join(folder, name);
  return [`${file}.1`, file];
};

/** Appends to `NAME`, which becomes `NAME.1` at 5 MiB, or sooner on a full disk. The first failure goes to stderr. */
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
