/** A journal file in a folder of its own, and what a hand with a database tool could do to it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach } from "vitest";
import { openJournal } from "../../../main/terminal/journal/journal.ts";

/** Registers the hooks of a file; folder and path are those of the test that runs. */
export const journalStage = () => {
  let folder = "";
  let path = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "journal-"));
    path = join(folder, "deep", "journal.db");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  return {
    get folder() {
      return folder;
    },
    get path() {
      return path;
    },
    /** So many entries, numbered from 1. */
    fill(count: number): void {
      const journal = openJournal(path, 0);
      for (let number = 1; number <= count; number++) journal.append(1_000 + number, [JSON.stringify({ number })]);
      journal.close();
    },
    bodies(from = openJournal(path, 0)): string[] {
      const all = [...from.read().entries].map(({ body }) => body);
      from.close();
      return all;
    },
    tamper(sql: string): void {
      const database = new DatabaseSync(path);
      database.exec("DROP TRIGGER journal_is_not_changed; DROP TRIGGER journal_is_not_cut;");
      database.exec(sql);
      database.close();
    },
  };
};
