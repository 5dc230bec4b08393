/** Entries about the terminal itself: whose journal it is, who was here, what is printed, what the drawer's day holds. */
import { describe, expect, test } from "vitest";
import { beforeDays } from "../../../main/terminal/day/drawer-money.ts";
import {
  type DurableEvent,
  type Event,
  makeCheckpoint,
  type RecordedEvent,
} from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { initialState, type State } from "../../../main/terminal/withdrawal/state.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { handedOut, later, payable, receipt, started } from "./decide-stage.ts";
import { closedAs, confirmIntended, discrepancy, handedOutBy, notHandedOut, settled } from "./entries.ts";
import { begun, confirming, device, given, moment, of, shopSaid, waiting } from "./flow-stage.ts";

const initial = () => initialState(settingsSchema.parse({}), device, true);
const book = { purpose: "live", serviceUrl: "http://service", merchantId: "demo-shop", deviceId: "till-1" } as const;
const tagged = (tag: string, at = later) => ({ tag, sinceWallMs: at.wallMs });
const following = (state: State, event: Event): State => evolve(state, event, later);

describe("whose journal it is", () => {
  const opened: Event = { type: "book_opened", book, tag: "new", adopted: false };
  test.each<[string, Event, Partial<State>]>([
    ["of a version that did not say", { type: "installed", tag: "tag" }, { installation: tagged("tag") }],
    ["said in its first entry", opened, { installation: tagged("new"), book }],
    ["under another name", { type: "device_changed", book }, { book }],
  ])("%s", (_, event, changes) => {
    expect(following(initial(), event)).toEqual({ ...initial(), ...changes });
  });

  test("an adopted journal keeps the tag that is in its partner ids", () => {
    const adopted: Event = { type: "book_opened", book, tag: "new", adopted: true };
    const state = evolve(initial(), { type: "installed", tag: "old" }, moment);
    expect(following(state, adopted)).toEqual({ ...state, book });
  });

  test("without a key the terminal still is who its journal says it is; with one it is the key's", () => {
    const other = { ...book, deviceId: "till-9" };
    const keyless: State = { ...initial(), device: null, credential: "missing" };
    const mark: Event = { ...makeCheckpoint({ ...initial(), book: other }, 0, moment) };
    for (const event of [{ type: "device_changed", book: other } as const, mark]) {
      expect(following(keyless, event).device).toEqual({ ...device, deviceId: "till-9" });
      expect(following(initial(), event)).toMatchObject({ device, book: other });
    }
    const nobodys = makeCheckpoint(initial(), 0, moment);
    expect(following({ ...keyless, book: null }, nobodys)).toMatchObject({ device: null, book: null });
  });

  test("the latest 256 partner ids are known as its own", () => {
    const ids = Array.from({ length: 257 }, (_, index) => `till-1.tag.W${index}`);
    const state = ids.reduce<State>(
      (before, terminalReference) =>
        following(before, { type: "confirm_intended", withdrawal: { ...of, terminalReference } }),
      initial(),
    );
    expect([...state.ownIds]).toEqual(ids.slice(1));
  });
});

test.each<DurableEvent>([
  { type: "journal_recovered", failedForMs: 5 },
  { type: "act", act: "update_agreed", about: "2.0.0" },
  { type: "journal_keyed", key: "k", after: "key" },
  { type: "journal_archived", archives: [] },
])("what is only about the journal changes nothing: $type", (event) => {
  const state = given(...waiting);
  expect(following(state, event)).toEqual(state);
});

describe("who was here", () => {
  const act = (actor: string | undefined, about: string | null): RecordedEvent => ({
    type: "act",
    act: "person_added",
    about,
    actor,
  });
  test.each<[string, RecordedEvent, number]>([
    ["who did it", act("M4", null), 4],
    ["to whom it was done", act("M1", "C12"), 12],
    ["a lower number", act("M1", "C2"), 3],
    ["the terminal", act("terminal", null), 3],
    ["nobody", act(undefined, null), 3],
    ["no person's code", act("X9", "M09"), 3],
    ["a code with more around it", act("aM9", "C8b"), 3],
    ["more digits than there are people", act("M123456", null), 3],
    ["a problem's word", { type: "discrepancy", withdrawal: of, about: "M9", http: null } as RecordedEvent, 3],
    ["an act alone says to whom", { type: "acknowledged", withdrawalId: "C9", actor: "M1", note: "" }, 3],
  ])("%s", (_, event, seen) => {
    expect(following({ ...initial(), peopleSeen: 3 }, event).peopleSeen).toBe(seen);
  });
});

