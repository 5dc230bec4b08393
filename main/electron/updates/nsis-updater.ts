/** Starts the installer of a new version where nobody is there: what cannot be started is an error, and this version goes on. */
import { NsisUpdater } from "electron-updater";

/** Of an installation for one user, which needs no administrator. */
export class UnattendedNsisUpdater extends NsisUpdater {
  /**
   * electron-updater asks for an administrator where the system or a virus scanner refuses to start the installer, and takes a
   * missing one for started: the program would end with nothing behind it (NsisUpdater.js, `doInstall`).
   */
  protected override doInstall(): boolean {
    const installer = this.installerPath;
    if (installer === null) throw new Error("there is no installer to start");
    this.spawnLog(installer, ["--updated", "/S", "--force-run"]).catch((error: Error) => this.dispatchError(error));
    return true;
  }
}
