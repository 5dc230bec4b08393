/** What the store of one file keeps prepared, how it fails, and whom it refuses when it is closed. */

import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { schemaVersion, setSetting } from "../../../backend/store/settings.ts";
import { openNodeSqlite, openSqliteStore, SqliteFailure } from "../../../backend/store/sqlite.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

/** A store in memory, whose engine asks `before` each statement. */
const opened = (before: (sql: string, keep: boolean) => void) =>
  openSqliteStore({
    path: ":memory:",
    clock: new VirtualClock(),
    open: (...where) => {
      const engine = openNodeSqlite(...where);
      return {
        ...engine,
        exec(sql) {
          before(sql, false);
          engine.exec(sql);
        },
        query(sql, values, keep) {
          before(sql, keep);
          return engine.query(sql, values, keep);
        },
      };
    },
  });

test("a statement stays prepared, and what is built for one call does not", async () => {
  const kept: boolean[] = [];
  const store = await opened((sql, keep) => {
    if (sql.includes('"version"')) kept.push(keep);
  });
  await store.read((tx) => tx.first(schemaVersion({})));
  await store.read((tx) => tx.first(adhoc((db) => db.selectFrom("schema_version").select("version"))));
  expect(kept).toEqual([true, false]);
  await store.close();
});

test("a text that is kept is prepared once, any other each time", () => {
  const engine = openNodeSqlite(":memory:", 1);
  const prepared = vi.spyOn(DatabaseSync.prototype, "prepare");
  for (const keep of [true, true, true, false, false])
    engine.query(keep ? "SELECT 1 AS kept" : "SELECT 1 AS one", [], keep);
  const texts = prepared.mock.calls.map(([sql]) => sql);
  prepared.mockRestore();
  engine.close();
  expect(texts).toEqual(["SELECT 1 AS kept", "SELECT 1 AS one", "SELECT 1 AS one"]);
});

test("while a file is opened another process is waited for", () => {
  const engine = openNodeSqlite(":memory:", 1_234);
  expect(engine.query("PRAGMA busy_timeout", [], false).rows).toEqual([{ timeout: 1_234 }]);
  engine.close();
});

test("a failure of SQLite has its kind and its cause, any other is passed on as it is", () => {
  const engine = openNodeSqlite(":memory:", 1);
  const failure = (sql: string, ...values: never[]): unknown => {
    try {
      engine.query(sql, values, false);
    } catch (error) {
      return error;
    }
    return null;
  };
  expect(failure("SELECT nothing")).toMatchObject({ name: "SqliteFailure", kind: "statement", cause: { errcode: 1 } });
  const wrong = failure("SELECT ?", Symbol("no value") as never);
  expect([wrong instanceof Error, wrong instanceof SqliteFailure]).toEqual([true, false]);
  engine.close();
});

test("what a lock keeps from being written is refused when the store is closed", async () => {
  let isLocked = false;
  const store = await opened((sql) => {
    if (isLocked && sql === "BEGIN IMMEDIATE") throw new SqliteFailure("busy", "locked");
  });
  isLocked = true;
  const ended: unknown[] = [];
  store.write((tx) => tx.first(schemaVersion({}))).catch((error: unknown) => ended.push(error));
  await store.close();
  await Promise.resolve();
  expect(ended).toEqual([expect.objectContaining({ code: "unavailable" })]);
});

test("the log of writes is emptied once nobody reads it any more, or not within seconds", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-log-"));
  const file = path.join(folder, "service.db");
  const clock = new VirtualClock();
  const store = await openSqliteStore({ path: file, clock });
  const logged = () => statSync(`${file}-wal`).size;
  await store.write((tx) => tx.run(setSetting({ name: "n", value: "1" })));
  const reader = new DatabaseSync(file);
  const emptied = async (step = () => {}) => {
    let isEmpty: boolean | null = null;
    void store.emptyLog().then((is) => {
      isEmpty = is;
    });
    while (isEmpty === null) {
      await nextTurn();
      await clock.advance(10);
      step();
    }
    return isEmpty;
  };
  reader.exec("BEGIN; SELECT * FROM settings");
  await store.write((tx) => tx.run(setSetting({ name: "n", value: "2" })));
  expect(await emptied()).toBe(false);
  expect(logged()).toBeGreaterThan(0);
  let steps = 0;
  const goes = () => {
    steps += 1;
    if (steps === 3) reader.close();
  };
  expect(await emptied(goes)).toBe(true);
  expect(logged()).toBe(0);
  await store.close();
  expect(await store.emptyLog()).toBe(false);
  rmSync(folder, { recursive: true });
});

test.each([
  ["storage", false],
  ["busy", false],
  ["statement", null],
] as const)("a log that cannot be emptied for a %s failure is tried for three seconds: %s", async (kind, isEmpty) => {
  const clock = new VirtualClock();
  const tried: boolean[] = [];
  const store = await openSqliteStore({
    path: ":memory:",
    clock,
    open: (...where) => {
      const engine = openNodeSqlite(...where);
      return {
        ...engine,
        query(sql, values, keep) {
          if (!sql.includes("wal_checkpoint")) return engine.query(sql, values, keep);
          tried.push(keep);
          throw new SqliteFailure(kind, "no");
        },
      };
    },
  });
  const outcomes: unknown[] = [];
  const emptied = store.emptyLog().then(
    (is) => outcomes.push(is),
    (error: unknown) => outcomes.push(error),
  );
  while (outcomes.length === 0) {
    await nextTurn();
    await clock.advance(10);
  }
  await emptied;
  expect(outcomes).toEqual([isEmpty ?? expect.objectContaining({ kind })]);
  // Each takes 20 ms, as long as a lock is waited for, and 10 ms lie between two.
  expect(tried).toEqual(Array(isEmpty === null ? 1 : 101).fill(false));
  await store.close();
});
