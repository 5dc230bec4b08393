/** Shops and terminals from a file: which lines are wrong and why, what is counted together, which codes go where, and what a refusal leaves. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { addCredential } from "../../../backend/access/credentials.ts";
import { createSecretHasher } from "../../../backend/access/secrets.ts";
import { systemRandom } from "../../../backend/adapters.ts";
import { readCsv } from "../../../backend/contract/csv.ts";
import { readEnrolmentLink } from "../../../backend/contract/enrolment-link.ts";
import { toTime } from "../../../backend/contract/times.ts";
import { merchantById } from "../../../backend/merchants/merchants.ts";
import type { CommandContext } from "../../../backend/operate/context.ts";
import { importMerchants, importTerminals } from "../../../backend/operate/import.ts";
import { setSetting, settingByName } from "../../../backend/store/settings.ts";
import { adhoc, type Store } from "../../../backend/store/store.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "tillcash-import-"));
});
afterAll(() => rmSync(folder, { recursive: true }));
const seeded = ["corner-shop", "other-shop"];
beforeEach(() =>
  stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom("merchants").where("id", "not in", seeded)));
  }),
);

let files = 0;
/** The name of a file that is not there yet. */
const fresh = (ending = "csv") => {
  files += 1;
  return join(folder, `${files}.${ending}`);
};
const fileOf = (...lines: string[]) => {
  const path = fresh();
  writeFileSync(path, lines.join("\n"));
  return path;
};
const on = (more: Partial<CommandContext> = {}) => {
  const { store, random, keys } = stage.service;
  // Nobody waits for the pause between two commits.
  const after = (_: number, run: () => void) => {
    setImmediate(run);
    return () => {};
  };
  const clock = { now: () => stage.clock.now(), after };
  return { store, random, keys, clock, publicUrl: "https://cash.example", ...more } as unknown as CommandContext;
};
const shops = (lines: string[], flags = {}, more = {}) => importMerchants(on(more), fileOf(...lines), flags);
const codes = (lines: string[], flags = {}, more = {}) =>
  importTerminals(on(more), fileOf("shop,terminal", ...lines), flags);
const refusal = (done: Promise<unknown>) =>
  done.then(
    () => "nothing",
    (error: Error) => error.message,
  );
const shopOf = (id: string) => stage.store.read((tx) => tx.first(merchantById({ id })));
const rowsOf = (table: "enrolments") =>
  stage.store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).selectAll())));
const numbered = (count: number, of: (at: number) => string) => Array.from({ length: count }, (_, at) => of(at));
const columns =
  "must name the columns id, name, currency, smallest, largest, step, shop-day, terminal-hour, support-text, support-phone, opening, time-zone, each once; id must be there";
const written = "nothing was written";

test.each<[what: string, lines: string[], said: RegExp | string]>([
  ["nothing in it", [], columns],
  ["a column twice", ["id,name,id", "a,A,a"], columns],
  ["a column of the other list", ["id,terminal", "a,A"], columns],
  ["no column for the id", ["name", "A"], columns],
  ["a line without its id", ["id,name", ",West"], "line 2: the ID is missing"],
  ["a line that is one cell, which is the id", ["id", "corner-shop"], /^line 2: nothing to change/],
  [
    "two wrong lines of four",
    ["id,name", "a,A", "-b,B", "c,C", "-d,D"],
    /^line 3: .*\nline 5: .*\nnothing was written$/,
  ],
  [
    "more amounts that are none",
    ["id,name,shop-day", "a,A,1.005"],
    `line 2: 1.005 is no amount in EUR, as 10.00 is\n${written}`,
  ],
  [
    "another currency",
    ["id,currency,largest", "corner-shop,JPY,100"],
    `line 2: shop corner-shop hands out EUR; no shop changes its currency\n${written}`,
  ],
])("a file of shops with %s is refused, and no shop is there", async (_, lines, said) => {
  expect(await refusal(shops(lines))).toMatch(said);
  for (const id of ["a", "c"]) expect(await shopOf(id)).toBeUndefined();
});

test.each([
  ["shop", "must name the columns shop, terminal, each once; shop and terminal must be there"],
  ["terminal", "must name the columns shop, terminal, each once; shop and terminal must be there"],
  ["shop,terminal\ncorner-shop,", "line 2: the terminal is missing; name it as: shop,terminal\nnothing"],
  ["shop,terminal\ncorner-shop,a\nother-shop,a\ncorner-shop,a", "line 4 is for corner-shop a, as line 2 is"],
])("a list of terminals that reads %j is refused", async (text, said) => {
  expect(await refusal(importTerminals(on(), fileOf(text), { out: fresh() }))).toContain(said);
  expect(await rowsOf("enrolments")).toEqual([]);
});

