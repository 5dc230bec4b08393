/** The terminal's data folder, for this user alone: what an earlier version or another program left readable is narrowed. */
import { chmodSync, type Dirent, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { diskTrouble, onDisk } from "./data-folder.ts";

const folderMode = 0o700;
const othersMask = 0o077;

/** Files of the terminal, whichever suffix a database or a copy adds. Anything else in the folder is somebody's own. */
const own =
  /^(journal|people|settings|credential|shop|till|page|open-till|service|own-service|read-model|database)[\w.-]*$|^till-host\.(lock|json)/;
const ownFolders: readonly string[] = ["training", "reports", "live", "journals", "service", "crashes"];

/** Whoever may not change a file's mode does not own it. */
const isOthers = (error: unknown): boolean => ["EPERM", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "");

/** @throws a sentence for whoever starts the terminal, when the file is another user's, or its disk does not take the mode. */
const narrow = (file: string, chmod: typeof chmodSync): void => {
  const { mode } = statSync(file);
  if ((mode & othersMask) === 0) return;
  try {
    chmod(file, mode & ~othersMask & 0o7777);
  } catch (error) {
    const why = isOthers(error)
      ? `Others on this computer can use ${file}, which belongs to another user. Make it this user's own.`
      : diskTrouble(error, file);
    throw why === null ? error : new Error(why, { cause: error });
  }
};

/**
 * A link in the place of something of ours would take the terminal's books to where others decide about them, and our modes
 * to somebody's file. The data folder itself may be one: whoever starts the program names it.
 */
const refuseLink = (entry: Dirent, folder: string): void => {
  if (!entry.isSymbolicLink()) return;
  throw new Error(
    `${path.join(folder, entry.name)} is a link. Put the file or folder itself there; to keep everything on another disk, move the whole folder and name it with --data.`,
  );
};

const narrowFolder = (folder: string, chmod: typeof chmodSync): void => {
  const entries = readdirSync(folder, { withFileTypes: true });
  // A folder that is given by mistake, as a home is, stays as it is.
  const isOurs = entries.length === 0 || entries.some(({ name }) => name === "till-host.lock" || name === "journal.db");
  if (!isOurs) return;
  narrow(folder, chmod);
  for (const entry of entries) {
    if (own.test(entry.name) || ownFolders.includes(entry.name)) refuseLink(entry, folder);
    if (entry.isFile() && own.test(entry.name)) narrow(path.join(folder, entry.name), chmod);
    if (entry.isDirectory() && ownFolders.includes(entry.name)) {
      narrow(path.join(folder, entry.name), chmod);
      for (const inner of readdirSync(path.join(folder, entry.name), { withFileTypes: true }))
        if (inner.isFile()) narrow(path.join(folder, entry.name, inner.name), chmod);
        else if (own.test(inner.name)) refuseLink(inner, path.join(folder, entry.name));
    }
  }
};

/**
 * Makes the folder where there is none, and narrows it with what the terminal keeps in it. From here on this process makes
 * files for its own user alone. @throws a readable error for what is another user's, and for a disk that takes nothing.
 * @param disk the system's; a test brings one that fails.
 */
export const openPrivateFolder = (folder: string, disk = { mkdir: mkdirSync, chmod: chmodSync }): void => {
  if (process.platform !== "win32") process.umask(othersMask);
  onDisk(folder, () => {
    disk.mkdir(folder, { recursive: true, mode: folderMode });
    if (process.platform !== "win32") narrowFolder(folder, disk.chmod);
  });
};
