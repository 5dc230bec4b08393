/** `backup`, `restore` and `restored`: for which database, into which folder, since when, and with no service on it. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { serviceKeyFile, serviceKeysFrom } from "../../../backend/access/secrets.ts";
import { systemClock } from "../../../backend/adapters.ts";
import { dayMs, toTime } from "../../../backend/contract/times.ts";
import { UsageError } from "../../../backend/operate/arguments.ts";
import { operatorName } from "../../../backend/operate/audited-store.ts";
import {
  keepUnserved,
  makeBackup,
  recordRestored,
  restoreBackup,
  showRestored,
} from "../../../backend/operate/backups.ts";
import type { CommandContext } from "../../../backend/operate/context.ts";
import type { Clock } from "../../../backend/ports.ts";
import { copiesOf } from "../../../backend/store/copy.ts";
import type { DatabaseAddress } from "../../../backend/store/database-url.ts";
import { openStore } from "../../../backend/store/open.ts";
import { lookedSetting, restoredFromSetting } from "../../../backend/store/restores.ts";
import { lockForService } from "../../../backend/store/service-lock.ts";
import { removeSetting, setSetting } from "../../../backend/store/settings.ts";
import { adhoc, StoreRefused } from "../../../backend/store/store.ts";
import { applyPendingRestore } from "../../../backend/withdrawals/restored.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
let folder: string;
let file: string;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-backups-"));
  file = path.join(folder, "service.db");
  await stage.store.write(async (tx) => {
    for (const table of ["restores", "workers"] as const) await tx.run(adhoc((db) => db.deleteFrom(table)));
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sqlite = (at = file) => ({ kind: "sqlite", path: at }) as DatabaseAddress;
const postgres = { kind: "postgres" } as unknown as DatabaseAddress;
const copies = () => ({ folder: path.join(folder, "copies"), kept: 7 });
const on = (more: object = {}) =>
  ({
    ...stage.service,
    database: sqlite(),
    backups: copies(),
    ...more,
  }) as unknown as CommandContext;

/** Where no key is set. */
const put = (database: DatabaseAddress, words: readonly string[], clock: Clock) =>
  restoreBackup({ database, serviceKey: null, serviceKeyBefore: null }, words, {}, clock);

test.each([
  ["a PostgreSQL", postgres],
  ["a database in memory", sqlite(":memory:")],
])("%s has no copies of ours", async (_, database) => {
  for (const refused of [makeBackup(on({ database })), put(database, [file], systemClock)]) {
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(/^this is for an SQLite file/);
  }
});

test("a copy says which file has to be kept apart from it, where there is one", async () => {
  await (await openStore(`sqlite:${file}`, systemClock)).close();
  const copy = path.join(folder, "copies", "service-20261120T100000000Z.db");
  expect(await makeBackup(on())).toEqual({ copy, bytes: expect.any(Number) });
  writeFileSync(serviceKeyFile(file), "a key");
  stage.clock.jump(1);
  expect(await makeBackup(on())).toMatchObject({ keep_apart: serviceKeyFile(file) });
});

test("a copy that cannot be made is refused with its folder and why; one into no folder at once", async () => {
  await expect(makeBackup(on({ backups: null }))).rejects.toThrow(/^where to\? --backup-dir DIR/);
  const refused = makeBackup(on());
  await expect(refused).rejects.toThrow(StoreRefused);
  await expect(refused).rejects.toMatchObject({
    message: `no copy was made in ${copies().folder}: unable to open database file`,
    cause: { message: "unable to open database file" },
  });
});