test("a file that is not named or not there is said, each in its words", async () => {
  expect(await refusal(importMerchants(on(), undefined, {}))).toMatch(
    /^the FILE is missing; name it as: merchants import/,
  );
  expect(await refusal(importTerminals(on(), undefined, {}))).toMatch(
    /^the FILE is missing; name it as: credentials im/,
  );
  const gone = join(folder, "gone.csv");
  expect(await refusal(importMerchants(on(), gone, {}))).toMatch(/gone\.csv cannot be read: ENOENT/);
});

test.each([
  [20, []],
  [21, ["and 1 more lines"]],
  [25, ["and 5 more lines"]],
])("of %i wrong lines the first twenty are said, and how many more there are", async (count, more) => {
  const lines = (await refusal(shops(["id,name", ...numbered(count, (at) => `-${at},Wrong`)]))).split("\n");
  expect(lines.map((line) => line.split(":")[0])).toEqual([
    ...numbered(20, (at) => `line ${at + 2}`),
    ...more,
    written,
  ]);
});

test("names of columns may have spaces around them; empty lines and cells count for nothing; each line of the report has its own", async () => {
  await shops(["id,name", "south,South", "east,East"]);
  const lines = ["west,West,,", "north,North,300.00,5000.00", "", "south,South,,", "centre,Centre,,", "east,,100.00,"];
  const report = [
    ["added", 3, "2-3, 6"],
    ["as it was", 1, "5"],
    ["changed", 1, "7"],
  ] as const;
  const named = (key: string) => report.map(([what, count, at]) => ({ [key]: what, count, lines: at }));
  const file = [" id , name ,largest, shop_day", ...lines];
  expect(await shops(file, { "dry-run": "1" })).toEqual(named("would_be"));
  expect(await shopOf("north")).toBeUndefined();
  expect(await shops(file)).toEqual(named("done"));
  expect(await shopOf("north")).toMatchObject({ name: "North", amount_max: 30_000, shop_day_max: 500_000 });
  expect(await shopOf("west")).toMatchObject({ name: "West", amount_max: 50_000, shop_day_max: null });
  expect(await shopOf("east")).toMatchObject({ name: "East", amount_max: 10_000 });
});

test("a shop's own currency beside its other cells changes nothing; a new one's amounts are in its own", async () => {
  const file = ["id,name,currency,largest,terminal-hour", "yen,Yen,JPY,30000,90000"];
  expect(await shops(file)).toEqual([{ done: "added", count: 1, lines: "2" }]);
  expect(await shopOf("yen")).toMatchObject({ currency: "JPY", amount_max: 30_000, terminal_hour_max: 90_000 });
  expect(await shops(file)).toEqual([{ done: "as it was", count: 1, lines: "2" }]);
});

/** A store of which one commit comes after something else; and how many it was asked for. */
const before = (at: number, meanwhile: () => Promise<unknown>) => {
  let commits = 0;
  const write: Store["write"] = async (unit, about) => {
    commits += 1;
    if (commits === at) await meanwhile();
    return stage.store.write(unit, about);
  };
  return { store: { ...stage.store, write } as Store, commits: () => commits };
};
/** One of which a commit fails, as on a full disk. */
const failing = (at: number) => before(at, () => Promise.reject(new Error("disk full"))).store;
/** More terminals of a shop than one commit takes. */
const sixty = (shop: string) => numbered(60, (at) => `${shop},till-${at}`);

test("lines are tried to the last one, also behind a wrong one of another commit", async () => {
  const lines = numbered(60, (at) => (at === 0 || at === 55 ? `-${at},Wrong` : `shop-${at},Shop`));
  expect(await refusal(shops(["id,name", ...lines]))).toMatch(/^line 2: .*\nline 57: .*\nnothing was written$/);
});

test("what comes to be wrong behind the trial ends the import with its commit; the lines before are counted", async () => {
  await shops(["id,name", "late,Late"]);
  const gone = adhoc((db) => db.deleteFrom("merchants").where("id", "=", "late"));
  const { store, commits } = before(6, () => stage.store.write((tx) => tx.run(gone)));
  const lines = [
    ...numbered(100, (at) => `corner-shop,till-${at}`),
    "late,till-1",
    ...numbered(50, (at) => `late,t-${at}`),
  ];
  const said = (await refusal(codes(lines, out(), { store }))).split("\n");
  expect([said[0], said.at(-1)]).toEqual([
    "line 102: there is no shop late; add it with: merchants import",
    "the 100 lines before were written: mend these, and import the file again",
  ]);
  // Once for its turn and once at its end, four times for the trial and three times for what was written.
  expect([commits(), (await rowsOf("enrolments")).length]).toEqual([9, 100]);
});

