/** The list of people by itself: what is refused and how, what a disk that takes nothing leaves as it was, and whose sessions end. */
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { openAccounts } from "../../../main/people/accounts.ts";
import { openPeopleFile, type People } from "../../../main/people/people-file.ts";
import { hashPin, isPinOf, type PinHashing, usualHashing } from "../../../main/people/pins.ts";
import { createSessions } from "../../../main/people/sessions.ts";
import { VirtualClock } from "../terminal/virtual-clock.ts";
import { managerPin } from "./stage.ts";

let whileHashing = () => {};
const hashing: PinHashing = {
  cost: { N: 2, r: 1, p: 1 },
  derive: (...of) => {
    whileHashing();
    return usualHashing.derive(...of);
  },
};
const cashierPin = "4829";

const ours = { highest: 0, needsCode: false, areStrangers: false, serviceResponded: true };

/** With M1, and C2 at the counter; `saves`: how often the disk still takes the list. */
const accountsWith = async () => {
  let kept: People = { nextNumber: 1, people: [] };
  const disk = { saves: Number.POSITIVE_INFINITY };
  const save = (people: People): void => {
    if (disk.saves-- <= 0) throw new Error("disk full");
    kept = people;
  };
  const clock = new VirtualClock();
  const now = () => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() });
  const first = openAccounts({ load: () => ({ kind: "none" }), save }, now, () => ours, hashing);
  await first.addFirstManager("Ida", managerPin, async () => true);
  await first.save({ code: null, name: "Bo", role: "cashier" }, cashierPin);
  const file = { load: () => ({ kind: "kept", people: kept }) as const, save };
  return { accounts: openAccounts(file, now, () => ours, hashing), file, disk, now, kept: () => kept };
};
type Accounts = Awaited<ReturnType<typeof accountsWith>>["accounts"];
const granted = async () => null;
const bo = { name: "Bo", role: "cashier" } as const;
const codeOf = (done: { ok: boolean; code?: unknown }) => (done.ok ? "ok" : done.code);

test.each<[string, (accounts: Accounts) => unknown, string]>([
  ["a person without a PIN", (to) => to.save({ code: null, ...bo }, null), "invalid"],
  ["a change of somebody who is gone", (to) => to.save({ code: "C9", ...bo }, null), "stale"],
  ["the last manager as a cashier", (to) => to.save({ code: "M1", name: "Ida", role: "cashier" }, null), "denied"],
  ["the last manager as a manager", (to) => to.save({ code: "M1", name: "Ada", role: "manager" }, null), "ok"],
  ["the last manager taken away", (to) => to.remove("M1"), "denied"],
  ["somebody who is gone taken away", (to) => to.remove("C9"), "stale"],
  ["a cashier taken away", (to) => to.remove("C2"), "ok"],
  ["the PIN of somebody who is gone", (to) => to.verify("C9", cashierPin), "wrong_pin"],
  [
    "a reset of somebody who is gone",
    (to) => to.resetManager({ kind: "known", person: "M9" }, managerPin, granted),
    "stale",
  ],
  ["a second first manager", (to) => to.addFirstManager("Eve", managerPin, async () => true), "denied"],
])("%s is answered", async (_, ask, code) => {
  const { accounts } = await accountsWith();
  expect(codeOf((await ask(accounts)) as { ok: boolean })).toBe(code);
});

test("a new PIN is hashed before the operator's code is spent, which then changes everything at once", async () => {
  const { accounts } = await accountsWith();
  const order: string[] = [];
  whileHashing = () => void order.push("hashed");
  const spend = async () => {
    order.push("spent");
    return null;
  };
  await accounts.resetManager({ kind: "known", person: "M1" }, "730514", spend);
  await accounts.resetManager({ kind: "new", name: "Eve" }, "730514", spend);
  whileHashing = () => {};
  expect(order).toEqual(["hashed", "spent", "hashed", "spent"]);
});

test.each<[string, (accounts: Accounts) => unknown, number]>([
  ["a try that cannot be written down", (to) => to.verify("C2", cashierPin), 0],
  ["a try with a wrong PIN, which is not looked at then,", (to) => to.verify("C2", "1111"), 0],
  ["a right PIN whose tries cannot be forgotten", (to) => to.verify("C2", cashierPin), 1],
  ["a new person", (to) => to.save({ code: null, ...bo }, "9157"), 0],
  ["a new name", (to) => to.save({ code: "C2", ...bo, name: "Bob" }, null), 0],
  ["a new PIN", (to) => to.save({ code: "C2", ...bo }, "9157"), 0],
  ["a person taken away", (to) => to.remove("C2"), 0],
])("on a disk that takes nothing %s fails, and nobody has changed", async (_, ask, saves) => {
  const { accounts, disk, kept } = await accountsWith();
  const [before, names] = [kept(), accounts.people.map(({ name }) => name)];
  disk.saves = saves;
  expect(codeOf((await ask(accounts)) as { ok: boolean })).toBe("failed");
  expect(accounts.people.map(({ name }) => name)).toEqual(names);
  if (saves === 0) expect(kept()).toBe(before);
  disk.saves = Number.POSITIVE_INFINITY;
  expect(codeOf(await accounts.verify("C2", cashierPin))).toBe("ok");
});

