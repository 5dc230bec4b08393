/** The folder of a database: nobody else may write it, where it is ours to say so. */
import fs, { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../backend/adapters.ts";
import { openStore } from "../../../backend/store/open.ts";

let folder: string;
let below: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-folder-"));
  below = path.join(folder, "below");
  await (await openStore(`sqlite:${path.join(below, "service.db")}`, systemClock)).close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const openIn = async (mode: number): Promise<number> => {
  chmodSync(below, mode);
  const store = await openStore(`sqlite:${path.join(below, "service.db")}`, systemClock);
  await store.close();
  return statSync(below).mode & 0o7777;
};
/** Replaces `chmod` for everybody while it works. */
const whereChmodFails = async <T>(code: string, work: () => Promise<T>): Promise<T> => {
  const real = fs.chmodSync;
  const fail = (): never => {
    throw Object.assign(new Error(code), { code });
  };
  // The test's own call comes first.
  let calls = 0;
  fs.chmodSync = (...args) => (calls++ === 0 ? real(...args) : fail());
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    fs.chmodSync = real;
    syncBuiltinESMExports();
  }
};

test.runIf(process.platform !== "win32").each([
  [0o700, 0o700],
  [0o775, 0o775],
  [0o777, 0o775],
  [0o702, 0o700],
  [0o1777, 0o1777],
])("one of mode %o is of mode %o afterwards", async (before, after) => {
  expect(await openIn(before)).toBe(after);
});

test.runIf(process.platform !== "win32").each([
  ["EPERM", true],
  ["EROFS", true],
  ["EIO", false],
])("one that cannot be narrowed for %s serves all the same: %s", async (code, serves) => {
  const mode = whereChmodFails(code, () => openIn(0o777));
  if (serves) expect(await mode).toBe(0o777);
  else await expect(mode).rejects.toMatchObject({ name: "StoreRefused" });
});
