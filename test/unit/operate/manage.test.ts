/** What an operator's words come to before a command plays: what is none, what it does not take, on which database; and how rows are shown. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { parseCommandLine, UsageError } from "../../../backend/operate/arguments.ts";
import { manage, table } from "../../../backend/operate/manage.ts";
import { lockForService } from "../../../backend/store/service-lock.ts";
import { VirtualClock } from "../../service/virtual-clock.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "tillcash-manage-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
const database = (name: string) => path.join(folder, name);
const command = (words: string, on = "none.db", more: Record<string, string> = {}) =>
  manage(parseCommandLine(words.split(" "), { DATABASE_URL: `sqlite:${database(on)}`, ...more }), new VirtualClock(5));

const groups =
  "merchants, partners, credentials, backup, restored, terminals, withdrawals, reports, service-key, audit, users, restore, migrate";
test.each([
  ["frobnicate", `there is no command "frobnicate"; there are ${groups}`],
  ["frobnicate now please", `there is no command "frobnicate now"; there are ${groups}`],
  ["merchant list", `there is no command "merchant list"; there are ${groups}`],
  ["reports", '"reports" needs one word more; there are: reports list, reports decide, reports close'],
  ["reports lost", 'there is no command "reports lost"; there are: reports list, reports decide, reports close'],
])("%s is no command", async (words, message) => {
  await expect(command(words)).rejects.toThrow(new UsageError(message));
  expect(existsSync(database("none.db"))).toBe(false);
});

test.each([
  ["merchants list --name X", '"merchants list" does not take --name; it takes no flags', ["name"]],
  ["partners add b --all --name X", '"partners add" does not take --name, --all; it takes --url', ["name", "all"]],
  ["restore a.db --lost", '"restore" does not take --lost; it takes --force', ["lost"]],
  ["migrate --force", '"migrate" does not take --force; it takes --plan', ["force"]],
  [
    "merchants list all",
    '"all" is one word too many for "merchants list"; put a text with spaces into quotation marks',
    [],
  ],
  ["restore a.db b.db", '"b.db" is one word too many for "restore"; put a text with spaces into quotation marks', []],
])("%s is refused before a database is looked for", async (words, message, fields) => {
  const refused = await command(words).catch((error: UsageError) => error);
  expect(refused).toBeInstanceOf(UsageError);
  const { message: said, fields: named } = refused as UsageError;
  expect([said, named]).toEqual([message, fields]);
});

test.each([
  ["merchants add corner --name Corner", true],
  ["partners add bank", true],
  ["merchants list", false],
  ["credentials list", false],
  ["users block bank ann", false],
])("%s begins a database: %s", async (words, begins) => {
  const name = `${words.replaceAll(" ", "-")}.db`;
  const done = command(words, name);
  if (begins) await done;
  else
    await expect(done).rejects.toThrow(
      new UsageError(`there is no database ${database(name)}: start the service, or name another one in DATABASE_URL`),
    );
  expect(existsSync(database(name))).toBe(begins);
});

test("shops are imported into a database that there is not yet, and a database in memory is there at once", async () => {
  const list = database("shops.csv");
  writeFileSync(list, "id,name\ncorner,Corner\n");
  expect(await command(`merchants import ${list}`, "imported.db")).toHaveLength(1);
  const inMemory = parseCommandLine(["merchants", "list"], { DATABASE_URL: "sqlite::memory:" });
  expect(await manage(inMemory)).toEqual([]);
});

test("migrate leaves SQLite alone", async () => {
  const nothing = [{ nothing: "the service's start migrates an SQLite database by itself" }];
  expect(await command("migrate --plan")).toEqual(nothing);
  expect(existsSync(database("none.db"))).toBe(false);
});

test("settings that cannot be are refused before a database is looked for", async () => {
  const short = { SERVICE_KEY: "short", SERVICE_KEY_BEFORE: "short" };
  const each = Object.keys(short).map((name) => `${name} must have at least 24 characters`);
  await expect(command("merchants list", "none.db", short)).rejects.toThrow(new UsageError(each.join("\n")));
});

test("of a copy that is put back all that is open ends at once, or where no key is here yet, when the service starts", async () => {
  await command("merchants add corner --name Corner", "kept.db");
  const [copy] = await command("backup", "kept.db", { BACKUP_DIR: database("copies") });
  const file = String(copy?.copy);
  expect(await command(`restore ${file}`, "kept.db")).toMatchObject([{ database: database("kept.db"), ended: 0 }]);
  const next = "start the service: its log says which payments to compare with the banks";
  const later = { ended: "when the service starts", next };
  expect(await command(`restore ${file}`, "set-up.db")).toMatchObject([{ database: database("set-up.db"), ...later }]);
});

test("with a key of its own a machine that is set up needs none of the service's", async () => {
  const key = { SERVICE_KEY: "a service key of the tests, long enough" };
  await command("merchants add corner --name Corner", "keyed.db", key);
  const [copy] = await command("backup", "keyed.db", { BACKUP_DIR: database("keyed"), ...key });
  const [done] = await command(`restore ${copy?.copy}`, "set-up-keyed.db", key);
  expect(done).toMatchObject({ ended: 0 });
});

test.each([
  ["merchants list", [5]],
  ["restored --since 1970-01-01T00:00:00.004Z", [4]],
  ["restored --correct --since 1970-01-01T00:00:00.003Z", [3]],
])("on a copy that a hand has put in place, %s records one restore, since %j", async (words, restores) => {
  const name = `marked-${words.length}.db`;
  await command("merchants add corner --name Corner", name);
  const file = new DatabaseSync(database(name));
  file.prepare("INSERT INTO settings (name, value) VALUES ('restored_from', ?)").run(JSON.stringify({ copy: "a.db" }));
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  await command(words, name);
  // What was ended before the command's own work is told beside its answer.
  expect(said.mock.calls.length).toBe(words.includes("restored --since") ? 0 : 1);
  const rows = file.prepare("SELECT forgot_since FROM restores").all();
  file.close();
  expect(rows.map(({ forgot_since }) => forgot_since)).toEqual(restores);
});

test("a key that is lost is given up by the one command that says so", async () => {
  const [before, now] = ["a service key of the tests, long enough", "another service key, as long as that one"];
  await command("merchants add corner --name Corner", "lost.db", { SERVICE_KEY: before });
  const key = { SERVICE_KEY: now };
  for (const words of ["merchants list", "service-key rotate", "service-key status"])
    await expect(command(words, "lost.db", key)).rejects.toThrow();
  await command("service-key rotate --lost", "lost.db", key);
  expect(await command("merchants list", "lost.db", key)).toMatchObject([{ id: "corner" }]);
});

test("an older file in the place of a newer one is marked by one command alone, once no service runs", async () => {
  await command("merchants add corner --name Corner", "older.db");
  const file = database("older.db");
  const add = (starts: number) => {
    const db = new DatabaseSync(file);
    db.prepare("INSERT OR REPLACE INTO settings (name, value) VALUES ('starts', ?)").run(String(starts));
    db.close();
  };
  add(9);
  writeFileSync(`${file}-starts`, "9");
  const service = lockForService(file);
  await command("merchants list", "older.db");
  add(1);
  await expect(command("merchants list", "older.db")).rejects.toMatchObject({ why: "database_in_use" });
  service.release();
  const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  await command("merchants list", "older.db");
  expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("ended"));
  lockForService(file).release();
  add(1);
  // Takes the lock itself.
  expect(await command("restored --since 1970-01-01T00:00:00.004Z", "older.db")).toMatchObject([{ ended: 0 }]);
});

test.runIf(process.platform === "linux")("a command leaves no file open, also where it fails", async () => {
  await command("merchants add corner --name Corner", "closed.db");
  const before = readdirSync("/proc/self/fd").length;
  await command("merchants list", "closed.db");
  await expect(command("merchants disable nowhere", "closed.db")).rejects.toThrow();
  expect(readdirSync("/proc/self/fd")).toHaveLength(before);
});

test("what a command changed is in the audit with who gave it", async () => {
  await command("merchants add corner --name Corner", "audited.db");
  const [entry] = await command("audit", "audited.db");
  expect(entry).toMatchObject({ event: "merchants add", object: "corner", time: "1970-01-01T00:00:00.005Z" });
});

test.each([
  [[], ""],
  [[{ id: "a", of: 1 }], "id  of\na   1"],
  [
    [
      { id: "corner", of: null },
      { id: "b", of: "two words" },
    ],
    "id      of\ncorner  -\nb       two words",
  ],
  [[{ id: "a\u001b[2Jb\n" }], "id\na?[2Jb?"],
  [[{ name: "x".repeat(154), of: 1 }], `${"name".padEnd(154)}  of\n${"x".repeat(154)}  1`],
  [[{ name: "x".repeat(158), of: 1 }], `name  ${"x".repeat(158)}\nof    1`],
  [
    [
      { name: "x".repeat(158), of: 1 },
      { name: "y", of: 2 },
    ],
    `${"name".padEnd(158)}  of\n${"x".repeat(158)}  1\n${"y".padEnd(158)}  2`,
  ],
  [[{ name: "x".repeat(157), of: 1 }], `${"name".padEnd(157)}  of\n${"x".repeat(157)}  1`],
])("rows %#", (rows, text) => expect(table(rows)).toBe(text));
