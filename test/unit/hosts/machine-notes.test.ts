/** Users of one computer: what their terminals tell each other, and what a hostile one of them can do with it. */
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mayBegin } from "../../../main/electron/second-user.ts";
import { leaveNote, machineFolder, notesOfOthers } from "../../../main/host/other-user-terminals.ts";

const system = vi.hoisted(() => ({ knowsUser: true }));
vi.mock("node:os", async (original) => {
  const os = await original<typeof import("node:os")>();
  const userInfo = () => {
    if (!system.knowsUser) throw new Error("A system error occurred: uv_os_get_passwd returned ENOENT");
    return os.userInfo();
  };
  return { ...os, userInfo };
});
// electron.d.ts (45): App.getLocale, and Dialog.showMessageBox, where somebody begins.
vi.mock("electron", () => ({
  app: { getLocale: () => "en" },
  dialog: { showMessageBox: async () => ({ response: 1 }) },
}));

let work: string;
let folder: string;
beforeEach(() => {
  work = mkdtempSync(path.join(tmpdir(), "tillcash-notes-"));
  folder = path.join(work, "shared");
});
afterEach(() => rmSync(work, { recursive: true, force: true }));
const till = { user: "till", device: "till-1" };
const noteFile = (): string => path.join(folder, readdirSync(folder)[0] ?? "");

test("another user finds the terminal, its own user does not", () => {
  leaveNote(folder, till);
  expect(notesOfOthers(folder, "ann")).toEqual([till]);
  expect(notesOfOthers(folder, "till")).toEqual([]);
  leaveNote(folder, { ...till, device: "till-2" });
  expect(notesOfOthers(folder, "ann")).toEqual([{ ...till, device: "till-2" }]);
});

test("a note that names this user is not another's, whoever left it, and only so many are read", () => {
  mkdirSync(folder);
  const leave = (at: number, user: string) =>
    writeFileSync(
      path.join(folder, `terminal-${String(at).padStart(16, "0")}.json`),
      JSON.stringify({ version: 1, user, device: "till-1" }),
    );
  leave(0, "till");
  expect(notesOfOthers(folder, "till")).toEqual([]);
  for (let at = 0; at < 30; at += 1) leave(at, `ann-${at}`);
  expect(notesOfOthers(folder, "till")).toHaveLength(20);
});

test("where there is no such folder, or none can be made, nobody is asked and nothing fails", () => {
  expect(notesOfOthers(folder, "ann")).toEqual([]);
  writeFileSync(folder, "");
  leaveNote(folder, till);
  expect(notesOfOthers(folder, "ann")).toEqual([]);
});

test.skipIf(process.platform === "win32")(
  "every user may read the note and leave one, and none may change another's",
  () => {
    const umask = process.umask(0o077);
    leaveNote(folder, till);
    process.umask(umask);
    expect(statSync(folder).mode & 0o7777).toBe(0o1777);
    expect(statSync(noteFile()).mode & 0o777).toBe(0o644);
  },
);

test.skipIf(process.platform === "win32")("a link to a note is no note, nor is a folder", () => {
  leaveNote(folder, till);
  const elsewhere = path.join(work, "note.json");
  writeFileSync(elsewhere, readFileSync(noteFile()));
  rmSync(noteFile());
  symlinkSync(elsewhere, path.join(folder, `terminal-${"a".repeat(16)}.json`));
  mkdirSync(path.join(folder, `terminal-${"b".repeat(16)}.json`));
  expect(notesOfOthers(folder, "ann")).toEqual([]);
});

test.skipIf(process.platform === "win32")("a link in the note's place is not followed", () => {
  leaveNote(folder, till);
  const [file, mine] = [noteFile(), path.join(work, "journal.db")];
  writeFileSync(mine, "open withdrawals");
  rmSync(file);
  symlinkSync(mine, file);
  expect(notesOfOthers(folder, "ann")).toEqual([]);
  leaveNote(folder, till);
  expect(readFileSync(mine, "utf8")).toBe("open withdrawals");
  expect(lstatSync(file).isFile()).toBe(true);
});

test("what is no note of ours is passed over", () => {
  leaveNote(folder, till);
  const file = noteFile();
  for (const text of [
    "",
    "{",
    "[]",
    JSON.stringify({ version: 2, ...till }),
    JSON.stringify({ version: 1, ...till, user: "till\nPress Set up" }),
    " ".repeat(2_000) + JSON.stringify({ version: 1, ...till }),
  ]) {
    chmodSync(file, 0o644);
    writeFileSync(file, text);
    expect(notesOfOthers(folder, "ann"), text).toEqual([]);
  }
  rmSync(file);
  mkdirSync(file);
  expect(notesOfOthers(folder, "ann")).toEqual([]);
});

test.each([
  ["win32", { ProgramData: "D:\\ProgramData" }, "D:\\ProgramData\\Tillcash"],
  ["win32", {}, "C:\\ProgramData\\Tillcash"],
  ["darwin", {}, "/Users/Shared/Tillcash"],
  ["linux", {}, "/var/tmp/tillcash"],
] as const)("on %s with %j they lie in %s", (platform, env, expected) => {
  expect(machineFolder(platform, env)).toBe(expected);
});

test("a system that knows this user by number alone, as while its directory is out of reach, keeps nobody from beginning", async () => {
  system.knowsUser = false;
  try {
    expect(await mayBegin(work)).toBe(true);
  } finally {
    system.knowsUser = true;
  }
});
