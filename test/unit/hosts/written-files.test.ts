/** What a host writes beside the journal: for this user alone whatever the shell says, and on disk before it takes its name. */
import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claimInstance, writeEntryFile } from "../../../main/host/instance.ts";
import { tryWriteJson, writeJson } from "../../../main/host/json-file.ts";
import { logFiles, openLineFile, openLog } from "../../../main/host/log-file.ts";
import { openCredentialFile, openJournalKeys } from "../../../main/host/secrets.ts";
import { watchDisk } from "../../disk-calls.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-written-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const quiet = () => undefined;
const credential = { serviceUrl: "https://s.example", merchantId: "m", deviceId: "d", secret: "word" };

describe.skipIf(process.platform === "win32")("with a shell that keeps nothing from others", () => {
  let before = 0;
  beforeEach(() => {
    before = process.umask(0);
  });
  afterEach(() => void process.umask(before));

  test.each<[string, (folder: string) => unknown]>([
    ["settings.json", () => writeJson(path.join(folder, "settings.json"), {})],
    ["credential.json", async () => (await openCredentialFile(folder, quiet, null)).save(credential, () => true)],
    ["journal-key.json", async () => (await openJournalKeys(folder, null)).keep()],
    ["till.log", () => openLog(folder)("info", "x")],
    ["till-host.json", () => claimInstance(folder)?.publish(1)],
    ["open-till.html", () => writeEntryFile(folder, "http://127.0.0.1:1/#enter=x")],
  ])("%s is this user's alone", async (name, write) => {
    await write(folder);
    expect((statSync(path.join(folder, name)).mode & 0o777).toString(8)).toBe("600");
  });
});

test.each([
  ["room enough", 2 ** 40, 1_000_000, 6],
  ["no room", 0, 100_000, 3],
])("a log on a disk with %s goes on in another file", (_, freeBytes, length, lines) => {
  const append = (file: string, text: string) => appendFileSync(file, text);
  const write = openLineFile(folder, "till.log", { freeBytes: () => freeBytes, append });
  for (let line = 0; line < lines + 2; line += 1) write("x".repeat(length - 1));
  const [older, current] = logFiles(folder);
  expect([older, current].map((file) => statSync(file).size)).toEqual([lines * length, 2 * length]);
});

test("a small file is on disk before it takes the place of the old one, and in its place before anything follows from it", () => {
  const { calls } = watchDisk(folder, () => writeJson(path.join(folder, "a.json"), {}));
  expect(calls).toEqual(["sync a.json.new", "rename a.json.new a.json", "sync ."]);
});

test("one that is not on disk does not take its place", () => {
  const file = path.join(folder, "a.json");
  writeJson(file, "old");
  const { calls } = watchDisk(
    folder,
    () => expect(tryWriteJson(file, "new")).toBe(false),
    (call) => call.startsWith("sync"),
  );
  expect(calls).toEqual(["sync a.json.new"]);
});

test("the note of an earlier run, which may name another program's port, is gone before there is a new one", () => {
  const note = path.join(folder, "till-host.json");
  writeFileSync(note, '{"port":1,"secret":"x"}');
  const instance = claimInstance(folder);
  expect(existsSync(note)).toBe(false);
  instance?.release();
});
