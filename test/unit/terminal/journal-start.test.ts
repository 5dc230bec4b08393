/** How a terminal begins with the journal it finds: blocked and why, tried again, and what its first entries say. */
import { describe, expect, test } from "vitest";
import { journalTryMs } from "../../../main/terminal/bounds.ts";
import { createCore } from "../../../main/terminal/core.ts";
import { createJournalStart } from "../../../main/terminal/journal-start.ts";
import type { Device, JournalEntry } from "../../../main/terminal/ports.ts";
import { bookName, bookOf } from "../../../main/terminal/withdrawal/book.ts";
import { protectedOf } from "../../../main/terminal/withdrawal/settings.ts";
import { initialState } from "../../../main/terminal/withdrawal/state.ts";
import { protectedSettingsSchema, settingsSchema } from "../../../preload/contract.ts";
import { discrepancy } from "./entries.ts";
import { of, device as till } from "./flow-stage.ts";
import { MemoryJournal } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

const settings = settingsSchema.parse({ drawer: { kind: "none" } });
const file = protectedOf(settings);
const shop2: Device = { ...till, merchantId: "kiosk" };
/** @param held null: by a version that did not write them. */
const opened = (device: Device = till, held: object | null = file) => ({
  type: "book_opened",
  book: bookOf(device, false),
  tag: "tag",
  adopted: false,
  ...(held !== null && { settings: held }),
});
const entries = (...events: readonly object[]): JournalEntry[] =>
  events.map((event, at) => ({ sequence: at + 1, at: 1_000, body: JSON.stringify(event) }));
const intended = { type: "confirm_intended", withdrawal: of };

interface Found {
  readonly device?: Device | null;
  readonly hasEarlierLife?: boolean;
  readonly settings?: typeof settings;
  readonly isStarted?: boolean;
}
/** A start on this journal: what was said, what is in force, and what it wrote. */
const startOn = (
  journal: MemoryJournal,
  { device = till, hasEarlierLife = false, isStarted = true, ...found }: Found = {},
) => {
  const clock = new VirtualClock(5_000_000);
  const logged: string[] = [];
  let said: object = {};
  const ports = {
    ...{ journal, clock, training: false, hasEarlierLife, ids: { next: () => "an-id" } },
    settings: { load: () => found.settings ?? settings, wrong: () => [] },
    shop: { load: () => null, save: () => undefined },
    log(level: string, what: string, fields: object) {
      logged.push(`${level} ${what}`);
      said = fields;
    },
  } as never;
  const core = createCore(ports, initialState(settings, device, false), 1_000, () => undefined);
  let started = 0;
  const start = createJournalStart(
    core,
    ports,
    () => device,
    () => {
      started += 1;
    },
  );
  const before = journal.entries.length;
  start.read();
  expect(started, "before the start").toBe(0);
  if (isStarted) start.start();
  const written = () =>
    journal.entries.slice(before).map(({ body }) => JSON.parse(body) as Record<string, unknown> & { type: string });
  return { core, clock, logged, said: () => said, written, start, starts: () => started };
};
const typesIn = (written: readonly { type: string }[]) =>
  written.map(({ type }) => type).filter((type) => type !== "checkpoint");

