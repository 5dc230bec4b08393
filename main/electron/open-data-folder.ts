/** The desktop's data folder, found and made before Electron is ready. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { app, dialog } from "electron";
import { openPrivateFolder } from "../host/private-folder.ts";
import { usualDataFolder } from "./data-folder.ts";

/** Electron's own files go there too. Ends the program where others can use the folder. @param wanted what `--data` names. */
export const openDataFolder = (wanted: string | undefined): string => {
  const folder =
    wanted !== undefined
      ? path.resolve(wanted)
      : usualDataFolder({
          platform: process.platform,
          env: process.env,
          home: homedir(),
          userData: app.getPath("userData"),
          hasJournal: (candidate) => existsSync(path.join(candidate, "journal.db")),
        });
  try {
    openPrivateFolder(folder);
  } catch (error) {
    dialog.showErrorBox("Tillcash cannot start", error instanceof Error ? error.message : String(error));
    app.exit(1);
  }
  app.setPath("userData", folder);
  return folder;
};
