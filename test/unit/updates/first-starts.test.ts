/** What a start after an installation means: stories over the record that outlives the runs. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { atStart, openUpdateFile, type UpdateRecord, withFailed } from "../../../main/updates/updates.ts";

const begun: UpdateRecord = { seen: {}, failed: [], attempt: { to: "0.2.0" } };

test.each<[string, UpdateRecord, string, readonly string[]]>([
  ["without an installation it is a usual one", { ...begun, attempt: null }, "0.1.0", []],
  ["of the version that was installed: it is there", begun, "0.2.0", []],
  ["of the version before: the installation failed, and is never begun by itself again", begun, "0.1.0", ["0.2.0"]],
  ["of a third one, installed by hand", begun, "0.3.0", ["0.2.0"]],
])("a start %s", (_, record, version, failed) => {
  expect(atStart(record, version)).toEqual({ ...begun, attempt: null, failed });
});

test("versions that failed are remembered, each once, the last twenty", () => {
  const all = Array.from({ length: 30 }, (_, number) => `0.${number}.0`);
  const kept = all.reduce<string[]>(withFailed, []);
  expect(kept).toEqual(all.slice(-20));
  expect(withFailed(kept, "0.15.0")).toEqual([...kept.filter((one) => one !== "0.15.0"), "0.15.0"]);
});

const newFolder = (): string => {
  const folder = mkdtempSync(path.join(tmpdir(), "tillcash-updates-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

test("a change of the record keeps the rest of it for the next run", () => {
  const folder = newFolder();
  const file = openUpdateFile(folder, () => {});
  expect(file.save({ failed: ["0.2.0"] })).toBe(true);
  expect(file.save({ seen: { "latest-linux": 5 } })).toBe(true);
  expect(openUpdateFile(folder, () => {}).load()).toEqual({
    seen: { "latest-linux": 5 },
    failed: ["0.2.0"],
    attempt: null,
  });
});

test("a record that can be neither read nor written begins empty, says so, and holds for this run", () => {
  const folder = newFolder();
  mkdirSync(path.join(folder, "update.json"));
  const warned: string[] = [];
  const file = openUpdateFile(folder, (level) => void warned.push(level));
  expect(file.load()).toEqual({ seen: {}, failed: [], attempt: null });
  expect(file.save({ attempt: { to: "0.2.0" } })).toBe(false);
  expect(file.load()).toEqual(begun);
  expect(warned).toEqual(["warn", "warn"]);
});
