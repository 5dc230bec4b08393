/** What of a withdrawal its history proves: each column and each row that may contradict the other, one at a time. */
import { expect, test } from "vitest";
import { adhoc } from "../../../backend/store/store.ts";
import { orderDigest, requestTermColumns } from "../../../backend/withdrawals/transition.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { testKeys } from "../../service/world.ts";
import { asked, at, id, type Name, proofStage, type Row, stories, type Withdrawal } from "./proof-stage.ts";

const { stage, write, verify } = proofStage();
const says = (row: number, what: string) => `the withdrawal ${id} says otherwise than row ${row} of ${id}: ${what}`;

test.each(Object.entries(stories))("one that is %s holds", async (name, { rows }) => {
  await write(name as Name);
  expect(await verify()).toEqual({ kind: "whole", rows: rows.length, open: rows.length, unchained: 0 });
});

test.each([0, 1])("a row of a clock that began anew is of a day that is open, under %i", async (of) => {
  await write("requested", {}, { 1: { at: 0, day: of } });
  expect(await verify()).toEqual({ kind: "whole", rows: 1, open: 1, unchained: 0 });
});

test.each<[name: Name, lie: Withdrawal, row: number, what: string]>([
  ["awaiting", { sca_required: 0 }, 3, "whether the customer has to approve"],
  ["settling at once", { sca_required: 1 }, 3, "whether the customer has to approve"],
  ["awaiting", { confirmed_at: at(3) + 1 }, 3, "confirmed by whom and when"],
  ["awaiting", { confirmed_at: null }, 3, "confirmed by whom and when"],
  ["awaiting", { device_id: "till-2" }, 3, "confirmed by whom and when"],
  ["settling at once", { confirmed_at: at(2) }, 3, "confirmed by whom and when"],
  ["settling at once", { device_id: "till-2" }, 3, "confirmed by whom and when"],
  ["settled", { settled_at: at(5) + 1 }, 5, "settled when"],
  ["settled", { settled_at: null }, 5, "settled when"],
  ["linked", { settled_at: at(4) }, 5, "settled when"],
  ["linked", { linked_at: at(6) - 1 }, 6, "linked by whom and when"],
  ["linked", { linked_at: null }, 6, "linked by whom and when"],
  ["linked", { cashier: "8" }, 6, "linked by whom and when"],
  ["linked", { cashier: null }, 6, "linked by whom and when"],
  ["undelivered", { cashier: "8" }, 6, "closed by whom"],
  ["undelivered", { undelivered_reason: "customer left" }, 6, "ended why"],
  ["undelivered", { closed_at: at(5) }, 6, "closed when"],
  ["undelivered", { reason: "decided_by_operator" }, 6, "ended why"],
  ["rejected", { reason: "sca_denied" }, 3, "ended why"],
  ["rejected", { reason: null }, 3, "ended why"],
  ["declined", { reason: "partner_unreachable" }, 2, "ended why"],
  ["failed", { reason: null }, 5, "ended why"],
  ["linked", { reason: "restored" }, 6, "ended why"],
  ["rejected", { closed_at: at(3) - 1 }, 3, "closed when"],
  ["rejected", { closed_at: at(3) + 1 }, 3, "closed when"],
  ["rejected", { closed_at: null }, 3, "closed when"],
  ["expired", { closed_at: at(3) + 1 }, 3, "closed when"],
  ["expired", { closed_at: null }, 3, "closed when"],
  ["failed", { closed_at: at(4) }, 5, "closed when"],
  ["restored", { closed_at: at(3) }, 4, "closed when"],
  ["linked", { archived_at: at(6) - 1 }, 6, "since when it is among the ended ones"],
  ["rejected", { archived_at: at(3) - 1 }, 3, "since when it is among the ended ones"],
  ["expired", { closed_at: at(2), archived_at: at(2) - 1 }, 3, "since when it is among the ended ones"],
  [
    "handed out, as a terminal says after a restore",
    { archived_at: at(5) - 1 },
    5,
    "since when it is among the ended ones",
  ],
])("one that is %s and says %j contradicts row %i: %s", async (name, lie, row, what) => {
  await write(name, lie);
  expect(await verify()).toBe(says(row, what));
});

