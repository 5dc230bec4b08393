/** What a scan and a manager's word lead to. */
import { describe, expect, test } from "vitest";
import { makeTransactionId } from "../../../backend/contract/ids.ts";
import type { Event } from "../../../main/terminal/withdrawal/events.ts";
import { evolve } from "../../../main/terminal/withdrawal/evolve.ts";
import { type Actor, counterActor, type Decision } from "../../../main/terminal/withdrawal/inputs.ts";
import { problemsOf } from "../../../main/terminal/withdrawal/problems.ts";
import type { Moment, State } from "../../../main/terminal/withdrawal/state.ts";
import { cleared, handedOut, installed, kept, later, next, no, ok, payable, press } from "./decide-stage.ts";
import { discrepancy, reportAccepted } from "./entries.ts";
import { begun, given, moment, of, paying, rejecting } from "./flow-stage.ts";
import { idNumber } from "./rig.ts";

interface ForeignId {
  readonly source: "typed" | "pasted" | "camera";
  readonly alphabet: "digits" | "alphanumeric";
}

describe("a scan", () => {
  const id = of.transactionId;
  const scan = (events: readonly Event[], text = id, more: object = {}, at = moment) =>
    press(given(...events), { type: "scan", text, source: "camera", ...more }, counterActor, at);
  const seen: Event = { type: "scan_seen", transactionId: id };
  const toast = (code: string) => ({ type: "toast_shown", code }) as Event;
  const used = (money: object | null): Event =>
    ({ type: "ended_shown", outcome: "already_used", transactionId: id, money, canRetry: false }) as Event;
  const euros = { amount: "50.00", currency: "EUR" };
  test.each<[string, readonly Event[], string, Decision]>([
    ["on a free screen", installed, id, ok(seen, { type: "look_up_begun", transactionId: id })],
    ["of what is under way", [...paying, cleared], id, ok(seen, { type: "withdrawal_shown", withdrawalId: "W1" })],
    ["of what was handed out", [...handedOut, cleared], id, ok(seen, used(euros))],
    ["of what was handed out and linked", [...handedOut, reportAccepted("link"), cleared], id, ok(seen, used(null))],
    ["of what was declared", [...kept, cleared], id, ok(seen, used(euros))],
    ["of what is looked up", begun.slice(0, 3), id, no("duplicate_scan", seen)],
    ["during another look-up", begun.slice(0, 3), idNumber(9), no("busy", toast("busy_lookup"))],
    ["of what is in review", begun, id, no("duplicate_scan", seen, toast("duplicate_scan"))],
    ["during a review", begun, idNumber(9), no("busy", toast("busy_review"))],
    ["while money is under way", paying, idNumber(9), no("busy", toast("busy_money"))],
    ["of no id", installed, "hello", no("not_an_id", toast("not_an_id"))],
    ["of no id during a look-up", begun.slice(0, 3), "hello", no("not_an_id", toast("busy_lookup"))],
    ["of no id during a review", begun, "hello", no("not_an_id", toast("busy_review"))],
    ["of no id while money is under way", paying, "hello", no("not_an_id", toast("busy_money"))],
  ])("%s", (_, events, text, decision) => {
    expect(scan(events, text)).toEqual(decision);
  });

  test("what is payable comes first", () => {
    const state = [...payable, { type: "started", damagedEntries: 0 }, next({ checkFirst: false }), cleared] as const;
    const busy = { ...given(...state), activeScreen: { kind: "idle" } } as const;
    expect(press(busy, { type: "scan", text: idNumber(9), source: "camera" })).toEqual(
      no("busy", { type: "withdrawal_shown", withdrawalId: "W1" }, toast("busy_money")),
    );
    // But not before what is asked for by its own code.
    const [other, text] = [{ ...of, withdrawalId: "W2", transactionId: idNumber(9) }, idNumber(9)];
    const both = evolve(busy, { type: "confirm_intended", withdrawal: other }, moment);
    const seenOther = { type: "scan_seen", transactionId: text } as const;
    expect(press({ ...both, activeScreen: { kind: "idle" } }, { type: "scan", text, source: "camera" })).toEqual(
      ok(seenOther, { type: "withdrawal_shown", withdrawalId: "W2" }),
    );
  });

  test("before a day is opened, where the drawer is counted, says so", () => {
    const state = given(...installed);
    const counted = { ...state.settings, drawerMoney: { ...state.settings.drawerMoney, enabled: true } };
    const scanned = { type: "scan", text: id, source: "camera" };
    expect(press({ ...state, settings: counted }, scanned)).toEqual(no("no_day", toast("no_day")));
  });

  const digits = { lengthMin: 8, lengthMax: 8, alphabet: "digits", check: "none" } as const;
  test.each<[string, string, Partial<ForeignId>, string | null]>([
    ["typed as it is", "12345678", {}, "12345678"],
    ["typed in groups", "1234 56-78", {}, "12345678"],
    ["pasted in groups", "1234 5678", { source: "pasted" }, "12345678"],
    ["scanned in groups", "1234 5678", { source: "camera" }, null],
    ["typed with letters of a person's", "I234567O", {}, "12345670"],
    ["typed in small letters that are its own", "abcdefgh", { alphabet: "alphanumeric" }, "abcdefgh"],
    ["typed in groups of small letters", "abcd ef-gh", { alphabet: "alphanumeric" }, "abcdefgh"],
    ["typed one too long", "123456789", {}, null],
  ])("another network's id: %s", (_, text, { source = "typed", ...pattern }, found) => {
    const state = given(...installed);
    const settings = { ...state.settings, foreignIds: { ...digits, ...pattern } };
    const then = found === null ? no("not_an_id", toast("not_an_id")) : undefined;
    const decision = press({ ...state, settings }, { type: "scan", text, source });
    if (then !== undefined) expect(decision).toEqual(then);
    else expect(decision.events.at(-1)).toEqual({ type: "look_up_begun", transactionId: found });
  });

  test("the same sighting within three seconds is one, wherever the first led", () => {
    const ended: Event = { type: "ended_shown", outcome: "no_network", transactionId: id, money: null, canRetry: true };
    const atMs = (ms: number) =>
      scan([...installed, seen, ended], id, {}, { ...moment, monotonicMs: moment.monotonicMs + ms });
    expect(atMs(2_999)).toEqual(no("duplicate_scan", seen));
    expect(atMs(3_000).reply).toEqual({ ok: true });
    expect(scan([...installed, seen]).reply).toEqual({ ok: true });
  });

  test("ids may have small letters, typed and pasted ones blanks too, scanned ones none", () => {
    const lettered = makeTransactionId(new Uint8Array(15).fill(20));
    const small = lettered.toLowerCase();
    expect(small).not.toBe(lettered);
    const found = { ...seen, transactionId: lettered };
    for (const [source, spaced] of [
      ["typed", true],
      ["pasted", true],
      ["camera", false],
      ["keyboard", false],
    ] as const) {
      expect(scan(installed, small, { source }).events).toContainEqual(found);
      const decision = scan(installed, `${lettered.slice(0, 4)} ${lettered.slice(4)}`, { source });
      expect(decision).toEqual(
        spaced ? ok(found, { type: "look_up_begun", transactionId: lettered }) : no("not_an_id", toast("not_an_id")),
      );
    }
  });
});