test("a copy under no service key that is here is refused, under any of the three it is taken, and by force", async () => {
  await (await openStore(`sqlite:${file}`, systemClock)).close();
  const { copy } = (await makeBackup(on())) as { copy: string };
  const roots = ["in use", "before it", "kept in a file of its own"];
  const entry = (root: string) => {
    const database = new DatabaseSync(copy);
    const { auditKeyId } = serviceKeysFrom(root, true);
    database.exec(`INSERT OR REPLACE INTO audit (seq, at, event, actor, object, key_id, hash)
      VALUES (1, 1, 'x', 'y', 'z', '${auditKeyId}', 'a')`);
    database.close();
  };
  const [serviceKey = "", serviceKeyBefore = "", made = ""] = roots;
  writeFileSync(serviceKeyFile(file), made, { mode: 0o600 });
  const restoring = (flags: Readonly<Record<string, string>> = {}) => {
    rmSync(file, { force: true });
    return restoreBackup({ database: sqlite(), serviceKey, serviceKeyBefore }, [copy], flags, stage.clock);
  };
  for (const root of roots) {
    entry(root);
    expect(await restoring()).toMatchObject({ from: copy });
  }
  entry("of another installation");
  await expect(restoring()).rejects.toThrow(/another installation's/);
  expect(await restoring({ force: "1" })).toMatchObject({ from: copy });
  // Where there is no key at all none can say that it is another's.
  for (const old of [file, serviceKeyFile(file)]) rmSync(old);
  expect(await put(sqlite(), [copy], stage.clock)).toMatchObject({ from: copy });
});

test("a copy that is gone when it is looked at is none, and one that cannot be looked at is a failure", async () => {
  const copy = path.join(folder, "service-20261120T100000000Z.db");
  symlinkSync(path.join(folder, "gone"), copy);
  // Nor is what only begins or ends as one.
  for (const other of ["service-20261120T100000000Zx.db", "service-x20261120T100000000Z.db"])
    writeFileSync(path.join(folder, other), "");
  expect(await copiesOf(file, folder)).toEqual([]);
  rmSync(copy);
  symlinkSync(copy, copy);
  await expect(copiesOf(file, folder)).rejects.toMatchObject({ code: "ELOOP" });
});

test("a restore names one copy, by its file or its folder", async () => {
  for (const words of [[], ["a", "b"]])
    await expect(put(sqlite(), words, stage.clock)).rejects.toThrow(/^name the one copy to restore/);
  await (await openStore(`sqlite:${file}`, systemClock)).close();
  const { copy } = (await makeBackup(on())) as { copy: string };
  // A copy of this moment is not dated later than now.
  for (const named of [copy, copies().folder]) {
    const restored = await put(sqlite(), [named], stage.clock);
    expect(restored).toEqual({
      database: file,
      from: copy,
      before: expect.stringMatching(/service\.db\.before-restore-\d+$/),
    });
  }
  stage.clock.jump(-1);
  await expect(put(sqlite(), [copies().folder], stage.clock)).rejects.toThrow(
    `${copy} is dated later than now, 2026-11-20T09:59:59.999Z`,
  );
  mkdirSync(path.join(folder, "empty"));
  await expect(put(sqlite(), [path.join(folder, "empty")], stage.clock)).rejects.toThrow(
    `there is no copy of service.db in ${path.join(folder, "empty")}`,
  );
});

test("what processes know to be missing since a time is not said to be missing since a later one", async () => {
  // Ten seconds are added to what is certainly lost.
  const lost = JSON.stringify({ forgotSince: stage.clock.now() - 60_000 });
  await stage.store.write((tx) => tx.run(setSetting({ name: lookedSetting, value: lost })));
  onTestFinished(async () => void (await stage.store.write((tx) => tx.first(removeSetting({ name: lookedSetting })))));
  await expect(since(-49_999)).rejects.toThrow(/^what was committed at 2026-11-20T09:59:10.000Z is missing/);
  expect(await since(-50_000)).toMatchObject({ forgot_since: "2026-11-20T09:59:10.000Z" });
});

const restores = () => stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom("restores").selectAll())));
const since = (ms: number, more: Readonly<Record<string, string>> = {}) =>
  recordRestored(on(), { since: toTime(stage.clock.now() + ms), ...more });

test.each<[string, number, Readonly<Record<string, string>>]>([
  ["now", 0, {}],
  ["90 days ago", -90 * dayMs, {}],
  ["longer ago, where that is meant", -90 * dayMs - 1, { "long-ago": "1" }],
])("a database was put back to %s", async (_, ms, flags) => {
  const at = toTime(stage.clock.now());
  const from = toTime(stage.clock.now() + ms);
  expect(await since(ms, flags)).toEqual({
    forgot_since: from,
    restored_at: at,
    ended: 0,
    ended_codes: 0,
    compare_with_banks: `payments from ${from} to ${at}`,
    next: 'ask each bank for these payments and compare; when all terminals have been on, "reports list"',
  });
  expect(await restores()).toHaveLength(1);
  expect(await stage.audited()).toEqual([`database restored | database | copy of ${from}; ended 0`]);
});

