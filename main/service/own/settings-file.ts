/** Settings of the own service: `service.json` in the service's folder. It holds no secret. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { ownNetworkSchema } from "../../../preload/contract.ts";
import { readJson, writeJson } from "../../host/json-file.ts";
import { portSchema } from "../../host/port.ts";

const formatVersion = 1;

const settingsSchema = z.object({
  version: z.literal(formatVersion),
  /** On 127.0.0.1, for this terminal. Part of the journal's service name, so it never changes after the set-up. */
  port: portSchema,
  backupFolder: z.string().min(1),
  network: ownNetworkSchema.nullable(),
  /** Null until the set-up is finished: such a service is not started with the program. */
  shop: z.string().nullable(),
  bank: z.string().nullable(),
  /** The bank's file was written: a repeated set-up creates no second key or password. */
  isBankTold: z.boolean(),
  /** Shops and banks of unfinished set-ups: a set-up under other names revokes what these were given. */
  attempts: z
    .array(z.object({ shop: z.string(), bank: z.string() }))
    .max(50)
    .default([]),
});
/** Content of `service.json`. */
export type OwnServiceSettings = Readonly<z.infer<typeof settingsSchema>>;

/** `newer`: written by a newer program, and left unchanged. */
export type FoundSettings =
  | { readonly kind: "none" | "newer" }
  | { readonly kind: "found"; readonly settings: OwnServiceSettings };

const fileIn = (folder: string): string => path.join(folder, "service.json");

const isNewer = (file: string): boolean => {
  try {
    const found = z.object({ version: z.number() }).safeParse(JSON.parse(readFileSync(file, "utf8")));
    return found.success && found.data.version > formatVersion;
  } catch {
    return false;
  }
};

/** A damaged file is set aside and counts as absent: a new set-up finds shop, bank and database again. */
export const loadOwnSettings = (folder: string): FoundSettings => {
  if (isNewer(fileIn(folder))) return { kind: "newer" };
  const settings = readJson(fileIn(folder), settingsSchema);
  return settings === null ? { kind: "none" } : { kind: "found", settings };
};

/** @throws the system's error when it cannot be written. */
export const saveOwnSettings = (folder: string, settings: Omit<OwnServiceSettings, "version">): void =>
  writeJson(fileIn(folder), { ...settings, version: formatVersion });
