/** The data folder is this user's alone, whatever an earlier version or another program left: modes, and a lock of a stranger. */
import { chmodSync, mkdirSync, mkdtempSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openPrivateFolder } from "../../../main/host/data-folder.ts";
import { claimOrHandOver } from "../../../main/host/instance.ts";

const mode = (file: string): string => (statSync(file).mode & 0o777).toString(8);
const newFolder = (): string => mkdtempSync(path.join(tmpdir(), "tillcash-modes-"));

describe.skipIf(process.platform === "win32")("modes", () => {
  test("a new folder is made for this user alone, and so is every file that is made from then on", () => {
    const folder = path.join(newFolder(), "data");
    openPrivateFolder(folder);
    writeFileSync(path.join(folder, "anything"), "");
    expect([mode(folder), mode(path.join(folder, "anything"))]).toEqual(["700", "600"]);
  });

  test("a 0755 folder with 0644 files of the terminal is narrowed, other files are left", () => {
    const folder = newFolder();
    const files = [
      "journal.db",
      "journal.db-wal",
      "till-host.lock",
      "credential.json",
      "people.json",
      "till.log",
      "page.key",
    ];
    const folders = ["training", "archive", "reports", "live", "journals", "service", "crashes"];
    for (const name of folders) mkdirSync(path.join(folder, name));
    for (const name of [...files, path.join("training", "journal.db"), "holiday.jpg"]) {
      writeFileSync(path.join(folder, name), "");
      chmodSync(path.join(folder, name), 0o644);
    }
    chmodSync(folder, 0o755);
    for (const name of folders) chmodSync(path.join(folder, name), 0o755);
    openPrivateFolder(folder);
    expect(mode(folder)).toBe("700");
    for (const name of folders) expect([name, mode(path.join(folder, name))]).toEqual([name, "700"]);
    for (const name of [...files, path.join("training", "journal.db")])
      expect([name, mode(path.join(folder, name))]).toEqual([name, "600"]);
    expect(mode(path.join(folder, "holiday.jpg"))).toBe("644");
  });

  test("a folder that holds no more than a journal is the terminal's", () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, "journal.db"), "");
    chmodSync(folder, 0o755);
    openPrivateFolder(folder);
    expect(mode(folder)).toBe("700");
  });

  test("a folder that is given by mistake stays as it is", () => {
    const folder = newFolder();
    writeFileSync(path.join(folder, "settings.json"), "");
    chmodSync(path.join(folder, "settings.json"), 0o644);
    chmodSync(folder, 0o755);
    openPrivateFolder(folder);
    expect([mode(folder), mode(path.join(folder, "settings.json"))]).toEqual(["755", "644"]);
  });

  test.each([
    ["a file", "journal.db", false],
    ["a folder", "service", true],
    ["the folder of closed years", "archive", true],
    ["a file in a folder of its own", path.join("training", "journal.db"), false],
    ["the folder of closed years in training", path.join("training", "archive"), true],
    ["a link that leads nowhere", "credential.json", null],
  ] as const)("%s that is a link is refused by name, and what it leads to stays as it is", (_what, name, isFolder) => {
    const [folder, elsewhere] = [newFolder(), newFolder()];
    writeFileSync(path.join(folder, "till-host.lock"), "");
    mkdirSync(path.join(folder, "training"), { mode: 0o755 });
    const target = path.join(elsewhere, "target");
    if (isFolder === true) mkdirSync(target);
    if (isFolder === false) writeFileSync(target, "");
    if (isFolder !== null) chmodSync(target, 0o755);
    symlinkSync(target, path.join(folder, name));
    expect(() => openPrivateFolder(folder)).toThrow(`${path.join(folder, name)} is a link`);
    if (isFolder !== null) expect(mode(target)).toBe("755");
  });

  test("the folder itself may lie on another disk behind a link, and is narrowed there", () => {
    const target = newFolder();
    writeFileSync(path.join(target, "till-host.lock"), "", { mode: 0o644 });
    chmodSync(target, 0o755);
    const link = path.join(newFolder(), "data");
    symlinkSync(target, link);
    openPrivateFolder(link);
    expect([mode(target), mode(path.join(target, "till-host.lock"))]).toEqual(["700", "600"]);
    writeFileSync(path.join(target, "holiday.jpg"), "");
    symlinkSync(path.join(target, "holiday.jpg"), path.join(target, "photo"));
    expect(() => openPrivateFolder(link)).not.toThrow();
  });

  test("the lock and the note beside it are made for this user alone", async () => {
    const folder = path.join(newFolder(), "data");
    openPrivateFolder(folder);
    const claim = await claimOrHandOver(folder);
    if (claim.kind !== "claimed") throw new Error("taken");
    claim.instance.publish(null);
    expect([mode(path.join(folder, "till-host.lock")), mode(path.join(folder, "till-host.json"))]).toEqual([
      "600",
      "600",
    ]);
    claim.instance.release();
  });
});