describe("a journal that is not to be had", () => {
  test.each<[string, Partial<MemoryJournal>, string, boolean, string]>([
    [
      "is a newer program's",
      { open: () => ({ kind: "newer", format: 99 }) as never },
      "journal_newer",
      true,
      "newer program",
    ],
    [
      "cannot be opened",
      { open: () => ({ kind: "unavailable", error: "locked" }) as never },
      "journal_unavailable",
      false,
      "cannot be opened",
    ],
    [
      "cannot be read",
      {
        read: () => {
          throw new Error("malformed");
        },
      },
      "journal_unavailable",
      false,
      "cannot be read",
    ],
  ])(
    "%s: it blocks the terminal, which says so and tries again where that can help",
    async (_, part, why, isWritable, said) => {
      const journal = Object.assign(new MemoryJournal(), { entries: entries(opened(), intended) });
      let closes = 0;
      Object.assign(journal, part, {
        close() {
          closes += 1;
        },
      });
      const { core, clock, logged, written, starts } = startOn(journal);
      expect(core.state.blocked).toEqual({ why });
      expect(core.state.journalFailing).toBe(!isWritable);
      expect([...new Set(logged)]).toEqual([expect.stringContaining(said)]);
      expect([written(), starts(), closes]).toEqual([[], 0, said === "cannot be read" ? 2 : 0]);
      for (const name of Object.keys(part)) Reflect.deleteProperty(journal, name);
      await clock.advance(journalTryMs - 1);
      expect(starts()).toBe(0);
      await clock.advance(1);
      expect([starts(), core.state.open.size]).toEqual(why === "journal_newer" ? [0, 0] : [1, 1]);
    },
  );
});

describe("the first entries", () => {
  test.each<[string, readonly object[], Found, readonly string[]]>([
    ["of a new journal", [], {}, ["book_opened"]],
    [
      "of a new one where there was a life before",
      [],
      { hasEarlierLife: true },
      ["book_opened", "journal_missing", "act"],
    ],
    [
      "of a new one without a service",
      [],
      { device: null, hasEarlierLife: true },
      ["journal_missing", "settings_recorded", "act"],
    ],
    ["of one that goes on", [opened(), intended], { hasEarlierLife: true }, []],
    ["of one that goes on, without a service", [opened()], { device: null, hasEarlierLife: true }, []],
    ["of one from before settings were in it", [opened(till, null)], {}, ["settings_recorded"]],
    ["of one from before, without a service", [{ type: "installed", tag: "tag" }], { device: null }, []],
  ])("%s", (_, before, found, types) => {
    const journal = Object.assign(new MemoryJournal(), { entries: entries(...before) });
    expect(typesIn(startOn(journal, found).written())).toEqual(types);
  });

  const strict = { ...settings, confirmHandOver: !settings.confirmHandOver };
  const other = protectedSettingsSchema.parse({ ...file, confirmHandOver: !file.confirmHandOver });
  test("name the settings of the file that are not obeyed, and the program knows them", () => {
    const journal = Object.assign(new MemoryJournal(), { entries: entries(opened()) });
    const { core, written } = startOn(journal, { settings: strict });
    expect(written()).toMatchObject([{ type: "act", act: "settings_not_obeyed", about: "confirmHandOver" }]);
    expect(core.state.changedSettings).toEqual(["confirmHandOver"]);
  });

  test.each<[string, readonly object[], boolean, string, boolean]>([
    ["of an earlier version", [opened(till, null)], false, "upgrade", false],
    ["with a hole in it", [opened(till, null)], true, "unknown", true],
  ])("say where settings come from that no entry has: a journal %s", (_, before, isDamaged, why, isStrict) => {
    const journal = Object.assign(new MemoryJournal(), { entries: entries(...before) });
    if (isDamaged) journal.damaged.push({ sequence: 1, why: "hash" });
    const { logged, written } = startOn(journal);
    const [recorded] = written();
    expect(logged).toEqual([...(isDamaged ? ["warn damaged journal entries"] : []), "info the terminal starts"]);
    expect(recorded).toMatchObject({ type: "settings_recorded", why });
    expect(recorded).toMatchObject({ settings: { people: { cashiersSignIn: isStrict } } });
  });

  test("of the book of another shop have the settings that were in force, and say so once", () => {
    const journal = Object.assign(new MemoryJournal(), { entries: entries(opened(till, other)) });
    journal.beside.set(bookName(bookOf(shop2, false)), entries(opened(shop2)));
    startOn(journal, { device: shop2 });
    const told = journal.entries.map(({ body }) => JSON.parse(body));
    expect(told.filter(({ type }) => type === "settings_recorded")).toMatchObject([
      { settings: other, why: "other_shop" },
    ]);
  });
});

