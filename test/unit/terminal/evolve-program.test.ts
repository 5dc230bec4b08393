/** What this run learns about itself and its surroundings: what each event changes, and that it changes nothing else. */
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../main/terminal/service/answer.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve, spelt } from "../../../main/terminal/withdrawal/evolve.ts";
import { withServiceClock } from "../../../main/terminal/withdrawal/recovery.ts";
import type { State } from "../../../main/terminal/withdrawal/state.ts";
import type { Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { cleared, later, next, payable, silence, started } from "./decide-stage.ts";
import { closedAs, handOutIntended, reportAccepted, reportRefused } from "./entries.ts";
import { begun, device, given, moment, of, waiting } from "./flow-stage.ts";

const { monotonicMs, wallMs } = later;
const profile = { merchantId: "demo-shop", name: "Corner" } as unknown as State["shop"];
const settings = { ...settingsSchema.parse({}), terminalName: "Front" };
const people = { cashier: null, locked: true } as unknown as State["people"];
const silent: Event = { type: "service_silent" };
const held = { kind: "known", sequence: 9, hash: "h" } as const;
const headReport = (
  dueMs: number,
  serviceHead: State["headReport"]["serviceHead"],
  number = 1,
  serviceResponded = serviceHead.kind === "compared",
  failures = 0,
  changes = 0,
) => ({
  headReport: { number, failures, dueMs, changes, serviceHead, serviceResponded },
});
const repeated = { facts: of, failures: 1 } as unknown as NonNullable<State["repeats"]>["left"][number];
const another = { ...repeated, facts: { ...of, withdrawalId: "W2" } };
const repeats = { restoredAt: "2026-01-01T00:00:00.000Z", left: [], number: 3, failures: 0, notBeforeMs: 0 };
const retried: Event = { type: "retry_requested", withdrawalId: "W9" };
const noSaleEnded: Event = { type: "no_sale_ended", number: 4, result: "opened" };
const perhapsLeft = {
  open: new Map([...given(...waiting).open].map(([id, one]) => [id, { ...one, scannedMs: null }])),
};
type Row = [string, Partial<State>, Event, Partial<State>];

describe("an event about the program", () => {
  test.each<Row>([
    [
      "an answer",
      { connection: "offline", silentSinceMs: 1 },
      { type: "service_responded", dateMs: null },
      { connection: "online", silentSinceMs: null, respondedAtMs: monotonicMs },
    ],
    ["no answer", {}, silent, { connection: "offline", silentSinceMs: monotonicMs, respondedAtMs: monotonicMs }],
    ["a doubt", {}, { type: "service_doubted" }, { isDoubted: true }],
    [
      "no answer after a doubt",
      { isDoubted: true, silentSinceMs: 1 },
      silent,
      { connection: "offline", respondedAtMs: monotonicMs, isDoubted: false },
    ],
    [
      "no answer where there was one: probes begin anew",
      { connection: "online", silentProbes: 5 },
      silent,
      { connection: "offline", silentProbes: 0, silentSinceMs: monotonicMs, respondedAtMs: monotonicMs },
    ],
    [
      "no answer where there was none: probes go on",
      { connection: "offline", silentProbes: 5 },
      silent,
      { silentSinceMs: monotonicMs, respondedAtMs: monotonicMs },
    ],
    ["no answer again", { silentSinceMs: 1 }, silent, { connection: "offline", respondedAtMs: monotonicMs }],
    [
      "a probe",
      { probes: 2, connection: "offline" },
      { type: "probed", fraction: 0.1 },
      { probes: 3, silentProbes: 1, probeFraction: 0.1, respondedAtMs: monotonicMs },
    ],
    [
      "a probe after an answer",
      { probes: 2, connection: "online", silentProbes: 5 },
      { type: "probed", fraction: 0.1 },
      { probes: 3, silentProbes: 0, probeFraction: 0.1, respondedAtMs: monotonicMs },
    ],
    ["a key that is refused", {}, { type: "credential_checked", verdict: "refused" }, { credential: "refused" }],
    ["a word about no key", { credential: "missing" }, { type: "credential_checked", verdict: "good" }, {}],
    [
      "another key",
      {
        ...headReport(7, held),
        credential: "refused",
        keyNumber: 4,
        shopAskedMs: 3,
        serviceRestore: { restoredAt: "2026-01-01T00:00:00.000Z", forgotSinceMs: 1, keptHead: null },
        repeats: { restoredAt: "2026-01-01T00:00:00.000Z", left: [], number: 0, failures: 0, notBeforeMs: 0 },
        connection: "online",
        respondedAtMs: 9,
      },
      { type: "enrolled", device: { ...device, deviceId: "till-2" } },
      {
        ...headReport(0, { kind: "not_asked" }),
        device: { ...device, deviceId: "till-2" },
        credential: "good",
        keyNumber: 5,
        shopAskedMs: null,
        serviceRestore: null,
        repeats: null,
        connection: "starting",
        respondedAtMs: 0,
      },
    ],
    [
      "what the shop is",
      {},
      { type: "shop_read", profile, restore: null, isSaid: true },
      { shop: profile, shopAskedMs: monotonicMs, restoreSaidUnder: 0 },
    ],
    [
      "nothing about the shop",
      { shop: profile },
      { type: "shop_read", profile: null, restore: null, isSaid: false },
      { shopAskedMs: monotonicMs, shopUnsaid: { times: 1, againMs: 5_000 } },
    ],
    [
      "no answer about the shop after one",
      { restoreSaidUnder: 0 },
      { type: "shop_read", profile: null, restore: null, isSaid: false, againMs: 7 },
      { shopAskedMs: monotonicMs, shopUnsaid: { times: 1, againMs: 7 } },
    ],
    [
      "settings",
      { wrongSettings: ["drawer"] },
      { type: "settings_changed", settings },
      { settings, wrongSettings: [] },
    ],
    [
      "people: it is locked, and nobody knows any more who stands there",
      {},
      { type: "surroundings_changed", changed: { people } },
      { people, ...perhapsLeft },
    ],
    [
      "the journal fails: nobody knows any more who stands there when it takes again",
      {},
      { type: "journal_health_changed", isWritable: false },
      { journalFailing: true, ...perhapsLeft },
    ],
    [
      "the journal takes again",
      { journalFailing: true },
      { type: "journal_health_changed", isWritable: true },
      { journalFailing: false, ...headReport(0, { kind: "not_asked" }, 0, false, 0, 1) },
    ],
    ["blocked", {}, { type: "blocked", blocked: { why: "journal_newer" } }, { blocked: { why: "journal_newer" } }],
    ["another terminal's confirms", {}, { type: "duplicate_device_found" }, { sameDeviceElsewhere: true }],
    ["a look for another terminal", {}, { type: "duplicate_device_checked" }, { duplicateCheckedMs: monotonicMs }],
    [
      "what the service holds: the report follows at once",
      {},
      { type: "service_head_read", head: held },
      headReport(0, held),
    ],
    [
      "what the service holds is to be read again: at once",
      headReport(0, { kind: "compared" }, 4),
      { type: "service_head_read", head: { kind: "not_asked" } },
      headReport(0, { kind: "not_asked" }, 5, true),
    ],
    ...(["taken", "forked"] as const).map(
      (outcome): Row => [
        `the head was ${outcome}`,
        headReport(0, held, 0),
        { type: "head_answered", outcome },
        headReport(monotonicMs + 72_000_000, { kind: "compared" }),
      ],
    ),
    [
      "the head of before a change of who may do what was taken: that of now is due",
      headReport(0, held, 0, false, 0, 3),
      { type: "head_answered", outcome: "taken", changes: 2 },
      headReport(monotonicMs, { kind: "compared" }, 1, true, 0, 3),
    ],
    [
      "the head of after it was taken",
      headReport(0, held, 0, false, 0, 3),
      { type: "head_answered", outcome: "taken", changes: 3 },
      headReport(monotonicMs + 72_000_000, { kind: "compared" }, 1, true, 0, 3),
    ],
    ...(["taken", "forked"] as const).map(
      (outcome): Row => [
        `another journal that was acknowledged, and the head was ${outcome}`,
        { ...headReport(0, held, 0), journalFork: { kind: "acknowledged", serviceHash: "h" } },
        { type: "head_answered", outcome },
        {
          ...headReport(monotonicMs + 72_000_000, { kind: "compared" }),
          ...(outcome === "taken" && { journalFork: { kind: "none" } }),
        },
      ],
    ),
    ...[false, true].map(
      (responded): Row => [
        `the head was not taken, and the service had ${responded ? "responded" : "not responded yet"}`,
        headReport(0, held, 0, responded),
        { type: "head_failed", notBeforeMs: monotonicMs + 750 },
        headReport(monotonicMs + 750, held, 1, responded, 1),
      ],
    ),
    [
      "a service without heads",
      {},
      { type: "head_answered", outcome: "unsupported" },
      headReport(monotonicMs + 72_000_000, { kind: "not_asked" }, 1, true),
    ],
    [
      "one of the repeats was answered",
      { repeats: { ...repeats, left: [repeated, another], failures: 2 } },
      { type: "repeat_ended" },
      { repeats: { ...repeats, left: [another], number: 4, failures: 0, notBeforeMs: monotonicMs + 200 } },
    ],
    [
      "one of the repeats was not answered: the others first",
      { repeats: { ...repeats, left: [repeated, another], failures: 2 } },
      { type: "repeat_postponed", notBeforeMs: 9 },
      {
        repeats: {
          ...repeats,
          left: [another, { ...repeated, failures: 2 }],
          number: 4,
          failures: 3,
          notBeforeMs: 9,
        },
      },
    ],
    ["the shop is asked at once where its word is waited for", { shopAskedMs: 3 }, retried, { shopAskedMs: null }],
    ["it is not where it was said", { shopAskedMs: 3, restoreSaidUnder: 0 }, retried, {}],
    [
      "another journal, and nobody knows its settings or its first manager",
      { hadEarlierLife: true, isManagerUnproven: true, protectedSettings: null },
      { type: "journal_forked", serviceHash: "h" },
      { journalFork: { kind: "found", sinceWallMs: wallMs, serviceHash: "h" } },
    ],
    [
      "the drawer was opened without a sale",
      { noSale: { number: 4, result: "opening" } },
      noSaleEnded,
      { noSale: { number: 4, result: "opened" } },
    ],
    ["a scan", {}, { type: "scan_seen", transactionId: "T" }, { lastScan: { transactionId: "T", atMs: monotonicMs } }],
    [
      "a word to the cashier",
      { toast: { id: 4, code: "not_an_id" } },
      { type: "toast_shown", code: "not_an_id" },
      { toast: { id: 5, code: "not_an_id" } },
    ],
  ])("%s", (_, before, event, changes) => {
    const state: State = { ...given(...waiting), ...before };
    expect(evolve(state, event, later)).toEqual({ ...state, ...changes });
  });

  test.each<[string, Event, Partial<State>]>([
    [
      "the own service",
      { type: "surroundings_changed", changed: { ownService: { state: "running" } as unknown as State["ownService"] } },
      { ownService: { state: "running" } as unknown as State["ownService"] },
    ],
    [
      "phones",
      { type: "surroundings_changed", changed: { phoneAccess: { url: "u" } as unknown as State["phoneAccess"] } },
      { phoneAccess: { url: "u" } as unknown as State["phoneAccess"] },
    ],
    [
      "an update",
      { type: "surroundings_changed", changed: { update: { state: "none" } as unknown as State["update"] } },
      { update: { state: "none" } as unknown as State["update"] },
    ],
    [
      "the journal's check",
      { type: "journal_check_moved", progress: { checked: 3 } as unknown as State["journalCheck"] & object },
      { journalCheck: { checked: 3 } as unknown as State["journalCheck"] },
    ],
  ])("is carried to the screens as it is: %s", (_, event, changes) => {
    const state = given(...waiting);
    expect(evolve(state, event, later)).toEqual({ ...state, ...changes });
  });
});

describe("a press for the drawer, and who is known to stand there", () => {
  const pressed: Event = { type: "hand_out_asked", withdrawalId: "W1", by: "C2", approvedBy: null };
  const open = { locked: false } as unknown as State["people"];
  const locked = { locked: true } as unknown as State["people"];
  const cashier = (code: string) => ({ locked: false, cashier: { code } }) as unknown as State["people"];
  const before = (whose: State["people"]): State => ({ ...given(...payable, pressed), people: whose });
  test.each<[string, State["people"], Extract<Event, { type: "surroundings_changed" }>["changed"], boolean]>([
    ["is forgotten when the screen is locked", open, { people: locked }, false],
    ["stays while it is locked", locked, { people: locked }, true],
    ["stays when somebody signs in", open, { people: open }, true],
    ["stays when it is unlocked", locked, { people: open }, true],
    ["is forgotten when another cashier takes over", cashier("C2"), { people: cashier("C3") }, false],
    [
      "is forgotten when the cashier signs out, also where nobody has to sign in",
      cashier("C2"),
      { people: open },
      false,
    ],
    ["stays with the same one", cashier("C2"), { people: cashier("C2") }, true],
    ["stays when the first one signs in", open, { people: cashier("C2") }, true],
    ["stays when something else changes beside a cashier", cashier("C2"), { sandboxUrl: "u" }, true],
    ["stays when something else changes", open, { sandboxUrl: "u" }, true],
  ])("%s", (_, whose, changed, stays) => {
    const after = evolve(before(whose), { type: "surroundings_changed", changed }, later).open.get("W1");
    expect([after?.handOutAsked !== null, after?.scannedMs !== null]).toEqual([stays, stays]);
  });
});

describe("the service's clock", () => {
  test.each<[string, number | null, State["serviceClock"]]>([
    ["as an answer's Date shows it", 990_000, { dateMs: 990_000, atMs: monotonicMs, offMs: 0 }],
    ["a minute off is not shown", wallMs - 60_000, { dateMs: wallMs - 60_000, atMs: monotonicMs, offMs: 0 }],
    ["behind by more", wallMs - 60_001, { dateMs: wallMs - 60_001, atMs: monotonicMs, offMs: 60_001 }],
    ["ahead by more", wallMs + 60_001, { dateMs: wallMs + 60_001, atMs: monotonicMs, offMs: -60_001 }],
    ["an answer without a Date leaves it", null, { dateMs: 5, atMs: 6, offMs: 7 }],
  ])("%s", (_, dateMs, serviceClock) => {
    const state: State = { ...given(...waiting), serviceClock: { dateMs: 5, atMs: 6, offMs: 7 } };
    expect(evolve(state, { type: "service_responded", dateMs }, later).serviceClock).toEqual(serviceClock);
  });
});

test("an answer shows the service's clock for what it says itself, unless it was asked with an earlier key", () => {
  const state = given(...waiting);
  const said: Answer = { kind: "answer", status: 200, body: null, dateMs: 990_000, retryAfterMs: null };
  const serviceClock = { dateMs: 990_000, atMs: monotonicMs, offMs: 0 };
  expect(withServiceClock(state, said, later)).toEqual({ ...state, serviceClock });
  expect(withServiceClock(state, { ...said, ofEarlierKey: true }, later)).toBe(state);
  expect(withServiceClock(state, silence, later)).toBe(state);
});

describe("after an outage of a minute nothing waits for its pause", () => {
  const at = { ...later, monotonicMs: 500_000 };
  const only = (state: State): Withdrawal | undefined => state.open.get("W1");
  const responded: Event = { type: "service_responded", dateMs: null };
  test.each<[string, number, number | null, boolean]>([
    ["a minute", 3, at.monotonicMs - 60_000, true],
    ["less", 3, at.monotonicMs - 59_999, false],
    ["none", 3, null, false],
    ["what had no failure keeps its pause", 0, at.monotonicMs - 60_000, false],
  ])("%s", (_, failures, silentSinceMs, isNow) => {
    const state: State = { ...given(...waiting, next({ failures, notBeforeMs: 990_000 })), silentSinceMs };
    const before = only(state)?.requestState;
    const requestState = { ...before, ...(isNow && { notBeforeMs: at.monotonicMs }) };
    expect(only(evolve(state, responded, at))).toEqual({ ...only(state), requestState });
  });
});

describe("the head of the journal is reported with every report that the service was given", () => {
  const dueMs = moment.monotonicMs + 90_000;
  test.each<[string, Event, number, number]>([
    ["taken", reportAccepted("link"), dueMs, monotonicMs],
    ["refused", reportRefused("link"), dueMs, monotonicMs],
    ["due already", reportAccepted("link"), 5, 5],
    ["no report", closedAs("sca_denied"), dueMs, dueMs],
  ])("%s", (_, event, before, after) => {
    const state: State = { ...given(...waiting), ...headReport(before, held, 3) };
    expect(evolve(state, event, later)).toMatchObject(headReport(after, held, 3));
  });
});

describe("the head of the journal is reported at once when it is another matter who may do what", () => {
  const dueMs = moment.monotonicMs + 90_000;
  test.each<[string, number, number, number]>([
    ["manager_pin_set", dueMs, monotonicMs, 1],
    ["manager_pin_reset", dueMs, monotonicMs, 1],
    ["pin_changed", dueMs, monotonicMs, 1],
    ["person_added", dueMs, monotonicMs, 1],
    ["person_changed", dueMs, monotonicMs, 1],
    ["person_removed", dueMs, monotonicMs, 1],
    ["settings_changed", dueMs, monotonicMs, 1],
    ["settings_changed", 5, 5, 1],
    ["manager_signed_in", dueMs, dueMs, 0],
  ])("%s", (act, before, after, changes) => {
    const state: State = { ...given(...waiting), ...headReport(before, held, 3) };
    const event: Event = { type: "act", act, about: null };
    expect(evolve(state, event, later)).toMatchObject(headReport(after, held, 3, false, 0, changes));
  });

  test("and when a service that was put back has all again: it may have forgotten the head", () => {
    const state: State = { ...given(...waiting), ...headReport(dueMs, held, 3) };
    const event: Event = { type: "restore_answered", restoredAt: "then" };
    expect(evolve(state, event, later)).toMatchObject(headReport(monotonicMs, held, 3, false, 0, 1));
  });
});

describe("a free screen shows what is paid by itself", () => {
  const settled = (withdrawalId: string): Event => ({ type: "settled", withdrawal: { ...of, withdrawalId } });
  const probed: Event = { type: "probed", fraction: 0 };
  const both: readonly Event[] = [...begun, cleared, settled("W7"), cleared, settled("W8")];
  const opening: readonly Event[] = [...begun, cleared, handOutIntended];
  test.each<[string, readonly Event[], Partial<State>, string | null]>([
    ["the oldest first", both, {}, "W7"],
    ["not while the journal is read", both, { phase: "starting" }, null],
    ["not without a key", both, { credential: "missing" }, null],
    ["not what the service is yet to be asked about", [...payable, started, cleared], {}, null],
    ["not what is still to be approved", [...waiting, cleared], {}, null],
    ["a drawer that is being opened", opening, {}, "W1"],
  ])("%s", (_, events, changes, withdrawalId) => {
    const free: State = { ...given(...events), activeScreen: { kind: "idle" }, ...changes };
    const shown = withdrawalId === null ? { kind: "idle" } : { kind: "withdrawal", withdrawalId };
    expect(evolve(free, probed, later).activeScreen).toEqual(shown);
  });

  test("not over a look-up", () => {
    const looking = given(...begun.slice(0, 3), settled("W7"));
    expect(evolve(looking, probed, later).activeScreen).toEqual(looking.activeScreen);
  });
});

test("rows that set a field that the state does not have do not compile", () => {
  const { one } = spelt({ one: ({ probes }: State) => ({ probes: probes + 1 }) });
  expect(one({ ...given(), probes: 3 })).toEqual({ probes: 4 });
  // @ts-expect-error: misspelt
  spelt({ one: () => ({ probes: 1, prodes: 1 }) });
  // @ts-expect-error: misspelt in one of two answers
  spelt({ one: (state: State) => (state.isDoubted ? state : { probes: 1, prodes: 1 }) });
  // @ts-expect-error: misspelt beside all of the state
  spelt({ one: (state: State) => ({ ...state, prodes: 1 }) });
});
