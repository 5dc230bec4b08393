/** A service's database as it is opened: for one service, in its own environment, and let go where anything fails. */
import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { parseConfig } from "../../backend/config.ts";
import { keyNames } from "../../backend/context.ts";
import { type OpenedDatabase, onDatabase } from "../../backend/open-database.ts";
import { openStore } from "../../backend/store/open.ts";
import { restoredFromSetting } from "../../backend/store/restores.ts";
import { addSetting, servedWithSetting, settingByName } from "../../backend/store/settings.ts";
import type { Store } from "../../backend/store/store.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-open-"));
  file = path.join(folder, "service.db");
});
afterEach(() => {
  rmSync(folder, { recursive: true });
  // What a broken program makes of the name would fail the next run too.
  for (const name of [":memory:-lock", ":memory:-starts"]) rmSync(name, { force: true });
});

const serviceKey = "a service key of the tests, long enough";
const configOf = (more: Record<string, string> = {}) => {
  const parsed = parseConfig({ DATABASE_URL: `sqlite:${file}`, ...more });
  if (!parsed.ok) throw new Error(parsed.problems.join("\n"));
  return parsed.config;
};
const log = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() });
const opened = (more?: Record<string, string>, open = openStore, lines = log()): Promise<OpenedDatabase> =>
  onDatabase(configOf(more), lines as never, open, async (database) => database);
const ended = async ({ close, release }: OpenedDatabase): Promise<void> => {
  await close();
  release();
};
const setting = (store: Store, name: string) =>
  store.read(async (tx) => (await tx.first(settingByName({ name })))?.value);
const inUse = expect.objectContaining({ name: "StoreRefused", why: "database_in_use" });

test("a file has one service until that one lets it go, also where it is not closed yet", async () => {
  const first = await opened();
  await expect(opened()).rejects.toEqual(inUse);
  await first.close();
  await expect(opened()).rejects.toEqual(inUse);
  first.release();
  await ended(await opened());
});

test("a database in memory is everybody's own, and leaves nothing behind", async () => {
  const more = { DATABASE_URL: "sqlite::memory:" };
  const both = [await opened(more), await opened(more)];
  for (const each of both) await ended(each);
  expect(existsSync(":memory:-starts")).toBe(false);
  const { store, close } = await opened(more);
  expect(await setting(store, "starts")).toBeUndefined();
  await close();
});

test("a start and a stop are counted in the file, and beside it", async () => {
  const first = await opened();
  expect(await setting(first.store, "starts")).toBe("1");
  await ended(first);
  expect(existsSync(`${file}-starts`)).toBe(true);
  const second = await opened();
  expect(await setting(second.store, "starts")).toBe("3");
  await ended(second);
});

test("where what comes next fails all is closed, and the file is free", async () => {
  const closed = vi.fn();
  const open: typeof openStore = async (...given) => {
    const store = await openStore(...given);
    return { ...store, close: () => store.close().then(closed) };
  };
  const taken = new Error("the port is taken");
  const work = () => Promise.reject(taken);
  await expect(onDatabase(configOf(), log() as never, open, work)).rejects.toBe(taken);
  expect(closed).toHaveBeenCalledOnce();
  await ended(await opened());
});

test("where it cannot be opened the file is free", async () => {
  const broken = new Error("no disk");
  await expect(opened({}, () => Promise.reject(broken))).rejects.toBe(broken);
  await ended(await opened());
});

test("a restore that was cut off is finished by the start", async () => {
  await ended(await opened());
  renameSync(file, `${file}.restoring`);
  await ended(await opened());
  expect([existsSync(file), existsSync(`${file}.restoring`)]).toEqual([true, false]);
});

test.each([
  ["live", {}, { SANDBOX: "1" }],
  ["the sandbox's", { SANDBOX: "1" }, {}],
])("a database that is %s is not the other's", async (_, first, then) => {
  await ended(await opened(first as Record<string, string>));
  await expect(opened(then as Record<string, string>)).rejects.toMatchObject({ why: "other_environment" });
  await ended(await opened(first as Record<string, string>));
});

test.each([
  [{ SANDBOX: "1" }, true],
  [{}, false],
])("with %j it is migrated at once, and refused where it is live: %s", async (more, isSandbox) => {
  const lines = log();
  const open = vi.fn<typeof openStore>((url, clock, settings) => {
    settings?.report?.("a step");
    return openStore(url, clock, settings);
  });
  await ended(await opened(more as Record<string, string>, open, lines));
  const given = { migrates: isSandbox, refusesLive: isSandbox, fraction: expect.any(Function) };
  expect(open.mock.calls).toEqual([[`sqlite:${file}`, systemClock, expect.objectContaining(given)]]);
  expect(lines.warn.mock.calls).toContainEqual([{}, "a step"]);
});

test("a service with another key than the database's is refused, and has counted nothing", async () => {
  const secret = `whsec_${Buffer.from("a key of this test, 24 b").toString("base64")}`;
  // The bank is in the audit, which the key signs.
  const bank = { PARTNER_ID: "bank", PARTNER_URL: "https://bank.example", PARTNER_SECRET: secret };
  await ended(await opened({ SERVICE_KEY: serviceKey, ...bank }));
  await expect(opened({ SERVICE_KEY: `another ${serviceKey}` })).rejects.toMatchObject({ name: "StoreRefused" });
  const again = await opened({ SERVICE_KEY: serviceKey });
  expect(await setting(again.store, "starts")).toBe("3");
  await ended(again);
});

test("a copy that was put back is told, with what came of it", async () => {
  await ended(await opened());
  const store = await openStore(`sqlite:${file}`, systemClock);
  await store.write((tx) => tx.run(addSetting({ name: restoredFromSetting, value: JSON.stringify({ copy: "a.db" }) })));
  await store.close();
  const lines = log();
  await ended(await opened({}, openStore, lines));
  expect(lines.warn.mock.calls).toEqual([[expect.objectContaining({ ended: 0 }), expect.any(String)]]);
});

test.each([
  [{ SERVICE_KEY: serviceKey }, true],
  [{}, false],
])("with %j it says under which key it was served: %s", async (more, says) => {
  const lines = log();
  const first = await opened(more as Record<string, string>, openStore, lines);
  expect(await setting(first.store, servedWithSetting)).toBe(says ? keyNames(first.keys) : undefined);
  await ended(first);
  expect(lines.warn).not.toHaveBeenCalled();
});
