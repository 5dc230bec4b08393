/** SQLite on a bad day: a locked file, a full disk, a disk that became read-only, a commit that fails, a file that is none. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { openStore } from "../../backend/store/open.ts";
import { openNodeSqlite, openSqliteStore, type SqliteEngine, SqliteFailure } from "../../backend/store/sqlite.ts";
import { adhoc, type Store, StoreRefused, type Tx } from "../../backend/store/store.ts";

let folder: string;
let path: string;
const opened: Store[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tillcash-bad-day-"));
  path = join(folder, "service.db");
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = async (change: (engine: SqliteEngine) => SqliteEngine = (engine) => engine) => {
  const store = await openSqliteStore({
    path,
    clock: systemClock,
    open: (file, busyTimeoutMs) => change(openNodeSqlite(file, busyTimeoutMs)),
  });
  opened.push(store);
  return store;
};
const add =
  (id: string, url: string | null = null) =>
  (tx: Tx) =>
    tx.run(adhoc((db) => db.insertInto("partners").values({ id, url, secret: null, created_at: 0 })));
const ids = (store: Store) =>
  store.read((tx) => tx.all(adhoc((db) => db.selectFrom("partners").select("id").orderBy("id"))));
const unavailable = { status: "rejected", reason: { code: "unavailable" } };

test("what arrives in one tick is one commit, answered after it", async () => {
  const log: string[] = [];
  const store = await open((engine) => ({
    ...engine,
    exec(sql) {
      engine.exec(sql);
      if (/^(BEGIN|COMMIT)/.test(sql)) log.push(sql);
    },
  }));
  log.length = 0;
  await Promise.all(["a", "b", "c"].map((id) => store.write(add(id)).then(() => log.push(`answered ${id}`))));
  expect(log).toEqual(["BEGIN IMMEDIATE", "COMMIT", "answered a", "answered b", "answered c"]);
});

test("what is read in one tick is one snapshot, answered after it; what was committed before is in it", async () => {
  const log: string[] = [];
  const store = await open((engine) => ({
    ...engine,
    exec(sql) {
      engine.exec(sql);
      log.push(sql);
    },
    query(sql, values, keep) {
      if (/^(BEGIN|COMMIT)/.test(sql)) log.push(sql);
      return engine.query(sql, values, keep);
    },
  }));
  log.length = 0;
  const note = (what: string) => () => log.push(what);
  await Promise.all([ids(store).then(note("read 1")), ids(store).then(note("read 2"))]);
  expect(log.splice(0)).toEqual(["BEGIN", "COMMIT", "read 1", "read 2"]);
  const after = store.write(add("a")).then(() => ids(store));
  await Promise.all([ids(store), after]);
  expect(log).toEqual(["BEGIN IMMEDIATE", "COMMIT", "BEGIN", "COMMIT"]);
  expect(await after).toEqual([{ id: "a" }]);
});

test("a disk that takes no snapshot: reads are unavailable, and go on when it is back", async () => {
  let failing = true;
  const store = await open((engine) => ({
    ...engine,
    query(sql, values, keep) {
      if (failing && sql === "BEGIN") throw new SqliteFailure("storage", new Error("disk I/O error"));
      return engine.query(sql, values, keep);
    },
  }));
  expect(await Promise.allSettled([ids(store), ids(store)])).toMatchObject([unavailable, unavailable]);
  failing = false;
  expect(await ids(store)).toEqual([]);
});

test("a commit that fails fails every unit of its tick, also those that only refused, and leaves nothing", async () => {
  let failing = true;
  const store = await open((engine) => ({
    ...engine,
    exec(sql) {
      if (sql === "COMMIT" && failing && engine.inTransaction())
        throw new SqliteFailure("storage", new Error("disk I/O error"));
      engine.exec(sql);
    },
  })).catch(() => null);
  expect(store).toBeNull();
  failing = false;
  const later = await open((engine) => ({
    ...engine,
    exec(sql) {
      if (sql === "COMMIT" && failing) throw new SqliteFailure("storage", new Error("disk I/O error"));
      engine.exec(sql);
    },
  }));
  failing = true;
  const outcomes = await Promise.allSettled([
    later.write(add("a")),
    later.write(async (tx) => {
      await add("b")(tx);
      throw new Error("its own reason, which rested on what was not kept");
    }),
    later.write(add("c")),
  ]);
  expect(outcomes).toMatchObject([unavailable, unavailable, unavailable]);
  failing = false;
  expect(await ids(later)).toEqual([]);
  await later.write(add("d"));
  expect(await ids(later)).toEqual([{ id: "d" }]);
});

test("a full disk: unavailable, nothing half-done, reads go on, and it works again when there is room", async () => {
  let engineOfStore: SqliteEngine | null = null;
  const store = await open((engine) => {
    engineOfStore = engine;
    return engine;
  });
  const limit = (pages: number) => engineOfStore?.query(`PRAGMA max_page_count = ${pages}`, [], false);
  limit(1);
  const big = "x".repeat(300_000);
  const outcomes = await Promise.allSettled([
    store.write(add("small")),
    store.write(add("big", big)),
    store.write(add("c")),
  ]);
  expect(outcomes).toMatchObject([unavailable, unavailable, unavailable]);
  expect(await ids(store)).toEqual([]);
  limit(1_000_000);
  await store.write(add("big", big));
  expect(await ids(store)).toEqual([{ id: "big" }]);
});

test("a file that another program has locked for a moment: the write waits without holding up reads", async () => {
  const store = await open();
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const writing = store.write(add("a"));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await ids(store)).toEqual([]);
  other.exec("COMMIT");
  other.close();
  await writing;
  expect(await ids(store)).toEqual([{ id: "a" }]);
});

test("a file that stays locked: unavailable after some seconds", async () => {
  const store = await open();
  const other = new DatabaseSync(path);
  other.exec("BEGIN IMMEDIATE");
  const [outcome] = await Promise.allSettled([store.write(add("a"))]);
  expect(outcome).toMatchObject(unavailable);
  other.exec("COMMIT");
  other.close();
  await store.write(add("b"));
  expect(await ids(store)).toEqual([{ id: "b" }]);
});

test("a disk that became read-only: writes are unavailable, reads go on", async () => {
  let engineOfStore: SqliteEngine | null = null;
  const store = await open((engine) => {
    engineOfStore = engine;
    return engine;
  });
  await store.write(add("a"));
  (engineOfStore as SqliteEngine | null)?.query("PRAGMA query_only = 1", [], false);
  const outcomes = await Promise.allSettled([store.write(add("b")), store.write(add("c"))]);
  expect(outcomes).toMatchObject([unavailable, unavailable]);
  expect(await ids(store)).toEqual([{ id: "a" }]);
});

test("a file that is no database is refused with a sentence, and kept", async () => {
  writeFileSync(path, "This is a shopping list, and rather longer than a header.\n".repeat(20));
  const before = readFileSync(path);
  await expect(open()).rejects.toThrow(StoreRefused);
  await expect(open()).rejects.toThrow(/cannot be opened/);
  expect(readFileSync(path)).toEqual(before);
});

test("a database of a newer program is not touched, to the byte", async () => {
  const store = await open();
  await store.write((tx) => tx.run(adhoc((db) => db.updateTable("schema_version").set({ version: 999 }))));
  await store.close();
  const before = readFileSync(path);
  await expect(open()).rejects.toThrow(/newer program/);
  expect(readFileSync(path)).toEqual(before);
});

test.runIf(process.getuid?.() !== 0)("a folder that cannot be written is refused with a sentence", async () => {
  chmodSync(folder, 0o500);
  await expect(openStore(`sqlite:${join(folder, "below", "service.db")}`, systemClock)).rejects.toThrow(
    /cannot be made/,
  );
});

test.each(["", "mysql://x", "sqlite:", "service.db"])("DATABASE_URL %j is refused with a sentence", async (url) => {
  await expect(openStore(url, systemClock)).rejects.toThrow(/DATABASE_URL must be/);
});

test("a PostgreSQL that is not there is refused with a sentence", async () => {
  await expect(openStore("postgres://nobody@127.0.0.1:9/none", systemClock)).rejects.toThrow(/cannot be used/);
});

/** More than the file may grow by: SQLite ends the transaction by itself, and takes what follows as commits of their own. */
const addTooMuch = (tx: Tx) => add("a", "x".repeat(1_000_000))(tx);

test.each<[string, (tx: Tx) => Promise<unknown>]>([
  ["after it", (tx) => addTooMuch(tx).catch(() => add("b")(tx))],
  ["beside it", (tx) => Promise.all([addTooMuch(tx), add("b")(tx)])],
  ["by another unit of the tick", (tx) => addTooMuch(tx).catch(() => {})],
])(
  "a disk that is full under a statement: what is asked for %s is not written either, and nobody is told that it is",
  async (_, unit) => {
    let ofStore: SqliteEngine | null = null;
    const store = await open((engine) => {
      ofStore = engine;
      return engine;
    });
    const pragma = (text: string) => Object.values(ofStore?.query(`PRAGMA ${text}`, [], false).rows[0] ?? {});
    pragma(`max_page_count = ${Number(pragma("page_count")) + 20}`);
    const outcomes = await Promise.allSettled([store.write(unit), store.write(add("c"))]);
    expect(outcomes).toMatchObject([unavailable, unavailable]);
    expect(await ids(store)).toEqual([]);
    expect(await store.write(add("d"))).toBe(1);
  },
);
