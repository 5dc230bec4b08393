/** The page's permissions: the camera (never the microphone) and chosen scanners; all else is refused. */
import {
  type BrowserWindow,
  type DevicePermissionHandlerHandlerDetails,
  dialog,
  type HIDDevice,
  type SerialPort,
  type Session,
  systemPreferences,
} from "electron";
import type { Language } from "../../preload/choices.ts";
import { isOwnPage } from "./app-scheme.ts";
import { fromChooser, fromPermissionCheck, isSameDevice, type RememberedDevice } from "./device-identity.ts";
import { dialogTexts } from "./texts.ts";

interface DeviceMemory {
  load(): readonly RememberedDevice[];
  add(device: RememberedDevice): void;
}

const offeredMax = 8;

type ChosenDevices = ReturnType<typeof scannerDevices>;

const nameOf = (device: HIDDevice | SerialPort): string =>
  ("name" in device ? device.name : (device.displayName ?? device.portName)).slice(0, 60) || "?";

/** Scanners that the page may open; `memory` keeps the choice across restarts, `window` shows the question. */
export function scannerDevices(memory: DeviceMemory, window: () => BrowserWindow | null, language: () => Language) {
  async function chooseDevice<Device extends HIDDevice | SerialPort>(found: readonly Device[]): Promise<Device | null> {
    const offered = found.slice(0, offeredMax);
    const parent = window();
    if (offered.length === 0 || parent === null) return null;
    const { message, detail, none } = dialogTexts[language()].scanner;
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
    /** Handles the page's requests for devices in this session. */
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

/** Whether the system allows the camera. Linux has no such setting; `unknown` counts as allowed, as the camera itself would fail. */
export const mayUseCamera = async (platform: NodeJS.Platform): Promise<boolean> => {
  if (platform !== "darwin" && platform !== "win32") return true;
  const status = systemPreferences.getMediaAccessStatus("camera");
  if (platform === "darwin" && status === "not-determined") return systemPreferences.askForMediaAccess("camera");
  return status !== "denied" && status !== "restricted";
};

const always: ReadonlySet<string> = new Set(["fullscreen"]);
/** Lets the page ask; each device is decided separately. */
const byDevice: ReadonlySet<string> = new Set(["hid", "serial"]);

/** Sets the session's permission handlers; requests of other pages or frames are refused. */
export function guardPermissions(session: Session, devices: ChosenDevices, platform = process.platform): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    if (!isOwnPage(details.requestingUrl) || !details.isMainFrame) return answer(false);
    if (permission === "media") {
      const wanted = "mediaTypes" in details ? (details.mediaTypes ?? []) : [];
      if (wanted.length === 0 || wanted.some((type) => type !== "video")) return answer(false);
      return void mayUseCamera(platform).then(answer, () => answer(false));
    }
    answer(always.has(permission));
  });

  session.setPermissionCheckHandler((_contents, permission, origin, details) => {
    if (!isOwnPage(origin) || !details.isMainFrame) return false;
    if (permission === "media") return details.mediaType === "video";
    return always.has(permission) || byDevice.has(permission);
  });

  session.setDevicePermissionHandler((details) => isOwnPage(details.origin) && devices.isChosen(details));
  devices.watch(session);
}