/** A disk that others have filled up to what lies in the folder now: it takes no more than leaves it. */
const onFullDisk = async (folder: string, work: () => Promise<unknown>): Promise<void> => {
  const { writeFileSync: write } = fs;
  const used = () => readdirSync(folder).reduce((bytes, name) => bytes + statSync(path.join(folder, name)).size, 0);
  const size = used();
  const bytesOf = (data: unknown) => Buffer.byteLength(data as string | Uint8Array);
  fs.writeFileSync = ((...of: Parameters<typeof write>) => {
    if (used() + bytesOf(of[1]) > size) throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" });
    write(...of);
  }) as typeof write;
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    fs.writeFileSync = write;
    syncBuiltinESMExports();
  }
};

test.each([
  ["held with the list", () => {}],
  ["held at the start, where an earlier program had none", (file: string) => rmSync(`${file}.reserve`)],
])(
  "on a disk that others have filled a PIN is counted and checked in the room %s, again and again",
  async (_, before) => {
    const folder = mkdtempSync(path.join(tmpdir(), "people-"));
    const { kept, now } = await accountsWith();
    openPeopleFile(folder, () => {}).save(kept());
    before(path.join(folder, "people.json"));
    const file = openPeopleFile(folder, () => {});
    const accounts = openAccounts(file, now, () => ours, hashing);
    const answers: unknown[] = [];
    await onFullDisk(folder, async () => {
      for (const pin of ["1111", cashierPin, "1111"]) answers.push(codeOf(await accounts.verify("C2", pin)));
    });
    expect(answers).toEqual(["wrong_pin", "ok", "wrong_pin"]);
    expect(file.load()).toMatchObject({ people: { people: [{ tries: { failed: 0 } }, { tries: { failed: 1 } }] } });
    expect(readdirSync(folder).sort()).toEqual(["people.json", "people.json.reserve"]);
  },
);

test("a folder without people holds no room for them, which would tell of an earlier terminal", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "people-"));
  openPeopleFile(folder, () => {});
  expect(readdirSync(folder)).toEqual([]);
});

test("who is taken away while their PIN is looked at is not let in", async () => {
  const { accounts } = await accountsWith();
  whileHashing = () => accounts.remove("C2");
  const verified = await accounts.verify("C2", cashierPin);
  whileHashing = () => {};
  expect([codeOf(verified), accounts.people.length]).toEqual(["wrong_pin", 1]);
});

test.each([
  ["the other manager is taken away", "M3", "M1", "denied"],
  ["they are taken away themselves", "C2", "C2", "stale"],
])("while a new PIN is hashed %s: what was asked for is refused", async (_, removed, code, refusal) => {
  const { accounts } = await accountsWith();
  await accounts.save({ code: null, name: "Eve", role: "manager" }, "730514");
  whileHashing = () => accounts.remove(removed);
  const saved = await accounts.save({ code, name: "Ida", role: "cashier" }, "9157");
  whileHashing = () => {};
  expect(codeOf(saved)).toBe(refusal);
  expect(accounts.people.some(({ role }) => role === "manager")).toBe(true);
});

test("who has to wait does so no more once a manager has given them another PIN", async () => {
  const { accounts } = await accountsWith();
  for (let guess = 0; guess < 5; guess++) await accounts.verify("C2", "1111");
  expect([
    codeOf(await accounts.verify("C2", cashierPin)),
    accounts.waitMs({ ...accounts.people[1] } as never),
  ]).toEqual(["wait", 30_000]);
  await accounts.save({ code: "C2", ...bo }, "9157");
  expect(codeOf(await accounts.verify("C2", "9157"))).toBe("ok");
});

test.each([
  ["of strangers", { areStrangers: true }, "none", 0],
  ["of strangers, where only the operator's code helps", { areStrangers: true, needsCode: true }, "lost", 0],
  ["of this terminal", { needsCode: true }, "kept", 2],
])("a list %s counts or not", async (_, onRecord, state, count) => {
  const { file, now } = await accountsWith();
  const opened = openAccounts(file, now, () => ({ ...ours, ...onRecord }));
  expect([opened.state, opened.people.length]).toEqual([state, count]);
});

test("a damaged file is said in the log and kept beside when it is replaced; a good one is not", () => {
  const [folder, log] = [mkdtempSync(path.join(tmpdir(), "people-")), [] as string[]];
  const [file, text] = [path.join(folder, "people.json"), '{"version":99}'];
  const people = openPeopleFile(folder, (level) => log.push(level));
  expect(people.load()).toEqual({ kind: "none" });
  people.save({ nextNumber: 1, people: [] });
  expect(people.load()).toMatchObject({ kind: "kept" });
  people.save({ nextNumber: 2, people: [] });
  expect(() => readFileSync(`${file}.kept`)).toThrow("ENOENT");
  expect(log).toEqual([]);
  writeFileSync(file, text);
  expect(people.load()).toEqual({ kind: "unreadable" });
  expect(log).toEqual(["error"]);
  people.save({ nextNumber: 3, people: [] });
  expect([readFileSync(`${file}.kept`, "utf8"), people.load().kind]).toEqual([text, "kept"]);
});

