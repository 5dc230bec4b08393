/** What outlives a run about updates: `update.json` in the terminal's folder. Without it a start goes on as if nothing had been. */
import path from "node:path";
import { z } from "zod";
import { readJson, tryWriteJson } from "../host/json-file.ts";
import type { Log } from "../host/log-file.ts";

const failedMax = 20;

const keptSchema = z.object({ version: z.string(), file: z.string(), sha512: z.string() });

const schema = z.object({
  /** When the newest trusted feed of each name was issued, in ms since the epoch. */
  seen: z.record(z.string(), z.number()).default({}),
  /** Versions that did not start, or whose installation failed: they never install by themselves again. */
  failed: z.array(z.string()).default([]),
  /** An installation that has begun and whose version is still on trial. */
  attempt: z
    .object({
      from: z.string(),
      to: z.string(),
      /** Starts of `to` so far; none of them passed the trial. */
      starts: z.int().min(0),
      /** What brings `from` back; null where there was nothing to keep. */
      previous: keptSchema.nullable(),
      /** The file of `to`: `installer` once it works. */
      next: keptSchema.nullable().default(null),
    })
    .nullable()
    .default(null),
  /** The installer of the running version, as it was downloaded: what the next update keeps as the previous one. */
  installer: keptSchema.nullable().default(null),
});
/** The content of `update.json`. */
export type UpdateRecord = z.infer<typeof schema>;
/** A version's installer or program on this machine; `sha512` in base64. */
export type KeptVersion = z.infer<typeof keptSchema>;

/** The record of a terminal, saved whole with each change. */
export interface UpdateFile {
  load(): UpdateRecord;
  /** False: it could not be written. The change holds for this run all the same. */
  save(change: Partial<UpdateRecord>): boolean;
}

/** Adds a version to those that failed; the oldest beyond twenty are dropped. */
export const withFailed = (failed: readonly string[], version: string): string[] =>
  [...failed.filter((one) => one !== version), version].slice(-failedMax);

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
