import { expect, test } from "vitest";
import { openSqliteFile } from "../../../backend/store/sqlite.ts";
import { openNodeDatabase, prepareArchive } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import type { JournalDatabase } from "../../../main/terminal/ports.ts";
import { ownFolder } from "./journal-stage.ts";

const here = ownFolder();

test.each(["fullfsync", "checkpoint_fullfsync"])("the journal asks for %s", (pragma) => {
  let opened: JournalDatabase | undefined;
  const journal = openJournal(here.path, 0, "write", (path, mode) => {
    opened = openNodeDatabase(path, mode);
    return opened;
  });
  expect(opened?.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
  expect(opened?.prepare(`PRAGMA ${pragma}`).get()).toEqual({ [pragma]: 1 });
  journal.close();
});

test.each(["fullfsync", "checkpoint_fullfsync"])(
  "an archived year asks for %s, and has no file beside it",
  (pragma) => {
    const archive = prepareArchive(here.inside("archived.db"), openNodeDatabase);
    expect(archive.prepare(`PRAGMA ${pragma}`).get()).toEqual({ [pragma]: 1 });
    expect(archive.prepare("PRAGMA synchronous").get()).toEqual({ synchronous: 2 });
    expect(archive.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "delete" });
    archive.close();
  },
);

test.each(["fullfsync", "checkpoint_fullfsync"])("the service's file asks for %s", (pragma) => {
  const engine = openSqliteFile({ path: here.inside("service.db") });
  expect(engine.query(`PRAGMA ${pragma}`, [], false).rows).toEqual([{ [pragma]: 1 }]);
  engine.close();
});
