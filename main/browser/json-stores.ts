/** Settings and the till's credential as files of the data folder, for a host without Electron's stores. */
import path from "node:path";
import { credentialSchema, settingsSchema } from "../../preload/contract.ts";
import { readJson, writeJson } from "../host/json-file.ts";
import type { Secrets, SettingsStore } from "../terminal/ports.ts";

/** `settings.json`; defaults when absent or damaged. */
export function settingsFile(folder: string): SettingsStore {
  const file = path.join(folder, "settings.json");
  return {
    load: () => readJson(file, settingsSchema) ?? settingsSchema.parse({}),
    save: (settings) => writeJson(file, settings),
  };
}

/** `credential.json`, mode 0600: an ordinary browser leaves no better place. The desktop host encrypts it. */
export function credentialFile(folder: string): Secrets {
  const file = path.join(folder, "credential.json");
  return {
    load: () => readJson(file, credentialSchema),
    save: (credential) => writeJson(file, credential),
  };
}
