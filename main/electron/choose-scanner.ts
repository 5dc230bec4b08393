/** HID and serial scanners: the manager picks one in a dialog, and the page may use only that one. */
import {
  type BrowserWindow,
  type DevicePermissionHandlerHandlerDetails,
  dialog,
  type HIDDevice,
  type SerialPort,
  type Session,
} from "electron";
import type { Language } from "../../preload/languages.ts";
import { fromChooser, fromPermissionCheck, isSameDevice } from "./device-identity.ts";
import type { DeviceMemory } from "./settings.ts";

const offeredMax = 8;

/** The dialog in which the manager picks a scanner. */
const texts: Readonly<Record<Language, { readonly message: string; readonly detail: string; readonly none: string }>> =
  {
    en: {
      message: "Which scanner should this terminal use?",
      detail: "It is used for barcodes only, until another one is chosen.",
      none: "None",
    },
    de: {
      message: "Welchen Scanner soll dieses Terminal benutzen?",
      detail: "Er wird nur für Barcodes benutzt, bis ein anderer gewählt wird.",
      none: "Keinen",
    },
    fr: {
      message: "Quel lecteur ce terminal doit-il utiliser ?",
      detail: "Il ne sert qu’aux codes-barres, jusqu’à ce qu’un autre soit choisi.",
      none: "Aucun",
    },
    it: {
      message: "Quale lettore deve usare questo terminale?",
      detail: "Serve solo per i codici a barre, finché non se ne sceglie un altro.",
      none: "Nessuno",
    },
  };

/** The scanners that the page may open. */
export type ChosenDevices = ReturnType<typeof scannerDevices>;

const nameOf = (device: HIDDevice | SerialPort): string =>
  ("name" in device ? device.name : (device.displayName ?? device.portName)).slice(0, 60) || "?";

/** `memory` keeps the choice over restarts; `window` is where the question is asked, in the terminal's `language`. */
export function scannerDevices(memory: DeviceMemory, window: () => BrowserWindow | null, language: () => Language) {
  async function chooseDevice<Device extends HIDDevice | SerialPort>(found: readonly Device[]): Promise<Device | null> {
    const offered = found.slice(0, offeredMax);
    const parent = window();
    if (offered.length === 0 || parent === null) return null;
    const { message, detail, none } = texts[language()];
    const { response } = await dialog.showMessageBox(parent, {
      type: "question",
      message,
      detail,
      buttons: [...offered.map(nameOf), none],
      cancelId: offered.length,
      noLink: true,
    });
    return offered[response] ?? null;
  }

  return {
    isChosen({ deviceType, device }: DevicePermissionHandlerHandlerDetails): boolean {
      if (deviceType === "usb") return false;
      const asked = fromPermissionCheck(deviceType, device);
      return asked !== null && memory.load().some((chosen) => isSameDevice(chosen, asked));
    },
    /** Answers the page's requests for a device in this session. */
    watch(session: Session): void {
      session.on("select-hid-device", async (event, details, answer) => {
        event.preventDefault();
        const device = await chooseDevice(details.deviceList);
        if (device !== null) memory.add(fromChooser("hid", device));
        answer(device?.deviceId ?? null);
      });
      session.on("select-serial-port", async (event, ports, _contents, answer) => {
        event.preventDefault();
        const port = await chooseDevice(ports);
        if (port !== null) memory.add(fromChooser("serial", port));
        answer(port?.portId ?? "");
      });
    },
  };
}
