/** Copies of an SQLite database: made under writes, checked, counted, put back on an empty machine; and before an upgrade. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  promises,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { type FileHandle, open as openFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { backUp, copiesOf, newestCopy, startDailyBackup, sync, syncFolder } from "../../backend/store/copy.ts";
import { migrationFrom, newestOf } from "../../backend/store/migrate.ts";
import { migrations } from "../../backend/store/migrations.ts";
import { openStore } from "../../backend/store/open.ts";
import { copiedAtSetting } from "../../backend/store/restores.ts";
import { lockForService } from "../../backend/store/service-lock.ts";
import { settingByName } from "../../backend/store/settings.ts";
import { adhoc, type Store, StoreRefused } from "../../backend/store/store.ts";
import { waitsFor } from "../disk-calls.ts";

let folder: string;
let file: string;
let copies: string;
let store: Store;
const opened: Store[] = [];
const open = async (path: string): Promise<Store> => {
  const it = await openStore(`sqlite:${path}`, systemClock);
  opened.push(it);
  return it;
};
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tillcash-backup-"));
  [file, copies] = [join(folder, "service.db"), join(folder, "copies")];
  store = await open(file);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((it) => it.close()));
  rmSync(folder, { recursive: true, force: true });
});

const original = DatabaseSync.prototype.prepare;
const day = 24 * 3_600_000;
const noon = Date.UTC(2026, 10, 22, 12);
const plan = (kept = 7) => ({ folder: copies, kept });
const addPartner = (id: string) =>
  store.write((tx) =>
    tx.run(adhoc((db) => db.insertInto("partners").values({ id, url: null, secret: null, created_at: 0 }))),
  );
const partnersIn = async (path: string): Promise<readonly string[]> => {
  const it = await open(path);
  return (await it.read((tx) => tx.all(adhoc((db) => db.selectFrom("partners").select("id").orderBy("id"))))).map(
    ({ id }) => id,
  );
};
const on = () => ({ DATABASE_URL: `sqlite:${file}`, BACKUP_DIR: copies });
const command = (...args: string[]) => manage(parseCommandLine(args, on()));

test("a copy made while the service writes is whole, and holds all that was committed before it was begun", async () => {
  for (let n = 0; n < 50; n += 1) await addPartner(`a${n}`);
  // The mark of the copy that this one was restored from.
  const earlier = { name: copiedAtSetting, value: "1" };
  await store.write((tx) => tx.run(adhoc((db) => db.insertInto("settings").values(earlier))));
  let [writing, written] = [true, 0];
  const more = (async () => {
    for (; writing; written += 1) await addPartner(`b${written}`);
  })();
  await expect.poll(() => written, { interval: 1 }).toBeGreaterThan(5);
  const before = written;
  const copy = await backUp(file, plan(), noon);
  expect(written).toBeGreaterThan(before);
  // Opened as a database it would be made private.
  const modes = [copy.file, copies].map((at) => statSync(at).mode & 0o777);
  writing = false;
  await more;
  if (process.platform !== "win32") expect(modes).toEqual([0o600, 0o700]);
  // What a restore from it may have forgotten is counted from then.
  const copied = new DatabaseSync(copy.file, { readOnly: true });
  const mark = copied.prepare("SELECT value FROM settings WHERE name = ?").get(copiedAtSetting);
  const integrity = copied.prepare("PRAGMA integrity_check").all();
  copied.close();
  expect(integrity).toEqual([{ integrity_check: "ok" }]);
  expect(mark).toEqual({ value: String(noon) });
  const names = await partnersIn(copy.file);
  expect(names.filter((id) => id.startsWith("a"))).toHaveLength(50);
  // One state of all that was written: none is left out before a later one.
  const later = names
    .flatMap((id) => (id.startsWith("b") ? [Number(id.slice(1))] : []))
    .sort((one, other) => one - other);
  expect(later.length).toBeGreaterThanOrEqual(before);
  expect(later).toEqual(later.map((_, n) => n));
  expect(readdirSync(copies).filter((name) => name.includes("partial"))).toEqual([]);
  expect(copy).toEqual({ file: join(copies, "service-20261122T120000000Z.db"), at: noon, bytes: expect.any(Number) });
});

test("a copy is made and checked in a thread of its own: the service, which answers meanwhile, prepares no statement for it", async () => {
  await addPartner("a");
  const answer = () => store.read((tx) => tx.first(settingByName({ name: copiedAtSetting })));
  // Prepared once.
  await answer();
  const done: string[] = [];
  const prepare = vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (this: DatabaseSync, sql) {
    done.push(sql);
    return Reflect.apply(original, this, [sql]);
  });
  const exec = vi.spyOn(DatabaseSync.prototype, "exec");
  // Who makes a copy opens and closes it synchronously, too.
  const close = vi.spyOn(DatabaseSync.prototype, "close");
  const copying = backUp(file, plan(), noon).then(() => done.push("copied"));
  await answer();
  done.push("answered");
  await copying;
  const ran = [...exec.mock.calls, ...close.mock.calls];
  for (const spy of [prepare, exec, close]) spy.mockRestore();
  expect(ran).toEqual([]);
  expect(done).toEqual(["answered", "copied"]);
});

test.each<[string, "error" | "exit", unknown, () => Promise<unknown>, RegExp]>([
  ["a copy whose thread ends is none", "exit", 1, () => backUp(file, plan(), noon), /ended with 1$/],
  ["copies whose thread ends are not known", "exit", 1, () => newestCopy(file, copies, noon), /not be looked at$/],
  ["nor those whose thread fails", "error", new Error("no room"), () => newestCopy(file, copies, noon), /^no room$/],
])("%s, and what was there stays", async (_, event, value, run, why) => {
  await backUp(file, plan(), noon - day);
  const { once } = Worker.prototype;
  let isEnded = false;
  Worker.prototype.once = function (this: Worker, name: string, listener: (value: unknown) => void) {
    if (name !== event || isEnded) return Reflect.apply(once, this, [name, listener]);
    isEnded = true;
    void this.terminate();
    return Reflect.apply(once, this, ["exit", () => listener(value)]);
  } as typeof once;
  try {
    await expect(run()).rejects.toThrow(why);
  } finally {
    delete (Worker.prototype as Partial<Worker>).once;
  }
  expect(readdirSync(copies)).toEqual(["service-20261121T120000000Z.db"]);
});

test("the service waits for no folder of copies, which may lie in the network and not answer", async () => {
  const copying = async () => {
    for (const at of [noon - day, noon]) await backUp(file, plan(1), at);
    expect((await newestCopy(file, copies, noon))?.at).toBe(noon);
  };
  expect(await waitsFor(copies, copying)).toEqual([]);
});

test.each(["mkdir", "readdir", "stat"] as const)(
  "a folder whose %s does not answer keeps two of the four threads with which banks' names are looked up, however often it is asked",
  async (name) => {
    for (const at of [noon - 3 * day, noon - 2 * day, noon - day]) await backUp(file, plan(), at);
    const [held, original] = [Promise.withResolvers<void>(), promises[name]];
    let waiting = 0;
    const holding = vi.spyOn(promises, name).mockImplementation(async (...of: unknown[]) => {
      waiting += 1;
      await held.promise;
      return Reflect.apply(original, promises, of);
    });
    syncBuiltinESMExports();
    const asked = [1, 2, 3].flatMap((n) => [newestCopy(file, copies, noon), backUp(file, plan(), noon + n)]);
    await expect.poll(() => waiting, { interval: 5 }).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const kept = waiting;
    held.resolve();
    await Promise.all(asked);
    holding.mockRestore();
    syncBuiltinESMExports();
    expect(kept).toBeLessThanOrEqual(2);
  },
);

test.runIf(process.platform === "linux")(
  "a copy is on disk before it has its name, and its name before an older one goes",
  async () => {
    const { file: older } = await backUp(file, plan(), noon - day);
    const handle = await openFile(file);
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const { sync } = handles;
    const synced: string[] = [];
    const syncs = vi.spyOn(handles, "sync").mockImplementation(async function (this: FileHandle) {
      await sync.call(this);
      synced.push(`${readlinkSync(`/proc/self/fd/${this.fd}`)} beside ${readdirSync(copies).length - 1}`);
    });
    const { file: newer } = await backUp(file, plan(1), noon);
    syncs.mockRestore();
    expect(synced).toEqual([`${newer}.partial beside 1`, `${copies} beside 1`]);
    expect([existsSync(older), existsSync(newer)]).toEqual([false, true]);
  },
);

test.each([
  ["win32", ["r+"]],
  ["linux", ["r", "r"]],
])("on %s a file and its folder are synced as that system can", async (platform, ways) => {
  vi.stubGlobal("process", Object.create(process, { platform: { value: platform } }));
  const handle = { sync: async () => {}, close: async () => {} };
  const opening = vi.spyOn(promises, "open").mockResolvedValue(handle as FileHandle);
  syncBuiltinESMExports();
  try {
    await sync(file);
    await syncFolder(file);
    expect(opening.mock.calls).toEqual(ways.map((way, at) => [at === 0 ? file : folder, way]));
  } finally {
    opening.mockRestore();
    syncBuiltinESMExports();
    vi.unstubAllGlobals();
  }
});

test("the newest stay, as many as were asked for; what has another name is left alone", async () => {
  await backUp(file, plan(), noon - 9 * day);
  for (const stranger of [
    "service.db",
    "service-notes.txt",
    "another-20201122T120000000Z.db",
    "service-2-20201122T120000000Z.db",
  ])
    writeFileSync(join(copies, stranger), "mine");
  for (let n = 8; n >= 0; n -= 1) await backUp(file, plan(3), noon - n * day);
  expect((await copiesOf(file, copies)).map(({ at }) => (noon - at) / day)).toEqual([0, 1, 2]);
  expect(readdirSync(copies)).toHaveLength(3 + 4);
});

/** As another installation's service would have left it in the same folder. @param hash of its audit's first entry. */
const anothersCopy = async (at: number, hash: string): Promise<string> => {
  const { file: made } = await backUp(file, plan(99), at);
  const database = new DatabaseSync(made);
  database.prepare("UPDATE audit SET hash = ? WHERE seq = 1").run(hash);
  database.close();
  return made;
};

