/** The work of each effect: which call goes out with what, and as which input its answer comes back. */
import { describe, expect, test } from "vitest";
import type { Drawer } from "../../../main/terminal/ports.ts";
import { openDrawer, run, type World } from "../../../main/terminal/withdrawal/effects.ts";
import type { ForgottenSince, Work } from "../../../main/terminal/withdrawal/effects-due.ts";
import type { Event, RecordedEvent } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { handedOut, installed, minutes, payable, receipt } from "./decide-stage.ts";
import {
  confirmIntended,
  decidedAs,
  handedOutBy,
  notHandedOut,
  reportAccepted,
  reportRefused,
  settled,
} from "./entries.ts";
import { answer, confirming, given, moment, of, rejecting, rejectingUnseen, waiting } from "./flow-stage.ts";
import { MemoryJournal, ScriptedDrawer, ScriptedPrinter } from "./rig.ts";
import { settle, VirtualClock } from "./virtual-clock.ts";

const said = answer(200);
const threeEntries = new MemoryJournal();
threeEntries.append(5, ["{}", "{}", "{}"]);
const linkAt = (sequence: number) => ({ sequence, at: 5, hash: `link-${sequence}` });
const serviceHolds = (sequence: number, hash: string): Event => ({
  type: "service_head_read",
  head: { kind: "known", sequence, hash },
});
/** Every call answers the same, and is kept with its arguments. */
const worldOf = (more: Partial<World> = {}) => {
  const calls: unknown[][] = [];
  const client = new Proxy(
    {},
    {
      get:
        (_, name: string) =>
        async (...args: unknown[]) => {
          calls.push([name, ...args]);
          return said;
        },
    },
  ) as World["client"];
  const clock = new VirtualClock();
  const world: World = {
    client,
    clock,
    drawer: new ScriptedDrawer(),
    printer: new ScriptedPrinter(),
    timeZone: "UTC",
    journal: threeEntries,
    ...more,
  };
  return { calls, world, clock };
};
const id = of.transactionId;
const by = (event: Event, actor: string): RecordedEvent => ({ ...event, actor }) as RecordedEvent;
const kept: Event = notHandedOut("till_short");
const about = { withdrawalId: "W1", number: 7 };
const reported = (report: string) => ({ type: "report_answered", ...about, report, restoredAt: null, answer: said });
const link = { kind: "send_report", ...about, report: "link" } as const;
const reject = { kind: "send_report", ...about, report: "reject" } as const;

type CallRow = [string, readonly Event[], Work, readonly unknown[], object];

