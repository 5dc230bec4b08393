/** What the host writes beside the journal: crash dumps and log are bounded, and make room where the disk is full. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { crashFolder, listCrashes, pruneCrashes } from "../../../main/host/crashes.ts";
import { logFiles, openLog } from "../../../main/host/log-file.ts";
import { roomLeftBytes } from "../../../main/terminal/journal/files.ts";

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
  pruneCrashes(data, () => roomLeftBytes - 1);
  expect(listCrashes(data).map(({ atMs }) => atMs / 1000)).toEqual([1_013]);
});

test("a dump that cannot be removed stays, and the others go", () => {
  const other = mkdtempSync(path.join(tmpdir(), "tillcash-crashes-"));
  const folder = crashFolder(other);
  // What a system refuses to remove as a file; Windows refuses what another program has open.
  mkdirSync(path.join(folder, "held.dmp"), { recursive: true });
  for (const name of ["old.dmp", "new.dmp"]) writeFileSync(path.join(folder, name), "");
  for (const [name, at] of [
    ["old.dmp", 1],
    ["held.dmp", 2],
    ["new.dmp", 3],
  ] as const)
    utimesSync(path.join(folder, name), at, at);
  pruneCrashes(other, () => 0);
  expect(readdirSync(folder).toSorted()).toEqual(["held.dmp", "new.dmp"]);
  rmSync(other, { recursive: true });
});

test("the log is two files of 5 MiB at most, and gives nearly all of it back to a disk without room", () => {
  let free = roomLeftBytes;
  const log = openLog(data, { freeBytes: () => free, append: appendFileSync });
  const written = () =>
    logFiles(data).map((file) => Math.round((statSync(file, { throwIfNoEntry: false })?.size ?? 0) / 1_000));
  const write = (kilobytes: number) => {
    for (let lines = 0; lines < kilobytes / 100; lines += 1) log("info", "x".repeat(100_000));
  };
  write(5_300);
  expect(written()).toEqual([0, expect.closeTo(5_300, -2)]);
  write(15_000);
  expect(Math.max(...written())).toBeLessThan(5_400);
  free -= 1;
  write(700);
  expect(Math.max(...written())).toBeLessThan(400);
});

test("a small log writes its lines without asking how much room the disk has", () => {
  let asked = 0;
  const log = openLog(data, {
    freeBytes: () => {
      asked += 1;
      return roomLeftBytes;
    },
    append: appendFileSync,
  });
  for (let lines = 0; lines < 100; lines += 1) log("info", "x".repeat(1_000));
  expect(asked).toBe(0);
  for (let lines = 0; lines < 200; lines += 1) log("info", "x".repeat(1_000));
  expect(asked).toBeGreaterThan(0);
});
