/** Settings of the desktop host and chosen scanners; no secrets. */
import Store from "electron-store";
import { z } from "zod";
import { readJson } from "../host/json-file.ts";
import type { Log } from "../host/log-file.ts";
import { openSettingsFile, settingsPath } from "../host/settings-file.ts";
import { type RememberedDevice, rememberedDeviceSchema } from "./device-identity.ts";

const devicesMax = 16;

/** `settings.json` in the data folder, in the form that both hosts share. */
export function openSettings(folder: string, log: Log) {
  // Moves a damaged file aside before the store would empty it.
  readJson(settingsPath(folder), z.unknown());
  const store = new Store<Record<string, unknown>>({ name: "settings", cwd: folder, clearInvalidConfig: true });
  const file = openSettingsFile(folder, log, {
    read: () => store.store,
    write: (document) => {
      store.store = { ...document };
    },
  });
  /** Those that the disk did not take: chosen until the program ends. */
  let unsaved: readonly RememberedDevice[] | null = null;
  const load = (): readonly RememberedDevice[] =>
    unsaved ?? z.array(rememberedDeviceSchema).safeParse(file.loadDevices()).data ?? [];
  return {
    till: file,
    devices: {
      load,
      /** Never throws. */
      add(device: RememberedDevice): void {
        const devices = [...load(), device].slice(-devicesMax);
        try {
          file.saveDevices(devices);
          unsaved = null;
        } catch (error) {
          unsaved = devices;
          log("error", "the chosen scanner could not be kept", { error: String(error) });
        }
      },
    },
  };
}