describe("a call", () => {
  test.each<CallRow>([
    [
      "a look-up",
      installed,
      { kind: "look_up", transactionId: id },
      ["getTransaction", id, null],
      { type: "look_up_answered", transactionId: id, answer: said },
    ],
    ["a probe", installed, { kind: "probe" }, ["probe"], { type: "probe_answered", answer: said }],
    [
      "the shop, and what this device has confirmed in a quarter of an hour",
      installed,
      { kind: "read_shop", merchantId: "m" },
      ["getShop", moment.wallMs - 900_000],
      { type: "shop_answered", merchantId: "m", answer: said },
    ],
    [
      "the shop alone, where a double was looked for lately",
      [...installed, { type: "duplicate_device_checked" }],
      { kind: "read_shop", merchantId: "m" },
      ["getShop", null],
      { type: "shop_answered", merchantId: "m", answer: said },
    ],
    [
      "what the service holds",
      installed,
      { kind: "read_service_head" },
      ["listJournalHeads", 1],
      { type: "service_head_answered", answer: said },
    ],
    ...(
      [
        ["the newest link", [], 3],
        ["the newest link, with the service's in it", [serviceHolds(2, "link-2")], 3],
        ["the newest link, which is the service's", [serviceHolds(3, "link-3")], 3],
        ["the newest link, behind the service's", [serviceHolds(4, "link-4")], 3],
        ["its own link at the service's number, where that is another", [serviceHolds(2, "other")], 2],
        ["its newest link, where the service has another there", [serviceHolds(3, "other")], 3],
        ["the newest link, after a change of who may do what", [{ type: "act", act: "person_added", about: "C2" }], 3],
      ] as const
    ).map(
      ([name, events, sequence]): CallRow => [
        name,
        [...installed, ...events],
        { kind: "report_journal_head" },
        ["reportJournalHead", linkAt(sequence)],
        { type: "journal_head_answered", changes: name.includes("change") ? 1 : 0, answer: said },
      ],
    ),
    [
      "a confirm",
      confirming,
      { kind: "confirm", ...about },
      ["confirmTransaction", id, of.terminalReference],
      { type: "confirm_answered", ...about, answer: said },
    ],
    [
      "a question",
      waiting,
      { kind: "get_status", ...about, heldFor: "awaiting_sca" },
      ["getTransaction", id, "awaiting_sca"],
      { type: "status_answered", ...about, answer: said, tookMs: -moment.monotonicMs },
    ],
    ["a link", handedOut, link, ["sendReport", "link", id, "", null, null, null, null], reported("link")],
    [
      "a link after the service's link was compared, with the newest",
      [...handedOut, { type: "head_answered", outcome: "taken" }],
      link,
      ["sendReport", "link", id, "", null, null, null, linkAt(3)],
      reported("link"),
    ],
    [
      "a link by a person",
      [...payable, by(handedOutBy("cashier"), "C2")],
      link,
      ["sendReport", "link", id, "", "C2", null, null, null],
      reported("link"),
    ],
    [
      "a link of a hand-out with a name",
      [...payable, { type: "handed_out", withdrawal: of, by: "cashier", handOutId: "W2" }],
      link,
      ["sendReport", "link", id, "", null, null, "W2", null],
      reported("link"),
    ],
    [
      "a link by the counter",
      [...payable, by(handedOutBy("cashier"), "counter")],
      link,
      ["sendReport", "link", id, "", null, null, null, null],
      reported("link"),
    ],
    [
      "what was not handed out, with the reason",
      [...payable, kept],
      { kind: "send_report", ...about, report: "undelivered" },
      ["sendReport", "undelivered", id, "till_short", null, null, null, null],
      reported("undelivered"),
    ],
    [
      "a reject because time ran out",
      rejecting,
      reject,
      ["sendReport", "reject", id, "sca_timeout", null, null, null, null],
      reported("reject"),
    ],
    [
      "a reject by the cashier",
      rejectingUnseen,
      reject,
      ["sendReport", "reject", id, "", null, null, null, null],
      reported("reject"),
    ],
  ])("%s", async (_, events, work, call, input) => {
    const { calls, world } = worldOf();
    const started = world.clock.monotonicMs();
    const answered = await run(work as never, given(...events), moment, world);
    expect(answered).toEqual("tookMs" in input ? { ...input, tookMs: started - moment.monotonicMs } : input);
    expect(calls).toEqual([call]);
  });

  test("about what is gone is not made", async () => {
    const { calls, world } = worldOf({ journal: new MemoryJournal() });
    const ended: Event = { type: "repeats_begun", restoredAt: "then", left: [] };
    for (const events of [installed, [...installed, ended]])
      expect(await run({ kind: "repeat_report", number: 0 }, given(...events), moment, world)).toBeNull();
    const works: readonly Work[] = [
      { kind: "confirm", ...about },
      { kind: "get_status", ...about, heldFor: null },
      link,
      { kind: "print", number: 1 },
    ];
    for (const work of works) expect(await run(work as never, given(...installed), moment, world)).toBeNull();
    const head = await run({ kind: "report_journal_head" }, given(...installed), moment, world);
    expect(head).toEqual({ type: "journal_head_answered", changes: 0, answer: null });
    expect(calls).toEqual([]);
  });

  test.each<[string, readonly Event[], object | null]>([
    ["was not asked for", [], null],
    ["was read and not compared", [serviceHolds(2, "link-2")], null],
    ["was compared", [serviceHolds(2, "link-2"), { type: "head_answered", outcome: "taken" }], threeEntries.head()],
  ])("a report takes the journal's head along, or not, where the service's link %s", async (_, events, head) => {
    const { calls, world } = worldOf();
    await run(link, given(...handedOut, ...events), moment, world);
    expect(calls.map((call) => [call[0], call.at(-1)])).toEqual([["sendReport", head]]);
  });

  test("a report to a service that was put back takes along what is known, with the times by the service's clock", async () => {
    const restore = { restoredAt: "2026-11-20T07:00:00Z", forgotSinceMs: 0, keptHead: null };
    const hourMs = 3_600_000;
    const restored: Event = { type: "shop_read", profile: null, restore, isSaid: true };
    const ahead: Event = { type: "service_responded", dateMs: moment.wallMs + hourMs };
    const iso = (ms: number) => new Date(ms).toISOString();
    for (const [clock, offMs] of [
      [[], 0],
      [[ahead], hourMs],
    ] as const) {
      const { calls, world } = worldOf();
      const before = given(...payable, ...clock, restored);
      const state = evolve(before, handedOutBy("cashier"), minutes(2));
      const answered = await run(link, state, minutes(5), world);
      expect(calls.map((call) => call[5])).toEqual([
        {
          transaction_id_partner: of.terminalReference,
          amount: of.amount,
          currency: of.currency,
          confirmed_at: iso(moment.wallMs - 300_000 + offMs),
          settled_at: undefined,
          reported_at: iso(moment.wallMs - 180_000 + offMs),
          restored_at: restore.restoredAt,
        },
      ]);
      expect(answered).toMatchObject({ restoredAt: restore.restoredAt });
    }
  });

  test("a double is looked for again once the last look is more than six minutes old", async () => {
    const { calls, world } = worldOf();
    const state = given(...installed, { type: "duplicate_device_checked" });
    for (const count of [6, 6.001]) await run({ kind: "read_shop", merchantId: "m" }, state, minutes(count), world);
    expect(calls.map(([, sinceMs]) => sinceMs !== null)).toEqual([false, true]);
  });

  test("what only waited for its time is the input itself", async () => {
    const input = { type: "print_pause_ended" } as const;
    expect(await run({ kind: "dispatch", input }, given(...installed), moment, worldOf().world)).toBe(input);
  });
});

