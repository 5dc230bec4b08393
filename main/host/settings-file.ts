/** The settings in `settings.json` of the data folder: one file, whichever host runs. Never a secret. */
import { copyFileSync, existsSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { SettingsStore } from "../terminal/ports.ts";
import { readJson, writeJson } from "./json-file.ts";
import type { Log } from "./log-file.ts";
import { readSettings, settingsVersion, versionOf, writeSettings } from "./settings-format.ts";

/** The settings of one data folder, on disk. */
export interface SettingsFile extends SettingsStore {
  /** A list beside the settings that belongs to one host: the scanners that the manager chose. */
  loadDevices(): readonly unknown[];
  saveDevices(devices: readonly unknown[]): void;
}

/** Where the document is kept; a damaged file is put aside as `settings.json.damaged` and counts as absent. */
export interface SettingsDocument {
  read(): unknown;
  write(document: object): void;
}

/** Where the settings of a data folder are kept. */
export const settingsPath = (folder: string): string => path.join(folder, "settings.json");

const jsonDocument = (file: string): SettingsDocument => ({
  read: () => readJson(file, z.unknown()),
  write: (document) => writeJson(file, document),
});

/** Reading never throws: what cannot be used has its default, and the log says so. Saving throws over a newer program's file. */
export const openSettingsFile = (
  folder: string,
  log: Log,
  document = jsonDocument(settingsPath(folder)),
): SettingsFile => {
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

  const write = (next: object): void => {
    const before = read();
    if (versionOf(before) > settingsVersion) throw new Error("the settings are a newer program's");
    const copy = `${file}.format-1`;
    if (existsSync(file) && versionOf(before) < settingsVersion && !existsSync(copy)) copyFileSync(file, copy);
    document.write(next);
  };

  return {
    load() {
      const { settings, reset, isNewer } = readSettings(read());
      if (isNewer) complain("the settings are a newer program's: they are left as they are", {});
      if (reset.length > 0) complain("settings that cannot be used have their default again", { reset });
      return settings;
    },
    wrong: () => readSettings(read()).reset,
    save: (settings) => write(writeSettings(read(), settings)),
    loadDevices() {
      const kept = z.object({ devices: z.array(z.unknown()) }).safeParse(read());
      return kept.success ? kept.data.devices : [];
    },
    saveDevices(devices) {
      write(writeSettings({ devices }, readSettings(read()).settings));
    },
  };
};
