/** What a statement asks that no SQLite of a test shows: PostgreSQL's own, and rows of the history one by one. */
import { expect, test } from "vitest";
import type { RowOf } from "../../../backend/store/schema.ts";
import { adhoc, type Query, type Store } from "../../../backend/store/store.ts";
import { closeEnded } from "../../../backend/withdrawals/closed.ts";
import {
  askedMoment,
  awaitWriters,
  provenMoment,
  sealedRows,
  unfiledSince,
} from "../../../backend/withdrawals/history.ts";
import { rejectTransaction } from "../../../backend/withdrawals/reject.ts";
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
  [1, 9, ["A2", "B1"]],
  [1, 1, ["A2"]],
  [2, 9, ["B1"]],
])(
  "the rows of one moment after A%i, at most %i, are %j: by day and time, and by request",
  async (sequence, limit, after) => {
    const of = { kind: "decided" as const, at: 86_400_000, day: 3, asked_at: 86_400_000 };
    const rows = [
      { transaction_id: "B", sequence: 1 },
      { transaction_id: "A", sequence: 2 },
      { transaction_id: "A", sequence: 1 },
      { transaction_id: "C", sequence: 1, at: of.at + 1, asked_at: of.at + 1 },
      { transaction_id: "D", sequence: 1, day: 4, asked_at: of.at - 1 },
    ];
    const place = { at: of.at, id: "A", sequence, limit };
    const found = await stage.store.write(async (tx) => {
      for (const row of rows)
        await tx.run(adhoc((db) => db.insertInto("withdrawal_events").values({ ...oldRow, ...of, ...row })));
      return [await tx.all(provenMoment({ day: of.day, ...place })), await tx.all(askedMoment(place))];
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
