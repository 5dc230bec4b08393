/** The desktop's data folder, found and made before Electron is ready. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { app, dialog } from "electron";
import { openPrivateFolder } from "../host/private-folder.ts";
import { liesInProgram, usualDataFolder } from "./data-folder.ts";

/** The folder cannot be used: a dialog has said why, and the program exits. */
export class RefusedFolder extends Error {}

/**
 * Electron's own files go there too. Ends the program where others can use the folder, or an update would delete it.
 * @param wanted what `--data` names.
 * @throws RefusedFolder, so that nothing more is begun: Electron ends only after this turn.
 */
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
    if (app.isPackaged && liesInProgram(folder, process.execPath, process.platform))
      throw new Error(`${folder} lies in the program's own folder, which every update deletes. Name another one.`);
    openPrivateFolder(folder);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    dialog.showErrorBox("Tillcash cannot start", why);
    app.exit(1);
    throw new RefusedFolder(why);
  }
  app.setPath("userData", folder);
  return folder;
};
