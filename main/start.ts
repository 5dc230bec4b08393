/** The desktop program's first file. It loads little, so that it can still offer the version before where the rest does not load. */
import { app, dialog } from "electron";
import { readDesktopFlags } from "./electron/command-line.ts";
import { openDataFolder, RefusedFolder } from "./electron/open-data-folder.ts";
import { offerRollbackAfterFailure } from "./electron/updates/trial.ts";
import { openLog } from "./host/log-file.ts";
import { openUpdateFile } from "./updates/update-file.ts";

const endFailed = async (error: unknown): Promise<void> => {
  const folder = openDataFolder(readDesktopFlags(process.argv, app.isPackaged).data);
  const log = openLog(folder);
  const why = error instanceof Error ? error.message : String(error);
  log("error", "the program could not be loaded", { why });
  await app.whenReady();
  if (!(await offerRollbackAfterFailure(openUpdateFile(folder, log), "en", log)))
    dialog.showErrorBox("Tillcash cannot start", why);
  app.exit(1);
};

const isRefused = (error: unknown): boolean => error instanceof RefusedFolder;
try {
  await import("./index.ts").catch((error: unknown) => (isRefused(error) ? undefined : endFailed(error)));
} catch (error) {
  if (!isRefused(error)) throw error;
}