test("copies of another installation in the same folder neither stand for its own nor make way for them", async () => {
  await command("merchants", "add", "corner", "--name", "Corner");
  const others = [await anothersCopy(noon - 9 * day, "x"), await anothersCopy(noon + 1, "x")];
  expect(await newestCopy(file, copies, noon + 2)).toBeNull();
  for (let n = 3; n >= 0; n -= 1) await backUp(file, plan(2), noon - n * day);
  expect((await newestCopy(file, copies, noon + 2))?.at).toBe(noon);
  const left = (await copiesOf(file, copies)).filter((copy) => !others.includes(copy.file));
  expect(left.map(({ at }) => (noon - at) / day)).toEqual([0, 1]);
  expect(others.map((copy) => existsSync(copy))).toEqual([true, true]);
  // A copy that cannot say whose it is counts as its own.
  const silent = new DatabaseSync((await backUp(file, plan(99), noon + 9)).file);
  silent.exec("DELETE FROM audit");
  silent.close();
  expect((await newestCopy(file, copies, noon + 9))?.at).toBe(noon + 9);
  // Where the database cannot say whose it is all are its own.
  const emptied = new DatabaseSync(file);
  emptied.exec("DELETE FROM audit");
  emptied.close();
  expect((await newestCopy(file, copies, noon + 2))?.at).toBe(noon + 1);
});

