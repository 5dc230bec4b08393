/** One small JSON document on disk, replaced whole: a crash leaves the old one or the new one. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import type { z } from "zod";

/** The file's content, or null when it is absent; a damaged file is put aside as `FILE.damaged` and counts as absent. */
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

/** As `writeJson`, for what only makes the next start more convenient: on a full disk the program goes on without it. */
export function tryWriteJson(file: string, value: unknown): boolean {
  try {
    writeJson(file, value);
    return true;
  } catch {
    return false;
  }
}

/** Writes, syncs and renames; readable by this user alone. */
export function writeJson(file: string, value: unknown): void {
  const draft = `${file}.new`;
  const handle = openSync(draft, "w", 0o600);
  try {
    // A single write may take only a part, where the disk is nearly full.
    writeFileSync(handle, `${JSON.stringify(value, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
