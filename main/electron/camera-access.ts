/** Whether the operating system lets this program use a camera; macOS asks the person once. */
import { systemPreferences } from "electron";

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