test.each([1, 2])("where the store fails at commit %i no import says that it is done", async (at) => {
  const more = { store: failing(at) };
  expect(await refusal(shops(["id,name", "west,West"], {}, more))).toBe("disk full");
  expect(await shopOf("west")).toBeUndefined();
});

test("a file without lines writes nothing", async () => {
  expect(await shops(["id,name"], {}, { store: failing(1) })).toEqual([]);
});

test("what fails in a line and is no word of the operator's is no wrong line", async () => {
  const clock = {
    now: () => {
      throw new Error("no clock");
    },
  };
  expect(await refusal(shops(["id,name", "west,West"], {}, { clock }))).toBe("no clock");
});

const out = () => ({ out: fresh() });
const till = { kind: "terminal", ownerId: "corner-shop", deviceId: "a" } as const;

test("codes go with their shop, their end and their link into a file for its owner alone, under a line that names the cells", async () => {
  const flags = { ...out(), sheet: fresh("html"), days: "2" };
  expect(await codes(["corner-shop,a", "other-shop,b"], flags)).toEqual([
    { done: "a code made", count: 2, lines: "2-3" },
  ]);
  expect(statSync(flags.out).mode & 0o777).toBe(0o600);
  const [head, ...lines] = readCsv(readFileSync(flags.out, "utf8"));
  expect(head).toEqual(["shop", "store_name", "terminal", "code", "valid_until", "enrolment"]);
  const until = toTime(stage.clock.now() + 2 * 86_400_000);
  const found = lines.map(([shop, name, terminal, , end, link]) => [
    shop,
    name,
    terminal,
    end,
    readEnrolmentLink(link ?? ""),
  ]);
  const code = (at: number) => lines[at]?.[3] ?? "";
  const link = (at: number) => ({ serviceUrl: "https://cash.example", code: code(at).replaceAll("-", "") });
  const shopNames = [(await shopOf("corner-shop"))?.name, (await shopOf("other-shop"))?.name];
  expect(found).toEqual([
    ["corner-shop", shopNames[0], "a", until, link(0)],
    ["other-shop", shopNames[1], "b", until, link(1)],
  ]);
  expect([code(0), code(1)]).toEqual([1, 2].map(() => expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/)));
  expect(readFileSync(flags.sheet, "utf8")).toMatch(/<html lang="en"/);
});

test.each<[what: string, flags: Record<string, string>, more: Partial<CommandContext>, said: string]>([
  ["without a file for them", {}, {}, "where do the codes go?"],
  [
    "that would lead to http",
    { out: "x" },
    { publicUrl: "http://cash.example" },
    "PUBLIC_URL must be the https address",
  ],
  [
    "to be tried, that would lead to http",
    { "dry-run": "1" },
    { publicUrl: "" },
    "PUBLIC_URL must be the https address",
  ],
])("codes %s are refused, and no code is made", async (_, flags, more, said) => {
  expect(await refusal(codes(["corner-shop,a"], flags, more))).toContain(said);
  expect(await rowsOf("enrolments")).toEqual([]);
});

test("codes are ended without an address or a file, and a file that is named all the same is not written", async () => {
  await codes(["corner-shop,a"], out());
  const named = out();
  const lines = ["corner-shop,a", "corner-shop,b", "nowhere,c"];
  const ended = [
    { done: "code ended", count: 1, lines: "2" },
    { done: "no code", count: 2, lines: "3-4" },
  ];
  expect(await codes(lines, { revoke: "1", ...named }, { publicUrl: "" })).toEqual(ended);
  expect(existsSync(named.out)).toBe(false);
  expect(await rowsOf("enrolments")).toMatchObject([{ device_id: "a", expires_at: 0 }]);
  const till = "terminal corner-shop/a";
  expect((await stage.audited()).map((entry) => entry.split(" | code ")[0])).toEqual([
    ...[`enrolment_code_made | ${till}`, `enrolment made | ${till}`],
    ...[`code_ended | ${till}`, `enrolment ended | ${till}`],
  ]);
});

