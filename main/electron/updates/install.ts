/** The last step of an update: the terminal is closed already, and the new version takes its place. */
import { app } from "electron";
import { type AppUpdater, BaseUpdater, MacUpdater } from "electron-updater";
import type { Log } from "../../host/log-file.ts";
import { startAgain } from "../quit.ts";

/** An installer that was started says within this time when it could not be. */
const settleMs = 1_500;
/** macOS takes the new version from this program first, which checks its signature. */
const macPatienceMs = 180_000;

/**
 * Puts what was fetched into this program's place and ends it. Where that fails, this version starts again; the record of the
 * attempt tells it that it was not replaced.
 */
export const installAndEnd = (updater: AppUpdater, log: Log): void => {
  const comeBack = (why: string): void => {
    log("error", "the new version could not be installed", { why });
    startAgain(process.argv.slice(1));
    app.exit(0);
  };
  let hasFailed = false;
  updater.on("error", (error) => {
    hasFailed = true;
    if (updater instanceof MacUpdater) comeBack(String(error));
  });
  // The new version starts while this one ends: it must not take it for a second start.
  app.releaseSingleInstanceLock();
  if (updater instanceof BaseUpdater) {
    const isBegun = updater.install(true, true);
    setTimeout(() => (isBegun && !hasFailed ? app.exit(0) : comeBack("its installation did not begin")), settleMs);
  } else {
    setTimeout(() => comeBack("macOS did not take it"), macPatienceMs);
    updater.quitAndInstall(true, true);
  }
};
