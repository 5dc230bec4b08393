/** TOKEN_SECRET and SERVICE_KEY where nobody sets them: made once, kept where only the owner reads them. */
import fs, {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import {
  loadKeptServiceKey,
  loadOrCreateServiceKey,
  loadOrCreateTokenSecret,
} from "../../../backend/access/secrets.ts";
import { systemRandom } from "../../../backend/adapters.ts";
import type { DatabaseAddress } from "../../../backend/store/database-url.ts";
import { type Store, StoreRefused } from "../../../backend/store/store.ts";
import { watchDisk } from "../../disk-calls.ts";
import { accessStage } from "./stage.ts";

const stage = accessStage();
const secretForm = /^[\w-]{43}$/;
const onPostgres = { kind: "postgres" } as unknown as DatabaseAddress;
const inMemory = { kind: "sqlite", path: ":memory:" } as DatabaseAddress;

describe("beside a file", () => {
  let folder: string;
  let file: DatabaseAddress;
  const beside = (suffix: string) => path.join(folder, `service.db${suffix}`);
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), "tillcash-secrets-"));
    file = { kind: "sqlite", path: path.join(folder, "service.db") } as DatabaseAddress;
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const unusedStore = {} as Store;

  test.each([
    ["TOKEN_SECRET", loadOrCreateTokenSecret, ".token-secret"],
    ["SERVICE_KEY", loadOrCreateServiceKey, ".service-key"],
  ])(
    "%s is made once, in a file of its own that only its owner reads, with nothing beside it",
    async (_, load, suffix) => {
      const made = await load(unusedStore, file, systemRandom);
      expect(made).toMatch(secretForm);
      expect(readFileSync(beside(suffix), "utf8")).toBe(`${made}\n`);
      expect(await load(unusedStore, file, systemRandom)).toBe(made);
      expect(readdirSync(folder)).toEqual([`service.db${suffix}`]);
      if (process.platform !== "win32") expect(statSync(beside(suffix)).mode & 0o777).toBe(0o600);
    },
  );

  test("one is on disk before it has its name, and has it before anything is kept under it", () => {
    const made = () => void loadOrCreateServiceKey(unusedStore, file, systemRandom);
    const { calls, stillOpen } = watchDisk(folder, made);
    expect([calls, stillOpen]).toEqual([[`sync service.db.service-key.${process.pid}`, "sync ."], 0]);
  });

  test("one that was kept before is read, and none is made by looking", async () => {
    expect(await loadKeptServiceKey(unusedStore, file)).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
    const made = await loadOrCreateServiceKey(unusedStore, file, systemRandom);
    expect(await loadKeptServiceKey(unusedStore, file)).toBe(made);
  });

  test.each<[string, string, unknown]>([
    ["another process was faster: its secret counts", "EEXIST", "the secret of the other"],
    ["the disk gives no name", "EPERM", expect.objectContaining({ message: expect.stringMatching(/kept: EPERM/) })],
  ])("where %s, and no draft stays", async (_, code, outcome) => {
    const { linkSync } = fs;
    onTestFinished(() => {
      Object.assign(fs, { linkSync });
      syncBuiltinESMExports();
    });
    Object.assign(fs, {
      linkSync() {
        if (code === "EEXIST") writeFileSync(beside(".token-secret"), "the secret of the other\n", { mode: 0o600 });
        throw Object.assign(new Error(code), { code });
      },
    });
    syncBuiltinESMExports();
    const loaded = await loadOrCreateTokenSecret(unusedStore, file, systemRandom).catch((error: unknown) => error);
    expect(loaded).toEqual(outcome);
    expect(readdirSync(folder)).toEqual(code === "EEXIST" ? ["service.db.token-secret"] : []);
  });

  test("one of 16 characters is taken, a shorter one is damaged", async () => {
    writeFileSync(beside(".token-secret"), ` ${"x".repeat(16)}\n`, { mode: 0o600 });
    expect(await loadOrCreateTokenSecret(unusedStore, file, systemRandom)).toBe("x".repeat(16));
    writeFileSync(beside(".token-secret"), "x".repeat(15));
    await expect(loadOrCreateTokenSecret(unusedStore, file, systemRandom)).rejects.toThrow(/cannot be kept.*damaged/);
    writeFileSync(beside(".service-key"), "x".repeat(15), { mode: 0o600 });
    await expect(loadKeptServiceKey(unusedStore, file)).rejects.toThrow(/earlier SERVICE_KEY cannot be read.*damaged/);
  });

  test.runIf(process.platform !== "win32").each([0o640, 0o604, 0o610, 0o666])(
    "a file of mode %o is refused",
    async (mode) => {
      await loadOrCreateTokenSecret(unusedStore, file, systemRandom);
      chmodSync(beside(".token-secret"), mode);
      const refused = loadOrCreateTokenSecret(unusedStore, file, systemRandom);
      await expect(refused).rejects.toThrow(StoreRefused);
      await expect(refused).rejects.toThrow(new RegExp(`mode ${mode.toString(8)}\\)`));
    },
  );

  test("on Windows, which has no modes, a file of any mode is taken", async () => {
    const { platform } = process;
    onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
    const made = await loadOrCreateTokenSecret(unusedStore, file, systemRandom);
    chmodSync(beside(".token-secret"), 0o666);
    Object.defineProperty(process, "platform", { value: "win32" });
    expect(await loadOrCreateTokenSecret(unusedStore, file, systemRandom)).toBe(made);
  });

  test("what lies there and cannot be read is not taken for one that is missing", async () => {
    for (const suffix of [".token-secret", ".service-key"]) mkdirSync(beside(suffix));
    await expect(loadOrCreateTokenSecret(unusedStore, file, systemRandom)).rejects.toThrow(/cannot be kept: EISDIR/);
    await expect(loadKeptServiceKey(unusedStore, file)).rejects.toThrow(/cannot be read: EISDIR/);
  });

  test("a folder that is not there is refused with a sentence", async () => {
    rmSync(folder, { recursive: true });
    await expect(loadOrCreateTokenSecret(unusedStore, file, systemRandom)).rejects.toThrow(/cannot be kept: ENOENT/);
    mkdirSync(folder);
  });
});

test("in memory each is made anew, and none is known from before", async () => {
  for (const load of [loadOrCreateTokenSecret, loadOrCreateServiceKey]) {
    const one = await load(stage.store, inMemory, systemRandom);
    expect(one).toMatch(secretForm);
    expect(await load(stage.store, inMemory, systemRandom)).not.toBe(one);
  }
  expect(await loadKeptServiceKey(stage.store, inMemory)).toBeNull();
});

test("a fleet keeps both in its database, each under its own name", async () => {
  expect(await loadKeptServiceKey(stage.store, onPostgres)).toBeNull();
  const token = await loadOrCreateTokenSecret(stage.store, onPostgres, systemRandom);
  const key = await loadOrCreateServiceKey(stage.store, onPostgres, systemRandom);
  expect([token, key]).toEqual([expect.stringMatching(secretForm), expect.stringMatching(secretForm)]);
  expect(token).not.toBe(key);
  expect(await loadOrCreateTokenSecret(stage.store, onPostgres, systemRandom)).toBe(token);
  expect(await loadKeptServiceKey(stage.store, onPostgres)).toBe(key);
});
