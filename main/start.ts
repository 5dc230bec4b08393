/** The desktop program's first file. It loads little, so that it can still say what is wrong where the rest does not load. */
import { app } from "electron";
import { readDesktopFlags } from "./electron/command-line.ts";
import { openDataFolder, RefusedFolder } from "./electron/open-data-folder.ts";
import { showStartFailure } from "./electron/start-failure.ts";
import { openLog } from "./host/log-file.ts";

const endFailed = async (error: unknown): Promise<void> => {
  const folder = openDataFolder(readDesktopFlags(process.argv, app.isPackaged).data);
  await app.whenReady();
  showStartFailure(error, openLog(folder));
  app.exit(1);
};

// Not awaited: Electron becomes ready only after this module was evaluated.
void import("./index.ts")
  .catch((error: unknown) => (error instanceof RefusedFolder ? undefined : endFailed(error)))
  .catch((error: unknown) => {
    if (!(error instanceof RefusedFolder)) throw error;
  });
