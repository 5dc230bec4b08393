/** Finds and creates the desktop's data folder before Electron is ready. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { app } from "electron";
import { openPrivateFolder } from "../host/data-folder.ts";
import { liesInProgram, usualDataFolder } from "./data-folder.ts";
import { StartRefused } from "./start-failure.ts";

/** @param wanted the value of `--data`. @throws StartRefused where others can use it or an update would delete it. */
export const openDataFolder = (wanted: string | undefined): string => {
  if (wanted?.trim() === "") throw new StartRefused("--data names no folder.");
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
    throw new StartRefused(error instanceof Error ? error.message : String(error));
  }
  app.setPath("userData", folder);
  return folder;
};
