/** What of a withdrawal its history proves: each column and each row that may contradict the other, one at a time. */
import { createHash } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import { serviceKeysFrom } from "../../../backend/access/secrets.ts";
import type { Actor } from "../../../backend/contract/history.ts";
import type { Reason } from "../../../backend/contract/reasons.ts";
import type { Status } from "../../../backend/contract/transaction.ts";
import { type AuditedHistory, createHistoryReader } from "../../../backend/operate/proof.ts";
import { verifyHistory } from "../../../backend/operate/verify-history.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc } from "../../../backend/store/store.ts";
import { orderDigest, requestTermColumns } from "../../../backend/withdrawals/caps.ts";
import { historyHash, sealedColumns } from "../../../backend/withdrawals/history.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { testKeys } from "../../service/world.ts";
import { accessStage } from "../access/stage.ts";

const stage = accessStage();
const dayMs = 86_400_000;
/** The day on which all of it was asked for, at ten in the morning. */
const day = 20_700;
const asked = day * dayMs + 36_000_000;
const id = "7F3K0000000000AB";
type Row = RowOf<"withdrawal_events">;
type Withdrawal = Partial<Omit<RowOf<"archived_withdrawals">, "archived_at">> & {
  readonly archived_at?: number | null;
};
type Rows = readonly Partial<Row>[];
interface Story {
  readonly rows: Rows;
  readonly is: Withdrawal;
}

beforeEach(() =>
  stage.store.write(async (tx) => {
    for (const table of ["withdrawals", "archived_withdrawals", "withdrawal_events", "outbox"] as const)
      await tx.run(adhoc((db) => db.deleteFrom(table)));
  }),
);

const names = { partner: "bank", device: "till-1", sweeper: null, operator: "olga" } as const;
const nothing = {
  ...{ device_id: null, transaction_id_partner: null, confirmed_at: null, settled_at: null, linked_at: null },
  ...{ closed_at: null, reason: null, undelivered_reason: null, cashier: null, archived_at: null },
};
/** A second after the row before. */
const step = (from: Status | null, to: Status, actor: Actor, more: Partial<Row> = {}): Partial<Row> => ({
  ...{ kind: "transition", from_status: from, to_status: to, actor, actor_id: names[actor], ...more },
});
const requested: Story = { rows: [step(null, "requested", "partner")], is: { ...nothing, status: "requested" } };
const then = (before: Story, row: Partial<Row>, more: Withdrawal = {}): Story => ({
  rows: [...before.rows, row],
  is: { ...before.is, status: row.to_status as Status, ...more },
});
const at = (second: number) => asked + second * 1_000;
const ready = then(requested, step("requested", "ready", "partner"));
const confirmed = { confirmed_at: at(3), device_id: "till-1" };
const awaiting = then(ready, step("ready", "awaiting_sca", "device"), confirmed);
const settling = then(awaiting, step("awaiting_sca", "settling", "partner"));
const settled = then(settling, step("settling", "settled", "partner"), { settled_at: at(5) });
const atOnce = then(ready, step("ready", "settling", "device"), { ...confirmed, sca_required: 0 });
const ending = (second: number, reason: Reason | null) => ({ closed_at: at(second), archived_at: at(second), reason });
const noted = (kind: Row["kind"], status: Status, actor: Actor, more: Partial<Row> = {}): Partial<Row> => ({
  ...step(status, status, actor, more),
  kind,
});
const linked = then(settled, step("settled", "linked", "device", { cashier: "7" }), {
  ...{ linked_at: at(6), archived_at: at(6), cashier: "7" },
});
const undelivered = then(settled, step("settled", "undelivered", "device", { cashier: "7", reason: "till short" }), {
  ...{ closed_at: at(6), archived_at: at(6), cashier: "7", undelivered_reason: "till short" },
});
const rejected = then(ready, step("ready", "rejected", "device", { reason: "cashier_rejected" }), {
  ...ending(3, "cashier_rejected"),
});
const expired = then(ready, step("ready", "expired", "sweeper", { reason: "order_expired" }), {
  ...ending(3, "order_expired"),
});
/** It stays among the open ones. */
const restored = then(awaiting, step("awaiting_sca", "canceled", "operator", { reason: "restored" }), {
  ...ending(4, "restored"),
  archived_at: null,
});
const stories = {
  ...{ requested, ready, awaiting, settling, settled, linked, undelivered, rejected, expired, restored },
  "settling at once": atOnce,
  "settled at once": then(atOnce, step("settling", "settled", "partner"), { settled_at: at(4) }),
  declined: then(requested, step("requested", "declined", "partner", { reason: "partner_declined" }), {
    ...ending(2, "partner_declined"),
  }),
  failed: then(settling, step("settling", "failed", "partner", { reason: "settle_declined" }), {
    ...ending(5, "settle_declined"),
  }),
  "handed out, as a terminal says after a restore": then(
    restored,
    step("canceled", "linked", "device", { cashier: "7", reason: "restored" }),
    { closed_at: null, linked_at: at(5), cashier: "7" },
  ),
  "with notes on it": then(
    then(linked, noted("contradicted", "linked", "partner", { reason: "declined" })),
    noted("dispute_closed", "linked", "operator", { reason: "paid back" }),
  ),
} satisfies Record<string, Story>;
type Name = keyof typeof stories;

