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
/** A transaction that has read for longer than the service's do is a dump by another name, or a repeatable read in the middle of a statement. */
const soonMs = 5_000;
/** Percent of a page that new rows fill: beside the others there is room for what transitions write, which then leaves indexes alone. */
const filledPercent = 50;

/** Whether the columns lie in another order, as releases before have made them. */
export const liesUnordered = async (run: Run): Promise<boolean> => {
  const names = (await columnsOn(run, "withdrawals")).map(({ name }) => name);
  return names.length > 0 && names.join() !== inOrder(names).join();
};

/** They stay where they are; the message says why. */
export class ColumnsStay extends Error {}

/**
 * Copies the open withdrawals into a table of that order, with the same indexes, in a transaction that locks it. Statements
 * name their columns: those of processes that serve are planned anew.
 * @throws ColumnsStay
 */
export async function putInOrder(run: Run): Promise<void> {
  await run("LOCK TABLE withdrawals IN ACCESS EXCLUSIVE MODE");
  const [found] = await run(
    `SELECT current_setting('default_transaction_isolation') AS isolation, pg_get_userbyid(relowner) = current_user AS is_own, EXISTS (
        SELECT tgrelid FROM pg_trigger WHERE tgrelid = c.oid AND NOT tgisinternal UNION ALL SELECT polrelid FROM pg_policy WHERE polrelid = c.oid
        UNION ALL SELECT conrelid FROM pg_constraint WHERE conrelid = c.oid AND contype IN ('c', 'f')
        UNION ALL SELECT ev_class FROM pg_rewrite WHERE ev_class = c.oid
        UNION ALL SELECT c.oid FROM pg_publication_tables WHERE schemaname = current_schema() AND tablename = c.relname
        UNION ALL SELECT attrelid FROM pg_attribute WHERE attrelid = c.oid AND attacl IS NOT NULL) AS is_extended,
        coalesce(array_to_string(reloptions, ', '), 'fillfactor = ${filledPercent}') AS options
      FROM pg_class AS c WHERE oid = 'withdrawals'::regclass`,
  );
  // A read that began before would find the new table empty.
  if (found?.isolation !== "read committed")
    throw new ColumnsStay("default_transaction_isolation is not read committed");
  if (found.is_own !== true) throw new ColumnsStay("another role owns the table; migrate as that one");
  if (found.is_extended === true)
    throw new ColumnsStay("the table has a trigger, a rule, a policy, a check, a publication or rights on columns");
  // By an index: what has ended may have left its space behind.
  await run("SET LOCAL enable_seqscan = off");
  const [more] = await run(
    `SELECT 1 FROM (SELECT created_at FROM withdrawals ORDER BY created_at OFFSET ${copiedMax} LIMIT 1) AS more`,
  );
  if (more !== undefined) throw new ColumnsStay(`more than ${copiedMax} are open; migrate again at a quiet hour`);
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
  // Rights that new tables get by default.
  for (const { grantee } of await grantsOn(run, "withdrawals")) await run(`REVOKE ALL ON withdrawals FROM ${grantee}`);
  for (const { text } of [...indexes, ...grants]) await run(String(text));
  // Last, as one may have begun meanwhile: it waits for the lock, and its dump would hold no open withdrawal.
  const [reader] = await run(
    `SELECT coalesce(state, 'disabled') = 'disabled' AS is_hidden FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL AND (coalesce(state, 'disabled') = 'disabled'
        OR application_name = 'pg_dump' OR backend_xmin IS NOT NULL AND (state LIKE 'idle in transaction%'
          OR xact_start < transaction_timestamp() - interval '${soonMs} milliseconds')) ORDER BY is_hidden`,
  );
  if (reader?.is_hidden === true)
    throw new ColumnsStay("sessions of another role cannot be seen: migrate with pg_read_all_stats");
  if (reader !== undefined) throw new ColumnsStay("a dump or a repeatable read is under way; migrate again after it");
}
