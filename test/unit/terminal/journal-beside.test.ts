/** Journals beside the present one: kept under their names, exchanged in one step, never mixed up. */
import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { exchangeDatabase } from "../../../main/terminal/journal/files.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { journalStage } from "./journal-stage.ts";

const stage = journalStage();

describe("another book", () => {
  test("is kept beside under its name, can be read there, and is put in use again with all its entries", () => {
    const journal = openJournal(stage.path, 0);
    journal.append(1, ['{"book":"a"}']);
    journal.switchTo("b", "a");
    expect([...journal.read().entries]).toEqual([]);
    journal.append(2, ['{"book":"b"}']);
    expect(journal.others()).toEqual(["a"]);
    expect([...journal.readOther("a").entries].map(({ body }) => body)).toEqual(['{"book":"a"}']);
    journal.switchTo("a", "b");
    expect([...journal.read().entries].map(({ body }) => body)).toEqual(['{"book":"a"}']);
    expect(journal.verify()).toEqual({ entries: 1, damaged: [], unchecked: 0 });
    expect(journal.others()).toEqual(["b"]);
    journal.close();
  });

  test("an empty one is thrown away", () => {
    const journal = openJournal(stage.path, 0);
    journal.append(1, ['{"book":"a"}']);
    journal.switchTo("b", "a");
    journal.switchTo("a", null);
    expect(journal.others()).toEqual([]);
    expect([...journal.read().entries]).toHaveLength(1);
    journal.close();
  });
});

test("a journal beside that cannot be read is closed again", () => {
  const closed: string[] = [];
  const journal = openJournal(stage.path, 0, "write", (file, mode) => {
    const database = new DatabaseSync(file, { readOnly: mode === "read" });
    return {
      exec: (sql) => database.exec(sql),
      prepare: (sql) => database.prepare(sql),
      get isTransaction() {
        return database.isTransaction;
      },
      close() {
        closed.push(file);
        database.close();
      },
    };
  });
  const beside = stage.inside("journal.b.db");
  new DatabaseSync(beside).close();
  expect(() => journal.readOther("b")).toThrow("no such table");
  expect(closed).toEqual([beside]);
  journal.close();
});

describe("another book never takes what is not its own", () => {
  const allOf = (entries: Iterable<{ body: string }>) => [...entries].map(({ body }) => body);

  /** A journal that a repair went through: what was damaged lies aside. */
  const repaired = (): void => {
    stage.fill(5);
    renameSync(stage.path, `${stage.path}.damaged-77`);
    rmSync(`${stage.path}-wal`, { force: true });
    openJournal(stage.path, 88).close();
  };

  test("a damaged journal that was set aside earlier is not taken for the new book's", () => {
    repaired();
    const journal = openJournal(stage.path, 99);
    journal.switchTo("b", "a");
    expect(journal.read()).toEqual({ entries: [], damaged: [] });
    journal.close();
  });

  test("nor when a power cut came between the two moves", () => {
    repaired();
    renameSync(stage.path, stage.inside("journal.a.db"));
    const journal = openJournal(stage.path, 99);
    expect(journal.read()).toEqual({ entries: [], damaged: [] });
    journal.close();
  });

  test("a book is never written over by the one that is moved aside", () => {
    for (const body of ["1", "2", "3"]) {
      const journal = openJournal(stage.path, 7);
      journal.append(1, [body]);
      journal.switchTo("b", "a");
      journal.switchTo("new", null);
      journal.close();
    }
    const journal = openJournal(stage.path, 7);
    expect(journal.others().toSorted()).toEqual(["a", "a-7", "a-7-7"]);
    expect(
      journal
        .others()
        .flatMap((name) => allOf(journal.readOther(name).entries))
        .toSorted(),
    ).toEqual(["1", "2", "3"]);
    journal.close();
  });

  test("where the other book cannot be put in place, the present one is again", () => {
    const journal = openJournal(stage.path, 7);
    journal.append(1, ["1"]);
    expect(() => journal.switchTo("b", "no/such/folder")).toThrow();
    expect(journal.open()).toEqual({ kind: "open" });
    expect(allOf(journal.read().entries)).toEqual(["1"]);
    journal.close();
    expect(() => exchangeDatabase(stage.path, stage.inside("missing.db"), stage.inside("journal.a.db"))).toThrow();
    expect(stage.bodies()).toEqual(["1"]);
  });
});
