/** "Save report for support": what is in the file, what never is, and what happens where it cannot be written. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import { strFromU8, unzipSync } from "fflate";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openLog } from "../../../main/host/log-file.ts";
import { withSupportReport } from "../../../main/host/support-report.ts";
import { type Actor, counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import type { Reply, SavedReport, Snapshot, TerminalCommand } from "../../../preload/contract.ts";
import { screenOf } from "../../e2e/gallery/snapshots.ts";

let data: string;
beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), "tillcash-report-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  rmSync(data, { recursive: true, force: true });
});

const review = screenOf("review");
const health = { entries: 12, damaged: [] };
const revealed: string[] = [];

const terminal = (snapshot: Snapshot = review) =>
  withSupportReport(
    {
      dispatch: (command: TerminalCommand, _: Actor): Promise<Reply> =>
        Promise.resolve(command.type === "check_journal" ? { ok: true, data: health } : { ok: false, code: "failed" }),
      snapshot: () => snapshot,
    },
    {
      data,
      log: openLog(data),
      check: async () => [{ name: "data folder", is: "yes", says: path.join(homedir(), "till") }],
      reveal: (file) => void revealed.push(file),
    },
  );
const save = async (snapshot?: Snapshot): Promise<string> => {
  const reply = await terminal(snapshot).dispatch({ type: "save_report" }, counterActor);
  if (!reply.ok) throw new Error(reply.code);
  return (reply.data as SavedReport).file;
};
const contentOf = (file: string): Record<string, string> =>
  Object.fromEntries(Object.entries(unzipSync(readFileSync(file))).map(([name, bytes]) => [name, strFromU8(bytes)]));

test("what the machine gives is told on a page too, without a person's name", async () => {
  expect(await terminal().dispatch({ type: "check_machine" }, counterActor)).toEqual({
    ok: true,
    data: [{ name: "data folder", is: "yes", says: path.join("~", "till") }],
  });
});

test("says versions, settings, the journal's state and the last lines of the log", async () => {
  openLog(data)("warn", "the printer is out of paper");
  const file = await save();
  const content = contentOf(file);
  expect(Object.keys(content)).toEqual(["about.json", "state.json", "check.json", "journal.json", "till.log"]);
  expect(JSON.parse(content["about.json"] ?? "")).toMatchObject({
    version: expect.stringMatching(/^\d/),
    electron: null,
  });
  expect(JSON.parse(content["state.json"] ?? "")).toMatchObject({ screen: "review", settings: review.settings });
  expect(JSON.parse(content["check.json"] ?? "")).toEqual([
    { name: "data folder", is: "yes", says: path.join("~", "till") },
  ]);
  expect(JSON.parse(content["journal.json"] ?? "")).toEqual(health);
  expect(content["till.log"]).toContain("the printer is out of paper");
  expect(revealed.at(-1)).toBe(file);
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("says how many withdrawals are open and for how long, not which; and not the way in for a phone", async () => {
  const { header, ...rest } = screenOf("ready");
  const money = { amount: "50.00", currency: "EUR" };
  const open = [
    { withdrawalId: "w-2", transactionId: "7F3K9Q2M4XJ8A1WU", money, state: "payable", sinceMs: 5_000 },
  ] as const;
  const phoneAccess = { url: "http://192.168.1.5:8790/ABCD1234", qr: { size: 1, path: "M0" }, untilMs: 1, others: [] };
  const saved = contentOf(await save({ ...rest, header: { ...header, open, phoneAccess } }))["state.json"] ?? "";
  expect(JSON.parse(saved).header.open).toEqual([{ state: "payable", sinceMs: 5_000 }]);
  for (const secret of ["7F3K9Q2M4XJ8A1WU", "w-2", "50.00", "ABCD1234"]) expect(saved).not.toContain(secret);
});

test("holds no withdrawal of a customer and no name of a person of this machine", async () => {
  openLog(data)("error", "a file is missing", { file: path.join(homedir(), "till", "journal.db") });
  const all = Object.values(contentOf(await save(screenOf("payable")))).join("\n");
  const shown = JSON.stringify(screenOf("payable").screen);
  const ids = shown.match(/[0-9A-HJKMNP-TV-Z]{16}|till-\d+-\w{8,}/g) ?? [];
  expect(ids.length).toBeGreaterThan(0);
  for (const id of ids) expect(all).not.toContain(id);
  expect(all).not.toContain(homedir());
});

test("nor where paths are written with backslashes, which JSON doubles, or as addresses", async () => {
  vi.stubEnv("HOME", "C:\\Users\\Ann-Marie").stubEnv("USERPROFILE", "C:\\Users\\Ann-Marie");
  const log = openLog(data);
  log("error", "a file is missing", { file: "C:\\Users\\Ann-Marie\\AppData\\Local\\Tillcash\\journal.db" });
  log("error", "an uncaught error", { why: "at file:///C:/Users/Ann-Marie/AppData/Local/Programs/tillcash/x.js:1" });
  const all = Object.values(contentOf(await save())).join("\n");
  expect(all).toContain("journal.db");
  expect(all).not.toContain("Ann-Marie");
});

test("two thousand lines of a long log, and five reports, are enough", async () => {
  const log = openLog(data);
  for (let n = 0; n < 2_100; n += 1) log("info", `line ${n}`);
  const lines = (contentOf(await save())["till.log"] ?? "").split("\n");
  expect([lines.length, JSON.parse(lines[0] ?? "").message]).toEqual([2_000, "line 100"]);
  const reports = path.join(data, "reports");
  for (let day = 1; day <= 7; day += 1)
    writeFileSync(path.join(reports, `tillcash-report-2020-01-0${day}-10-00-00.zip`), "");
  writeFileSync(path.join(reports, "mine.zip"), "");
  const newest = await save();
  const left = readdirSync(reports).sort();
  expect(left).toHaveLength(5 + 1);
  expect(left).toContain(path.basename(newest));
});

test.each<[string, (folder: string) => void, readonly string[]]>([
  ["its folder cannot be made", (folder) => writeFileSync(folder, "a file"), []],
  [
    "it cannot have its name",
    (folder) => mkdirSync(path.join(folder, "tillcash-report-2026-11-20-10-00-00.zip"), { recursive: true }),
    ["reports/tillcash-report-2026-11-20-10-00-00.zip"],
  ],
])("where %s nothing is left behind, and the screen is told", async (_, prepare, before) => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 10, 20, 10) });
  prepare(path.join(data, "reports"));
  expect(await terminal().dispatch({ type: "save_report" }, counterActor)).toEqual({ ok: false, code: "failed" });
  const lies = readdirSync(data, { recursive: true }).map((name) => String(name).replaceAll(path.sep, "/"));
  expect(lies.sort()).toEqual(["reports", ...before, "till.log"]);
});
