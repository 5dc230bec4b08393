/** A folder for each test, with a journal under the keys of the host that it names. */
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type KeyStore, openJournalKeys } from "../../../main/host/secrets.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { type FileJournal, openJournal } from "../../../main/terminal/journal/journal.ts";
import { flipKeyStore } from "../hosts/flip-key-store.ts";

/** What a test finds in it. */
interface JournalFolder {
  readonly folder: string;
  /** The journal's file. */
  readonly path: string;
  /** Opens the journal as the desktop host does, or with null as the browser host. */
  open(keyStore?: KeyStore | null): Promise<FileJournal>;
}

/** Registers the hooks of a file. */
export const journalFolder = (): JournalFolder => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "journal-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const path = (): string => join(folder, "journal.db");
  return {
    get folder() {
      return folder;
    },
    get path() {
      return path();
    },
    open: async (keyStore = flipKeyStore) =>
      openJournal(path(), 0, "write", openNodeDatabase, await openJournalKeys(folder, keyStore)),
  };
};

/** Overwrites the page that holds this text. @param bytes the file's size at least: behind its own pages lies nothing. */
export const spoil = (path: string, text: string, bytes: number): void => {
  const at = readFileSync(path).lastIndexOf(text);
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(4_096, 0xaa), 0, 4_096, at - (at % 4_096));
  closeSync(file);
  truncateSync(path, Math.max(bytes, statSync(path).size));
};
