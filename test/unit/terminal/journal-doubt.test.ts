/** What a journal with holes may mean: links that the service has otherwise, and withdrawals that a lost entry may be about. */
import { describe, expect, test } from "vitest";
import { markDoubtful } from "../../../main/terminal/journal-start.ts";
import type { DamagedEntry } from "../../../main/terminal/ports.ts";
import { compareAnchors } from "../../../main/terminal/service/answer.ts";
import { linkToReport } from "../../../main/terminal/withdrawal/effects.ts";
import { given, paying } from "./flow-stage.ts";

describe("links that the service has", () => {
  const linkOf = (sequence: number) => (sequence < 5 ? `link-${sequence}` : null);
  test("are compared one by one, and named in order", () => {
    const heads = [9, 7, 4, 3, 2, 1].map((seq) => ({ seq, head: seq === 4 || seq === 2 ? "forged" : `link-${seq}` }));
    expect(compareAnchors({ heads }, linkOf)).toEqual({ compared: 6, missing: [7, 9], different: [2, 4] });
  });
  test.each([null, {}, { heads: [{ seq: 0, head: "x" }] }, { heads: [{ seq: 1 }] }])(
    "or the answer is none: %j",
    (body) => {
      expect(compareAnchors(body, linkOf)).toBeNull();
    },
  );
});

test("where the entry of the service's number is lost, the next one is not taken for it", () => {
  const newest = { sequence: 9, at: 2, hash: "nine" };
  const last = { sequence: 5, at: 1, hash: "five" };
  const journal = { head: () => newest, readSlice: () => ({ entries: [], last, hasMore: true }) };
  expect(linkToReport(journal, { kind: "known", sequence: 4, hash: "four" })).toEqual(newest);
  expect(linkToReport(journal, { kind: "known", sequence: 5, hash: "other" })).toEqual(last);
});

describe("which withdrawal an entry that cannot be read may be about", () => {
  const firstOf = new Map([["W1", 4]]);
  const unknown = (body: string) => ({ unknown: [{ sequence: 9, at: 0, body }], lost: [], firstOf });
  const lost = (sequence: number, why: DamagedEntry["why"] = "unreadable") => ({
    unknown: [],
    lost: [{ sequence, why }],
    firstOf,
  });
  test.each<[string, Parameters<typeof markDoubtful>[1], boolean, boolean]>([
    ["all was read", { unknown: [], lost: [], firstOf }, false, false],
    ["one that names it", unknown('{"of":"W1"}'), true, true],
    ["one that names another", unknown('{"of":"W2"}'), false, true],
    ["lost behind its first", lost(5), true, false],
    ["lost before its first", lost(4), false, false],
    ["lost, and nobody knows where", lost(0), true, false],
    ["under a key that nobody knows", lost(1, "key"), true, false],
    ["lost, and nothing was read of it", { ...lost(1), firstOf: new Map() }, true, false],
  ])("%s", (_, unread, doubtful, hasUnreadEntries) => {
    const state = markDoubtful(given(...paying), unread);
    expect([state.open.get("W1")?.doubtful, state.hasUnreadEntries]).toEqual([doubtful, hasUnreadEntries]);
    const untouched = given(...paying);
    if (unread.unknown.length + unread.lost.length === 0) expect(markDoubtful(untouched, unread)).toBe(untouched);
    const before = { ...given(...paying), hasUnreadEntries: true };
    expect(markDoubtful(before, unread).hasUnreadEntries).toBe(true);
  });
});
