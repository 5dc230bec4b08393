/**
 * "Synced" means on the disk, not in its cache. On macOS `fsync`, which SQLite calls, leaves it there (F_FULLFSYNC is what waits for the
 * disk, and what Node's own fsync calls); `PRAGMA fullfsync` asks for it. Elsewhere the pragma changes nothing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteFile } from "../../../backend/store/sqlite.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import type { JournalDatabase } from "../../../main/terminal/ports.ts";

const folderOf = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "full-sync-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

test.each(["fullfsync", "checkpoint_fullfsync"])("the journal asks for %s", (pragma) => {
  let opened: JournalDatabase | undefined;
  const journal = openJournal(join(folderOf(), "journal.db"), 0, "write", (path, mode) => {
    opened = openNodeDatabase(path, mode);
    return opened;
  });
  expect(opened?.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  expect(opened?.prepare(`PRAGMA ${pragma}`).get()).toEqual({ [pragma]: 1 });
  journal.close();
});

test.each(["fullfsync", "checkpoint_fullfsync"])("the service's file asks for %s", (pragma) => {
  const engine = openSqliteFile({ path: join(folderOf(), "service.db") });
  expect(engine.query(`PRAGMA ${pragma}`, [], false).rows).toEqual([{ [pragma]: 1 }]);
  engine.close();
});
