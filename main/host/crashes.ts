/** Crashes: dumps kept on this machine for support, and the handling of uncaught errors. */
import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { freeBytes, roomLeftBytes } from "../terminal/journal/files.ts";
import type { Log } from "./log-file.ts";

/** A dump has a few megabytes; repeated crashes must not fill the disk. */
const dumpsKept = 10;
/** On a full disk the remaining space is for the journal. */
const dumpsKeptWithoutRoom = 1;

/** Folder of a terminal's dumps. */
export const crashFolder = (data: string): string => path.join(data, "crashes");

/**
 * The dumps of a terminal, newest first, and when each was written; in Crashpad's system-specific subfolders. Empty if there
 * were none.
 */
export const listCrashes = (data: string) => {
  const folder = crashFolder(data);
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".dmp"))
      .map((name) => {
        const file = path.join(folder, name);
        const { mtimeMs, size } = statSync(file);
        return { file, atMs: mtimeMs, bytes: size };
      })
      .sort((one, other) => other.atMs - one.atMs);
  } catch {
    return [];
  }
};

/** Keeps the newest ten dumps, on a full disk only the newest. Call it at start and when a process ends. Never throws. */
export const pruneCrashes = (data: string, free = freeBytes): void => {
  const kept = free(crashFolder(data)) < roomLeftBytes ? dumpsKeptWithoutRoom : dumpsKept;
  for (const { file } of listCrashes(data).slice(kept))
    try {
      rmSync(file, { force: true });
    } catch {
      // Another program, such as a virus scanner, holds it: the next time.
    }
};

/** Message when the program had to close. */
export const uncaughtText =
  "Something in this program went wrong, and it had to close. Start it again: open withdrawals go on where they were.";

/** Logs an uncaught error, then calls `end`, which must exit the process: no cash may be handed out in an unknown state. */
export function endOnUncaughtErrors(log: Log, end: () => void): void {
  let isEnding = false;
  const handle = (error: unknown): void => {
    log("error", "an uncaught error", { why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    if (isEnding) return;
    isEnding = true;
    end();
  };
  process.on("uncaughtException", handle);
  process.on("unhandledRejection", handle);
}
