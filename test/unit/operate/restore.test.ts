/** A copy in the place of a database: what is beside it, which log is another one's, and what a restore that was cut off leaves. */
import {
  chmodSync,
  cpSync,
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
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { finishCutOffRestore, madeBy, restore as putBack, restoresBefore } from "../../../backend/operate/restore.ts";
import { backUp } from "../../../backend/store/copy.ts";
import type { DatabaseAddress } from "../../../backend/store/database-url.ts";
import { openStore } from "../../../backend/store/open.ts";
import { lockForService } from "../../../backend/store/service-lock.ts";
import { StoreRefused } from "../../../backend/store/store.ts";

const [before, madeAt, after] = [1_000_000, 2_000_000, 3_000_000];
/** A database as a stopped service leaves it, and a copy of it; each test has its own. */
const made = mkdtempSync(path.join(tmpdir(), "tillcash-restore-"));
let folder: string;
let file: string;
let copy: string;
beforeAll(async () => {
  const database = path.join(made, "service.db");
  await (await openStore(`sqlite:${database}`, systemClock)).close();
  ({ file: copy } = await backUp(database, { folder: path.join(made, "copies"), kept: 7 }, madeAt));
  for (const log of ["-wal", "-shm"]) rmSync(`${database}${log}`, { force: true });
});
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-restore-"));
  cpSync(made, folder, { recursive: true });
  file = path.join(folder, "service.db");
  copy = path.join(folder, "copies", path.basename(copy));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => rmSync(made, { recursive: true, force: true }));

/** Where no key is here. */
const restore = (from: string, database: string, by: string, own = { keyIds: [] as string[], isForced: false }) =>
  putBack(from, database, by, own);
const address = () => ({ kind: "sqlite", path: file }) as DatabaseAddress;
const sql = (text: string, on = file) => {
  const database = new DatabaseSync(on);
  try {
    database.exec(text);
  } finally {
    database.close();
  }
};
const settingIn = (name: string, on = file): string | undefined => {
  const database = new DatabaseSync(on, { readOnly: true });
  try {
    return database.prepare("SELECT value FROM settings WHERE name = ?").get(name)?.value as string | undefined;
  } finally {
    database.close();
  }
};
const restored = (on = file) => JSON.parse(settingIn("restored_from", on) ?? "null");
const files = () => readdirSync(folder).filter((name) => name !== "copies" && !name.includes("-lock"));
const isFree = () => lockForService(file).release();

test("the copy is in its place, marked with where it came from and by whom, for its owner alone; the old one is beside it", async () => {
  sql("INSERT INTO settings (name, value) VALUES ('after', 'the copy')");
  chmodSync(copy, 0o644);
  const aside = await restore(copy, file, "operator ada");
  expect(aside).toMatch(/service\.db\.before-restore-\d+$/);
  expect([settingIn("after"), settingIn("after", aside ?? "")]).toEqual([undefined, "the copy"]);
  expect(restored()).toEqual({ copy, by: "operator ada", told: [] });
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  const logs = /-(wal|shm)$/;
  expect(files().filter((name) => !logs.test(name))).toEqual(["service.db", path.basename(aside ?? "")]);
  expect(isFree).not.toThrow();
});

test("where there was none, none is beside it", async () => {
  rmSync(file);
  expect(await restore(copy, file, "ada")).toBeNull();
  expect(restored()).toEqual({ copy, by: "ada", told: [] });
});

const isKnown = true;
test.each<[string, readonly (readonly [number, number, boolean?])[], readonly number[]]>([
  ["nothing was restored", [], []],
  ["an older copy was restored after this one was made", [[after, before]], [before]],
  [
    "two of them were",
    [
      [after, before + 5],
      [after + 1, before],
    ],
    [before, before + 5],
  ],
  ["an older copy was restored, and this one was made of it", [[madeAt, before, isKnown]], []],
  ["the same by a clock that was ahead", [[after, before, isKnown]], []],
  ["an older copy was restored by a clock that was behind", [[before - 1, before]], [before]],
  ["a newer copy was restored", [[after, madeAt]], []],
])("banks may know more than the copy where, before, %s", async (_, rows, told) => {
  for (const [at, since, known = false] of rows)
    for (const on of known ? [file, copy] : [file])
      sql(`INSERT INTO restores (restored_at, forgot_since) VALUES (${at}, ${since})`, on);
  await restore(copy, file, "ada");
  expect(restored()).toEqual({ copy, by: "ada", told: told.map((since) => ({ since, knownUntil: since })) });
});

