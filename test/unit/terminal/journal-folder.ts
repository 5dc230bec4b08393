/** A folder for each test, with a journal under the keys of the host that it names. */
import { statSync, truncateSync } from "node:fs";
import { type KeyStore, openJournalKeys } from "../../../main/host/secrets.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { flipKeyStore } from "../hosts/flip-key-store.ts";
import { overwritePages, ownFolder, pageWith } from "./journal-stage.ts";

/** Registers the hooks of a file. `open` is as the desktop host does it, or with null as the browser host. */
export const journalFolder = () => {
  const here = ownFolder();
  const open = async (keyStore: KeyStore | null = flipKeyStore) =>
    openJournal(here.path, 0, "write", openNodeDatabase, await openJournalKeys(here.folder, keyStore));
  return Object.assign(here, { open });
};

/** Overwrites the page that holds this text. @param bytes the file's size at least: behind its own pages lies nothing. */
export const spoil = (path: string, text: string, bytes: number): void => {
  overwritePages(path, pageWith(path, text));
  truncateSync(path, Math.max(bytes, statSync(path).size));
};
