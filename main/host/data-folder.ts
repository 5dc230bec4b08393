/** The terminal's data folder, private to this user; its parts for training and live; whether it was used before. */
import { chmodSync, type Dirent, mkdirSync, readdirSync, statSync } from "node:fs";
import path from "node:path";

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";

/** Why nothing can be written at `file`, as a sentence for the user; null if the disk is not the cause. */
const diskTrouble = (error: unknown, file: string): string | null => {
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

/** Runs `work` and turns disk errors into readable ones. @throws what `work` throws. */
export const onDisk = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const why = diskTrouble(error, file);
    throw why === null ? error : new Error(why, { cause: error });
  }
};

/** The folder for training (within `data`) or live, which share no journal, settings or database; created if missing. */
export const purposeFolder = (data: string, training: boolean): string => {
  const folder = training ? path.join(data, "training") : data;
  onDisk(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  return folder;
};

const folderMode = 0o700;
const othersMask = 0o077;

/** The terminal's own files with any suffix; other files in the folder are not ours. */
const own =
  /^(journal|people|settings|credential|shop|till|page|open-till|service|own-service|read-model|database)[\w.-]*$|^till-host\.(lock|json)/;
const ownFolders: readonly string[] = ["training", "archive", "reports", "live", "journals", "service", "crashes"];

const isOwn = (name: string): boolean => own.test(name) || ownFolders.includes(name);

/** Not being allowed to change a file's mode means it is another user's. */
const isOthers = (error: unknown): boolean => ["EPERM", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Removes access for others. @throws a readable error when the file is another user's, or its disk does not support modes. */
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

/** Refuses a link among our files, which could lead the books elsewhere; the data folder itself may be a link. */
const refuseLink = (entry: Dirent, folder: string): void => {
  if (!entry.isSymbolicLink()) return;
  throw new Error(
    `${path.join(folder, entry.name)} is a link. Put the file or folder itself there; to keep everything on another disk, move the whole folder and name it with --data.`,
  );
};

const narrowFolder = (folder: string, chmod: typeof chmodSync): void => {
  const entries = readdirSync(folder, { withFileTypes: true });
  // A folder given by mistake, such as a home folder, is left as it is.
  const isOurs = entries.length === 0 || entries.some(({ name }) => name === "till-host.lock" || name === "journal.db");
  if (!isOurs) return;
  narrow(folder, chmod);
  for (const entry of entries) {
    if (isOwn(entry.name)) refuseLink(entry, folder);
    if (entry.isFile() && own.test(entry.name)) narrow(path.join(folder, entry.name), chmod);
    if (entry.isDirectory() && ownFolders.includes(entry.name)) {
      narrow(path.join(folder, entry.name), chmod);
      for (const inner of readdirSync(path.join(folder, entry.name), { withFileTypes: true }))
        if (inner.isFile()) narrow(path.join(folder, entry.name, inner.name), chmod);
        else if (isOwn(inner.name)) refuseLink(inner, path.join(folder, entry.name));
    }
  }
};

/** Creates the folder and makes it, its files and all new files of this process private to the user. @throws readable errors. */
export const openPrivateFolder = (folder: string, disk = { mkdir: mkdirSync, chmod: chmodSync }): void => {
  if (process.platform !== "win32") process.umask(othersMask);
  onDisk(folder, () => {
    disk.mkdir(folder, { recursive: true, mode: folderMode });
    if (process.platform !== "win32") narrowFolder(folder, disk.chmod);
  });
};

/** Files that exist only once a terminal was enrolled or had people, never after a first start only. */
const traces = [
  /^credential\.json/,
  /^people\.json/,
  /^archive$/,
  // Other shops' journals, and damaged ones moved aside.
  /^journal\..+\.db$/,
  /^journal\.db\.damaged-/,
];
/** Created with the journal at a first start; without the journal they have outlived it. */
const besideJournal = [/^journal-key\.json/, /^journal\.db\.history/];

/** Whether a terminal has used the folder before. @param files the folder for training or live, before its journal is opened. */
export const hasEarlierLife = (files: string): boolean => {
  const hasJournal = (statSync(path.join(files, "journal.db"), { throwIfNoEntry: false })?.size ?? 0) > 0;
  const telling = hasJournal ? traces : [...traces, ...besideJournal];
  return readdirSync(files).some((name) => telling.some((trace) => trace.test(name)));
};
