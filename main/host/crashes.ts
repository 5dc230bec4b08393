/** When a process crashes: dumps kept on this machine for support, and what happens after an error that nothing caught. */
import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { freeBytes, roomLeftBytes } from "../terminal/journal/files.ts";
import type { Log } from "./log-file.ts";

/** One is a few megabytes; a process that crashes again and again must not fill the disk. */
const dumpsKept = 10;
/** The last room of a disk is the journal's. */
const dumpsKeptWithoutRoom = 1;

/** A dump, with when it was written (epoch milliseconds). */
interface CrashFile {
  readonly file: string;
  readonly atMs: number;
  readonly bytes: number;
}

/** Where the dumps of a terminal lie. */
export const crashFolder = (data: string): string => path.join(data, "crashes");

/** The dumps of a terminal, newest first; Crashpad sorts them into folders by system. Empty where there never was one. */
export const listCrashes = (data: string): readonly CrashFile[] => {
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

/** The newest ten stay, on a full disk the newest one. To be called at a start and at each end of a process. */
export const pruneCrashes = (data: string, free = freeBytes): void => {
  const kept = free(crashFolder(data)) < roomLeftBytes ? dumpsKeptWithoutRoom : dumpsKept;
  for (const { file } of listCrashes(data).slice(kept)) rmSync(file, { force: true });
};

/** What the person at the terminal reads when the program had to close. */
export const uncaughtText =
  "Something in this program went wrong, and it had to close. Start it again: open withdrawals go on where they were.";

/** Logs an uncaught error, then calls `end`, which must leave the process: an unknown state hands out no cash. */
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