/** Writes a withdrawal whose rows are chained as they should be, and then lies about it. @param rows changed before they are chained. */
const write = async (
  name: Name,
  lie: Withdrawal = {},
  rows: Readonly<Record<number, Partial<Row>>> = {},
  { history } = testKeys,
) => {
  const story: Story = stories[name];
  const row = rowWith({ id, created_at: asked, history_length: story.rows.length, ...(story.is as object) });
  const { archived_at = null, ...withdrawal } = { ...row, ...(story.is as Withdrawal), ...lie };
  let previous = "";
  const events = story.rows.map((each, n) => {
    const event = {
      ...{ transaction_id: id, sequence: n + 1, at: at(n + 1), request_id: null, reason: null, attempt: null },
      ...{ cashier: null, terms: null, address: null, asked_at: asked, day, ...each, ...rows[n + 1] },
    } as Row;
    const { hash = historyHash(history, previous, event, row) } = event;
    previous = hash ?? "";
    return { ...event, seal: null, hash };
  });
  await stage.store.write(async (tx) => {
    if (archived_at === null) await tx.run(adhoc((db) => db.insertInto("withdrawals").values(withdrawal as never)));
    else
      await tx.run(
        adhoc((db) => db.insertInto("archived_withdrawals").values({ ...withdrawal, archived_at } as never)),
      );
    for (const event of events) await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(event)));
    const order = { id: `settle_${id}`, transaction_id: id, partner_id: "bank", body: "{}", attempts: 1 };
    const queued = { ...order, due_at: 1, claimed_by: "", created_at: 0, unsent_attempts: 0 };
    if (withdrawal.status === "settling") await tx.run(adhoc((db) => db.insertInto("outbox").values(queued as never)));
  });
};
const verify = async (audited: Partial<AuditedHistory> = {}, keys = [testKeys]) => {
  const found = await verifyHistory(stage.store, keys, { ...createHistoryReader().result(), ...audited });
  return found?.kind === "broken" ? found.what : found;
};
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
  [
    "has a row under another time of asking",
    "ready",
    (db) =>
      db
        .updateTable("withdrawal_events")
        .set({ asked_at: asked + 1 })
        .where("sequence", "=", 1),
    `row 1 of ${id} is filed under another time of asking`,
  ],
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

const [earlier, now] = [serviceKeysFrom("an earlier key", false), serviceKeysFrom("the key in use", true)];
/** When the one row is written. */
const written = at(1);
const date = "2026-09-04";
const month = "2026-09";
const digestOf = (...rows: readonly string[]) =>
  createHash("sha256")
    .update(rows.map((row) => `${row}\n`).join(""))
    .digest("base64url");
/** What a line digests of each row. */
const texts = async () =>
  (
    await stage.store.read((tx) =>
      tx.all(adhoc((db) => db.selectFrom("withdrawal_events").selectAll().orderBy("sequence"))),
    )
  ).map((row) => row.hash ?? JSON.stringify(sealedColumns.map((column) => row[column])));
/** An audit in which the day has its line, under a number. */
const closedIn = async (seq: number, isDated: boolean): Promise<Partial<AuditedHistory>> => {
  const of = await texts();
  const event = isDated ? "history_day" : "history_undated";
  return {
    lines: new Map([[`${event} ${date} ${month}`, { seq, rows: of.length, digest: digestOf(...of) }]]),
    newest: { history_day: -1, history_undated: -1, [event]: day },
  };
};
const under = { earlier: {}, now: {}, none: { hash: null } };
const chained = { seq: 5, at: written - 1 };
const started = (ms: number) => new Map([[now.auditKeyId, { seq: 7, at: written - ms }]]);
const accepted = (ms: number) => ({ seq: 99, at: written + ms });

