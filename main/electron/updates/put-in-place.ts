import { chmodSync, closeSync, constants, copyFileSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { syncFolder } from "../../terminal/journal/files.ts";

/**
 * Replaces a program that is one file by a copy of another, atomically: at every moment the one or the other is complete.
 * @throws the system's error; `place` is unchanged then.
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
