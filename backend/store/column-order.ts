/**
 * The order of the columns of open withdrawals on PostgreSQL, whose log of an UPDATE holds the row from its first changed
 * byte to its last: what transitions change lies together.
 */
import { columnsOn, grantsOn, type Run } from "./partitions.ts";
import type { RowOf } from "./schema.ts";

type Column = keyof RowOf<"withdrawals">;
/** Never changed; then what some transitions change, and what all do. */
const first: readonly Column[] = [
  ...(["id", "partner_id", "merchant_id", "user_id", "amount", "sca_required", "created_at", "expires_at"] as const),
  ...(["currency", "idempotency_key", "request_hash", "partner_reference", "store_name"] as const),
  ...(["settle_attempts", "settled_at", "linked_at", "closed_at", "deadline_at", "history_length", "status"] as const),
];
/** Changed by the confirmation alone. */
const last: readonly Column[] = ["confirmed_at", "sca_expires_at", "device_id", "transaction_id_partner"];

/** Others, of a newer release too, come between. */
const inOrder = (columns: readonly string[]): readonly string[] => [
  ...first,
  ...columns.filter((name) => ![...first, ...last].some((known) => known === name)),
  ...last,
];

/** More are not copied while everybody waits. */
const copiedMax = 20_000;
/** Percent of a page that new rows fill: beside the others there is room for what transitions write, which then leaves indexes alone. */
const filledPercent = 50;

/** Whether the columns lie in another order, as releases before have made them. */
export const liesUnordered = async (run: Run): Promise<boolean> => {
  const names = (await columnsOn(run, "withdrawals")).map(({ name }) => name);
  return names.length > 0 && names.join() !== inOrder(names).join();
};

/**
 * Copies the open withdrawals into a table of that order, with the same indexes, in a transaction that locks it. Statements
 * name their columns: those of processes that serve are planned anew.
 * @returns why not; null: it did.
 */
export async function putInOrder(run: Run): Promise<string | null> {
  await run("LOCK TABLE withdrawals IN ACCESS EXCLUSIVE MODE");
  const [found] = await run(
    `SELECT current_setting('default_transaction_isolation') AS isolation, EXISTS (
        SELECT tgrelid FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal UNION ALL SELECT polrelid FROM pg_policy WHERE polrelid = c.oid
        UNION ALL SELECT c.oid FROM pg_publication_tables WHERE schemaname = current_schema() AND tablename = c.relname
        UNION ALL SELECT attrelid FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL) AS is_extended,
        coalesce(array_to_string(reloptions, ', '), 'fillfactor = ${filledPercent}') AS options
      FROM pg_class AS c WHERE oid = 'withdrawals'::regclass`,
  );
  // A read that began before would find the new table empty.
  if (found?.isolation !== "read committed") return "default_transaction_isolation is not read committed";
  if (found.is_extended === true) return "the table has a trigger, a policy, a publication or rights on columns";
  // By an index: what has ended may have left its space behind.
  await run("SET LOCAL enable_seqscan = off");
  const [more] = await run(
    `SELECT 1 FROM (SELECT created_at FROM withdrawals ORDER BY created_at OFFSET ${copiedMax} LIMIT 1) AS more`,
  );
  if (more !== undefined) return `more than ${copiedMax} are open; migrate again at a quiet hour`;
  const columns = await columnsOn(run, "withdrawals");
  const names = inOrder(columns.map(({ name }) => name));
  const indexes = await run(
    `SELECT CASE WHEN k.oid IS NULL THEN pg_get_indexdef(i.indexrelid)
        ELSE format('ALTER TABLE withdrawals ADD CONSTRAINT %I %s', k.conname, pg_get_constraintdef(k.oid)) END AS text
      FROM pg_index AS i LEFT JOIN pg_constraint AS k ON k.conindid = i.indexrelid WHERE i.indrelid = 'withdrawals'::regclass`,
  );
  const grants = await grantsOn(run, "withdrawals");
  const definitionOf = new Map(columns.map(({ name, definition }) => [name, definition]));
  await run(
    `CREATE TABLE withdrawals_in_order (${names.map((name) => definitionOf.get(name)).join(", ")}) WITH (${found.options})`,
  );
  await run(
    `INSERT INTO withdrawals_in_order (${names.join(", ")}) SELECT ${names.join(", ")} FROM withdrawals ORDER BY created_at`,
  );
  await run("DROP TABLE withdrawals");
  await run("ALTER TABLE withdrawals_in_order RENAME TO withdrawals");
  for (const { text } of [...indexes, ...grants]) await run(String(text));
  return null;
}