test.each<
  [
    what: string,
    key: keyof typeof under,
    isDated: boolean,
    audited: Partial<AuditedHistory>,
    line: number | null,
    holds: boolean,
  ]
>([
  ["of a release that wrote none", "none", false, {}, null, true],
  ["of one that wrote days, and so hashes", "none", true, {}, null, false],
  ["written at the moment at which all are chained", "none", false, { chained: { seq: 5, at: written } }, null, true],
  ["written after it", "none", false, { chained }, null, false],
  ["dated after it, in a line before it", "none", false, { chained }, 5, true],
  ["dated after it, in a line after it", "none", false, { chained }, 6, false],
  ["accepted since", "none", false, { chained, accepted: accepted(0) }, null, true],
  ["accepted before it was written", "none", false, { chained, accepted: accepted(-1) }, null, false],
  ["accepted, of a release that wrote days", "none", true, { chained, accepted: accepted(0) }, null, false],
  ["under the key in use", "now", true, { chained, keyStarts: started(60_001) }, null, true],
  [
    "under an earlier one, a minute after the change of keys",
    "earlier",
    true,
    { chained, keyStarts: started(60_000) },
    null,
    true,
  ],
  ["under an earlier one, later than that", "earlier", true, { chained, keyStarts: started(60_001) }, null, false],
  [
    "under an earlier one, later, and accepted",
    "earlier",
    true,
    { chained, accepted: accepted(0), keyStarts: started(60_001) },
    null,
    true,
  ],
  [
    "under an earlier one, later, in a line before it",
    "earlier",
    true,
    { chained, keyStarts: started(60_001) },
    7,
    true,
  ],
  [
    "under an earlier one, later, in a line after it",
    "earlier",
    true,
    { chained, keyStarts: started(60_001) },
    8,
    false,
  ],
  ["under an earlier one, before any is chained", "earlier", true, { keyStarts: started(60_001) }, null, true],
])("a row without a hash, or under some key: %s", async (_, key, isDated, audited, line, holds) => {
  await write(
    "requested",
    {},
    { 1: { ...under[key], ...(isDated ? {} : { day: 0, asked_at: 0 }) } },
    key === "now" ? now : earlier,
  );
  const closed = line === null ? {} : await closedIn(line, isDated);
  const found = await verify({ ...audited, ...closed }, [earlier, now]);
  const open = line === null ? 1 : 0;
  if (holds) expect(found).toEqual({ kind: "whole", rows: 1, open, unchained: key === "now" ? 0 : 1 });
  else expect(found).toMatch(`row 1 of ${id} is not chained as it should be`);
});

const [hourMs, dayAfter] = [3_600_000, (day + 1) * dayMs];
/** One that was asked for, and its one row. */
const one = async (name: string, created_at: number, of: { readonly at?: number; readonly day: number }) => {
  const withdrawal = rowWith({
    ...(requested.is as object),
    id: name,
    created_at,
    history_length: 1,
    idempotency_key: name,
  });
  const { archived_at: _, ...values } = { archived_at: null, ...withdrawal };
  const event = {
    ...{
      transaction_id: name,
      sequence: 1,
      at: created_at,
      request_id: null,
      reason: null,
      attempt: null,
      cashier: null,
    },
    ...{ terms: null, address: null, asked_at: created_at, seal: null, ...requested.rows[0], ...of },
  } as Row;
  const hash = historyHash(testKeys.history, "", event, values as typeof withdrawal);
  await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.insertInto("withdrawals").values(values)));
    await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values({ ...event, hash })));
  });
};
/** One that has ended when it was asked for, and has lost its only row. */
const cutOff = (at: number) =>
  stage.store.write((tx) =>
    tx.run(
      adhoc((db) =>
        db
          .insertInto("archived_withdrawals")
          .values({ ...rowWith({ id: "CUT", status: "linked", created_at: at, history_length: 1 }), archived_at: at }),
      ),
    ),
  );
/** A look that goes on after the day that was verified at a time. @returns the rows that it saw, and the days that it verified. */
const resumed = async (at: number, audited: Partial<AuditedHistory> = {}) => {
  const [rows, days]: [string[], number[]] = [[], []];
  const reader = { ...createHistoryReader().result(), verified: { seq: 1, at, day }, ...audited };
  const found = await verifyHistory(stage.store, [testKeys], reader, {
    visit: async (page) => void rows.push(...page.map(({ event }) => event.transaction_id)),
    resume: async (verified) => void days.push(verified),
  });
  return { found: found?.kind === "broken" ? found.what : found?.kind, rows, days };
};

