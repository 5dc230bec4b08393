/** Entry point of the desktop program. It loads little, so that it can show an error if the rest does not load. */
import { app } from "electron";
import { readDesktopFlags } from "./electron/desktop-flags.ts";
import { openDataFolder } from "./electron/open-data-folder.ts";
import { endStart } from "./electron/start-failure.ts";
import { openLog } from "./host/log-file.ts";

try {
  // Awaited: the import prepares what must happen before Electron is ready, and Electron waits for this module.
  await import("./index.ts");
} catch (error) {
  // Not awaited: this waits until Electron is ready, which waits for this module.
  void endStart(error, () => openLog(openDataFolder(readDesktopFlags(process.argv, app.isPackaged).data)));
}
