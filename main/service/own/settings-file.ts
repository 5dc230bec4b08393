/** What the host keeps about the service that it runs itself, in `service.json` of the service's folder. No secret is in it. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { ownNetworkSchema } from "../../../preload/contract.ts";
import { readJson, writeJson } from "../../host/json-file.ts";
import { portSchema } from "../../host/port.ts";

const formatVersion = 1;

const settingsSchema = z.object({
  version: z.literal(formatVersion),
  /** On 127.0.0.1, for this terminal: part of the book's name, so it never changes once the set-up has come to its end. */
  port: portSchema,
  backupFolder: z.string().min(1),
  network: ownNetworkSchema.nullable(),
  /** Null until the set-up came to its end: such a service is not started by itself. */
  shop: z.string().nullable(),
  bank: z.string().nullable(),
  /** The bank's file was written once: its key and password are not made anew by a repeated set-up. */
  isBankTold: z.boolean(),
  /** What set-ups were begun with since one last enrolled: one under other names takes back what these were given. */
  attempts: z
    .array(z.object({ shop: z.string(), bank: z.string() }))
    .max(50)
    .default([]),
});
/** What the host keeps about its service. */
export type OwnServiceSettings = Readonly<z.infer<typeof settingsSchema>>;

/** `newer`: a newer program's, which is left as it is. */
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

/** A damaged file is put aside and counts as absent: the set-up finds shop, bank and database again. */
export const loadOwnSettings = (folder: string): FoundSettings => {
  if (isNewer(fileIn(folder))) return { kind: "newer" };
  const settings = readJson(fileIn(folder), settingsSchema);
  return settings === null ? { kind: "none" } : { kind: "found", settings };
};

/** @throws the system's error when the disk does not take it. */
export const saveOwnSettings = (folder: string, settings: Omit<OwnServiceSettings, "version">): void =>
  writeJson(fileIn(folder), { ...settings, version: formatVersion });
