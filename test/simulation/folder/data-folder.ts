/** A till's data folder on a real disk: the live journal and training's, their keys, and copies of it all that somebody may put back. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type KeyStore, openJournalKeys } from "../../../main/host/secrets.ts";
import { openPeopleFile } from "../../../main/people/people-file.ts";
import { removeDatabase, roomLeftBytes } from "../../../main/terminal/journal/files.ts";
import { type FileJournal, openJournal } from "../../../main/terminal/journal/journal.ts";
import type { JournalDatabase } from "../../../main/terminal/ports.ts";
import { createDiskSpace } from "./disk-space.ts";
import { type HostFiles, openHostFiles } from "./host-files.ts";
import { bound, openerOf, quickDatabase, spokenBy } from "./program.ts";
import type { Life, TillDisk } from "./till-disk.ts";

/** In memory where there is such a disk: thousands of folders come and go. */
const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** The operating system's, which only the desktop host can ask. */
const keyStore: KeyStore = {
  isAvailable: async () => true,
  encrypt: async (text) => Buffer.from(text).reverse(),
  decrypt: async (bytes) => ({ text: Buffer.from(bytes).reverse().toString(), isOutdated: false }),
};

const keyFile = "journal-key.json";

/** What its program and its machine's end both close. */
const closedOnce = (database: JournalDatabase): JournalDatabase => {
  let isClosed = false;
  return {
    ...bound(database),
    get isTransaction() {
      return database.isTransaction;
    },
    close() {
      if (!isClosed) database.close();
      isClosed = true;
    },
  };
};

/**
 * @param folderOf where a life's journal lies below the till's folder.
 * @param opener how today's program opens its files.
 * @param openBeside what is written beside the journal.
 */
export const openFolderDisk = (
  folderOf = ({ training }: Life): string => (training ? "training" : "."),
  opener = openerOf,
  openBeside = openHostFiles,
): TillDisk => {
  const root = mkdtempSync(path.join(base, "tillcash-till-"));
  const home = path.join(root, "data");
  const copy = path.join(root, "copy");
  const space = createDiskSpace(home);
  const peopleFile = path.join(home, "people.json");
  let firstPeople: string | null = null;
  let open: FileJournal | null = null;
  let beside: HostFiles | null = null;
  /** Histories that programs before have left open. */
  const indexes: JournalDatabase[] = [];
  const letGo = (): void => {
    open?.close();
    open = null;
    for (const index of indexes.splice(0)) index.close();
  };
  return {
    async journal(life) {
      letGo();
      const folder = path.join(home, folderOf(life));
      mkdirSync(folder, { recursive: true });
      beside = openBeside(home, space.room);
      const keys =
        life.version === "older" ? null : await openJournalKeys(folder, life.host === "desktop" ? keyStore : null);
      const openFile = space.limited(opener(life.version));
      open = openJournal(path.join(folder, "journal.db"), 0, "write", openFile, keys, space.room);
      return spokenBy(life.version, open);
    },
    index(life) {
      const file = path.join(home, folderOf(life), "journal.db.history");
      return {
        open() {
          const index = closedOnce(space.limited(quickDatabase)(file, "write"));
          indexes.push(index);
          return index;
        },
        remove: () => removeDatabase(file),
        isKept: true,
        hasRoom: () => space.room.freeBytes(file) >= roomLeftBytes,
      };
    },
    loseKeys() {
      for (const folder of [home, path.join(home, "training")]) rmSync(path.join(folder, keyFile), { force: true });
    },
    people() {
      const file = openPeopleFile(home, () => {});
      return {
        load: file.load,
        save(people) {
          if (space.room.freeBytes(peopleFile) === 0) throw new Error("ENOSPC: no space left on device");
          file.save(people);
          firstPeople ??= readFileSync(peopleFile, "utf8");
        },
      };
    },
    losePeople(how) {
      if (how === "gone") rmSync(peopleFile, { force: true });
      else if (how === "damaged") writeFileSync(peopleFile, "{");
      else if (firstPeople !== null) writeFileSync(peopleFile, firstPeople);
    },
    space,
    get beside() {
      return beside;
    },
    home,
    lost: false,
    powerCut: letGo,
    copy() {
      rmSync(copy, { recursive: true, force: true });
      if (existsSync(home)) cpSync(home, copy, { recursive: true });
      const journal = openJournal(path.join(copy, "journal.db"), 0, "read");
      const last = journal.head()?.sequence ?? 0;
      journal.close();
      return last;
    },
    restore() {
      letGo();
      if (!existsSync(copy)) return;
      rmSync(home, { recursive: true, force: true });
      cpSync(copy, home, { recursive: true });
    },
    close() {
      letGo();
      rmSync(root, { recursive: true, force: true });
    },
  };
};