test("who was here is behind a checkpoint too", () => {
  const mark = makeCheckpoint({ ...initial(), peopleSeen: 7 }, 0, moment);
  expect(following({ ...initial(), peopleSeen: 3 }, mark).peopleSeen).toBe(7);
});

describe("what is printed by itself", () => {
  const wanted: DurableEvent = { type: "receipt_requested", withdrawalId: "W1", copies: ["customer"], receipt };
  const count = { pieces: [], otherMinor: 0 };
  const dayOpened: DurableEvent = { type: "day_opened", number: 1, currency: "EUR", count, by: "C1", atMs: 5 };
  const printer = settingsSchema.parse({ printer: { kind: "network", host: "10.0.0.9" } }).printer;
  const report = { number: 1, currency: "EUR", leftMinor: 0, isBlind: false } as Extract<
    DurableEvent,
    { type: "day_closed" }
  >["report"];
  const dayClosed: DurableEvent = { type: "day_closed", report };
  const withPrinter = (): State => ({ ...given(started, dayOpened), settings: { ...initial().settings, printer } });

  test("a receipt that is asked for now, and none that an earlier run asked for", () => {
    const { printing } = following(given(started), wanted);
    expect(printing).toEqual({
      jobs: [{ number: 1, task: { kind: "receipt", receipt, copies: ["customer"] }, tries: 0, failures: 0 }],
      printer: { kind: "printing", notBeforeMs: later.monotonicMs },
      paperLow: false,
      nextNumber: 2,
    });
    expect(following(initial(), wanted)).toEqual(initial());
  });

  test.each<[string, () => State, boolean]>([
    ["closed now", withPrinter, true],
    ["in an earlier run", () => ({ ...withPrinter(), phase: "starting" }), false],
    ["without a printer", () => given(started, dayOpened), false],
  ])("a day's report: %s", (_, state, isPrinted) => {
    const { printing, drawerMoney } = following(state(), dayClosed);
    expect(drawerMoney.kind).toBe("closed");
    expect(printing.jobs.map(({ task }) => task)).toEqual(
      isPrinted
        ? [
            {
              kind: "day_report",
              report,
              shop: "demo-shop",
              terminal: "till-1",
              training: true,
              isReprint: false,
              isBlind: false,
            },
          ]
        : [],
    );
  });

  test("only a day that is closed", () => {
    const about = { number: 1, by: "C1", atMs: 6 };
    for (const event of [
      { type: "day_counted", ...about, count } as const,
      { type: "day_recounted", ...about } as const,
    ])
      expect(following(withPrinter(), event).printing.jobs).toEqual([]);
  });

  test("a terminal that belongs to nobody yet has no name on paper", () => {
    const { printing } = following({ ...withPrinter(), device: null }, dayClosed);
    expect(printing.jobs[0]?.task).toMatchObject({ shop: "", terminal: "" });
  });

  test("asked for once more", () => {
    const task = {
      kind: "day_report",
      report,
      shop: "",
      terminal: "",
      training: false,
      isReprint: true,
      isBlind: false,
    } as const;
    const { printing } = following(given(started), { type: "print_asked", task });
    expect(printing.jobs.map((job) => job.task)).toEqual([task]);
  });
});

