import { chmodSync, closeSync, constants, copyFileSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { syncFolder } from "../../terminal/journal/files.ts";

/**
 * Puts a copy of a program that is one file into another's place: at every moment the one or the other is there, and whole.
 * @throws the system's error; `place` is as it was then.
 */
export const putInPlace = (file: string, place: string): void => {
  const draft = `${place}.new`;
  rmSync(draft, { force: true });
  try {
    copyFileSync(file, draft, constants.COPYFILE_EXCL);
    chmodSync(draft, 0o755);
    const copied = openSync(draft, "r+");
    try {
      fsyncSync(copied);
    } finally {
      closeSync(copied);
    }
    renameSync(draft, place);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(place);
};