describe("a manager's word", () => {
  const manager: Actor = { code: "M1", guarded: true, approvedBy: null };
  const say = (events: readonly Event[], decision = "leave_to_books") =>
    press(given(...events), { type: "decide_withdrawal", withdrawalId: "W1", decision, note: "seen" }, manager);
  const said = (decision: string) =>
    ({ type: "decided", withdrawal: of, decision, actor: "M1", note: "seen" }) as Event;
  const refusedKey: Event = { type: "credential_checked", verdict: "refused" };
  test.each<[string, readonly Event[], string, Decision]>([
    ["about what is not open", installed, "leave_to_books", no("stale")],
    ["that is not offered before the money moved", [...paying, cleared], "handed_out", no("invalid")],
    ["about what waits behind the screen", [...paying, cleared], "leave_to_books", ok(said("leave_to_books"))],
    ["about what the cashier has on the screen", payable, "handed_out", no("busy")],
    [
      "unless the service cannot be asked",
      [...payable, refusedKey],
      "handed_out",
      ok({ ...said("handed_out"), handOutId: "W2" } as Event),
    ],
    ["about a review", begun, "leave_to_books", no("invalid")],
    ["about a reject", [...rejecting, cleared], "leave_to_books", ok(said("leave_to_books"))],
  ])("%s", (_, events, decision, then) => {
    expect(say(events, decision)).toEqual(then);
  });

  test("clears up what is there, once", () => {
    const clear = (withdrawalId: string, ...events: readonly Event[]) =>
      press(given(...installed, ...events), { type: "acknowledge_problem", withdrawalId, note: "found" }, manager);
    const acknowledged = (withdrawalId: string): Event => ({
      type: "acknowledged",
      withdrawalId,
      actor: "M1",
      note: "found",
    });
    const unclear: Event = discrepancy("status_unclear");
    expect(clear("W1", unclear)).toEqual(ok(acknowledged("W1")));
    expect(clear("W2", unclear)).toEqual(no("stale"));
    expect(clear("W1", unclear, acknowledged("W1"))).toEqual(no("stale"));
    expect(clear("journal", { type: "journal_forked" })).toEqual(ok(acknowledged("journal")));
    expect(clear("journal", { type: "journal_forked" }, acknowledged("journal"))).toEqual(no("stale"));
    expect(clear("journal")).toEqual(no("stale"));
    const night = { leftMinor: 0, differenceMinor: 1, reason: "", toExplain: true };
    const none = { pieces: [], otherMinor: 0 };
    const drawer = { type: "day_opened", number: 1, currency: "EUR", count: none, by: "C1", atMs: 1, night } as Event;
    expect(clear("night:1", drawer)).toEqual(ok(acknowledged("night:1")));
    expect(clear("night:2", drawer)).toEqual(no("stale"));
  });

  const drawerOpened = (atMs: number, differenceMinor: number): Event => ({
    type: "day_opened",
    number: 1,
    currency: "EUR",
    count: { pieces: [], otherMinor: 0 },
    by: "C1",
    atMs,
    night: { leftMinor: 0, differenceMinor, reason: "", toExplain: true },
  });
  test.each<[string, string, Event, Event, Moment]>([
    [
      "another problem of the withdrawal",
      "W1",
      discrepancy("status_unclear"),
      discrepancy("linked_by_another"),
      moment,
    ],
    ["another difference of the night", "night:1", drawerOpened(1, -5), drawerOpened(2, -500), later],
  ])("clears up nothing that came after it was read: %s", (_, withdrawalId, event, more, at) => {
    const before = given(...installed, event);
    const [{ since = "", about = "" } = {}] = problemsOf(before, moment);
    const clear = (state: State) =>
      press(state, { type: "acknowledge_problem", withdrawalId, note: "found", shown: { since, about } }, manager);
    expect(clear(before).reply).toEqual({ ok: true });
    expect(clear(evolve(before, more, at)).reply).toEqual({ ok: false, code: "stale" });
  });
});
