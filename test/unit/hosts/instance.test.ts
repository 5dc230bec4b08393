/** A data folder that cannot be had: each reason in a sentence of its own, and "another program" only where one holds it. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { onDisk, openPrivateFolder, purposeFolder } from "../../../main/host/data-folder.ts";
import {
  callHolder,
  claimInstance,
  claimOrHandOver,
  type LockDisk,
  waitForHolder,
} from "../../../main/host/instance.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "instance-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const systemError = (code: string) => Object.assign(new Error(`${code}: something, open 'x'`), { code });
const sqliteError = (errcode: number) => Object.assign(new Error("sqlite"), { errcode });
const fails = (error: Error) => (): never => {
  throw error;
};
const sentences = [
  ["EROFS", /can only be read/],
  ["ENOSPC", /no room left/],
  ["EDQUOT", /no room left/],
  ["EACCES", /may not write/],
  ["EPERM", /may not write/],
  ["EIO", /does not work/],
] as const;

test.each(sentences)("a folder that cannot be made for %s says so", (code, sentence) => {
  const disk = { mkdir: fails(systemError(code)), chmod: chmodSync };
  expect(() => openPrivateFolder(folder, disk as never)).toThrow(sentence);
  expect(() => onDisk(folder, fails(systemError(code)))).toThrow(folder);
});

describe.skipIf(process.platform === "win32")("a file whose mode cannot be narrowed", () => {
  test.each([
    ...sentences.filter(([code]) => code !== "EACCES" && code !== "EPERM"),
    ["EPERM", /belongs to another user/] as const,
    ["EACCES", /belongs to another user/] as const,
  ])("for %s says so", (code, sentence) => {
    writeFileSync(path.join(folder, "journal.db"), "", { mode: 0o644 });
    chmodSync(folder, 0o755);
    const disk = { mkdir: mkdirSync, chmod: fails(systemError(code)) };
    expect(() => openPrivateFolder(folder, disk as never)).toThrow(sentence);
  });
});

test("what is none of the disk's is thrown as it is, and training's folder says as much as its parent", () => {
  const other = systemError("ENAMETOOLONG");
  expect(() => onDisk(folder, fails(other))).toThrow(other);
  writeFileSync(path.join(folder, "training"), "");
  expect(() => purposeFolder(folder, true)).toThrow("EEXIST");
});

const disk = (open: LockDisk["open"], write: LockDisk["write"] = () => undefined): LockDisk => ({ open, write });
const refusing =
  (error: Error): LockDisk["open"] =>
  () => ({ exec: fails(error), close: () => undefined });

test.each(sentences)("a lock that cannot be made because of %s says so", (code, sentence) => {
  // SQLite knows no more than that it cannot open, or only read.
  for (const errcode of [14, 8, 13, 778])
    expect(() => claimInstance(folder, disk(fails(sqliteError(errcode)), fails(systemError(code))))).toThrow(sentence);
});

test.each([
  ["as no lock to be had (ENOLCK)", 5],
  ["as not supported (EOPNOTSUPP)", 3850],
  ["as a read of the lock that fails", 2314],
])("a disk that refuses every lock %s is no other program", async (_, errcode) => {
  const refused = disk(refusing(sqliteError(errcode)));
  await expect(claimOrHandOver(folder, () => undefined, refused)).rejects.toThrow(/cannot lock files.*--data/);
  expect(readdirSync(folder)).toEqual([]);
});

test("another program is one that really holds the lock, also on a full disk, and nothing is left of the look", () => {
  const first = claimInstance(folder);
  expect(first).not.toBeNull();
  expect(claimInstance(folder)).toBeNull();
  const full = disk((file) => new DatabaseSync(file, { timeout: 0 }), fails(systemError("ENOSPC")));
  expect(claimInstance(folder, full)).toBeNull();
  expect(readdirSync(folder)).toEqual(["till-host.lock"]);
  first?.release();
  const again = claimInstance(folder);
  expect(again).not.toBeNull();
  again?.release();
});

test.runIf(process.platform === "linux" && existsSync("/sys/kernel"))("a real folder in which nobody may write", () => {
  expect(() => claimInstance("/sys/kernel")).toThrow(/may not write|can only be read/);
});

test("a lock that fails for a reason that nobody knows says what SQLite says", () => {
  const strange = sqliteError(21);
  const real = (file: string) => new DatabaseSync(file, { timeout: 0 });
  const open: LockDisk["open"] = (file) => (file.endsWith(".lock") ? refusing(strange)(file) : real(file));
  expect(() => claimInstance(folder, disk(open))).toThrow(strange);
});

test("who holds the folder has three seconds to answer a second start", async () => {
  const first = claimInstance(folder);
  first?.publish(1);
  const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
  onTestFinished(() => timeout.mockRestore());
  await expect(callHolder(folder, "/hand-over")).rejects.toThrow();
  expect(timeout.mock.calls).toEqual([[3_000]]);
  first?.release();
});

test("whoever waits for another program to hold the folder does not hold it meanwhile", async () => {
  const waiting = waitForHolder(folder);
  const holder = claimInstance(folder);
  expect(holder).not.toBeNull();
  await waiting;
  holder?.release();
});

test("a note that cannot be removed keeps no program from its end, which may bring an update or another mode", () => {
  const instance = claimInstance(folder);
  // What a system refuses to remove as a file; Windows refuses what another program has open.
  mkdirSync(path.join(folder, "till-host.json"));
  expect(() => instance?.withdraw()).not.toThrow();
  instance?.release();
});