test("a look at what is new sees the days after the one that was verified, and of rows without a day those of two days more", async () => {
  await one("D0", day * dayMs, { day });
  await one("D1", dayAfter, { day: day + 1 });
  await one("D2", dayAfter + dayMs, { day: day + 2 });
  for (const before of [0, 1, 2, 3]) await one(`U${before}`, dayAfter - before * dayMs, { day: 0 });
  const { found, rows } = await resumed(dayAfter + hourMs);
  expect([found, rows]).toEqual(["whole", ["U1", "U0", "D1", "D2"]]);
});

test.each<[what: string, event: string, of: number, isMissed: boolean]>([
  ["the day that was verified", "history_day", day, false],
  ["the day after it", "history_day", day + 1, true],
  ["rows without a day of two days before", "history_undated", day - 1, false],
  ["rows without a day of the day before", "history_undated", day, true],
])("a look at what is new misses rows that a line counts of %s: %s", async (_, event, of, isMissed) => {
  const object = `${new Date(of * dayMs).toISOString().slice(0, 10)} ${month}`;
  const lines = new Map([[`${event} ${object}`, { seq: 7, rows: 3, digest: "" }]]);
  const newest = { history_day: day + 9, history_undated: day + 9 };
  const { found } = await resumed(dayAfter + hourMs, { lines, newest });
  expect(found).toBe(isMissed ? `entry 7 of the audit counts 3 rows of ${object}, none is left` : "whole");
});

/** When its first row was written that is not verified, under which day; when the day was verified; since when withdrawals are counted. */
test.each<[what: string, rows: readonly (readonly [day: number, at: number])[], verified: number, since: number]>([
  ["the end of the day that was verified", [], dayAfter + 5 * hourMs, dayAfter - hourMs],
  ["when it was verified, by a clock that was behind", [], dayAfter - 5 * hourMs, dayAfter - 6 * hourMs],
  ["the first row after it, if that was before", [[day + 2, dayAfter - 9 * hourMs]], dayAfter, dayAfter - 10 * hourMs],
  ["and not a later one", [[day + 2, dayAfter + 9 * hourMs]], dayAfter, dayAfter - hourMs],
  [
    "whatever day that is under",
    [
      [day + 2, dayAfter + 9 * hourMs],
      [day + 4, dayAfter - 9 * hourMs],
    ],
    dayAfter,
    dayAfter - 10 * hourMs,
  ],
  [
    "and before another one",
    [
      [day + 2, dayAfter - 9 * hourMs],
      [day + 4, dayAfter + 9 * hourMs],
    ],
    dayAfter,
    dayAfter - 10 * hourMs,
  ],
])("a look at what is new counts the rows of withdrawals from an hour before %s", async (_, rows, verified, since) => {
  for (const [n, [of, at]] of rows.entries()) await one(`R${n}`, at, { day: of });
  await cutOff(since - 1);
  expect((await resumed(verified)).found).toBe("whole");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("archived_withdrawals"))));
  await cutOff(since);
  expect((await resumed(verified)).found).toMatch("the withdrawal CUT counts 1 rows of its history, there are 0");
});

test("of the days that it has seen those are called verified that are closed and have rows of their own", async () => {
  await one("D1", dayAfter, { day: day + 1 });
  await one("D2", dayAfter + dayMs, { day: day + 3, at: dayAfter + 2 * dayMs });
  await one("D4", dayAfter + 3 * dayMs, { day: day + 4 });
  await one("U", dayAfter, { day: 0 });
  const newest = { history_day: day + 3, history_undated: day + 3 };
  const { found, days } = await resumed(dayAfter, { newest, ended: new Set([month]) });
  expect([found, days]).toEqual(["whole", [day + 1, day + 3]]);
});

const object = `${date} ${month}`;
const entry = { seq: 8, at: 1 };
test.each<
  [what: string, line: { rows?: number; digest?: string } | null, ended: readonly string[], found: string | null]