test.each<[string, () => void]>([
  ["cut off", () => truncateSync(file, Math.floor(statSync(file).size / 2))],
  [
    "without a table",
    () => {
      const damaged = new DatabaseSync(file);
      damaged.exec("DROP TABLE withdrawals");
      damaged.close();
    },
  ],
  [
    "damaged in a page that nobody has read since",
    () => {
      const damaged = new DatabaseSync(file);
      const { rootpage } =
        damaged.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'partner_brands'").get() ?? {};
      damaged.close();
      const bytes = readFileSync(file);
      bytes.fill(0xff, (Number(rootpage) - 1) * 4096, Number(rootpage) * 4096);
      writeFileSync(file, bytes);
    },
  ],
])("a copy of a database that is %s takes none of the earlier ones away and leaves nothing", async (_, damage) => {
  await addPartner("a");
  const first = await backUp(file, plan(1), noon - day);
  await store.close();
  damage();
  await expect(backUp(file, plan(1), noon)).rejects.toThrow(/malformed|no such table|is damaged/);
  expect(readdirSync(copies).map((name) => join(copies, name))).toEqual([first.file]);
});

test("a copy from the future, of a clock that was ahead, goes before one that was made now", async () => {
  for (const ahead of [30, 20, 10]) await backUp(file, plan(3), noon + ahead * day);
  await backUp(file, plan(3), noon - day);
  await backUp(file, plan(3), noon);
  expect((await copiesOf(file, copies)).map(({ at }) => (at - noon) / day)).toEqual([30, 0, -1]);
  const newest = [noon, noon - 1].map(async (at) => (await newestCopy(file, copies, at))?.at);
  expect(await Promise.all(newest)).toEqual([noon, noon - day]);
});