test("banks may know more than a copy that does not say when it was made, since any restore: it may be the newest", async () => {
  sql("DELETE FROM settings WHERE name = 'copied_at'", copy);
  sql(`INSERT INTO restores (restored_at, forgot_since) VALUES (${after + 1}, ${after})`);
  await restore(copy, file, "ada");
  expect(restored()).toEqual({ copy, by: "ada", told: [{ since: after, knownUntil: after }] });
});

test("a database that cannot be read says nothing of what banks know, which is said, and is put aside", async () => {
  writeFileSync(file, "damaged");
  const aside = await restore(copy, file, "ada");
  expect(restored()).toEqual({ copy, by: "ada", told: [], isUnread: true });
  expect(readFileSync(aside ?? "", "utf8")).toBe("damaged");
});

/** Writes over a table's first page, as a bad disk does. */
const damage = (table: string) => {
  const database = new DatabaseSync(file);
  const page = Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(table)?.rootpage);
  const bytes = Number(database.prepare("PRAGMA page_size").get()?.page_size);
  database.close();
  const content = readFileSync(file);
  writeFileSync(file, content.fill(0xff, (page - 1) * bytes, page * bytes));
};

test.each([
  ["restores", before],
  ["settings", before + 5],
])(
  "of a database whose table %s is damaged the other one is read, and what may be missing is said",
  async (table, told) => {
    const kept = JSON.stringify([{ restored_at: after, forgot_since: before }]);
    sql(`INSERT INTO settings (name, value) VALUES ('restores_before', '${kept}')`);
    sql(`INSERT INTO restores (restored_at, forgot_since) VALUES (${after + 1}, ${before + 5})`);
    damage(table);
    await restore(copy, file, "ada");
    expect(restored()).toEqual({ copy, by: "ada", told: [{ since: told, knownUntil: told }], isUnread: true });
  },
);

const isForced = true;
/** The audit's entries, by their hashes, under the key `key`. */
const audit = (on: string, key: string, ...hashes: readonly string[]) => {
  for (const [n, hash] of hashes.entries())
    sql(
      `INSERT INTO audit (seq, at, event, actor, object, key_id, hash) VALUES (${n + 1}, 1, 'x', 'y', 'z', '${key}', '${hash}')`,
      on,
    );
};
const another = /another installation's.*restore FILE --force/;
test.each<
  [what: string, copied: readonly string[], own: readonly string[], keyIds: readonly string[], why: RegExp | null]
>([
  ["begins as the database does, and ends otherwise", ["key", "a", "b"], ["key", "a", "c"], ["key"], null],
  ["the same, from before a key that is lost", ["lost", "a"], ["key", "a"], ["key"], null],
  ["begins otherwise", ["key", "b"], ["key", "a"], ["key"], another],
  ["has none, as before there was one", ["key"], ["key", "a"], ["key"], null],
  ["comes where there is none yet, under its key", ["key", "b"], ["key"], ["other", "key"], null],
  ["comes where there is none yet, under no key that is here", ["key", "b"], ["key"], ["other"], another],
  ["comes where there is none, and no key", ["key", "b"], ["key"], [], null],
])("a copy whose audit %s", async (_, [key = "", ...copied], [ownKey = "", ...own], keyIds, why) => {
  audit(copy, key, ...copied);
  audit(file, ownKey, ...own);
  sql("INSERT INTO settings (name, value) VALUES ('after', 'the copy')");
  const put = (is = false) => restore(copy, file, "ada", { keyIds: [...keyIds], isForced: is });
  if (why !== null) await expect(put()).rejects.toThrow(why);
  expect(settingIn("after")).toBe("the copy");
  await put(why !== null && isForced);
  expect(settingIn("after")).toBeUndefined();
});

test.each([
  ["a damaged", () => writeFileSync(file, "damaged")],
  ["no", () => rmSync(file)],
])("a copy in the place of %s database is known by a key that is here", async (_, spoil) => {
  audit(copy, "key", "a");
  spoil();
  await expect(restore(copy, file, "ada", { keyIds: ["other"], isForced: false })).rejects.toThrow(another);
  await restore(copy, file, "ada", { keyIds: ["key"], isForced: false });
  expect(restored()).toMatchObject({ copy });
});

