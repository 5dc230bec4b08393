/** Which columns of open withdrawals are to lie where, and why they stay: over a database that says of itself what a test wants. */
import { expect, test } from "vitest";
import { ColumnsStay, liesUnordered, putInOrder } from "../../../backend/store/column-order.ts";
import { type Answer, scriptedRun } from "./scripted-run.ts";

const inOrder = [
  ...["id", "partner_id", "merchant_id", "user_id", "amount", "sca_required", "created_at", "expires_at"],
  ...["currency", "idempotency_key", "request_hash", "partner_reference", "store_name"],
  ...["settle_attempts", "settled_at", "linked_at", "closed_at", "deadline_at", "history_length", "status"],
  ...["reason", "added_by_a_newer_release"],
  ...["confirmed_at", "sca_expires_at", "device_id", "transaction_id_partner"],
];
const columns = (names: readonly string[]): Record<string, Answer> => ({
  "a.attrelid = to_regclass('withdrawals')": names.map((name) => ({
    name,
    definition: `${name} text`,
    is_fixed: false,
  })),
});
/** Those of an older release, the last of which come first. */
const before = inOrder.toReversed();

test.each<[string, readonly string[], boolean]>([
  ["as releases before have made them", before, true],
  ["in order, with those of a newer release in between", inOrder, false],
  ["in order but for two", ["partner_id", "id", ...inOrder.slice(2)], true],
  ["on an engine that does not say", [], false],
])("columns that lie %s are to be put in order: %s", async (_, names, isAsked) => {
  const { run } = scriptedRun(columns(names));
  expect(await liesUnordered(async (text) => (text.includes("to_regclass('withdrawals')") ? run(text) : []))).toBe(
    isAsked,
  );
});

const [lock, seek] = ["LOCK TABLE withdrawals IN ACCESS EXCLUSIVE MODE", "SET LOCAL enable_seqscan = off"];
const plain = { isolation: "read committed", is_own: true, is_extended: false, options: "fillfactor = 50" };
const rights = (grantee: string): Answer => [{ grantee, text: `GRANT SELECT ON withdrawals TO ${grantee}` }];

test("the table is locked, copied in order, and has its options, its indexes and its rights again, and none besides", async () => {
  let isNew = false;
  const { run, said } = scriptedRun({
    "AS isolation": [{ ...plain, options: "fillfactor=60" }],
    pg_get_indexdef: [{ text: "ALTER TABLE withdrawals ADD CONSTRAINT key" }, { text: "CREATE INDEX by_deadline" }],
    ...columns(before),
  });
  await putInOrder(async (text) => {
    isNew ||= text.includes("RENAME TO withdrawals");
    return /aclexplode.*'withdrawals'::regclass/s.test(text) ? rights(isNew ? "by_default" : "reader") : run(text);
  });
  const names = [...inOrder];
  // What is named neither first nor last keeps its place among its like.
  [names[20], names[21]] = [inOrder[21] ?? "", inOrder[20] ?? ""];
  expect(said).toEqual([
    lock,
    seek,
    `CREATE TABLE withdrawals_in_order (${names.map((name) => `${name} text`).join(", ")}) WITH (fillfactor=60)`,
    `INSERT INTO withdrawals_in_order (${names.join(", ")}) SELECT ${names.join(", ")} FROM withdrawals ORDER BY created_at`,
    "DROP TABLE withdrawals",
    "ALTER TABLE withdrawals_in_order RENAME TO withdrawals",
    "REVOKE ALL ON withdrawals FROM by_default",
    "ALTER TABLE withdrawals ADD CONSTRAINT key",
    "CREATE INDEX by_deadline",
    "GRANT SELECT ON withdrawals TO reader",
  ]);
});

test.each<[string, Record<string, Answer>, RegExp, number]>([
  ["a read could miss them", { "AS isolation": [{ ...plain, isolation: "serializable" }] }, /not read committed$/, 1],
  ["nothing is known of the table", {}, /not read committed$/, 1],
  ["another role owns them", { "AS isolation": [{ ...plain, is_own: false }] }, /^another role owns the table/, 1],
  ["they have a rule", { "AS isolation": [{ ...plain, is_extended: true }] }, /^the table has a trigger, a rule/, 1],
  ["too many are open", { "OFFSET 20000": [{}] }, /^more than 20000 are open/, 2],
  [
    "a dump may have begun",
    { "interval '5000 milliseconds'": [{ is_hidden: false }] },
    /^a dump or a repeatable read/,
    6,
  ],
  ["a dump may be hidden", { pg_stat_activity: [{ is_hidden: true }] }, /^sessions of another role cannot be seen/, 6],
])("they stay where %s", async (_, answers, why, statements) => {
  const isKnown = Object.keys(answers).length > 0;
  const { run, said } = scriptedRun({
    ...answers,
    ...(isKnown && { "AS isolation": answers["AS isolation"] ?? [plain] }),
  });
  const error = await putInOrder(run).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ColumnsStay);
  expect(error).toMatchObject({ message: expect.stringMatching(why) });
  expect(said).toHaveLength(statements);
});
