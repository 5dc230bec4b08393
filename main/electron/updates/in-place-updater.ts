import { rmSync } from "node:fs";
import path from "node:path";
import { AppImageUpdater } from "electron-updater";
import type { InstallOptions } from "electron-updater/out/BaseUpdater.js";
import { copyAtomically } from "../../terminal/journal/files.ts";

/**
 * electron-updater's AppImage updater with a replacement of its own: theirs deletes the program before it moves the new one
 * in, and renames it where the name holds a version (`AppImageUpdater.js`, doInstall).
 */
export class InPlaceUpdater extends AppImageUpdater {
  protected override doInstall(_options: InstallOptions): boolean {
    const place = process.env.APPIMAGE;
    const fetched = this.installerPath;
    if (place === undefined || !path.isAbsolute(place) || fetched === null) throw new Error("no AppImage to replace");
    copyAtomically(fetched, place, 0o755);
    rmSync(fetched, { force: true });
    const env = { ...process.env, APPIMAGE_SILENT_INSTALL: "true" };
    this.spawnLog(place, [], env).catch((error: Error) => this.dispatchError(error));
    return true;
  }
}
