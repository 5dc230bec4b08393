/** The last step of an update: the terminal is closed already, and the new version replaces it. */
import { app } from "electron";
import { type AppUpdater, BaseUpdater, MacUpdater } from "electron-updater";
import type { Log } from "../../host/log-file.ts";
import { startAgain } from "../quit.ts";

/** An installer that could not be started reports its error within this time. */
const startErrorMs = 1_500;
/** macOS copies the new version from this program first, and verifies its signature. */
const macTimeoutMs = 180_000;

/**
 * Installs the download and exits this program. Where that fails, this version starts again; the record of the attempt tells
 * it that it was not replaced.
 */
export const installAndEnd = (updater: AppUpdater, log: Log): void => {
  const restartThisVersion = (why: string): void => {
    log("error", "the new version could not be installed", { why });
    startAgain(process.argv.slice(1));
    app.exit(0);
  };
  let hasFailed = false;
  updater.on("error", (error) => {
    hasFailed = true;
    if (updater instanceof MacUpdater) restartThisVersion(String(error));
  });
  // The new version starts while this one exits, and must not count as its second instance.
  app.releaseSingleInstanceLock();
  if (updater instanceof BaseUpdater) {
    const isBegun = updater.install(true, true);
    const installerRuns = () => isBegun && !hasFailed;
    setTimeout(
      () => (installerRuns() ? app.exit(0) : restartThisVersion("its installation did not begin")),
      startErrorMs,
    );
  } else {
    setTimeout(() => restartThisVersion("macOS did not take it"), macTimeoutMs);
    updater.quitAndInstall(true, true);
  }
};