const stored = { code: "M1", name: "Ida", role: "manager", pin: { N: 2, r: 1, p: 1, salt: "", hash: "" } };
test.each<[string, (file: string) => void, string]>([
  ["of a newer program", (file) => writeFileSync(file, '{"version":2,"nextNumber":1,"people":[]}'), "unreadable"],
  ["that is no file, which nobody may take for none", (file) => mkdirSync(file), "unreadable"],
  [
    "of a version that counted no tries",
    (file) => writeFileSync(file, JSON.stringify({ version: 1, nextNumber: 2, people: [stored] })),
    "kept",
  ],
])("a list %s is read as what it is", (_, make, kind) => {
  const folder = mkdtempSync(path.join(tmpdir(), "people-"));
  make(path.join(folder, "people.json"));
  expect(openPeopleFile(folder, () => {}).load().kind).toBe(kind);
});

test.each<[string, Partial<People>]>([
  ["two hundred people", { people: Array.from({ length: 199 }, (_, at) => ({ code: `C${at + 2}` })) as never }],
  ["the last code", { nextNumber: 99_999 }],
])("whoever is added to a list with %s is refused: it could not be read any more", async (_, full) => {
  const { kept, now } = await accountsWith();
  const [manager, cashier] = kept().people;
  const people = [manager, ...(full.people ?? []).map(({ code }) => ({ ...cashier, code }))] as People["people"];
  const file = openPeopleFile(mkdtempSync(path.join(tmpdir(), "people-")), () => {});
  file.save({ nextNumber: 201, ...full, people });
  const accounts = openAccounts(file, now, () => ours, hashing);
  const added = async () => codeOf(await accounts.save({ code: null, ...bo }, cashierPin));
  if (full.nextNumber !== undefined) await added();
  expect([await added(), file.load().kind, codeOf(await accounts.verify("M1", managerPin))]).toEqual([
    "failed",
    "kept",
    "ok",
  ]);
});

test("who speaks another language goes on doing so, unless it is said that they do not", async () => {
  const { accounts } = await accountsWith();
  const languageAfter = async (more: object) => {
    await accounts.save({ code: "C2", ...bo, ...more }, null);
    return accounts.find("C2")?.language;
  };
  expect(await languageAfter({ language: "de" })).toBe("de");
  expect(await languageAfter({ name: "Bob" })).toBe("de");
  expect(await languageAfter({ language: null })).toBeNull();
});

test("a PIN is hashed at the cost that is asked for: RFC 7914's second example", async () => {
  const cost = { N: 1024, r: 8, p: 16 };
  const hash = await usualHashing.derive("password", Buffer.from("NaCl"), cost);
  expect(hash.toString("hex")).toBe("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162");
});

test("a hash of another length is nobody's PIN", async () => {
  const kept = await hashPin(cashierPin, hashing);
  expect([await isPinOf(kept, cashierPin), await isPinOf({ ...kept, hash: "AAAA" }, cashierPin)]).toEqual([
    true,
    false,
  ]);
});

describe("sessions", () => {
  const play = () => {
    const [clock, ended] = [new VirtualClock(), [] as unknown[]];
    const now = () => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() });
    const sessions = createSessions(
      clock,
      now,
      () => 60_000,
      (over) => ended.push(over),
    );
    return { clock, ended, sessions };
  };

  test("of a manager last half an hour, of a cashier as long as somebody presses", async () => {
    const { clock, ended, sessions } = play();
    sessions.begin("M1", "manager", sessions.locks);
    sessions.begin("C2", "cashier", sessions.locks);
    for (let half = 1; half < 60; half++) {
      await clock.advance(30_000);
      sessions.touch();
    }
    expect([sessions.personAs("manager"), ended]).toEqual(["M1", []]);
    await clock.advance(30_000);
    expect(ended).toEqual([[["manager", "M1"]]]);
    sessions.touch();
    await clock.advance(59_999);
    expect(sessions.personAs("cashier")).toBe("C2");
    await clock.advance(5_001);
    expect(ended.slice(1)).toEqual([[["cashier", "C2"]]]);
  });

  test("that end at once are told at once, a cashier's first; after a stop nobody looks any more", async () => {
    const { clock, ended, sessions } = play();
    sessions.begin("M1", "manager", sessions.locks);
    sessions.begin("C2", "cashier", sessions.locks);
    await clock.advance(600_000);
    expect(ended).toEqual([
      [
        ["cashier", "C2"],
        ["manager", "M1"],
      ],
    ]);
    expect(clock.timers).toBe(1);
    sessions.stop();
    expect(clock.timers).toBe(0);
  });
});