describe("the drawer", () => {
  const drawerOf = (open: Drawer["open"], state: Drawer["state"] = async () => "unknown"): Drawer => ({ open, state });
  const broken = () => {
    throw new Error("no port");
  };
  test.each<[string, Drawer, string]>([
    ["opens", drawerOf(async () => "opened"), "opened"],
    [
      "fails",
      drawerOf(
        async () => "failed",
        async () => "open",
      ),
      "failed",
    ],
    [
      "does not know, and is open",
      drawerOf(
        async () => "unknown",
        async () => "open",
      ),
      "opened",
    ],
    [
      "does not know, and is shut: it may have been open",
      drawerOf(
        async () => "unknown",
        async () => "closed",
      ),
      "unknown",
    ],
    ["throws, and is open", drawerOf(broken, async () => "open"), "opened"],
    ["throws, and does not know", drawerOf(broken, broken), "unknown"],
    ["is broken off", drawerOf(async () => Promise.reject(new Error("cut"))), "unknown"],
  ])("%s", async (_, drawer, result) => {
    const { world } = worldOf({ drawer });
    expect(await openDrawer(drawer, world.clock)).toBe(result);
    const answered = await run({ kind: "drawer", withdrawalId: "W1" }, given(...installed), moment, world);
    expect(answered).toEqual({ type: "drawer_answered", withdrawalId: "W1", result });
    expect(world.clock).toMatchObject({ timers: 0 });
  });

  test("that says nothing for ten seconds is asked how it stands, and counts as unclear", async () => {
    const clock = new VirtualClock();
    const states: string[] = [];
    const silent = drawerOf(
      () => new Promise<never>(() => undefined),
      async () => {
        states.push("asked");
        return "closed";
      },
    );
    let result: string | null = null;
    void openDrawer(silent, clock).then((word) => {
      result = word;
    });
    await clock.advance(9_999);
    expect([result, states]).toEqual([null, []]);
    await clock.advance(1);
    expect([result, states]).toEqual(["unknown", ["asked"]]);
  });

  test("says how it stands while the cash is counted; a sensor that throws says nothing", async () => {
    const asked = (state: Drawer["state"]) =>
      run(
        { kind: "drawer_state", withdrawalId: "W1" },
        given(...installed),
        moment,
        worldOf({ drawer: drawerOf(async () => "opened", state) }).world,
      );
    const answered = (drawer: string) => ({ type: "drawer_state_answered", withdrawalId: "W1", drawer });
    expect(await asked(async () => "closed")).toEqual(answered("closed"));
    expect(await asked(async () => Promise.reject(new Error("x")))).toEqual(answered("unknown"));
  });
});