>([
  ["its rows", {}, [], null],
  ["one row more", { rows: 2 }, [], `entry 8 of the audit counts 2 rows of ${object}, 1 are left`],
  [
    "another row",
    { digest: digestOf("x") },
    [],
    `rows of ${object} were changed: they are not those of entry 8 of the audit`,
  ],
  ["none of its rows", null, [], `1 rows of ${object} are in no line of the audit, though their day is over`],
  ["none of its rows, in a month that has ended", null, [month], null],
])("a day that is over, whose line counts %s", async (_, line, ended, found) => {
  await write("requested");
  const { lines, newest } = await closedIn(8, true);
  const [[key, held] = ["", { seq: 0, rows: 0, digest: "" }]] = [...(lines ?? [])];
  const read = { newest: newest as AuditedHistory["newest"], ended: new Set(ended) };
  const result = await verify({ ...read, lines: new Map(line === null ? [] : [[key, { ...held, ...line }]]) });
  if (found === null) expect(result).toEqual({ kind: "whole", rows: 1, open: 0, unchained: 0 });
  else expect(result).toBe(found);
});

test.each<[what: string, detail: string, accepted: number | null, holds: boolean]>([
  ["match", "2 seals", null, true],
  ["do not match", "2 seals, not whole: 1 3", null, false],
  ["do not match, and were accepted before they were looked at", "2 seals, not whole: 1 3", 7, false],
  ["do not match, and were accepted since", "2 seals, not whole: 1 3", 9, true],
])("seals of a release before that %s", async (_, detail, accepted, holds) => {
  const at = accepted === null ? null : { seq: accepted, at: 1 };
  const found = await verify({ begun: { ...entry, detail }, accepted: at });
  if (holds) expect(found).toMatchObject({ kind: "whole" });
  else
    expect(found).toBe("rows that these entries of the audit sealed were changed before days came in their place: 1 3");
});

const begun = { ...entry, detail: null };
const counted = {
  seq: 4,
  rows: 1,
  digest: digestOf(JSON.stringify(["OLD", "bank", "corner-shop", 5_000, "EUR", asked])),
};
const others = (rows: number) =>
  `of the withdrawals of ${month} from before there was a history entry 4 of the audit counts ${rows}, there are 1 or others`;
test.each<[what: string, audited: Partial<AuditedHistory>, found: string | null]>([
  ["before days began", {}, null],
  ["that nobody has counted", { begun }, "the withdrawal OLD has no history"],
  ["that was counted", { begun, without: new Map([[month, counted]]) }, null],
  ["of a month that has ended", { begun, ended: new Set([month]) }, null],
  ["of which there was one more", { begun, without: new Map([[month, { ...counted, rows: 2 }]]) }, others(2)],
  ["that was another", { begun, without: new Map([[month, { ...counted, digest: "x" }]]) }, others(1)],
  [
    "beside those of a month of which none is left",
    {
      begun,
      without: new Map([
        [month, counted],
        ["2026-08", { ...counted, seq: 3 }],
      ]),
    },
    "entry 3 of the audit counts 1 withdrawals of 2026-08 from before there was a history, none is left",
  ],
])("a withdrawal without a history %s", async (_, audited, found) => {
  const old = rowWith({ id: "OLD", created_at: asked, history_length: 0 });
  await stage.store.write((tx) =>
    tx.run(adhoc((db) => db.insertInto("archived_withdrawals").values({ ...old, archived_at: asked }))),
  );
  if (found === null) expect(await verify(audited)).toMatchObject({ kind: "whole" });
  else expect(await verify(audited)).toBe(found);
});

test.each<[what: string, namesSince: number | null, accepted: number | null, isLost: boolean]>([
  ["no time is named", null, null, false],
  ["they must be there from then on", asked, null, true],
  ["they may be forgotten of before then", asked + 1, null, false],
  ["an operator has accepted what was asked for before", 0, asked, true],
  ["an operator has accepted it", 0, asked + 1, false],
  ["an operator has accepted what is older than that", asked + 1, asked - 5, false],
])("of one that has ended what repeats are known by is gone, and %s", async (_, namesSince, accepted, isLost) => {
  await write("linked");
  const found = await verify({ namesSince, accepted: accepted === null ? null : { seq: 1, at: accepted } });
  if (isLost) expect(found).toBe(`the withdrawal ${id} has ended, and its idempotency key is gone`);
  else expect(found).toMatchObject({ kind: "whole" });
});

test("one that is being paid has its order", async () => {
  await write("settling");
  await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("outbox"))));
  expect(await verify()).toBe(`the withdrawal ${id} is being paid, and its Settle order is gone`);
});
