/** The host's own log: JSON lines in `till.log`, one older file kept beside it. Never holds secrets or users. */
import { appendFileSync, renameSync, statSync } from "node:fs";
import path from "node:path";

const bytesMax = 5 * 1024 * 1024;

/** Writes one line of the host's log. `detail` holds no secret and no customer. */
export type Log = (level: "info" | "warn" | "error", message: string, detail?: Record<string, unknown>) => void;

/** The log of a data folder, the older file first; either may be missing. */
export const logFiles = (folder: string): readonly [older: string, current: string] => {
  const file = path.join(folder, "till.log");
  return [`${file}.1`, file];
};

/** A log that cannot be written is no reason to stop selling: failures go to stderr once. */
export function openLog(folder: string): Log {
  const [older, file] = logFiles(folder);
  let bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let complained = false;
  return (level, message, detail) => {
    const line = `${JSON.stringify({ at: new Date().toISOString(), level, message, ...detail })}\n`;
    try {
      if (bytes > bytesMax) {
        renameSync(file, older);
        bytes = 0;
      }
      appendFileSync(file, line, { mode: 0o600 });
      bytes += line.length;
    } catch (error) {
      if (!complained) console.error(`The log cannot be written: ${String(error)}`);
      complained = true;
    }
  };
}