test.each<[string, readonly object[], object]>([
  ["nothing is open", [], { open: 0, waiting: 0 }],
  ["one is under way", [intended], { open: 1, waiting: 0 }],
  ["a report is owed", [intended, { type: "handed_out", withdrawal: of, by: "cashier" }], { open: 1, waiting: 1 }],
])("a start says how much it goes on with: %s", (_, events, fields) => {
  const journal = Object.assign(new MemoryJournal(), { entries: entries(opened(), ...events) });
  expect(startOn(journal).said()).toEqual(fields);
});

describe("what lies in a book beside", () => {
  const beside = (name: string, ...events: readonly object[]): MemoryJournal => {
    const journal = Object.assign(new MemoryJournal(), { entries: entries(opened(shop2)) });
    journal.beside.set(name, entries(...events));
    return journal;
  };
  const carried = (journal: MemoryJournal) =>
    startOn(journal, { device: shop2 })
      .written()
      .filter(({ type }) => type === "carried_over");
  const own = bookName(bookOf(till, false));
  const paid = [opened(), intended, { type: "settled", withdrawal: of }];
  const problem = { facts: { withdrawalId: "W1" }, about: ["in_other_journal"] };

  test.each<[string, string, readonly object[], readonly object[]]>([
    [
      "is told with whose it is",
      own,
      paid,
      [{ from: "demo-shop", problems: [{ ...problem, otherShop: "demo-shop", otherBook: own }] }],
    ],
    ["under another file's name, too", "a-copy", paid, [{ problems: [{ ...problem, otherBook: own }] }]],
    [
      "of no shop, by its file",
      "unknown-1",
      [{ type: "installed", tag: "tag" }, ...paid.slice(1)],
      [{ from: "", problems: [{ ...problem, otherShop: "", otherBook: "unknown-1" }] }],
    ],
    [
      "and was rejected before any confirm is not",
      own,
      [opened(), { type: "reject_intended", withdrawal: of, why: "cashier", intended: false }],
      [],
    ],
    [
      "and is to be reported from there, too",
      own,
      [...paid, { type: "handed_out", withdrawal: of, by: "cashier" }],
      [{ problems: [problem] }],
    ],
    [
      "and is left to the books there is a problem all the same",
      own,
      [...paid, { type: "decided", withdrawal: of, decision: "leave_to_books", actor: "M1", note: "" }],
      [{ problems: [{ facts: { withdrawalId: "W1" } }] }],
    ],
    [
      "as a problem is",
      own,
      [...paid, discrepancy("status_unclear")],
      [{ problems: [{ about: expect.arrayContaining(["status_unclear"]) }] }],
    ],
    [
      "and came from a third one is told by that alone",
      own,
      [
        opened(),
        {
          type: "carried_over",
          from: "x",
          problems: [{ ...problem, facts: of, otherShop: "x", otherBook: "x", sinceWallMs: 1 }],
          resolved: [],
        },
      ],
      [],
    ],
  ])("%s", (_, name, events, then) => {
    expect(carried(beside(name, ...events))).toMatchObject(then);
  });

  test("once; and is gone here when it is cleared up there, whatever its file is called then", () => {
    const journal = beside(own, ...paid);
    expect(carried(journal)).toHaveLength(1);
    expect(carried(journal)).toEqual([]);
    journal.beside.delete(own);
    journal.beside.set("renamed", entries(...paid, { type: "closed", withdrawal: of, outcome: "rejected" }));
    expect(carried(journal)).toMatchObject([{ problems: [], resolved: ["W1"] }]);
  });

  test.each<[string, (journal: MemoryJournal) => void]>([
    [
      "whose entries about it are damaged by now",
      (journal) => {
        journal.beside.set(own, entries(opened()));
        const { readOther } = journal;
        journal.readOther = (name) => ({
          ...readOther.call(journal, name),
          damaged: [{ sequence: 2, why: "hash" }] as never,
        });
      },
    ],
    [
      "that cannot be read by now, beside an older copy of it",
      (journal) => {
        journal.beside.set("a-copy", entries(opened()));
        const { readOther } = journal;
        journal.readOther = (name) => {
          if (name === own) throw new Error("no header");
          return readOther.call(journal, name);
        };
      },
    ],
    ["of which an older copy lies beside it", (journal) => journal.beside.set("a-copy", entries(opened()))],
    [
      "before which an older copy lies",
      (journal) => journal.beside.set(own, entries(opened())).set("a-copy", entries(...paid)),
    ],
  ])("is not cleared up in a book %s", (_, change) => {
    const journal = beside(own, ...paid);
    expect(carried(journal)).toHaveLength(1);
    change(journal);
    expect(carried(journal)).toEqual([]);
  });

  test("of two copies that say different things both are read once, and neither again", () => {
    const journal = beside(own, ...paid);
    const ended = { type: "closed", withdrawal: of, outcome: "unclear" };
    journal.beside.set("a-copy", entries(...paid, discrepancy("status_unclear"), ended));
    const acknowledged = { type: "acknowledged", withdrawalId: "W1", actor: "M1", note: "" };
    for (const _ of [1, 2, 3, 4]) {
      carried(journal);
      journal.entries.push(...entries(acknowledged).map((one) => ({ ...one, sequence: journal.entries.length + 1 })));
    }
    expect(carried(journal)).toEqual([]);
  });

  test("an acknowledgement of this book's problem made there counts here once, and one of another's is none", () => {
    const journal = Object.assign(new MemoryJournal(), {
      entries: entries(opened(shop2), intended, discrepancy("status_unclear"), {
        type: "closed",
        withdrawal: of,
        outcome: "unclear",
      }),
    });
    const there = { about: ["status_unclear"], otherShop: "kiosk", otherBook: "k", sinceWallMs: 1 };
    const told = (withdrawalId: string) => ({
      ...{ type: "carried_over", from: "kiosk", resolved: [] },
      problems: [{ ...there, facts: { ...of, withdrawalId } }],
    });
    const seen = (withdrawalId: string) => ({ type: "acknowledged", withdrawalId, actor: "M1", note: "seen" });
    journal.beside.set(own, entries(opened(), told("W1"), seen("W1"), told("W9"), seen("W9")));
    const acknowledged = () =>
      startOn(journal, { device: shop2 })
        .written()
        .filter(({ type }) => type === "acknowledged");
    expect(acknowledged()).toMatchObject([{ withdrawalId: "W1", actor: "M1", note: "seen" }]);
    expect(acknowledged()).toEqual([]);
  });

  test("that cannot be read is said, and keeps no terminal from its own", () => {
    const journal = beside(own, ...paid);
    journal.readOther = () => {
      throw new Error("malformed");
    };
    const { logged, starts } = startOn(journal, { device: shop2 });
    expect([logged.filter((said) => said.includes("beside")), starts()]).toEqual([
      ["warn a journal beside this one cannot be read"],
      1,
    ]);
  });

  test("is not asked for without a service", () => {
    expect(typesIn(startOn(beside(own, ...paid), { device: null }).written())).toEqual([]);
  });
});