test.each([
  ["a database", () => [file]],
  ["a copy", () => [copy]],
  ["both", () => [file, copy]],
])("%s of before there were restores has none", async (_, of) => {
  for (const on of of()) sql("DROP TABLE restores", on);
  await restore(copy, file, "ada");
  expect(restored()).toEqual({ copy, by: "ada", told: [] });
  expect(settingIn("restores_before")).toBe("[]");
});

test("a copy of before restores had their times is taken", async () => {
  sql("ALTER TABLE restores RENAME COLUMN forgot_since TO before", copy);
  await restore(copy, file, "ada");
  expect(restored()).toEqual({ copy, by: "ada", told: [] });
});

test("a copy of before there was an audit is taken, and one of which any entry is under a key that is here", async () => {
  sql("DROP TABLE audit", copy);
  await restore(copy, file, "ada", { keyIds: ["key"], isForced: false });
  expect(restored()).toMatchObject({ copy });
  rmSync(file);
  cpSync(path.join(made, "copies"), path.join(folder, "copies"), { recursive: true });
  audit(copy, "lost", "a");
  sql("INSERT INTO audit SELECT 2, at, event, actor, address, object, detail, 'key', 'b' FROM audit", copy);
  await restore(copy, file, "ada", { keyIds: ["key"], isForced: false });
  expect(restored()).toMatchObject({ copy });
});

test("a restore that was cut off between its two names is finished before the next one, which tells of it", async () => {
  const kept = JSON.stringify([{ restored_at: after, forgot_since: before }]);
  sql(`INSERT INTO settings (name, value) VALUES ('restores_before', '${kept}')`);
  cpSync(file, `${file}.restoring`);
  rmSync(file);
  const aside = await restore(copy, file, "ada");
  expect(restored()).toEqual({ copy, by: "ada", told: [{ since: before, knownUntil: before }] });
  expect(settingIn("restores_before", aside ?? "")).toBe(kept);
});

test("one of which a draft alone is left beside a database does not take its place", async () => {
  sql("INSERT INTO settings (name, value) VALUES ('after', 'the copy')");
  cpSync(copy, `${file}.restoring`);
  const aside = await restore(copy, file, "ada");
  expect(settingIn("after", aside ?? "")).toBe("the copy");
});

test.each([
  ["nothing in it is later", 5, [{ at: 4, ended: null }], 5],
  ["something in it is later", 5, [{ at: 4, ended: 9 }], 9],
  ["there is nothing in it", 5, [], 5],
])("a copy was made when it says, or later, where %s", (_, copiedAt, rows, made) => {
  expect(madeBy(copiedAt, () => rows)).toBe(made);
});

test("nothing changes where there is no copy, where a service runs, and where the copy is damaged", async () => {
  const content = readFileSync(file);
  const refused = async (from: string, sentence: RegExp) => {
    const error = await restore(from, file, "ada").catch((why: unknown) => why);
    expect(error).toBeInstanceOf(StoreRefused);
    expect((error as Error).message).toMatch(sentence);
    expect(readFileSync(file).equals(content)).toBe(true);
    expect(files()).toEqual(["service.db"]);
  };
  await refused(path.join(folder, "gone.db"), /^there is no copy .*gone\.db$/);
  await refused(path.join(folder, "copies"), /cannot be restored: E/);
  const service = lockForService(file);
  await refused(copy, /^another service is running/);
  service.release();
  writeFileSync(copy, "damaged");
  await refused(copy, /cannot be restored: file is not a database$/);
  await expect(restore(copy, file, "ada")).rejects.toMatchObject({ cause: { message: "file is not a database" } });
  expect(isFree).not.toThrow();
});

test("a copy that is whole and cannot say which restores it knows is refused", async () => {
  sql("DROP TABLE restores; CREATE VIEW restores AS SELECT unknown() AS restored_at, 0 AS forgot_since", copy);
  await expect(restore(copy, file, "ada")).rejects.toThrow(/cannot be restored: no such function/);
  expect(restored()).toBeNull();
});