test("where a code waits another is made only if that is asked for, and its file has no line for it; nor for a terminal that has a key", async () => {
  await codes(["corner-shop,a"], out());
  const again = out();
  expect(await codes(["corner-shop,a"], again)).toEqual([{ done: "has a code", count: 1, lines: "2" }]);
  expect(readCsv(readFileSync(again.out, "utf8")).slice(1)).toEqual([]);
  expect(await codes(["corner-shop,a"], { ...out(), renew: "1" })).toMatchObject([{ done: "a code made" }]);
  // At its very end a code is none.
  stage.clock.jump(86_400_000 - 1);
  expect(await codes(["corner-shop,a"], out())).toMatchObject([{ done: "has a code" }]);
  stage.clock.jump(1);
  expect(await codes(["corner-shop,a"], { "dry-run": "1" })).toMatchObject([{ would_be: "a code made" }]);
  await addCredential(stage.service, createSecretHasher(systemRandom), till);
  expect(await codes(["corner-shop,a"], { ...out(), renew: "1" })).toMatchObject([{ done: "has a key" }]);
});

test.each(["out", "sheet"])("a --%s that is there stays as it is, and no code is made", async (flag) => {
  const path = fileOf("mine");
  expect(await refusal(codes(["corner-shop,a"], { [flag]: path }))).toMatch(/cannot be written: EEXIST/);
  expect(readFileSync(path, "utf8")).toBe("mine");
  expect(await rowsOf("enrolments")).toEqual([]);
});

test("where one of two files is there already the other one is taken back", async () => {
  const flags = { ...out(), sheet: fileOf("mine") };
  expect(await refusal(codes(["corner-shop,a"], flags))).toMatch(/cannot be written: EEXIST/);
  expect([existsSync(flags.out), readFileSync(flags.sheet, "utf8")]).toEqual([false, "mine"]);
});

test("codes whose last commit failed stay in their file, since some of them may count", async () => {
  const flags = out();
  expect(await refusal(codes(["corner-shop,a"], flags, { store: failing(3) }))).toBe("disk full");
  expect(existsSync(flags.out)).toBe(true);
});

const runningSince = (at: number | null, name = "codes_import") =>
  stage.store.write(async (tx) => {
    await tx.run(setSetting({ name, value: "another" }));
    if (at !== null) await tx.run(setSetting({ name: "codes_import_at", value: String(at) }));
  });
const isRunning = async () =>
  (await stage.store.read((tx) => tx.first(settingByName({ name: "codes_import" }))))?.value;
const minutes = 60_000;

test.each([
  ["wrote just now", 0, false],
  ["wrote almost five minutes ago", -5 * minutes + 1, false],
  ["wrote five minutes ago", -5 * minutes, true],
  ["wrote by a clock that is almost five minutes ahead", 5 * minutes - 1, false],
  ["wrote by a clock that is five minutes ahead", 5 * minutes, true],
])("beside an import that %s another one begins: %3$s", async (_, byMs, begins) => {
  await runningSince(stage.clock.now() + byMs);
  const said = refusal(codes(["corner-shop,a"], out()));
  expect(await said).toMatch(
    begins ? "nothing" : `wrote last at ${toTime(stage.clock.now() + byMs)}: wait until it has`,
  );
  expect(await isRunning()).toBe(begins ? undefined : "another");
  expect(await rowsOf("enrolments")).toHaveLength(begins ? 1 : 0);
});

test("an import ends for the next one, however it ended, and not for one that has begun meanwhile", async () => {
  await runningSince(null);
  await codes(["corner-shop,a"], out());
  expect(await isRunning()).toBeUndefined();
  await refusal(codes(["nowhere,a"], out()));
  expect(await isRunning()).toBeUndefined();
  await codes(["corner-shop,a"], { "dry-run": "1" });
  expect(await isRunning()).toBeUndefined();
  const flags = out();
  const { store, commits } = before(4, () => runningSince(stage.clock.now()));
  expect(await refusal(codes(sixty("corner-shop"), flags, { store }))).toBe(
    `another import of codes has begun meanwhile\n${written}`,
  );
  // Refused once, it does not ask again for the lines behind.
  expect([await isRunning(), existsSync(flags.out), commits()]).toEqual(["another", false, 5]);
});

test("an import that goes on notes when it wrote last", async () => {
  const notes: unknown[] = [];
  const write: Store["write"] = async (unit, about) => {
    const at = await stage.store.read((tx) => tx.first(settingByName({ name: "codes_import_at" })));
    notes.push(at?.value);
    stage.clock.jump(minutes);
    return stage.store.write(unit, about);
  };
  const began = stage.clock.now();
  await codes(["corner-shop,a"], out(), { store: { ...stage.store, write } });
  expect(notes).toEqual([undefined, ...[1, 1, 3].map((after) => String(began + after * minutes))]);
});