const terms = (approval: number, ...more: readonly string[]) =>
  JSON.stringify([...Array.from({ length: requestTermColumns.length }, () => null), approval, ...more]);
test.each<[what: string, name: Name, rows: Readonly<Record<number, Partial<Row>>>, found: string | null]>([
  ["another bank secures the funds", "ready", { 2: { actor_id: "other-bank" } }, says(2, "which bank it was")],
  ["another bank contradicts itself", "with notes on it", { 7: { actor_id: "b" } }, says(7, "which bank it was")],
  ["the request asks for an approval", "ready", { 1: { terms: terms(1) } }, null],
  ["the request asks for none", "ready", { 1: { terms: terms(0) } }, says(1, "whether the customer has to approve")],
  ["a note has another time than what it is about", "with notes on it", { 7: { at: at(60) }, 8: { at: at(61) } }, null],
  ["a deadline was written when it had passed", "expired", { 3: { at: at(60) } }, null],
  ["a cashier's no was written later", "rejected", { 3: { at: at(60) } }, says(3, "closed when")],
  [
    "one goes on from an end that no restore has made",
    "handed out, as a terminal says after a restore",
    { 4: { reason: "user_canceled" } },
    says(4, "closed when"),
  ],
  [
    "a row goes on from another status",
    "ready",
    { 2: { from_status: "settling" } },
    `row 2 of ${id} goes on from settling, the row before ends with requested`,
  ],
])("with rows of which %s", async (_, name, rows, found) => {
  await write(name, {}, rows);
  if (found === null) expect(await verify()).toMatchObject({ kind: "whole" });
  else expect(await verify()).toBe(found);
});

const digest = ({ archived_at: _, ...of }: Withdrawal = {}) =>
  orderDigest(testKeys.history, rowWith({ id, transaction_id_partner: null, ...of }));
const [ownRequest, own] = [
  { 1: { terms: terms(1, digest()) } },
  (...more: readonly null[]) => JSON.stringify([...more, digest()]),
];
const ordered = "what its order says: for whom, and under which references";
test.each<
  [what: string, name: Name, lie: Withdrawal, rows: Readonly<Record<number, Partial<Row>>>, found: string | null]
>([
  ["all its own", "linked", {}, { ...ownRequest, 3: { terms: own(null) }, 4: { terms: own() } }, null],
  [
    "an id of the terminal's that came after its request",
    "linked",
    { transaction_id_partner: "pos-9" },
    ownRequest,
    null,
  ],
  ["another customer's request", "ready", { user_id: "bob" }, ownRequest, says(1, ordered)],
  ["another reference's request", "ready", { partner_reference: "of-bob" }, ownRequest, says(1, ordered)],
  ["the request of one who was erased since", "linked", { user_id: "erased-abcdefghijklmno_" }, ownRequest, null],
  [
    "the request of one who cannot be erased yet",
    "settling",
    { user_id: "erased-abcdefghijklmno_" },
    ownRequest,
    says(1, ordered),
  ],
  ["the request of one whose name only looks so", "linked", { user_id: "erased-abc" }, ownRequest, says(1, ordered)],
  [
    "another customer's confirmation",
    "linked",
    {},
    { 3: { terms: JSON.stringify([null, digest({ user_id: "bob" })]) } },
    says(3, ordered),
  ],
  [
    "another id of the terminal's",
    "linked",
    { transaction_id_partner: "pos-9" },
    { 3: { terms: own(null) } },
    says(3, ordered),
  ],
  [
    "another customer's approval",
    "linked",
    {},
    { 4: { terms: JSON.stringify([digest({ user_id: "bob" })]) } },
    says(4, ordered),
  ],
  ["terms of a release before", "linked", {}, { 1: { terms: terms(1) }, 3: { terms: "[null]" } }, null],
  ["its hand-out", "linked", { hand_out_id: "h-1" }, { 6: { terms: '["h-1"]' } }, null],
  [
    "a hand-out that is called as a digest could be",
    "linked",
    { hand_out_id: "abcdefghijklmno_" },
    { 6: { terms: '["abcdefghijklmno_"]' } },
    null,
  ],
  ["another hand-out", "linked", { hand_out_id: "h-2" }, { 6: { terms: '["h-1"]' } }, says(6, "which hand-out it was")],
  [
    "no hand-out any more",
    "linked",
    { hand_out_id: null },
    { 6: { terms: '["h-1"]' } },
    says(6, "which hand-out it was"),
  ],
])("with rows that name %s", async (_, name, lie, rows, found) => {
  await write(name, lie, rows);
  if (found === null) expect(await verify()).toMatchObject({ kind: "whole" });
  else expect(await verify()).toBe(found);
});