describe("the drawer's money", () => {
  const count = { pieces: [], otherMinor: 0 };
  const dayOpened: Event = { type: "day_opened", number: 1, currency: "EUR", count, by: "C1", atMs: 5 };
  const out = ({ drawerMoney }: State) => (drawerMoney.kind === "open" ? drawerMoney.day.handedOutMinor : null);
  const decided = (decision: "handed_out" | "not_handed_out"): DurableEvent => ({
    type: "decided",
    withdrawal: of,
    decision,
    actor: "M1",
    note: "",
  });
  test.each<[string, readonly Event[], Event, number]>([
    ["handed out", payable, handedOutBy("cashier"), 5_000],
    ["handed out, as a manager says", payable, decided("handed_out"), 5_000],
    ["kept, as a manager says", payable, decided("not_handed_out"), 0],
    ["handed out, and said again", handedOut, decided("handed_out"), 5_000],
    ["declared", payable, notHandedOut("other"), 0],
    ["only looked at", begun, closedAs("sca_denied"), 0],
  ])("is less by a hand-out, once: %s", (_, before, event, minor) => {
    expect(out(following(given(dayOpened, ...before), event))).toBe(minor);
  });

  const noSale = { reason: "other", note: "", by: "C1", approvedBy: null, atMs: 6 } as const;
  const openedFor: Event = { type: "no_sale", number: 1, noSale };
  test.each<[string, State["settings"]["drawer"], State["phase"], State["noSale"]]>([
    ["is opened", { kind: "simulated" }, "running", { number: 4, result: "opening" }],
    ["is opened by hand", { kind: "none" }, "running", { number: 4, result: "by_hand" }],
    ["is not opened by what an earlier run wrote", { kind: "simulated" }, "starting", { number: 3, result: "opened" }],
  ])("without a sale the drawer %s", (_, drawer, phase, noSaleAfter) => {
    const before = given(dayOpened);
    const state: State = {
      ...before,
      phase,
      settings: { ...before.settings, drawer },
      noSale: { number: 3, result: "opened" },
    };
    const after = following(state, openedFor);
    expect(after.noSale).toEqual(noSaleAfter);
    expect(after.drawerMoney).toMatchObject({ day: { noSales: [noSale] } });
  });

  test.each<[string, string, string | null, object[]]>([
    ["a test", "drawer_test", "intended", [{ by: "M1", atMs: later.wallMs, place: "" }]],
    [
      "a test elsewhere",
      "drawer_test",
      "intended 10.0.0.9:9100",
      [{ by: "M1", atMs: later.wallMs, place: "10.0.0.9:9100" }],
    ],
    ["how a test went", "drawer_test", "opened", []],
    ["a test of nothing", "drawer_test", null, []],
    ["another act", "printer_test", "intended", []],
  ])("is told of %s", (_, act, about, drawerTests) => {
    const tested = following(given(dayOpened), { type: "act", act, about, actor: "M1" } as RecordedEvent);
    expect(tested.drawerMoney).toMatchObject({ day: { drawerTests } });
  });

  test("is as it was where nothing was handed out", () => {
    expect(following(given(...confirming), settled).drawerMoney).toBe(beforeDays);
  });
});

describe("the terminal's own time for an approval", () => {
  const shop = (scaTimeoutSeconds: number | null) =>
    ({ merchantId: "demo-shop", scaTimeoutSeconds }) as unknown as State["shop"];
  test.each<[string, State["shop"], number]>([
    ["nothing is known about the shop", null, 35_000],
    ["the service does not say", shop(null), 35_000],
    ["the service waits longer", shop(90), 35_000],
    ["three seconds before the service's", shop(30), 27_000],
    ["at least a second", shop(2), 1_000],
    ["another shop's says nothing", { ...shop(30), merchantId: "other" } as State["shop"], 35_000],
  ])("%s", (_, profile, totalMs) => {
    const state: State = { ...given(...begun), shop: profile };
    const { approval } = following(state, confirmIntended).open.get("W1") ?? {};
    expect(approval).toEqual({ untilMs: later.monotonicMs + totalMs, totalMs, isService: false });
  });
});

describe("what may have been given before journal and service were put back", () => {
  const doubt = discrepancy("put_back_with_service");
  test("is not offered any more, nor given by a press from before", () => {
    const pressed: Event = { type: "hand_out_asked", withdrawalId: "W1", by: "counter", approvedBy: null };
    const [one] = given(...payable, pressed, doubt).open.values();
    expect(one).toMatchObject({ doubtful: true, handOutAsked: null, requestState: { checkFirst: true } });
  });
  test("another problem leaves the offer, and what is not open is not opened", () => {
    const [one] = given(...payable, { ...doubt, about: "not_found" }).open.values();
    expect(one).toMatchObject({ doubtful: false, requestState: { checkFirst: false } });
    expect(given(...begun.slice(0, 2), doubt).open.size).toBe(0);
  });
});

describe("what was paid", () => {
  const settledOver = (changes: object, ...before: readonly Event[]) => {
    const state = given(...waiting, ...before);
    const [one] = state.open.values();
    const open = new Map([["W1", { ...one, ...changes } as NonNullable<typeof one>]]);
    return following({ ...state, open }, settled).open.get("W1");
  };
  test("is not offered where an entry that cannot be read may be about it", () => {
    expect(settledOver({ doubtful: true })?.requestState.checkFirst).toBe(true);
    expect(settledOver({})?.requestState.checkFirst).toBe(false);
  });
  test("after a restart it is not offered before the service has said whether it was put back", () => {
    expect(settledOver({ ofEarlierRun: true })?.requestState.checkFirst).toBe(true);
    expect(settledOver({ ofEarlierRun: true }, shopSaid)?.requestState.checkFirst).toBe(false);
  });
  test("after a restart it says so", () => {
    expect([settledOver({ recovered: true })?.recovered, settledOver({})?.recovered]).toEqual([true, false]);
  });
});
