/** Crash dumps: bounded, newest first, and none where nothing ever crashed. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { crashFolder, listCrashes, pruneCrashes } from "../../../main/host/crash-files.ts";

const data = mkdtempSync(path.join(tmpdir(), "tillcash-crashes-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

test("the newest ten dumps stay, whatever folder they are sorted into; other files are left alone", () => {
  expect(listCrashes(data)).toEqual([]);
  pruneCrashes(data);
  const folder = crashFolder(data);
  for (const below of ["completed", "pending"]) mkdirSync(path.join(folder, below), { recursive: true });
  writeFileSync(path.join(folder, "settings.dat"), "");
  for (let number = 0; number < 14; number += 1) {
    const file = path.join(folder, number % 2 === 0 ? "completed" : "pending", `${number}.dmp`);
    writeFileSync(file, "x".repeat(number));
    utimesSync(file, 1_000 + number, 1_000 + number);
  }
  pruneCrashes(data);
  const kept = listCrashes(data);
  expect(kept.map(({ atMs }) => atMs / 1000)).toEqual(
    [13, 12, 11, 10, 9, 8, 7, 6, 5, 4].map((number) => 1_000 + number),
  );
  expect(kept[0]).toMatchObject({ bytes: 13, file: path.join(folder, "pending", "13.dmp") });
  expect(readdirSync(folder)).toContain("settings.dat");
});
