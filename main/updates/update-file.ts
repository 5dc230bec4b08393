/** What outlives a run about updates: `update.json` in the terminal's folder. Without it a start goes on as if nothing had been. */
import path from "node:path";
import { z } from "zod";
import { readJson, tryWriteJson } from "../host/json-file.ts";
import type { Log } from "../host/log-file.ts";

const failedMax = 20;

const schema = z.object({
  /** When the newest trusted feed of each name was issued, in ms since the epoch. */
  seen: z.record(z.string(), z.number()).default({}),
  /** Versions whose installation failed: they never install by themselves again. */
  failed: z.array(z.string()).default([]),
  /** The version whose installation has begun. */
  attempt: z.object({ to: z.string() }).nullable().default(null),
});
/** The content of `update.json`. */
export type UpdateRecord = z.infer<typeof schema>;

/** The record of a terminal, saved whole with each change. */
export interface UpdateFile {
  load(): UpdateRecord;
  /** False: it could not be written. The change holds for this run all the same. */
  save(change: Partial<UpdateRecord>): boolean;
}

/** Adds a version to those that failed; the oldest beyond twenty are dropped. */
export const withFailed = (failed: readonly string[], version: string): string[] =>
  [...failed.filter((one) => one !== version), version].slice(-failedMax);

/**
 * What a start makes of an installation that began in the run before: another version than the one that was to be installed
 * runs, so it failed. @param version the one that is starting.
 */
export const atStart = (record: UpdateRecord, version: string): UpdateRecord => {
  const { attempt, failed } = record;
  if (attempt === null) return record;
  return { ...record, attempt: null, failed: attempt.to === version ? failed : withFailed(failed, attempt.to) };
};

/** @param data the terminal's data folder, not the one of a purpose: there is one program. */
export const openUpdateFile = (data: string, log: Log): UpdateFile => {
  const file = path.join(data, "update.json");
  let record: UpdateRecord;
  try {
    record = schema.parse(readJson(file, schema) ?? {});
  } catch (error) {
    log("warn", "what is known of updates could not be read", { error: String(error) });
    record = schema.parse({});
  }
  return {
    load: () => record,
    save(change) {
      record = { ...record, ...change };
      const isKept = tryWriteJson(file, record);
      if (!isKept) log("warn", "what is known of updates could not be kept", {});
      return isKept;
    },
  };
};
