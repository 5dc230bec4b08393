/** A database file as it is opened: private, durable, and for one service. */
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer, Server } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { parseConfig } from "../../../backend/config.ts";
import { createLog } from "../../../backend/log.ts";
import { startService } from "../../../backend/serve.ts";
import { openStore } from "../../../backend/store/open.ts";
import { lockForService } from "../../../backend/store/service-lock.ts";
import { addSetting, schemaVersion } from "../../../backend/store/settings.ts";
import { openSqliteFile } from "../../../backend/store/sqlite.ts";
import type { Store } from "../../../backend/store/store.ts";

let folder: string;
let file: string;
const open: Store[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-opened-"));
  file = path.join(folder, "below", "service.db");
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()));
  rmSync(folder, { recursive: true });
  // What a broken program makes of the name would fail the next run too.
  rmSync(":memory:", { force: true });
});
const opened = async (url = `sqlite:${file}`) => {
  const store = await openStore(url, systemClock);
  open.push(store);
  return store;
};
const modeOf = (name: string) => statSync(name).mode & 0o777;

test.runIf(process.platform !== "win32")(
  "its folder and its file are for their owner alone, also where they were not",
  async () => {
    await opened();
    expect([modeOf(path.dirname(file)), modeOf(file)]).toEqual([0o700, 0o600]);
    chmodSync(file, 0o644);
    await opened();
    expect(modeOf(file)).toBe(0o600);
    chmodSync(file, 0o400);
    await opened();
    expect(modeOf(file)).toBe(0o400);
  },
);

test("a folder that cannot be made is refused with a sentence", async () => {
  writeFileSync(path.dirname(file), "a file");
  await expect(opened()).rejects.toThrow(/^the database .* cannot be made: /);
});

test("a commit is synced in full, in a log of its own, and a lock of another is not waited for with all else", async () => {
  mkdirSync(path.dirname(file));
  const pragma = (db: ReturnType<typeof openSqliteFile>, name: string) =>
    Object.values(db.query(`PRAGMA ${name}`, [], false).rows[0] as object)[0];
  const full = openSqliteFile({ path: file });
  const asked = { synchronous: 2, journal_mode: "wal", wal_autocheckpoint: 4_000, busy_timeout: 20, secure_delete: 1 };
  expect(Object.fromEntries(Object.keys(asked).map((name) => [name, pragma(full, name)]))).toEqual(asked);
  full.close();
  const normal = openSqliteFile({ path: file, synchronous: "NORMAL" });
  expect(pragma(normal, "synchronous")).toBe(1);
  normal.close();
});

test("a database of a newer program, what is none, and an address that is none are refused, and left as they are", async () => {
  await (await opened()).close();
  const db = new DatabaseSync(file);
  db.exec("UPDATE schema_version SET version = 999; PRAGMA journal_mode = DELETE");
  db.close();
  const before = readFileSync(file);
  await expect(opened()).rejects.toMatchObject({ name: "StoreRefused", why: "newer_database" });
  expect(readFileSync(file)).toEqual(before);
  const text = "A shopping list, and rather longer than a header.\n".repeat(20);
  writeFileSync(file, text);
  await expect(opened()).rejects.toMatchObject({
    name: "StoreRefused",
    message: expect.stringMatching(/cannot be opened/),
  });
  expect(readFileSync(file, "utf8")).toBe(text);
  expect(() => openSqliteFile({ path: folder })).toThrow(
    expect.objectContaining({ name: "StoreRefused", cause: expect.objectContaining({ kind: "storage" }) }),
  );
  await expect(opened("mysql://x")).rejects.toThrow(/^DATABASE_URL must be/);
});

test("in memory nothing is written anywhere; closed, what was asked is answered and all else is refused", async () => {
  const store = await opened("sqlite::memory:");
  expect(existsSync(":memory:")).toBe(false);
  const read = store.read((tx) => tx.first(schemaVersion({})));
  const written = store.write((tx) => tx.run(addSetting({ name: "last", value: "1" })));
  await Promise.all([store.close(), store.close()]);
  expect([await written, (await read)?.version]).toEqual([1, expect.any(Number)]);
  for (const refused of [
    store.read((tx) => tx.first(schemaVersion({}))),
    store.write((tx) => tx.run(addSetting({ name: "a", value: "1" }))),
  ])
    await expect(refused).rejects.toMatchObject({ code: "unavailable" });
});

test("two columns of one name are refused; a row's names are its columns'", () => {
  const db = openSqliteFile({ path: ":memory:" });
  const ask = (sql: string) => db.query(sql, [], false).rows;
  expect(ask("SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4")).toEqual([
    { a: 1, b: 2 },
    { a: 3, b: 4 },
  ]);
  expect(() => ask("SELECT 1 AS a, 2 AS a")).toThrow(expect.objectContaining({ name: "TypeError" }));
  expect(() => ask("SELECT nothing")).toThrow(expect.objectContaining({ name: "SqliteFailure", kind: "statement" }));
  expect(db.query("DELETE FROM outbox", [], false)).toEqual({ rows: [], changes: 0 });
  db.close();
});

/** Open files of this process below the folder; none where the system does not say. */
const held = (): number =>
  existsSync("/proc/self/fd")
    ? readdirSync("/proc/self/fd").filter((name) => {
        const link = `/proc/self/fd/${name}`;
        return existsSync(link) && readlinkSync(link).startsWith(folder);
      }).length
    : 0;

test("one service at a time; a lock that is let go is free, and nothing stays open behind it", async () => {
  await (await opened()).close();
  const lock = lockForService(file);
  expect(existsSync(`${file}-lock`)).toBe(true);
  const since = performance.now();
  expect(() => lockForService(file)).toThrow(expect.objectContaining({ why: "database_in_use" }));
  // One that is just ending has a second to do so.
  expect(performance.now() - since).toBeGreaterThanOrEqual(900);
  lock.release();
  expect(held()).toBe(0);
  lockForService(file).release();
});

test("a start on a port that is taken leaves the file to the next one", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const env = {
    PORT: String((other.address() as AddressInfo).port),
    DATABASE_URL: `sqlite:${file}`,
    METRICS_PORT: "0",
  };
  const config = parseConfig({ ...env, LOG_LEVEL: "silent" });
  if (!config.ok) throw new Error(config.problems.join());
  await expect(startService(config.config, createLog("silent"))).rejects.toMatchObject({ code: "EADDRINUSE" });
  lockForService(file).release();
  other.close();
  await once(other, "close");
});

test("a start that cannot have the port for /metrics leaves its other port closed", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const listen = vi.spyOn(Server.prototype, "listen");
  const config = parseConfig({ PORT: "0", DATABASE_URL: `sqlite:${file}`, METRICS_PORT: "0" });
  if (!config.ok) throw new Error(config.problems.join());
  const servers = listen.mock.contexts;
  const metrics = { host: "127.0.0.1", port: (other.address() as AddressInfo).port, isAsked: true };
  const start = startService({ ...config.config, metrics }, createLog("silent"));
  await expect(start).rejects.toMatchObject({ code: "EADDRINUSE" });
  listen.mockRestore();
  expect(servers.map((server) => (server as Server).listening)).toEqual([false, false]);
  other.close();
  await once(other, "close");
});
