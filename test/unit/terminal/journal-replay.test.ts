/** What entries come to: the state, the names that a withdrawal had, how many there were, and what cannot be trusted. */
import { expect, test } from "vitest";
import { replay } from "../../../main/terminal/journal-start.ts";
import type { DamagedEntry, Journal, JournalEntry } from "../../../main/terminal/ports.ts";
import { type Event, makeCheckpoint } from "../../../main/terminal/withdrawal/events.ts";
import { confirmAccepted, confirmIntended } from "./entries.ts";
import { given, moment, of, paying, waiting } from "./flow-stage.ts";

const initial = () => given();
const checkpointOf = (...events: readonly Event[]) => JSON.stringify(makeCheckpoint(given(...events), 0, moment));
const entry = (sequence: number, body: string, at = moment.wallMs): JournalEntry => ({ sequence, at, body });
const intended = JSON.stringify(confirmIntended);
const approving = JSON.stringify(confirmAccepted("awaiting_sca"));

/** @param start what a start reads; `all` what lies in the whole journal. */
const replayed = (start: readonly JournalEntry[], damaged: readonly DamagedEntry[] = [], all = start) => {
  const journal: Pick<Journal, "read"> = {
    read: (latest) => ({ entries: latest === undefined ? start : all, damaged }),
  };
  return replay(initial(), journal, moment);
};
const doubtful = (result: ReturnType<typeof replayed>) => result.state.open.get("W1")?.doubtful;

test("entries are counted and applied in their order, with the withdrawal's last names for each shop and terminal", () => {
  const other = { ...of, terminalReference: "till-1.tag.W1", shop: "other-shop" };
  const second = { ...of, terminalReference: "till-2.tag.W1" };
  const later = { ...of, terminalReference: "till-1.tag.W2" };
  const result = replayed([
    entry(1, intended),
    entry(2, approving),
    entry(3, JSON.stringify({ type: "confirm_intended", withdrawal: other })),
    entry(4, JSON.stringify({ type: "confirm_intended", withdrawal: later })),
    entry(5, JSON.stringify({ type: "installed", tag: "tag" })),
    entry(6, JSON.stringify({ type: "confirm_intended", withdrawal: second })),
  ]);
  expect([result.entries, result.damaged]).toEqual([6, []]);
  expect(result.names).toEqual([
    { terminalReference: later.terminalReference, shop: of.shop },
    { terminalReference: other.terminalReference, shop: other.shop },
    { terminalReference: second.terminalReference, shop: second.shop },
  ]);
  expect(replayed([])).toMatchObject({ entries: 0, names: [], damaged: [] });
});

test("a checkpoint has the names of all that is open, and of what this terminal knows as its own", () => {
  const checkpoint = { ...makeCheckpoint(given(...waiting), 0, moment), ownIds: ["till-9.tag.W7"] };
  expect(replayed([entry(7, JSON.stringify(checkpoint))]).names).toEqual([
    { terminalReference: of.terminalReference, shop: of.shop },
    { terminalReference: "till-9.tag.W7", shop: "" },
  ]);
});

test("an entry's age is kept: how long the customer has had is known after a start", () => {
  const began = (atMs: number) => replayed([entry(1, intended, atMs)]).state.open.get("W1")?.beganMs;
  expect(began(moment.wallMs - 3_000)).toBe(moment.monotonicMs - 3_000);
  expect(began(moment.wallMs + 3_000)).toBe(moment.monotonicMs);
});

test.each<[string, readonly JournalEntry[], readonly DamagedEntry[], boolean]>([
  ["nothing is lost", [entry(4, intended)], [], false],
  ["something behind it", [entry(4, intended)], [{ sequence: 5, why: "unreadable" }], true],
  ["something before it", [entry(4, intended)], [{ sequence: 3, why: "unreadable" }], false],
  [
    "something before the checkpoint that has it",
    [entry(4, checkpointOf(...paying))],
    [{ sequence: 3, why: "gap" }],
    false,
  ],
  ["something behind that", [entry(4, checkpointOf(...paying))], [{ sequence: 5, why: "gap" }], true],
  ["an entry that nobody here knows names it", [entry(4, intended), entry(5, '{"type":"robot","of":"W1"}')], [], true],
  ["one that names another", [entry(4, intended), entry(5, '{"type":"robot","of":"W9"}')], [], false],
])("a payment may have been handed out or not: %s", (_, entries, damaged, isDoubtful) => {
  const result = replayed(entries, damaged);
  expect(doubtful(result)).toBe(isDoubtful);
  expect(result.damaged.length).toBe(damaged.length + (entries.length - 1));
});

test("what a start needs is enough where it can be read: the rest of the journal is left", () => {
  const checkpoint = entry(7, checkpointOf(...waiting));
  expect(replayed([checkpoint], [], [entry(1, intended), checkpoint]).entries).toBe(1);
  expect(replayed([], [], [entry(1, intended)]).entries).toBe(0);
});

test("a start that this version cannot read is none: all is read then", () => {
  const unknown = entry(3, '{"type":"checkpoint","format":99}');
  const result = replayed([unknown], [], [entry(1, intended), entry(2, approving), unknown]);
  expect([result.entries, result.state.open.size]).toEqual([3, 1]);
  expect(result.damaged).toEqual([{ sequence: 3, why: expect.any(String) }]);
});

test("a start is looked for at a checkpoint that this version can read", () => {
  const bodies = [checkpointOf(...waiting), '{"type":"checkpoint","format":99}', intended, "no entry"];
  const usable: (boolean | undefined)[] = [];
  const read: Journal["read"] = (_, isUsable) => {
    usable.push(...bodies.map((body, at) => isUsable?.(entry(at + 1, body))));
    return { entries: [], damaged: [] };
  };
  replay(initial(), { read }, moment);
  expect(usable).toEqual([true, false, false, false]);
});

test("a journal that cannot be read is not an empty one", () => {
  const read = (): never => {
    throw new Error("disk I/O error");
  };
  expect(() => replay(initial(), { read }, moment)).toThrow("disk I/O error");
});
