/** What a statement asks that no SQLite of a test shows: PostgreSQL's own, and rows of the history one by one. */
import { expect, test } from "vitest";
import { dayMs } from "../../../backend/contract/times.ts";
import type { Status } from "../../../backend/contract/transaction.ts";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc, type Query, type Store } from "../../../backend/store/store.ts";
import { closeEnded, forgetNames, holdOne } from "../../../backend/withdrawals/closed.ts";
import {
  askedMoment,
  askedPage,
  awaitWriters,
  countedPage,
  deleteEvents,
  endedPage,
  eventsOf,
  firstTime,
  openPage,
  provenMoment,
  provenPage,
  sealedRows,
  unfiledSince,
  unsealedOfTime,
} from "../../../backend/withdrawals/history.ts";
import { rejectTransaction } from "../../../backend/withdrawals/reject.ts";
import { holdRestored } from "../../../backend/withdrawals/restored.ts";
import { holdReports, reportBy } from "../../../backend/withdrawals/restored-reports.ts";
import { acceptStart, failDeclined, settleAccepted, settledToUndelivered } from "../../../backend/withdrawals/store.ts";
import { type Step, scriptedTx } from "../../service/test-tx.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { till } from "../../service/world.ts";
import { id, nowMs, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();

test.each([
  ["postgres", ["reject_open", "withdrawal_shown_by_id", "hold_shown_withdrawals"]],
  ["sqlite", ["reject_open", "withdrawal_shown_by_id"]],
] as const)(
  "a repeat on %s asks %j: what it is answered with is held until its standby has it",
  async (dialect, names) => {
    const row = rowWith({ id, status: "rejected", reason: "cashier_rejected" });
    const asked: Query<unknown>[] = [];
    const tx = scriptedTx((query) => {
      asked.push(query);
      return query.name === "reject_open" ? [] : [row];
    });
    const write: Store["write"] = (unit) => unit({ ...tx, dialect });
    const service = { ...stage.service, store: { ...stage.store, write } };
    expect(await rejectTransaction(service, till, id)).toMatchObject({ status: "rejected" });
    expect(asked.map(({ name }) => name)).toEqual(names);
    if (dialect === "postgres")
      expect(asked.at(-1)?.sql(dialect)).toEqual({
        text: 'select "id" from "withdrawals" where "id" = $1 and "created_at" = $2 for update',
        values: [id, row.created_at],
      });
  },
);

test.each<[string, () => Query<unknown>]>([
  ["a withdrawal about which two words come", () => holdOne[0]({ id })],
  ["an archived one", () => holdOne[1]({ id })],
  ["what a restore has ended, of which two approvals come", () => holdRestored({ id })],
  ["a line of which two hand-outs come", () => reportBy({ transaction: id, merchant: "shop", device: "till-1" })],
  ["the lines that are closed", () => holdReports({ transaction: id })],
])("of two processes the second waits for the first with %s", (_, query) => {
  expect(query().sql("postgres").text).toMatch(/ for update$/);
});

test("on PostgreSQL one that ends is moved by one statement, with what its repeats are known by, and never deleted uncopied", () => {
  const sent: Step[] = [];
  closeEnded(
    {
      ...scriptedTx(
        () => [],
        (step) => void sent.push(step),
      ),
      dialect: "postgres",
    },
    { id, now: nowMs },
  );
  const [step] = sent;
  if (step === undefined || step === "changed" || sent.length > 1) throw new Error("not one statement");
  const textOf = (query: Query<unknown> | undefined) => query?.sql("postgres").text.replaceAll(/\s+/g, " ");
  const [where, copy] = [
    "withdrawals where id = \\$1 and .*",
    "insert into archived_withdrawals \\(.*\\) select .* from ended",
  ];
  const [keys, references] = ["insert into idempotency_keys .* from", "insert into terminal_references .* from"];
  const named = (of: string, or: string) =>
    `kept_keys as \\(${keys} ${of} where true and request_hash <> ''${or} ?\\),? (kept_references as \\()?${references} ${of} where true and device_id .* is not null${or}`;
  const nothing = " on conflict do nothing";
  expect(textOf(step)).toMatch(
    RegExp(
      `^with ended as \\(select .* from ${where} for update\\), moved as \\(${copy}${nothing} returning .*\\), ${named("moved", nothing)}\\) delete from withdrawals where id in \\(select id from moved\\)$`,
    ),
  );
  // In a commit that several share, what is there already is refused.
  expect(textOf(step.whenShared)).toMatch(
    RegExp(`^with ended as \\(delete from ${where} returning .*\\), moved as \\(${copy}\\), ${named("ended", "")} ?$`),
  );
});

const oldRow: RowOf<"withdrawal_events"> = {
  ...{ transaction_id: id, sequence: 6, kind: "transition", at: 900, actor: "device", actor_id: "till-1" },
  ...{ from_status: "settled", to_status: "linked", reason: null, request_id: null, attempt: null, cashier: null },
  ...{ terms: null, address: null, hash: null, seal: 7, asked_at: 0, day: 0 },
};
test.each<[unfiled: number, sealed: number, change: Partial<typeof oldRow>]>([
  [1, 1, {}],
  [1, 0, { seal: 8 }],
  [0, 1, { at: 899 }],
  [0, 1, { asked_at: 1_000 }],
  [0, 1, { day: 1 }],
])(
  "of rows of earlier releases %i is not filed by its request, and %i is under a seal: %j",
  async (unfiled, sealed, change) => {
    const row = { ...oldRow, ...change };
    await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("withdrawal_events").values(row))));
    const [late, under] = await stage.store.read(async (tx) => [
      await tx.all(unfiledSince({ from: 900 })),
      await tx.all(sealedRows({ seal: 7 })),
    ]);
    expect([late, under]).toEqual([Array(unfiled).fill({ at: 900 }), Array(sealed).fill(row)]);
  },
);