describe("what is repeated after a restore", () => {
  const filler: Event = { type: "screen_cleared" };
  const shown = { facts: of, reason: "", cashier: null, handOutId: null, confirmedAtMs: null, settledAtMs: null };
  /** From entries with their times, or so many that tell nothing, or are lost, at the time before; oldest first. */
  const collected = async (
    story: readonly (readonly [number, Event] | { readonly others: number } | { readonly lost: number })[],
    since: ForgottenSince,
  ) => {
    const journal = new MemoryJournal();
    let atMs = 0;
    for (const one of story) {
      if ("lost" in one) journal.append(atMs, Array<string>(one.lost).fill("lost"));
      else if ("others" in one) journal.append(atMs, Array<string>(one.others).fill(JSON.stringify(filler)));
      else {
        atMs = one[0];
        journal.append(atMs, [JSON.stringify(one[1])]);
      }
    }
    journal.entries = journal.entries.filter(({ body }) => body !== "lost");
    const { world, clock } = worldOf({ journal });
    const running = run({ kind: "collect_reports", restoredAt: "then", since }, given(...installed), moment, world);
    await clock.advance(1);
    const answered = await running;
    return answered?.type === "reports_collected" ? answered.reports : answered;
  };
  const from = (atMs: number): ForgottenSince => ({ head: null, atMs });
  const behind = (sequence: number, hash = `link-${sequence}`): ForgottenSince => ({
    head: { sequence, hash },
    atMs: 9,
  });
  const given100 = { ...by(handedOutBy("cashier"), "C1"), handOutId: "h-1" } as Event;
  const story = [
    [10, confirmIntended],
    [20, settled],
    [30, given100],
    [40, reportAccepted("link")],
  ] as const;
  const linked = {
    ...shown,
    report: "link",
    cashier: "C1",
    handOutId: "h-1",
    confirmedAtMs: 10,
    settledAtMs: 20,
    reportedAtMs: 30,
  };
  const wordOf = (event: Event) =>
    [
      [10, event],
      [20, reportAccepted("link")],
    ] as const;

  test.each<[string, Parameters<typeof collected>[0], ForgottenSince, readonly object[]]>([
    ["a hand-out with all its times, and under its name", story, from(40), [linked]],
    ["the refused one too", [...story.slice(0, 3), [40, reportRefused("link")]], from(40), [linked]],
    ["not what the copy holds by its time", story, from(41), []],
    ["what is behind the link that the copy holds, whatever the clocks said", story, behind(3), [linked]],
    ["not what that link covers", story, behind(4), []],
    ["by time, where the link is another journal's", story, behind(4, "another"), [linked]],
    ["not a reject", [...story.slice(0, 3), [40, reportAccepted("reject")]], from(0), []],
    [
      "cash that stayed, with its reason and without a name",
      [
        [10, by(notHandedOut("till_short"), "C1")],
        [20, reportAccepted("undelivered")],
      ],
      from(0),
      [{ ...shown, report: "undelivered", reason: "till_short", cashier: "C1", reportedAtMs: 10 }],
    ],
    [
      "a manager's word",
      wordOf(decidedAs("handed_out")),
      from(0),
      [{ ...shown, report: "link", reason: "other", cashier: "M1", reportedAtMs: 10 }],
    ],
    [
      "no word where it was left to the books",
      wordOf(decidedAs("leave_to_books")),
      from(0),
      [{ ...shown, report: "link", reportedAtMs: null }],
    ],
    [
      "the last word, and the last time that it was settled",
      [
        [5, settled],
        [6, settled],
        [7, by(notHandedOut("other"), "C1")],
        [10, given100],
        [20, reportAccepted("link")],
      ],
      from(0),
      [{ ...linked, confirmedAtMs: null, settledAtMs: 6, reportedAtMs: 10 }],
    ],
    [
      "what was begun long before its report, by two thousand entries",
      [...story.slice(0, 3), { others: 2_250 }, story[3]],
      from(40),
      [linked],
    ],
    [
      "without the times of what lies further back",
      [...story.slice(0, 3), { others: 2_500 }, story[3]],
      from(40),
      [{ ...shown, report: "link", reportedAtMs: null }],
    ],
    [
      "what was begun before entries that are lost, however many",
      [...story.slice(0, 3), { lost: 5_000 }, story[3]],
      from(40),
      [linked],
    ],
    ["nothing from a journal without an entry", [], from(0), []],
    [
      "from entries that tell of something else, and one that nobody can read",
      [{ others: 3 }, [10, {} as Event], ...story, { others: 450 }],
      from(0),
      [linked],
    ],
  ])("%s", async (_, entries, since, then) => {
    expect(await collected(entries, since)).toEqual(then);
  });

  test("is read a slice at a time: what else is to be done comes between", async () => {
    const journal = new MemoryJournal();
    journal.append(10, Array<string>(450).fill(JSON.stringify(filler)));
    const { world, clock } = worldOf({ journal });
    const reads: number[] = [];
    const readSlice = journal.readSlice.bind(journal);
    journal.readSlice = (first, limit) => {
      reads.push(first);
      return readSlice(first, limit);
    };
    void run({ kind: "collect_reports", restoredAt: "then", since: from(0) }, given(...installed), moment, world);
    await settle();
    expect(reads).toEqual([251]);
    await clock.advance(0);
    expect(reads).toEqual([251, 51, 1]);
  });
});

