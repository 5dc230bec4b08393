/** What `audit verify` reads of the history beside its rows; each answer is of one moment. */
import { sql } from "kysely";
import { statement } from "../../store/statement.ts";
import { eventColumns } from "./events.ts";

const columns = eventColumns.map((column) => `e.${column}` as const);

type Nothing = Readonly<Record<never, never>>;

/** Rows in the order of their withdrawals, each with what its withdrawal is about; `partner_id` is null where that is gone. */
export const provenPage = statement("proof_page", (db, p: { id: string; sequence: number; limit: number }) =>
  db
    .selectFrom("withdrawal_events as e")
    .leftJoin("withdrawals as w", "w.id", "e.transaction_id")
    .leftJoin("archived_withdrawals as a", "a.id", "e.transaction_id")
    .select([
      ...columns,
      sql<string | null>`coalesce(w.partner_id, a.partner_id)`.as("partner_id"),
      sql<string>`coalesce(w.merchant_id, a.merchant_id)`.as("merchant_id"),
      sql<number>`coalesce(w.amount, a.amount)`.as("amount"),
      sql<string>`coalesce(w.currency, a.currency)`.as("currency"),
      sql<number>`coalesce(w.created_at, a.created_at)`.as("created_at"),
      sql<string>`coalesce(w.status, a.status)`.as("status"),
      sql<number>`coalesce(w.history_length, a.history_length)`.as("history_length"),
    ])
    .where(sql<boolean>`(e.transaction_id, e.sequence) > (${p.id}, ${p.sequence})`)
    .orderBy("e.transaction_id")
    .orderBy("e.sequence")
    .limit(p.limit),
);

const withoutNewest = (table: "withdrawals" | "archived_withdrawals") =>
  statement(`proof_without_newest_${table}`, (db, _: Nothing) =>
    db
      .selectFrom(table)
      .select(["id", "history_length"])
      .where("history_length", ">", 0)
      .where(
        sql<boolean>`not exists (select 1 from withdrawal_events as newest
          where newest.transaction_id = ${sql.ref(`${table}.id`)} and newest.sequence = ${sql.ref(`${table}.history_length`)})`,
      )
      .limit(1),
  );

/** One whose newest row is missing, of the running ones and of the archive. */
export const lackingNewest = [withoutNewest("withdrawals"), withoutNewest("archived_withdrawals")] as const;

/** How many rows are under a seal, how many not yet, and the highest seal. */
export const sealCounts = statement("proof_seal_counts", (db, _: Nothing) =>
  db
    .selectFrom("withdrawal_events")
    .select([
      sql<number>`count(seal)`.as("sealed"),
      sql<number>`count(*) - count(seal)`.as("unsealed"),
      sql<number>`coalesce(max(seal), 0)`.as("highest"),
    ]),
);
