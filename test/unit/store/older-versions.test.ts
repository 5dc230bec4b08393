/** A database file of an older version: copied beside it, upgraded in one go or not at all, and asked for nothing when it is up to date. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { migrationFrom } from "../../../backend/store/migrate.ts";
import { migrations } from "../../../backend/store/migrations.ts";
import { openNodeSqlite, openSqliteFile, type SqliteEngine } from "../../../backend/store/sqlite.ts";

let made: string;
let folder: string;
let file: string;
const change = (name: string, sql: string): void => {
  const db = new DatabaseSync(name);
  db.exec(sql);
  db.close();
};
const versionIn = (name: string): unknown => {
  const db = new DatabaseSync(name);
  const row = db.prepare("SELECT version FROM schema_version WHERE id = 1").get();
  db.close();
  return row?.version;
};
beforeAll(() => {
  made = mkdtempSync(path.join(tmpdir(), "tillcash-older-"));
  const [newest, older] = [path.join(made, "newest.db"), path.join(made, "older.db")];
  openSqliteFile({ path: newest }).close();
  change(
    older,
    migrationFrom(
      null,
      migrations.filter(({ version }) => version <= 15),
    ).join(";"),
  );
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-older-"));
  file = path.join(folder, "service.db");
  copyFileSync(path.join(made, "newest.db"), file);
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(() => rmSync(made, { recursive: true }));
const makeOlder = (): void => copyFileSync(path.join(made, "older.db"), file);

/** An engine that says what it is asked, and whether to keep it prepared. */
const listening = (
  onQuery: (sql: string, keep: boolean, values: readonly unknown[]) => void,
  onExec: (sql: string) => void = () => {},
) => ({
  path: file,
  open: (...where: Parameters<typeof openNodeSqlite>): SqliteEngine => {
    const engine = openNodeSqlite(...where);
    return {
      ...engine,
      exec(sql) {
        onExec(sql);
        engine.exec(sql);
      },
      query(sql, values, keep) {
        onQuery(sql, keep, values);
        return engine.query(sql, values, keep);
      },
    };
  },
});

test("it is copied before it is upgraded, the newest three copies are kept, and nothing else is touched", () => {
  openSqliteFile({ path: file }).close();
  expect(readdirSync(folder)).toEqual(["service.db"]);
  for (const version of [3, 5, 7, 12]) writeFileSync(`${file}.version-${version}`, "a copy");
  for (const other of ["x", "1x", "x1"]) writeFileSync(`${file}.version-${other}`, "something else");
  makeOlder();
  openSqliteFile({ path: file }).close();
  const kept = [12, 15, "1x", 7, "x", "x1"].map((version) => `service.db.version-${version}`);
  expect(readdirSync(folder).toSorted()).toEqual(["service.db", ...kept]);
  expect(versionIn(`${file}.version-15`)).toBe(15);
});

test("the copy of what was put back itself says so as before: a bank may have heard more than it knows", () => {
  makeOlder();
  const said = '{"copy":"monday.db","by":"ann","told":[5]}';
  change(file, `INSERT INTO settings (name, value) VALUES ('restored_from', '${said}')`);
  openSqliteFile({ path: file }).close();
  const copy = new DatabaseSync(`${file}.version-15`);
  expect(copy.prepare("SELECT value FROM settings WHERE name = 'restored_from'").get()).toEqual({ value: said });
  copy.close();
});

test("one that another process upgrades meanwhile is not copied again as what it was", () => {
  makeOlder();
  let isFirst = true;
  const upgradeFirst = (sql: string): void => {
    if (!sql.startsWith("VACUUM") || !isFirst) return;
    isFirst = false;
    openSqliteFile({ path: file }).close();
  };
  openSqliteFile(listening(upgradeFirst)).close();
  expect(readdirSync(folder).toSorted()).toEqual(["service.db", "service.db.version-15"]);
  expect(versionIn(`${file}.version-15`)).toBe(15);
});

test.each([true, false])("one that cannot be copied is not upgraded; half of a copy (%s) is removed", (isBegun) => {
  makeOlder();
  const full = new Error("no room");
  const fill = (sql: string, _: boolean, values: readonly unknown[]): void => {
    if (!sql.startsWith("VACUUM")) return;
    if (isBegun) writeFileSync(String(values[0]), "half of a copy");
    throw full;
  };
  expect(() => openSqliteFile(listening(fill))).toThrow(expect.objectContaining({ name: "StoreRefused", cause: full }));
  expect([readdirSync(folder), versionIn(file)]).toEqual([["service.db"], 15]);
});

test("what lies in no file is upgraded without a copy", () => {
  makeOlder();
  const said: string[] = [];
  const { open } = listening((sql) => void said.push(sql));
  openSqliteFile({ path: ":memory:", open: (_, timeoutMs) => open(file, timeoutMs) }).close();
  expect([said.some((sql) => sql.startsWith("VACUUM")), readdirSync(folder)]).toEqual([false, ["service.db"]]);
  expect(versionIn(file)).toBeGreaterThan(15);
});

test("an upgrade that fails leaves it as it was", () => {
  // The next migration adds columns that are there already.
  change(file, "UPDATE schema_version SET version = 15 WHERE id = 1");
  expect(() => openSqliteFile({ path: file })).toThrow(/cannot be opened: duplicate column/);
  expect(versionIn(file)).toBe(15);
});

test.each([true, false])(
  "an upgrade that fails is taken back at once, where SQLite has done so itself too: %s",
  (byItself) => {
    makeOlder();
    const engine = openNodeSqlite(file, 1);
    const full = new Error("no room");
    const exec = (sql: string): void => {
      if (sql === "COMMIT" && byItself) engine.exec("ROLLBACK");
      if (sql === "COMMIT") throw full;
      engine.exec(sql);
    };
    const open = () => ({ ...engine, exec, close() {} });
    expect(() => openSqliteFile({ path: file, open })).toThrow(expect.objectContaining({ cause: full }));
    expect(engine.inTransaction()).toBe(false);
    engine.close();
  },
);

test("one that is up to date is opened without a lock, and nothing that is asked once stays prepared", () => {
  const kept: boolean[] = [];
  const said: string[] = [];
  const open = () =>
    openSqliteFile(
      listening(
        (_, keep) => void kept.push(keep),
        (sql) => void said.push(sql),
      ),
    );
  open().close();
  expect(said).toEqual(["PRAGMA synchronous = FULL", "PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON"]);
  makeOlder();
  open().close();
  expect(said).toContain("COMMIT");
  expect([kept.length > 0, kept.includes(true)]).toEqual([true, false]);
});