test.each([
  [1, 9, ["A2", "A3", "B1"]],
  [1, 1, ["A2"]],
  [3, 9, ["B1"]],
])(
  "the rows of one moment after A%i, at most %i, are %j: by day and time, and by request",
  async (sequence, limit, after) => {
    const of = { kind: "decided" as const, at: 3 * dayMs, day: 3, asked_at: dayMs };
    const rows = [
      { transaction_id: "B", sequence: 1 },
      { transaction_id: "A", sequence: 3 },
      { transaction_id: "A", sequence: 2 },
      { transaction_id: "A", sequence: 1 },
      { transaction_id: "C", sequence: 1, at: of.at + 1, asked_at: of.asked_at + 1 },
      { transaction_id: "D", sequence: 1, day: 4, asked_at: of.asked_at - 1 },
      // Of the day on which its withdrawal was asked for: it is found by the request.
      { transaction_id: "E", sequence: 1, asked_at: of.at },
    ];
    const place = { id: "A", sequence, limit };
    const found = await stage.store.write(async (tx) => {
      for (const row of rows)
        await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values({ ...oldRow, ...of, ...row })));
      return [
        await tx.all(provenMoment({ day: of.day, at: of.at, ...place })),
        await tx.all(askedMoment({ at: of.asked_at, ...place })),
      ];
    });
    expect(found.map((each) => each.map((row) => `${row.transaction_id}${row.sequence}`))).toEqual([after, after]);
  },
);

test("PostgreSQL alone waits for who writes the history, and for half a second at most", () => {
  const texts = (["postgres", "sqlite"] as const).map((dialect) =>
    awaitWriters.map((query) => query.sql(dialect).text),
  );
  const held = ["set local lock_timeout = 500", "lock table only withdrawal_events in share mode"];
  expect(texts).toEqual([held, ["select 1", "select 1"]]);
});

test.each<[change: Partial<typeof oldRow>, isLeft: boolean]>([
  [{}, false],
  [{ asked_at: 1_000 }, false],
  [{ transaction_id: "OTHER" }, true],
  [{ transaction_id: "OTHER", asked_at: 1_000 }, true],
  [{ asked_at: 999 }, true],
])("of the rows of one that retention deletes one with %j is left: %s", async (change, isLeft) => {
  await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values({ ...oldRow, ...change })));
    await tx.run(deleteEvents([{ id, created_at: 1_000 }]));
  });
  expect(await stage.rows("withdrawal_events")).toHaveLength(isLeft ? 1 : 0);
});

test("a story is told in its order, and of one withdrawal as it was asked for", async () => {
  const rows = [
    { sequence: 8 },
    { sequence: 7, asked_at: 1_000 },
    { sequence: 9, asked_at: 999 },
    { sequence: 6, transaction_id: "OTHER" },
  ];
  const told = await stage.store.write(async (tx) => {
    for (const row of rows)
      await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values({ ...oldRow, ...row })));
    return tx.all(eventsOf({ id, askedAt: 1_000 }));
  });
  expect(told.map(({ sequence }) => sequence)).toEqual([7, 8]);
});

