/** Settings of the desktop host in electron-store; never a secret. */
import Store from "electron-store";
import { z } from "zod";
import { settingsSchema } from "../../preload/contract.ts";
import type { SettingsStore } from "../terminal/ports.ts";
import { type RememberedDevice, rememberedDeviceSchema } from "./device-identity.ts";

const devicesMax = 16;

/** The scanners that the manager chose, newest last. */
export interface DeviceMemory {
  load(): readonly RememberedDevice[];
  add(device: RememberedDevice): void;
}

export interface DesktopSettings {
  readonly till: SettingsStore;
  readonly devices: DeviceMemory;
}

/** `settings.json` in the data folder; what is damaged counts as not set. */
export function openSettings(folder: string): DesktopSettings {
  const store = new Store<Record<string, unknown>>({ name: "settings", cwd: folder, clearInvalidConfig: true });
  const loadDevices = (): readonly RememberedDevice[] => {
    const kept = z.array(rememberedDeviceSchema).safeParse(store.get("devices"));
    return kept.success ? kept.data : [];
  };
  return {
    till: {
      load() {
        const kept = settingsSchema.safeParse(store.get("till") ?? {});
        return kept.success ? kept.data : settingsSchema.parse({});
      },
      save: (settings) => store.set("till", settings),
    },
    devices: {
      load: loadDevices,
      add: (device) => store.set("devices", [...loadDevices(), device].slice(-devicesMax)),
    },
  };
}
