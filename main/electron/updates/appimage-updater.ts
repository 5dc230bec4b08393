/** Replaces an AppImage whole; electron-updater deletes the old file before it moves the new one, and a full disk leaves none. */
import { rmSync } from "node:fs";
import path from "node:path";
import { AppImageUpdater } from "electron-updater";
import { copyAtomically } from "../../terminal/journal/files.ts";

const versionInName = /\d+\.\d+\.\d+/;

/** Where the new version goes: a name with a version in it changes, another one is the user's own (AppImageUpdater.js, `doInstall`). */
const destinationOf = (running: string, fetched: string): string =>
  versionInName.test(path.basename(running)) ? path.join(path.dirname(running), path.basename(fetched)) : running;

/** At any moment, and whatever fails, the old or the new program is there. */
export class WholeAppImageUpdater extends AppImageUpdater {
  /** Puts the download in place and starts it. @throws the disk's error. */
  protected override doInstall(): boolean {
    const running = process.env.APPIMAGE;
    const fetched = this.installerPath;
    if (running === undefined || fetched === null)
      throw new Error("there is no AppImage to replace, or none to put in its place");
    const destination = destinationOf(running, fetched);
    copyAtomically(fetched, destination, 0o755);
    // What is started again from here on is the new version, also where an old file cannot be removed.
    process.env.APPIMAGE = destination;
    if (destination !== running) rmSync(running, { force: true });
    rmSync(fetched, { force: true });
    const env = { ...process.env, APPIMAGE_SILENT_INSTALL: "true" };
    this.spawnLog(destination, [], env).catch((error: Error) => this.dispatchError(error));
    return true;
  }
}
