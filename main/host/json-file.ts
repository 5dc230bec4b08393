/** One small JSON document on disk, replaced atomically: a crash leaves the old or the new one. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { z } from "zod";
import { syncFolder } from "../terminal/journal/files.ts";

/** Reads the file; null when absent. A damaged file is moved to `FILE.damaged` and counts as absent. */
export function readJson<T>(file: string, schema: z.ZodType<T>): T | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    renameSync(file, `${file}.damaged`);
    return null;
  }
}

/** As `writeJson`, for mere conveniences: on a full disk the program goes on without it. */
export function tryWriteJson(file: string, value: unknown): boolean {
  try {
    writeJson(file, value);
    return true;
  } catch {
    return false;
  }
}

/**
 * One value that is a mere convenience: null where it cannot be read, and remembered until the program ends where it cannot be
 * written.
 */
export const openMemory = <T>(file: string, schema: z.ZodType<T>) => {
  let value: T | null = null;
  try {
    value = readJson(file, schema);
  } catch {
    // A convenience keeps no terminal from starting.
  }
  return {
    load: (): T | null => value,
    save(next: T): void {
      value = next;
      tryWriteJson(file, next);
    },
  };
};

/** Writes, syncs and renames, and syncs the name; readable by this user only. */
export function writeJson(file: string, value: unknown): void {
  const draft = `${file}.new`;
  const handle = openSync(draft, "w", 0o600);
  try {
    // `writeFileSync` repeats partial writes, which happen when the disk is nearly full.
    writeFileSync(handle, `${JSON.stringify(value, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
  syncFolder(file);
}