describe("the book of the shop that the terminal is enrolled for", () => {
  const own = bookName(bookOf(till, false));
  const other = bookName(bookOf(shop2, false));
  const typesOf = (journal: MemoryJournal) => journal.types().filter((type) => type !== "checkpoint");
  const withBeside = (
    before: readonly object[],
    besides: Readonly<Record<string, readonly object[]>>,
  ): MemoryJournal => {
    const journal = Object.assign(new MemoryJournal(), { entries: entries(...before) });
    for (const [name, events] of Object.entries(besides)) journal.beside.set(name, entries(...events));
    return journal;
  };

  test.each<
    [string, readonly object[], Record<string, readonly object[]>, readonly string[], readonly string[], number]
  >([
    [
      "goes on where it lies beside an empty one",
      [],
      { [own]: [opened(), intended] },
      ["book_opened", "confirm_intended"],
      [],
      1,
    ],
    [
      "takes the place of another shop's",
      [opened(shop2)],
      { [own]: [opened(), intended] },
      ["book_opened", "confirm_intended"],
      [other],
      1,
    ],
    ["is begun beside another shop's", [opened(shop2)], {}, ["book_opened"], [other], 0],
  ])("%s", (_, before, besides, types, aside, open) => {
    const journal = withBeside(before, besides);
    const { core, starts } = startOn(journal);
    expect([typesOf(journal), journal.others(), core.state.open.size, starts()]).toEqual([types, aside, open, 1]);
    expect(JSON.parse(journal.entries[0]?.body ?? "")).toMatchObject({
      book: { merchantId: "demo-shop" },
      adopted: false,
    });
  });

  test("cannot be put in use: that is said, and nothing is written", () => {
    const journal = withBeside([opened(shop2)], { [own]: [opened()] });
    journal.switchTo = () => {
      throw new Error("no disk");
    };
    const { core, logged, starts } = startOn(journal);
    expect([core.state.blocked, starts(), typesOf(journal)]).toEqual([
      { why: "journal_unavailable" },
      0,
      ["book_opened"],
    ]);
    expect(logged[0]).toBe("error the journal of the enrolled shop cannot be put in use");
  });

  test("that is another one's by its entries is said, closed, and at the next try put aside as that one's", () => {
    const third = { ...till, merchantId: "third" };
    const journal = withBeside([opened(shop2)], { [own]: [opened(third)] });
    let closes = 0;
    journal.close = () => {
      closes += 1;
    };
    const { logged, starts } = startOn(journal);
    expect([logged[0], closes, starts()]).toEqual(["error the journal put in use is another shop's", 1, 1]);
    expect(journal.others().toSorted()).toEqual([other, bookName(bookOf(third, false))].toSorted());
    expect(JSON.parse(journal.entries[0]?.body ?? "")).toMatchObject({ book: { merchantId: "demo-shop" } });
  });

  const nobodys = [
    { type: "installed", tag: "tag" },
    { ...intended, withdrawal: { ...of, shop: "Corner shop" } },
  ];
  test("is none that does not say whose it is before somebody has said so: adopted, or set aside", () => {
    for (const choice of ["adopt", "set_aside"] as const) {
      const journal = withBeside(nobodys, {});
      const { core, start, starts } = startOn(journal);
      const found = { shops: ["Corner shop"], terminals: ["till-1"], open: 1 };
      expect([core.state.blocked, starts()]).toEqual([{ why: "other_journal", found }, 0]);
      start.reopen(choice);
      expect(starts()).toBe(1);
      const isAdopted = choice === "adopt";
      expect(journal.others()).toEqual(isAdopted ? [] : ["unknown-5000000"]);
      const book = journal.entries.map(({ body }) => JSON.parse(body)).find(({ type }) => type === "book_opened");
      expect(book).toMatchObject({ adopted: isAdopted });
    }
  });

  test("is begun with at the start alone, and not once that was stopped", () => {
    const journal = withBeside([opened(), intended], {});
    let reads = 0;
    const read = journal.read.bind(journal);
    journal.read = () => {
      reads += 1;
      return read();
    };
    startOn(journal);
    expect(reads, "and read once").toBe(1);
    const { core, start, starts } = startOn(journal, { isStarted: false });
    expect(core.state.open.size).toBe(1);
    start.reopen();
    expect(starts()).toBe(0);
    start.start();
    start.stop();
    start.reopen();
    expect(starts()).toBe(1);
  });
});