/** What this process holds open in the folder. */
const openFiles = () =>
  readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const file = readlinkSync(`/proc/self/fd/${fd}`);
      return file.startsWith(folder) ? [file] : [];
    } catch {
      return [];
    }
  });

test.runIf(process.platform === "linux")("no file stays open behind a restore, nor behind a finished one", async () => {
  writeFileSync(`${file}-wal`, "");
  await restore(copy, file, "ada");
  expect(openFiles()).toEqual([]);
  writeFileSync(file, readFileSync(copy));
  writeFileSync(`${file}-wal`, "another one's");
  await finish();
  expect(openFiles()).toEqual([]);
});

test("every log of the old database goes aside with it", async () => {
  for (const log of ["-wal", "-shm", "-journal"]) writeFileSync(`${file}${log}`, log);
  writeFileSync(file, "damaged");
  const aside = await restore(copy, file, "ada");
  for (const log of ["-wal", "-shm", "-journal"]) {
    expect(readFileSync(`${aside}${log}`, "utf8")).toBe(log);
    expect(existsSync(`${file}${log}`)).toBe(false);
  }
});

test("what a killed service left, and what made way for a copy, is put back with its own log; no log of a restore that was cut off is", async () => {
  const [left, log] = [path.join(folder, "left.db"), path.join(folder, "left.db-wal")];
  const killed = new DatabaseSync(file);
  killed.exec("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
  killed.exec("INSERT INTO settings (name, value) VALUES ('late', 'in the log')");
  cpSync(file, left);
  cpSync(`${file}-wal`, log);
  killed.close();
  const aside = await restore(left, file, "ada");
  expect([settingIn("late"), existsSync(log)]).toEqual(["in the log", true]);
  cpSync(log, `${file}.restoring.partial-wal`);
  cpSync(log, `${copy}-wal`);
  rmSync(log);
  for (const without of [left, copy]) {
    await restore(without, file, "ada");
    expect(settingIn("late")).toBeUndefined();
  }
  await restore(aside ?? "", file, "ada");
  expect(settingIn("late")).toBe("in the log");
  expect(files().filter((name) => name.includes("restoring"))).toEqual([]);
});

const finish = (isLocked = false) => finishCutOffRestore(address(), isLocked);
/** As a restore leaves it that was cut off after its copy was checked. */
const leaveDraft = () => writeFileSync(`${file}.restoring`, readFileSync(copy));

test.each([true, false])("a restore that was cut off is finished, whoever holds the lock (%s)", async (isLocked) => {
  leaveDraft();
  writeFileSync(`${file}-wal`, "the old one's");
  const lock = isLocked ? lockForService(file) : null;
  await finish(isLocked);
  lock?.release();
  expect(settingIn("copied_at")).toBe(String(madeAt));
  const aside = files().find((name) => /before-restore-\d+$/.test(name)) ?? "";
  expect(readFileSync(path.join(folder, `${aside}-wal`), "utf8")).toBe("the old one's");
  expect(files().filter((name) => name.includes("restoring"))).toEqual([]);
  expect(isFree).not.toThrow();
});

test("one that was cut off before that is refused on an empty machine, and left where there is a database", async () => {
  writeFileSync(`${file}.restoring.partial`, "half");
  await finish();
  expect(settingIn("copied_at")).toBeUndefined();
  rmSync(file);
  await expect(finish()).rejects.toThrow(/^a restore of .*service\.db was cut off: run it again, or remove .*partial/);
  leaveDraft();
  await finish();
  expect(settingIn("copied_at")).toBe(String(madeAt));
});

test("beside a running service it is refused, and nothing moves", async () => {
  leaveDraft();
  const service = lockForService(file);
  await expect(finish()).rejects.toMatchObject({ why: "database_in_use" });
  service.release();
  expect(files()).toEqual(["service.db", "service.db.restoring"]);
});

test("where nothing is to be finished a running service is not in the way", async () => {
  const service = lockForService(file);
  await expect(finish()).resolves.toBeUndefined();
  service.release();
});

test("one that cannot be finished is refused with why, and frees the database", async () => {
  leaveDraft();
  const part = path.join(folder, "service.db");
  const mtime = Math.trunc(statSync(`${part}.restoring`).mtimeMs);
  // A folder of the name that the old one would get.
  mkdirSync(`${part}.before-restore-${mtime}`);
  const error = await finish().catch((why: unknown) => why);
  expect(error).toBeInstanceOf(StoreRefused);
  expect(error).toMatchObject({ message: expect.stringMatching(/cannot be finished: E/), cause: expect.any(Error) });
  expect(isFree).not.toThrow();
});

/** @param beside how often as far as the file beside the database knows. */
const startedTwice = (beside: string) => {
  sql("PRAGMA journal_mode = WAL; INSERT OR REPLACE INTO settings (name, value) VALUES ('starts', '2')");
  writeFileSync(`${file}-starts`, beside);
};

test.each<[string, () => void, boolean]>([
  ["a copy beside another one's log", () => writeFileSync(file, readFileSync(copy)), true],
  ["the service's own database with its log", () => sql("PRAGMA journal_mode = WAL"), false],
  ["an older file of the service's own beside the log of a newer one", () => startedTwice("3"), true],
  ["one that was started as often as is known beside it", () => startedTwice("2"), false],
  ["a log alone", () => rmSync(file), false],
])("%s", async (_, prepare, isForeign) => {
  prepare();
  for (const log of ["-wal", "-shm"]) writeFileSync(`${file}${log}`, `a log${log}`);
  await finish();
  const aside = files().filter((name) => name.includes("before-restore"));
  expect(existsSync(`${file}-wal`)).toBe(!isForeign);
  expect(aside.map((name) => name.replace(/\d{5,}/, "TIME"))).toEqual(
    isForeign ? ["service.db.before-restore-TIME-shm", "service.db.before-restore-TIME-wal"] : [],
  );
  for (const name of aside)
    expect(readFileSync(path.join(folder, name), "utf8")).toBe(`a log-${name.split("-").at(-1)}`);
});

test("an older file without a log has none to put aside", async () => {
  startedTwice("3");
  await finish();
  expect(files()).toEqual(["service.db", "service.db-starts"]);
});

test("an empty log is nobody's, and a database of PostgreSQL has none", async () => {
  writeFileSync(file, readFileSync(copy));
  writeFileSync(`${file}-wal`, "");
  await finish();
  expect(files()).toEqual(["service.db", "service.db-wal"]);
  leaveDraft();
  await finishCutOffRestore({ ...address(), kind: "postgres" } as unknown as DatabaseAddress, false);
  expect(files()).toContain("service.db.restoring");
});

const went = (restored_at: number, forgot_since: number) => ({ restored_at, forgot_since });
test("the newest hundred restores go along, wherever each of them is noted", () => {
  const kept = Array.from({ length: 100 }, (_, n) => went(n, n));
  const { before: along } = restoresBefore(0, [], [went(200, 1)], JSON.stringify(kept), JSON.stringify([went(150, 1)]));
  expect(along.map(({ restored_at }) => restored_at)).toEqual([200, 150, ...kept.slice(2).map((_, n) => 99 - n)]);
});

test("what banks know since more than one restore is told in the order of its times", () => {
  const own = [went(50, 30), went(40, 10), went(45, 20)];
  expect(restoresBefore(99, [], own, undefined).told.map(({ since }) => since)).toEqual([10, 20, 30]);
});

test("of two restores to one time both are told where the one's copy knew more than the other's", () => {
  const kept = JSON.stringify([{ ...went(50, 10), known_until: 30 }]);
  const { told } = restoresBefore(99, [], [went(40, 10)], kept);
  expect(told.map(({ since, knownUntil }) => [since, knownUntil])).toEqual([
    [10, 30],
    [10, 10],
  ]);
});

test.each([
  ["to before the copy was made", 11, [], {}, [{ since: 10, knownUntil: 10 }]],
  [
    "to before the copy was made, and knew of later times,",
    11,
    [],
    { known_until: 30 },
    [{ since: 10, knownUntil: 30 }],
  ],
  ["to when it was made", 10, [], {}, []],
  ["and that the copy knows", 11, [went(50, 10)], { known_until: 30 }, []],
])("a restore that went back %s is told of, or not", (_, madeBy, known, noted, told) => {
  const kept = JSON.stringify([{ ...went(50, 10), ...noted }, went(40, 99)]);
  expect(restoresBefore(madeBy, known, [went(50, 10)], kept).told).toEqual(told);
});
