/** `npm run journal` as a person types it. */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { type KeyStore, openJournalKeys } from "../../../main/host/secrets.ts";
import { openNodeDatabase } from "../../../main/terminal/journal/database.ts";
import { openJournal } from "../../../main/terminal/journal/journal.ts";
import { fillJournal, finish, journalStage, overwritePages, pageWith } from "./journal-stage.ts";

const stage = journalStage();
const { fill, tamper } = stage;
beforeEach(() => mkdirSync(stage.inside()));

const tool = "main/journal-tool/cli.ts";
const run = promisify(execFile);
const cli = (...args: string[]) => run(process.execPath, [tool, ...args, "--file", stage.path]).catch((error) => error);

test("verify says what is sound and what is not", async () => {
  fill(3);
  expect(await cli("verify")).toMatchObject({ stdout: expect.stringContaining("3 sound entries, 0 damaged") });
  tamper("UPDATE journal SET body = '{}' WHERE sequence = 2");
  const damaged = await cli("verify");
  expect(damaged).toMatchObject({ code: 1, stdout: expect.stringContaining("entry 2: hash") });
});

test("a damaged page is named, and what can be read is exported", async () => {
  fill(400);
  overwritePages(stage.path, 6);
  const verified = await cli("verify");
  expect(verified).toMatchObject({ code: 1, stdout: expect.stringMatching(/entry \d+: unreadable\n/), stderr: "" });
  expect(verified.stdout).not.toContain("malformed");
  const exported = await cli("export");
  expect(exported).toMatchObject({ code: 1, stderr: expect.stringMatching(/entry \d+: unreadable\n/) });
  const lines = JSON.parse(exported.stdout) as unknown[];
  expect(lines.length).toBeGreaterThan(365);
  expect(lines.length).toBeLessThan(400);
});

test("a damaged page, of the live file or of an archived year, takes nothing else from the export", async () => {
  const journal = openJournal(stage.path, 0);
  const act = (number: number) => JSON.stringify({ type: "act", number, about: "x".repeat(200) });
  const year = (from: number) => [...Array.from({ length: 50 }, (_, at) => act(from + at)), '{"type":"checkpoint"}'];
  journal.append(1, year(1));
  journal.append(9, year(100));
  finish(journal.archiveSlices({ now: () => 9, beforeMs: 5, held: [] }));
  journal.close();
  const exported = async () => {
    const { stdout, code } = await cli("export");
    const lines = JSON.parse(stdout) as { entry: { number?: number } }[];
    return { code, numbers: lines.flatMap(({ entry }) => entry.number ?? []) };
  };
  expect((await exported()).numbers).toHaveLength(100);
  const [file = ""] = readdirSync(stage.inside("archive"));
  for (const [spoilt, number] of [
    [stage.path, 120],
    [stage.inside("archive", file), 20],
  ] as const) {
    overwritePages(spoilt, pageWith(spoilt, `"number":${number},`));
    const { code, numbers } = await exported();
    expect(code).toBe(1);
    expect(numbers).toEqual(expect.arrayContaining([1, 2, 49, 50, 100, 101, 148, 149]));
    expect(numbers).not.toContain(number);
  }
});

test("a damaged entry is named by the export too, and a file that is no journal is no empty one", async () => {
  fill(3);
  tamper("UPDATE journal SET body = '{}' WHERE sequence = 2");
  const damaged = await cli("export");
  expect(damaged).toMatchObject({ code: 1, stderr: expect.stringContaining("entry 2: hash") });
  expect(JSON.parse(damaged.stdout)).toHaveLength(2);
  writeFileSync(stage.path, "hello");
  for (const what of ["export", "verify"])
    expect(Object.values(await cli(what)).join()).toContain("the file is no journal");
  expect(await cli("export")).toMatchObject({ code: 1 });
});

test("export writes JSON and CSV", async () => {
  fill(2);
  expect(JSON.parse((await cli("export")).stdout)).toMatchObject([
    { sequence: 1, entry: { number: 1 } },
    { sequence: 2 },
  ]);
  const csv = (await cli("export", "--format", "csv")).stdout.split("\r\n");
  const line = (at: number) => `${at},1970-01-01T00:00:01.00${at}Z,,,,,,,"{""number"":${at}}"`;
  expect(csv).toEqual([expect.stringMatching(/^sequence,at,type,/), line(1), line(2), ""]);
  expect(await cli("export", "--format", "xml")).toMatchObject({ code: 2 });
  expect(await cli("burn")).toMatchObject({ code: 2 });
});

/** The operating system's, which this tool cannot ask. */
const system: KeyStore = {
  isAvailable: async () => true,
  encrypt: async (text) => Buffer.from(text).reverse(),
  decrypt: async (bytes) => ({ text: Buffer.from(bytes).reverse().toString(), isOutdated: false }),
};

test("what the desktop program sealed is counted, in archived years too, and it says how to check it", async () => {
  const keys = await openJournalKeys(stage.inside(), system);
  const journal = openJournal(stage.path, 0, "write", openNodeDatabase, keys);
  const checkpoint = JSON.stringify({
    type: "checkpoint",
    damagedEntries: 0,
    installation: null,
    open: [],
    cashGiven: [],
  });
  journal.append(1, ["{}", "{}", checkpoint]);
  finish(journal.archiveSlices({ now: () => 2, beforeMs: 2, held: [] }));
  journal.close();
  const verified = await cli("verify");
  expect(verified.stdout).toContain("5 sound entries, 5 of them under a key that is not to be had here, 0 damaged");
  expect(verified.stdout).toMatch(/open the desktop program as the user who runs it/);
  const [file = ""] = readdirSync(stage.inside("archive"));
  const archived = await run(process.execPath, [tool, "verify", "--file", stage.inside("archive", file)]);
  expect(archived.stdout).toContain("3 sound entries, 3 of them under a key");
});

test("where training alone has a journal, it says where", async () => {
  fillJournal(join(stage.folder, "training", "journal.db"), 1);
  const missed = await run(process.execPath, [tool, "verify", "--data", stage.folder]).catch((error) => error);
  expect(missed).toMatchObject({ code: 2, stderr: expect.stringMatching(/That of training: --data .*training\n$/) });
});
