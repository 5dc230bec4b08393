/** Scanners over HID and serial: the manager picks one in a window of this program; the page sees that one and no other. */
import {
  type BrowserWindow,
  type DevicePermissionHandlerHandlerDetails,
  dialog,
  type HIDDevice,
  type SerialPort,
  type Session,
} from "electron";
import { fromChooser, fromPermissionCheck, isSameDevice } from "./device-identity.ts";
import type { DeviceMemory } from "./settings.ts";

const offeredMax = 8;

/** The scanners that the page may open. */
export interface ChosenDevices {
  isChosen(details: DevicePermissionHandlerHandlerDetails): boolean;
  /** Answers the page's questions for a device on this session. */
  watch(session: Session): void;
}

const nameOf = (device: HIDDevice | SerialPort): string =>
  ("name" in device ? device.name : (device.displayName ?? device.portName)).slice(0, 60) || "?";

/** `memory` keeps the choice over restarts; `window` is where the question is asked. */
export function scannerDevices(memory: DeviceMemory, window: () => BrowserWindow | null): ChosenDevices {
  async function ask<Device extends HIDDevice | SerialPort>(found: readonly Device[]): Promise<Device | null> {
    const offered = found.slice(0, offeredMax);
    const parent = window();
    if (offered.length === 0 || parent === null) return null;
    const { response } = await dialog.showMessageBox(parent, {
      type: "question",
      message: "Which scanner should this terminal use?",
      detail: "It is used for barcodes only, until another one is chosen.",
      buttons: [...offered.map(nameOf), "None"],
      cancelId: offered.length,
      noLink: true,
    });
    return offered[response] ?? null;
  }

  return {
    isChosen({ deviceType, device }) {
      if (deviceType === "usb") return false;
      const asked = fromPermissionCheck(deviceType, device);
      return asked !== null && memory.load().some((chosen) => isSameDevice(chosen, asked));
    },
    watch(session) {
      session.on("select-hid-device", async (event, details, answer) => {
        event.preventDefault();
        const device = await ask(details.deviceList);
        if (device !== null) memory.add(fromChooser("hid", device));
        answer(device?.deviceId ?? null);
      });
      session.on("select-serial-port", async (event, ports, _contents, answer) => {
        event.preventDefault();
        const port = await ask(ports);
        if (port !== null) memory.add(fromChooser("serial", port));
        answer(port?.portId ?? "");
      });
    },
  };
}