test("what a process that was killed in the middle left is removed a day later, of another database never", async () => {
  mkdirSync(copies);
  const left = ["service-20261121T120000000Z", "service-20261121T120000001Z", "another-20201122T120000000Z"];
  for (const name of left) writeFileSync(join(copies, `${name}.db.partial`), "half");
  await backUp(file, plan(), noon);
  expect(readdirSync(copies).filter((name) => name.endsWith(".partial"))).toEqual(
    ["another-20201122T120000000Z", "service-20261121T120000001Z"].map((name) => `${name}.db.partial`),
  );
});

test("what another process removes meanwhile is in nobody's way", async () => {
  const { readdir, stat } = promises;
  const gone = "service-20201122T120000000Z.db";
  const spies = [
    vi
      .spyOn(promises, "readdir")
      .mockImplementation(
        async (...of) => [...(await Reflect.apply(readdir, promises, of)), `${gone}.partial`, gone] as never,
      ),
    vi
      .spyOn(promises, "stat")
      .mockImplementation(async (at, ...how) =>
        at === join(copies, gone) ? ({ size: 1 } as never) : Reflect.apply(stat, promises, [at, ...how]),
      ),
  ];
  syncBuiltinESMExports();
  await backUp(file, plan(1), noon).finally(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  expect(readdirSync(copies)).toEqual(["service-20261122T120000000Z.db"]);
});

test("the commands: a copy, and its way back on an empty machine", async () => {
  await addPartner("a");
  const [made] = await command("backup");
  await addPartner("b");
  const [first] = await copiesOf(file, copies);
  expect(made).toEqual({ copy: first?.file, bytes: first?.bytes, keep_apart: `${file}.service-key` });
  expect(existsSync(String(made?.keep_apart))).toBe(true);

  const elsewhere = join(folder, "empty", "machine", "service.db");
  const [restored] = await manage(
    parseCommandLine(["restore", String(made?.copy)], { DATABASE_URL: `sqlite:${elsewhere}` }),
  );
  expect(restored).toEqual({
    database: elsewhere,
    from: made?.copy,
    before: null,
    ended: "when the service starts",
    next: "start the service: its log says which payments to compare with the banks",
  });
  expect(await partnersIn(elsewhere)).toEqual(["a"]);
  expect(await partnersIn(file)).toEqual(["a", "b"]);
});

test("a copy needs the file of the key that was made at first also once SERVICE_KEY has come in its place", async () => {
  await command("merchants", "add", "kiosk", "--name", "Kiosk");
  const given = (...words: string[]) =>
    manage(parseCommandLine(words, { ...on(), SERVICE_KEY: "a service key of the tests" }));
  await given("merchants", "set", "kiosk", "--name", "Corner");
  const [made] = await given("backup");
  expect(made).toMatchObject({ keep_apart: `${file}.service-key` });
  rmSync(String(made?.keep_apart));
  await expect(given("audit", "verify")).rejects.toThrow(/entry 1 was written under another SERVICE_KEY/);
});

test.each(["stopped", "killed"])(
  "a restore keeps what a %s service had, with what its log held, beside it",
  async (end) => {
    await addPartner("a");
    const { file: copy } = await backUp(file, plan(), noon);
    await addPartner("b");
    if (end === "stopped") await store.close();
    const [{ before }] = (await command("restore", copy)) as [{ before: string }];
    expect(readdirSync(folder).filter((name) => /^service\.db-(wal|shm|journal)$/.test(name))).toEqual([]);
    expect(await partnersIn(file)).toEqual(["a"]);
    expect(await partnersIn(before)).toEqual(["a", "b"]);
  },
);

test("nothing is restored under a running service, from a damaged copy, from none, or with a flag that it does not take", async () => {
  await addPartner("a");
  const { file: copy } = await backUp(file, plan(), noon);
  await addPartner("b");
  const service = lockForService(file);
  await expect(command("restore", copy)).rejects.toThrow(/another service is running/);
  service.release();
  await expect(command("restore", copy, "--dry-run")).rejects.toThrow(/"restore" does not take --dry-run/);
  truncateSync(copy, 4096);
  await expect(command("restore", copy)).rejects.toThrow(/cannot be restored/);
  await expect(command("restore", join(copies, "gone.db"))).rejects.toThrow(/there is no copy/);
  await expect(command("restore")).rejects.toThrow(/restore FILE/);
  expect(await partnersIn(file)).toEqual(["a", "b"]);
});

test.each(["backup", "reports list", "terminals list", "audit verify"])(
  "%s of a database that is not there is refused: an empty one would say that all is well",
  async (words) => {
    const other = join(folder, "other.db");
    const on = { DATABASE_URL: `sqlite:${other}`, BACKUP_DIR: copies };
    await expect(manage(parseCommandLine(words.split(" "), on))).rejects.toThrow(/^there is no database .*other\.db/);
    expect(existsSync(other)).toBe(false);
    // The set-up may come before the first start.
    await manage(parseCommandLine(["merchants", "add", "shop", "--name", "Shop"], on));
    await manage(parseCommandLine(words.split(" "), on));
  },
);

test("a folder that cannot be used is named in a sentence, not by a stack of calls", async () => {
  writeFileSync(join(copies, "..", "a-file"), "");
  const refused = command("backup", "--backup-dir", join(copies, "..", "a-file"));
  await expect(refused).rejects.toThrow(/^no copy was made in .*a-file: EEXIST/);
  await expect(refused).rejects.toBeInstanceOf(StoreRefused);
});

test("of a folder the newest copy is restored; one from the future has to be named", async () => {
  await addPartner("first");
  await backUp(file, plan(), systemClock.now() - 2 * day);
  await addPartner("second");
  await backUp(file, plan(), systemClock.now() - day);
  await addPartner("third");
  await store.close();
  const [{ from } = {}] = await command("restore", copies);
  expect(from).toBe((await copiesOf(file, copies))[0]?.file);
  expect(await partnersIn(file)).toEqual(["first", "second"]);
  await opened.pop()?.close();
  const ahead = await backUp(file, plan(), systemClock.now() + day);
  await expect(command("restore", copies)).rejects.toThrow(`${ahead.file} is dated`);
  expect(await command("restore", ahead.file)).toMatchObject([{ from: ahead.file }]);
  mkdirSync(join(folder, "empty"));
  await expect(command("restore", join(folder, "empty"))).rejects.toThrow(/there is no copy of service/);
});

test("a folder's newest copy comes where there is no database; where there is a new one it has to be named", async () => {
  await command("merchants", "add", "corner", "--name", "Corner");
  const { file: copy } = await backUp(file, plan(), systemClock.now() - day);
  await store.close();
  for (const part of ["", "-wal", "-shm"]) rmSync(`${file}${part}`, { force: true });
  expect(await command("restore", copies)).toMatchObject([{ from: copy, before: null }]);
  rmSync(file);
  // As a service leaves it that was started before anybody came to restore.
  await command("merchants", "add", "other", "--name", "Other");
  await expect(command("restore", copies)).rejects.toThrow(
    `or this database is new; the newest is ${copy}. If it is to come in this one's place: restore FILE --force`,
  );
  expect(await command("restore", copy, "--force")).toMatchObject([{ from: copy }]);
});

test("a copy of a newer program that this one cannot use is refused, and the database stays", async () => {
  await addPartner("a");
  const { file: copy } = await backUp(file, plan(), noon);
  await addPartner("b");
  await store.close();
  const newer = new DatabaseSync(copy);
  newer.exec("UPDATE schema_version SET version = 9999 WHERE id <> 2");
  newer.close();
  await expect(command("restore", copy)).rejects.toThrow(/cannot be restored: .* needs a program of version 9999/);
  expect(await partnersIn(file)).toEqual(["a", "b"]);
});

test("a copy that a command was tried on says its own time still", async () => {
  await addPartner("a");
  const made = systemClock.now() - day;
  const { file: copy } = await backUp(file, plan(), made);
  const on = (path: string, ...words: string[]) =>
    manage(parseCommandLine(words, { DATABASE_URL: `sqlite:${path}`, SERVICE_KEY: "a service key of the tests" }));
  await on(copy, "audit", "verify");
  expect(await on(file, "restore", copy)).toMatchObject([{ forgot_since: new Date(made).toISOString() }]);
});

test("a service copies once a day, also over restarts, and tries again after a failure", async () => {
  let now = noon;
  let timer: { run: () => void; delayMs: number } | null = null;
  const seen = { backups: [] as number[], copied: [] as unknown[], errors: [] as number[] };
  const parts = {
    clock: {
      ...systemClock,
      now: () => now,
      after(delayMs: number, go: () => void) {
        timer = { run: go, delayMs };
        return () => {};
      },
    },
    log: {
      info: ({ bytes }: { bytes?: number }) => void seen.copied.push(bytes),
      warn() {},
      error: () => void seen.errors.push(1),
    },
    telemetry: { backup: (at: number) => void ([0, seen.backups.at(-1)].includes(at) || seen.backups.push(at)) },
  };
  /** Lets the planned time pass; resolves when the next one is planned. @returns how long that is. */
  const pass = async (): Promise<number> => {
    const planned = timer;
    timer = null;
    now += planned?.delayMs ?? 0;
    planned?.run();
    // A copy takes its time, and counts from when it was begun.
    now += 1_000;
    await expect.poll(() => timer).not.toBeNull();
    return (timer as { delayMs: number } | null)?.delayMs ?? 0;
  };

  startDailyBackup(parts, file, plan());
  expect(await pass()).toBe(day);
  expect(await pass()).toBe(day);
  now += 3_600_000;
  startDailyBackup(parts, file, plan());
  expect(await pass()).toBe(day - 3_600_000 - 31_000);
  expect(seen.backups.map((at) => at - noon)).toEqual([30_000, 31_000 + day]);
  writeFileSync(join(copies, "service-20291122T120000000Z.db"), "of a clock that was ahead");
  expect(await pass()).toBe(day);

  rmSync(copies, { recursive: true });
  writeFileSync(copies, "a file where the folder was");
  expect(await pass()).toBe(15 * 60_000);
  expect(seen.errors).toHaveLength(1);
  rmSync(copies);
  expect(await pass()).toBe(day);
  expect(seen.backups).toHaveLength(4);
  expect(seen.copied).toEqual(seen.backups.map(() => expect.any(Number)));
});

test("a service that makes no copy says so, with the time of the newest one: what is not said raises no alarm", async () => {
  const said = async (isAnswered = true) => {
    const backups: number[] = [];
    const telemetry = { backup: (at: number) => void backups.push(at) };
    const timers: (() => void)[] = [];
    const clock = { ...systemClock, now: () => noon + 3 * day, after: (_: number, go: () => void) => timers.push(go) };
    const log = { info() {}, warn() {}, error() {} };
    startDailyBackup({ clock: clock as never, log, telemetry }, file, plan());
    timers.shift()?.();
    const atOnce = [...backups];
    await expect.poll(() => timers.length).toBe(1);
    return isAnswered ? backups.slice(atOnce.length) : atOnce;
  };
  await backUp(file, plan(), noon + 2 * day + 1);
  expect(await said()).toEqual([noon + 2 * day + 1]);
  // While the folder does not answer.
  expect(await said(false)).toEqual([0]);
  rmSync(copies, { recursive: true });
  writeFileSync(copies, "a file where the folder was");
  expect(await said()).toEqual([0]);
});

test("an older database is copied before it is upgraded, once, and a newest one never", async () => {
  expect(readdirSync(folder).filter((name) => name.includes("version-"))).toEqual([]);
  const old = join(folder, "old.db");
  const before = migrations.slice(0, -1);
  const db = new DatabaseSync(old);
  for (const statement of migrationFrom(null, before)) db.exec(statement);
  db.exec("INSERT INTO partners (id, created_at) VALUES ('a', 0)");
  db.close();
  for (const version of [1, 2, 3]) writeFileSync(`${old}.version-${version}`, "");
  writeFileSync(`${old}.version-of-a-person`, "");

  expect(await partnersIn(old)).toEqual(["a"]);
  const copies = readdirSync(folder).filter((name) => name.startsWith("old.db.version-"));
  // The newest three, and what is none of ours.
  expect(copies.sort()).toEqual([2, 3, newestOf(before), "of-a-person"].map((name) => `old.db.version-${name}`).sort());
  const copy = `${old}.version-${newestOf(before)}`;
  const kept = new DatabaseSync(copy, { readOnly: true });
  expect(kept.prepare("SELECT version FROM schema_version WHERE id = 1").get()).toEqual({ version: newestOf(before) });
  kept.close();

  const content = readFileSync(copy);
  const returned = join(folder, "returned.db");
  writeFileSync(returned, content);
  for (const version of [newestOf(before), 97, 98, 99])
    writeFileSync(`${returned}.version-${version}`, "from before the way back");
  expect(await partnersIn(returned)).toEqual(["a"]);
  expect(await openVersion(`${returned}.version-${newestOf(before)}`)).toBe(newestOf(before));
  expect(await partnersIn(old)).toEqual(["a"]);
  expect(readFileSync(copy).equals(content)).toBe(true);
});

const openVersion = async (path: string): Promise<number> => {
  const db = new DatabaseSync(path);
  try {
    return Number(db.prepare("SELECT version FROM schema_version WHERE id = 1").get()?.version);
  } finally {
    db.close();
  }
};