describe("the printer", () => {
  const waits = () => given(...installed, { type: "receipt_requested", withdrawalId: "W1", copies: ["shop"], receipt });
  test("prints the job that is asked for, and tells what became of it", async () => {
    const printer = new ScriptedPrinter();
    printer.answers = [{ kind: "printed", paperLow: true }];
    const answered = await run({ kind: "print", number: 1 }, waits(), moment, worldOf({ printer }).world);
    expect(answered).toEqual({ type: "print_answered", number: 1, result: { kind: "printed", paperLow: true } });
    expect(printer.jobs).toHaveLength(1);
    expect(await run({ kind: "print", number: 9 }, waits(), moment, worldOf({ printer }).world)).toBeNull();
    expect(printer.jobs).toHaveLength(1);
  });

  test("that throws, or says nothing for six minutes, may have printed it", async () => {
    const unclear = { type: "print_answered", number: 1, result: { kind: "unclear", why: "unreachable" } };
    const thrown = worldOf({ printer: { print: async () => Promise.reject(new Error("x")) } });
    expect(await run({ kind: "print", number: 1 }, waits(), moment, thrown.world)).toEqual(unclear);
    const { world, clock } = worldOf({ printer: { print: () => new Promise<never>(() => undefined) } });
    let result: unknown = null;
    void run({ kind: "print", number: 1 }, waits(), moment, world).then((answered) => {
      result = answered;
    });
    await clock.advance(359_999);
    expect(result).toBeNull();
    await clock.advance(1);
    expect(result).toEqual(unclear);
  });
});