type Changes = Parameters<typeof adhoc>[0];
test.each<[what: string, name: Name, change: Changes, found: string]>([
  [
    "is gone",
    "ready",
    (db) => db.deleteFrom("withdrawals"),
    `the withdrawal ${id} is gone, its history is not; or row 1 of ${id} is filed under another time of asking`,
  ],
  [
    "has lost its first row",
    "ready",
    (db) => db.deleteFrom("withdrawal_events").where("sequence", "=", 1),
    `a row before row 2 of ${id} is missing, or two were swapped`,
  ],
  [
    "has another amount",
    "ready",
    (db) => db.updateTable("withdrawals").set({ amount: 1 }),
    `row 1 of ${id} was changed, or its withdrawal was`,
  ],
  [
    "has another end of its rows",
    "ready",
    (db) => db.updateTable("withdrawal_events").set({ to_status: "settled" }).where("sequence", "=", 2),
    `row 2 of ${id} was changed, or its withdrawal was`,
  ],
  [
    "counts fewer rows",
    "ready",
    (db) => db.updateTable("withdrawals").set({ history_length: 1, status: "requested" }),
    `row 2 of ${id} is not counted by its withdrawal`,
  ],
  [
    "counts more rows",
    "ready",
    (db) => db.updateTable("withdrawals").set({ history_length: 3 }),
    `the withdrawal ${id} counts 3 rows of its history, there are 2: the end was cut off`,
  ],
  [
    "is in another status",
    "ready",
    (db) => db.updateTable("withdrawals").set({ status: "settled" }),
    `the withdrawal ${id} is settled, its history ends with ready`,
  ],
  ...[1, -1].map((ms): [string, Name, Changes, string] => [
    `has a row under another time of asking, by ${ms}`,
    "ready",
    (db) =>
      db
        .updateTable("withdrawal_events")
        .set({ asked_at: asked + ms })
        .where("sequence", "=", 1),
    `row 1 of ${id} is filed under another time of asking`,
  ]),
])("one that %s is named", async (_, name, change, found) => {
  await write(name);
  await stage.store.write((tx) => tx.run(adhoc(change)));
  expect(await verify()).toBe(found);
});

test("one that is among the open ones and among the ended ones is named", async () => {
  await write("linked");
  const copy = rowWith({ ...(stories.linked.is as object), id, created_at: asked, history_length: 6 });
  const { archived_at: _, ...values } = { archived_at: null, ...copy };
  await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("withdrawals").values(values))));
  expect(await verify()).toBe(`the withdrawal ${id} is there twice`);
});

const laterThan = {
  requested: "linked_at closed_at undelivered_reason settled_at reason confirmed_at device_id",
  ready: "linked_at closed_at undelivered_reason settled_at reason confirmed_at device_id",
  awaiting: "linked_at closed_at undelivered_reason settled_at reason",
  settling: "linked_at closed_at undelivered_reason settled_at reason",
  settled: "linked_at closed_at undelivered_reason reason",
  linked: "closed_at undelivered_reason",
} as const satisfies Partial<Record<Name, string>>;
test.each(
  Object.entries(laterThan).flatMap(([name, columns]) =>
    columns.split(" ").map((column): [string, string] => [name, column]),
  ),
)("one that is %s cannot have %s yet", async (name, column) => {
  await write(name as Name, { [column]: 1 });
  const { status } = stories[name as Name].is;
  expect(await verify()).toBe(`the withdrawal ${id} is ${status}, and has ${column} already`);
});
