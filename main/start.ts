/** The desktop program's first file. It loads little, so that it can still say what is wrong where the rest does not load. */
import { app } from "electron";
import { readDesktopFlags } from "./electron/desktop-flags.ts";
import { openDataFolder } from "./electron/open-data-folder.ts";
import { endStart } from "./electron/start-failure.ts";
import { openLog } from "./host/log-file.ts";

try {
  // Awaited: what has to be done before Electron is ready is done in there, and it gets ready once this module was evaluated.
  await import("./index.ts");
} catch (error) {
  // Not awaited, for the same reason: this waits until Electron is ready.
  void endStart(error, () => openLog(openDataFolder(readDesktopFlags(process.argv, app.isPackaged).data)));
}
