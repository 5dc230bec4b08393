/** `settings.json` of the data folder, `{version, till, devices}` in both hosts. A newer format is never changed. */
import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { settingBounds } from "../../preload/choices.ts";
import { type Settings, settingsSchema } from "../../preload/contract.ts";
import { readJson, writeJson } from "./json-file.ts";
import type { Log } from "./log-file.ts";

/** Version 1 had no number: the browser host stored only the settings, the desktop host stored them under `till`. */
const settingsVersion = 2;

/** The longest approval time that any version allowed, in seconds; at least the current maximum. */
export const scaSecondsMaxBefore = 39;

/** Reduces an approval time of an earlier version to the current maximum. @param max of this version, in seconds. */
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

/** Keeps the valid fields and leaves out the others, so that they get their defaults. */
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

const versionOf = (document: unknown): number =>
  isFields(document) && typeof document.version === "number" ? document.version : 1;

/** Only invalid settings get their default; `reset` has their paths: `camera.deviceId`. */
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

/** Path of a data folder's settings. */
export const settingsPath = (folder: string): string => path.join(folder, "settings.json");

/** A damaged file is moved to `settings.json.damaged` and counts as missing. */
const jsonDocument = (file: string) => ({
  read: (): unknown => readJson(file, z.unknown()),
  write: (document: object): void => writeJson(file, document),
});

/** Reading never throws: invalid settings get their default, which is logged. Saving throws if the file is a newer program's. */
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

  /** Logged once, not at every read. */
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
    /** A list of one host beside the settings: the scanners chosen by the manager. */
    loadDevices: (): readonly unknown[] => z.array(z.unknown()).safeParse(devicesIn(read())).data ?? [],
    saveDevices: (devices: readonly unknown[]): void => write(readSettings(read()).settings, devices),
  };
};
