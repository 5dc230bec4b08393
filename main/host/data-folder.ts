/** The terminal's data folder: where the files of one purpose lie, and why it cannot be used. */
import { mkdirSync } from "node:fs";
import path from "node:path";

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";

/** Why nothing can be kept at `file`, in a sentence for whoever starts the terminal; null for what is none of the disk's. */
export const diskTrouble = (error: unknown, file: string): string | null => {
  switch (codeOf(error)) {
    case "EROFS":
      return `The disk of ${file} can only be read, so that nothing can be kept there. Make it writable, or name a folder on another disk with --data.`;
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return `There is no room left on the disk of ${file}. Free some and start again; nothing is lost.`;
    case "EACCES":
    case "EPERM":
      return `This user may not write to ${file}. Give this user the right to, or start as the user whose folder it is.`;
    case "EIO":
      return `The disk of ${file} does not work: reading or writing fails. Have it looked at before you go on; a copy of the folder first, if it can still be read.`;
    default:
      return null;
  }
};

/** @throws what `work` throws, in a sentence where it is the disk's. */
export const onDisk = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const why = diskTrouble(error, file);
    throw why === null ? error : new Error(why, { cause: error });
  }
};

/** Training never shares a journal, settings or a database with real money. @param data the terminal's data folder; training has a folder of its own in it, made when it is missing. */
export const purposeFolder = (data: string, training: boolean): string => {
  const folder = training ? path.join(data, "training") : data;
  onDisk(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  return folder;
};
