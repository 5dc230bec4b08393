/** What the page may use: the camera (never the microphone), and the scanners that the manager chose. All else is refused. */
import { type Session, systemPreferences } from "electron";
import { isOwnPage } from "./app-scheme.ts";
import type { ChosenDevices } from "./choose-scanner.ts";

/**
 * Linux has no such question. A system that cannot say (`unknown`) is believed to allow it: the camera itself then says no.
 * @param platform as `process.platform`.
 */
export const mayUseCamera = async (platform: NodeJS.Platform): Promise<boolean> => {
  if (platform !== "darwin" && platform !== "win32") return true;
  const status = systemPreferences.getMediaAccessStatus("camera");
  if (platform === "darwin" && status === "not-determined") return systemPreferences.askForMediaAccess("camera");
  return status !== "denied" && status !== "restricted";
};

const always: ReadonlySet<string> = new Set(["fullscreen"]);
/** Which device is decided one by one; this only lets the page ask. */
const byDevice: ReadonlySet<string> = new Set(["hid", "serial"]);

/** Sets the session's permission handlers; what is asked by any other page or frame is refused. */
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
