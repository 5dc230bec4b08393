/** The settings in `settings.json` of the data folder, `{version, till, devices}` in both hosts. Earlier forms are read, a newer one is not touched. */
import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { settingBounds } from "../../preload/choices.ts";
import { type Settings, settingsSchema } from "../../preload/contract.ts";
import { readJson, writeJson } from "./json-file.ts";
import type { Log } from "./log-file.ts";

/** 1 carried no number: the browser host kept the settings alone, the desktop host kept them under `till`. */
const settingsVersion = 2;

/** The longest approval that any version's manager could set, in seconds: at least the longest of now. */
export const scaSecondsMaxBefore = 39;

/** Whoever set more than is allowed now has the longest of now. @param max of this version, in seconds. */
export const withinToday = (fields: Fields, max: number = settingBounds.scaTimeoutSeconds.max): Fields => {
  const { scaTimeoutSeconds: kept } = fields;
  const isEarlier = typeof kept === "number" && kept > max && kept <= scaSecondsMaxBefore;
  return isEarlier ? { ...fields, scaTimeoutSeconds: max } : fields;
};

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const objectIn = (schema: unknown): z.ZodObject | null => {
  const inner = schema instanceof z.ZodPrefault || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return inner instanceof z.ZodObject ? inner : null;
};

/** Keeps every field that its own schema takes; what it does not take is left out, so that its default takes its place. */
const usableFields = (schema: z.ZodObject, value: Fields, path: string, reset: string[]): Fields =>
  Object.fromEntries(
    Object.entries(schema.shape).flatMap(([name, field]): [string, unknown][] => {
      if (value[name] === undefined) return [];
      if ((field as z.ZodType).safeParse(value[name]).success) return [[name, value[name]]];
      const inner = objectIn(field);
      if (inner !== null && isFields(value[name]))
        return [[name, usableFields(inner, value[name], `${path}${name}.`, reset)]];
      reset.push(path + name);
      return [];
    }),
  );

/** The format's number that a document carries; 1 when it carries none. */
const versionOf = (document: unknown): number =>
  isFields(document) && typeof document.version === "number" ? document.version : 1;

/** One wrong setting falls back alone, and is in `reset` by its path: `camera.deviceId`. */
const readSettings = (document: unknown) => {
  const defaults = settingsSchema.parse({});
  if (!isFields(document)) return { settings: defaults, reset: [], isNewer: false };
  if (versionOf(document) > settingsVersion) return { settings: defaults, reset: [], isNewer: true };
  const kept = isFields(document.till) ? document.till : "devices" in document ? {} : document;
  const reset: string[] = [];
  const settings = settingsSchema.safeParse(usableFields(settingsSchema, withinToday(kept), "", reset));
  return settings.success
    ? { settings: settings.data, reset, isNewer: false }
    : { settings: defaults, reset: Object.keys(settingsSchema.shape), isNewer: false };
};

/** Where the settings of a data folder are kept. */
export const settingsPath = (folder: string): string => path.join(folder, "settings.json");

/** Where the document is kept; a damaged file is put aside as `settings.json.damaged` and counts as absent. */
const jsonDocument = (file: string) => ({
  read: (): unknown => readJson(file, z.unknown()),
  write: (document: object): void => writeJson(file, document),
});

/** Reading never throws: what cannot be used has its default, and the log says so. Saving throws over a newer program's file. */
export const openSettingsFile = (folder: string, log: Log, document = jsonDocument(settingsPath(folder))) => {
  const file = settingsPath(folder);
  let complained = "";

  const read = (): unknown => {
    try {
      return document.read();
    } catch (error) {
      complain("the settings cannot be read", { error: String(error) });
      return null;
    }
  };

  /** Said once, not at every look at the settings. */
  const complain = (message: string, detail: Record<string, unknown>): void => {
    const text = `${message} ${JSON.stringify(detail)}`;
    if (text !== complained) log("warn", message, detail);
    complained = text;
  };

  const write = (till: Settings, devices: unknown): void => {
    const before = read();
    if (versionOf(before) > settingsVersion) throw new Error("the settings are a newer program's");
    const copy = `${file}.format-1`;
    if (existsSync(file) && versionOf(before) < settingsVersion && !existsSync(copy)) copyFileSync(file, copy);
    document.write({ version: settingsVersion, ...(Array.isArray(devices) && { devices }), till });
  };
  const devicesIn = (document: unknown): unknown => (isFields(document) ? document.devices : null);

  return {
    load(): Settings {
      const { settings, reset, isNewer } = readSettings(read());
      if (isNewer) complain("the settings are a newer program's: they are left as they are", {});
      if (reset.length > 0) complain("settings that cannot be used have their default again", { reset });
      return settings;
    },
    wrong: (): readonly string[] => readSettings(read()).reset,
    save: (settings: Settings): void => write(settings, devicesIn(read())),
    /** A list beside the settings that belongs to one host: the scanners that the manager chose. */
    loadDevices: (): readonly unknown[] => z.array(z.unknown()).safeParse(devicesIn(read())).data ?? [],
    saveDevices: (devices: readonly unknown[]): void => write(readSettings(read()).settings, devices),
  };
};