const counting = { at: 0, id: "", limit: 9, namesFrom: 500 };
test.each<[created_at: number, at: "open" | "ended", lacks: boolean]>([
  [499, "open", true],
  [500, "open", false],
  [499, "ended", true],
  [500, "ended", false],
])("of those asked for before 500 one of %i that is %s, without a row, is found: %s", async (created_at, at, lacks) => {
  await (at === "open" ? stage.put({ created_at }) : stage.putArchived({ created_at, archived_at: 700 }));
  // An ended page's last one comes in any case, from which the next goes on.
  await stage.put({ id: "LAST", created_at: 600, idempotency_key: "last", transaction_id_partner: "last" });
  await stage.putArchived({ id: "LAST", created_at: 600, archived_at: 800 });
  const page = at === "open" ? openPage : endedPage;
  const rows = await stage.store.read((tx) => tx.all(page({ ...counting, before: 500 })));
  expect(rows.map((row) => row.id)).toEqual([...(lacks ? [id] : []), ...(at === "ended" ? ["LAST"] : [])]);
});

test.each([
  [499, null],
  [500, "idempotency key"],
])("an ended one asked for at %i lacks its names where they must be there since 500: %j", async (created_at, lost) => {
  await stage.putArchived({ created_at });
  expect(await stage.store.read((tx) => tx.all(countedPage(counting)))).toMatchObject([{ id, rows: 0, lost }]);
});

test.each([
  ["idempotency_keys", 499, 0],
  ["idempotency_keys", 500, 1],
  ["terminal_references", 499, 0],
  ["terminal_references", 500, 1],
] as const)("of %s one of %i is kept from 500 on: %i", async (table, created_at, kept) => {
  const counted = await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.deleteFrom(table)));
    const of = { transaction_id: id, created_at };
    if (table === "idempotency_keys") {
      const key = { ...of, partner_id: "bank", idempotency_key: "key" };
      await tx.run(adhoc((db) => db.insertInto(table).values(key)));
    } else {
      const reference = { ...of, merchant_id: "corner-shop", device_id: "till-1", transaction_id_partner: "pos-1" };
      await tx.run(adhoc((db) => db.insertInto(table).values(reference)));
    }
    await tx.run(forgetNames(table, table, { before: 500, limit: 9 }));
    return tx.all(adhoc((db) => db.selectFrom(table).select("created_at")));
  });
  expect(counted).toHaveLength(kept);
});

const days = (n: number) => n * dayMs;
test.each<[count: number, row: Partial<typeof oldRow>]>([
  // Under another day than that of its request.
  [1, { asked_at: days(1), day: 4 }],
  [0, { asked_at: days(1), day: 3 }],
  [0, { asked_at: days(1) - 1, day: 4 }],
  [1, { asked_at: days(10) - 1, day: 10 }],
  [0, { asked_at: days(10), day: 11 }],
  // Under the day of its request.
  [1, { asked_at: days(4), day: 4, at: days(4) }],
  [0, { asked_at: days(4) - 1, day: 3, at: days(4) - 1 }],
  [0, { asked_at: days(10), day: 10, at: days(10) }],
])("%i row of nine days' requests is of a day after the third, of one with %j", async (count, row) => {
  const found = await stage.store.write(async (tx) => {
    await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values({ ...oldRow, ...row })));
    return tx.all(unsealedOfTime({ from: days(1), to: days(10), after: 3, afterMs: days(4) }));
  });
  expect(found).toHaveLength(count);
});

test("a page of the history is no longer than asked for", async () => {
  const pages = await stage.store.write(async (tx) => {
    for (const sequence of [6, 7])
      await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values({ ...oldRow, sequence })));
    return [
      await tx.all(provenPage({ day: 0, at: firstTime, limit: 1 })),
      await tx.all(askedPage({ from: firstTime, before: 1, limit: 1 })),
    ];
  });
  expect(pages.map((page) => page.length)).toEqual([1, 1]);
});

const byTill = { id, now: nowMs, merchant: "corner-shop", device: "till-1" };
test("each move writes its time, its tries, who did it and the next deadline", async () => {
  const moved = async <R>(status: Status, query: Query<R>) => {
    await stage.store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawals"))));
    await stage.put({ status, settled_at: null, closed_at: null, deadline_at: nowMs + 1 });
    return await stage.store.write((tx) => tx.first(query));
  };
  expect(await moved("requested", acceptStart({ id, now: nowMs }))).toMatchObject({ deadline_at: 901_000 });
  expect(await moved("settling", settleAccepted({ id, now: nowMs, attempts: 3 }))).toMatchObject({
    ...{ settled_at: nowMs, settle_attempts: 3, closed_at: null },
  });
  expect(await moved("settling", failDeclined({ id, now: nowMs, attempts: 3 }))).toMatchObject({
    ...{ reason: "settle_declined", closed_at: nowMs, settle_attempts: 3 },
  });
  expect(
    await moved("settled", settledToUndelivered({ ...byTill, reason: "till_short", cashier: "C2" })),
  ).toMatchObject({ undelivered_reason: "till_short", closed_at: nowMs, cashier: "C2" });
});
