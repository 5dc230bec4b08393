/** A database file of an older version: copied beside it, upgraded in one go or not at all, and asked for nothing when it is up to date. */
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { migrationFrom } from "../../../backend/store/migrate.ts";
import { migrations } from "../../../backend/store/migrations.ts";
import { openNodeSqlite, openSqliteFile, type SqliteEngine } from "../../../backend/store/sqlite.ts";
import { watchDisk } from "../../disk-calls.ts";

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

test("half of a copy that was left under this process's number is in nobody's way", () => {
  makeOlder();
  writeFileSync(`${file}.version-15.${process.pid}`, "half of a copy");
  openSqliteFile({ path: file }).close();
  expect(readdirSync(folder)).toEqual(["service.db", "service.db.version-15"]);
});

const valueIn = (name: string, setting: string): unknown => {
  const db = new DatabaseSync(name);
  const row = db.prepare("SELECT value FROM settings WHERE name = ?").get(setting);
  db.close();
  return row?.value;
};
test.each([
  ["linux", ["sync service.db.version-15.PID", "rename service.db.version-15.PID service.db.version-15", "sync ."]],
  ["win32", ["sync service.db.version-15.PID", "rename service.db.version-15.PID service.db.version-15"]],
])(
  "on %s the copy says that it is one, and is on the disk before the upgrade; nothing of it stays open",
  (platform, calls) => {
    makeOlder();
    const own = process.platform;
    Object.defineProperty(process, "platform", { value: platform });
    try {
      const watched = watchDisk(folder, () => openSqliteFile({ path: file }).close());
      expect(watched.calls.map((call) => call.replaceAll(String(process.pid), "PID"))).toEqual(calls);
      expect(watched.stillOpen).toBe(0);
    } finally {
      Object.defineProperty(process, "platform", { value: own });
    }
    const copy = `${file}.version-15`;
    expect(valueIn(copy, "restored_from")).toBe(JSON.stringify({ copy }));
    expect(valueIn(file, "restored_from")).toBeUndefined();
  },
);

test("what is opened of a copy is closed again", () => {
  makeOlder();
  const opened: string[] = [];
  const closed: string[] = [];
  const open = (...where: Parameters<typeof openNodeSqlite>): SqliteEngine => {
    const engine = openNodeSqlite(...where);
    opened.push(where[0]);
    return {
      ...engine,
      close() {
        closed.push(where[0]);
        engine.close();
      },
    };
  };
  openSqliteFile({ path: file, open }).close();
  expect([opened.length, closed.toSorted()]).toEqual([2, opened.toSorted()]);
});

test.each([false, true])(
  "an index for ended withdrawals among the open ones goes where they lie apart: %s",
  (isApart) => {
    change(
      file,
      "DELETE FROM settings; CREATE INDEX withdrawals_by_request ON withdrawals (partner_id, created_at, id)",
    );
    const indexes = () => {
      const db = new DatabaseSync(file);
      const rows = db.prepare("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY name").all();
      db.close();
      return rows.map(({ name }) => name);
    };
    const before = indexes();
    if (isApart) change(file, "INSERT INTO settings (name, value) VALUES ('ended_apart', '1')");
    openSqliteFile({ path: file }).close();
    expect(indexes()).toEqual(before.filter((name) => !isApart || name !== "withdrawals_by_request"));
  },
);

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
  const message = expect.stringMatching(/older version and no copy can be kept.*no room/);
  const refused = expect.objectContaining({ name: "StoreRefused", message, cause: full });
  expect(() => openSqliteFile(listening(fill))).toThrow(refused);
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