test("a copy came in the place of what cannot be read: the operator and the audit are told", async () => {
  const from = JSON.stringify({ copy: "c.db", by: "ada", told: [], isUnread: true });
  await stage.store.write((tx) => tx.run(setSetting({ name: restoredFromSetting, value: from })));
  const applied = await applyPendingRestore(stage.service);
  expect(applied && showRestored(applied)).toMatchObject({
    restores_before: expect.stringContaining("cannot be read"),
  });
  expect(await stage.audited()).toEqual([expect.stringMatching(/; ended 0; what was there could not be read$/)]);
});

test.each<[string, () => Promise<unknown>, RegExp]>([
  ["no time", () => recordRestored(on(), {}), /^since when\? restored --since TIME/],
  ["what is no time", () => recordRestored(on(), { since: "yesterday" }), /^--since must be a day/],
  ["a time to come", () => since(1), /^--since lies in the future$/],
  ["one to come that is meant", () => since(1, { "long-ago": "1" }), /^--since lies in the future$/],
  ["one more than 90 days ago", () => since(-90 * dayMs - 1), /^--since 2026-08-22T\S+ is more than 90 days ago/],
  ["a correction of nothing", () => since(0, { correct: "1" }), /^there is no restore to correct/],
])("refused: %s", async (_, restored, sentence) => {
  const refused = restored();
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(sentence);
  expect(await restores()).toEqual([]);
});

test("a correction says since when instead, by whom, also while the service runs", async () => {
  await since(-dayMs);
  const service = lockForService(file);
  stage.clock.jump(1_000);
  expect(await since(-2 * dayMs, { correct: "1" })).toMatchObject({ ended: 0 });
  service.release();
  expect(await restores()).toMatchObject([{ forgot_since: stage.clock.now() - 2 * dayMs }]);
  const actors = await stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom("audit").select("actor"))));
  expect(actors).toEqual([{ actor: operatorName() }, { actor: operatorName() }]);
});

test("while it is recorded no service starts; afterwards one may, also where it failed", async () => {
  const tryService = () => lockForService(file).release();
  let seen: unknown = null;
  const { store } = stage;
  const looking = {
    ...store,
    write: async (unit: Parameters<typeof store.write>[0]) => {
      if (seen === null)
        seen = await Promise.resolve()
          .then(tryService)
          .catch((error: unknown) => error);
      return store.write(unit);
    },
  };
  await recordRestored(on({ store: looking }), { since: toTime(stage.clock.now()) });
  expect(seen).toMatchObject({ why: "database_in_use" });
  expect(tryService).not.toThrow();
  const failing = { ...store, write: () => Promise.reject(new Error("no disk")) };
  await expect(recordRestored(on({ store: failing }), { since: toTime(stage.clock.now()) })).rejects.toThrow("no disk");
  expect(tryService).not.toThrow();
});

test("on PostgreSQL each process that lived within ten seconds counts", async () => {
  const seenAt = (id: string, seen_at: number) =>
    stage.store.write((tx) =>
      tx.run(adhoc((db) => db.insertInto("workers").values({ id, seen_at, service_keys: null, release: null }))),
    );
  await seenAt("dead", stage.clock.now() - 10_000);
  (await keepUnserved(on({ database: postgres }))).release();
  expect(existsSync(`${file}-lock`)).toBe(false);
  for (const [id, agoMs, count] of [
    ["one", 0, 1],
    ["two", 9_999, 2],
  ] as const) {
    await seenAt(id, stage.clock.now() - agoMs);
    await expect(keepUnserved(on({ database: postgres }))).rejects.toMatchObject({
      why: "database_in_use",
      message: expect.stringContaining(`${count} processes of the service work on this database`),
    });
  }
  expect((await keepUnserved(on())).release()).toBeUndefined();
});
