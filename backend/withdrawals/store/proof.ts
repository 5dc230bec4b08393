/** What `audit verify` reads of the history beside its rows, in pages; each is of one moment. */
import { sql } from "kysely";
import { statement } from "../../store/statement.ts";
import { eventColumns } from "./events.ts";

const columns = eventColumns.map((column) => `e.${column}` as const);

const ofWithdrawal = <T>(column: string) => sql<T>`coalesce(${sql.ref(`w.${column}`)}, ${sql.ref(`a.${column}`)})`;

/** Rows in the order of their withdrawals, each with what its withdrawal says; `partner_id` is null where that is gone. */
export const provenPage = statement("proof_page", (db, p: { id: string; sequence: number; limit: number }) =>
  db
    .selectFrom("withdrawal_events as e")
    .leftJoin("withdrawals as w", "w.id", "e.transaction_id")
    .leftJoin("archived_withdrawals as a", "a.id", "e.transaction_id")
    .select([
      ...columns,
      ofWithdrawal<string | null>("partner_id").as("partner_id"),
      ofWithdrawal<string>("merchant_id").as("merchant_id"),
      ofWithdrawal<number>("amount").as("amount"),
      ofWithdrawal<string>("currency").as("currency"),
      ofWithdrawal<number>("created_at").as("created_at"),
      ofWithdrawal<string>("status").as("status"),
      ofWithdrawal<number>("history_length").as("history_length"),
      ofWithdrawal<string | null>("device_id").as("device_id"),
      ofWithdrawal<string | null>("cashier").as("withdrawal_cashier"),
      ofWithdrawal<number | null>("confirmed_at").as("confirmed_at"),
      ofWithdrawal<number | null>("settled_at").as("settled_at"),
      ofWithdrawal<number | null>("linked_at").as("linked_at"),
      ofWithdrawal<number | null>("closed_at").as("closed_at"),
    ])
    .where(sql<boolean>`(e.transaction_id, e.sequence) > (${p.id}, ${p.sequence})`)
    .orderBy("e.transaction_id")
    .orderBy("e.sequence")
    .limit(p.limit),
);

/** A row of `provenPage`. */
export type ProvenRow = NonNullable<ReturnType<typeof provenPage>["row"]>;

const tailPage = (table: "withdrawals" | "archived_withdrawals") =>
  statement(`proof_tails_${table}`, (db, p: { id: string; limit: number }) =>
    db
      .selectFrom(table)
      .select([
        "id",
        "created_at",
        "history_length",
        sql<number>`case when history_length = 0 or exists (select 1 from withdrawal_events as newest
          where newest.transaction_id = ${sql.ref(`${table}.id`)} and newest.sequence = ${sql.ref(`${table}.history_length`)})
          then 1 else 0 end`.as("has_newest"),
      ])
      .where("id", ">", p.id)
      .orderBy("id")
      .limit(p.limit),
  );

/** Withdrawals in the order of their ids, each with whether its newest row is there; of the running ones and of the archive. */
export const tailPages = [tailPage("withdrawals"), tailPage("archived_withdrawals")] as const;

/** How many rows are under a seal that the audit had at `head`, how many under none, and the highest seal. */
export const sealCounts = statement("proof_seal_counts", (db, p: { head: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select([
      sql<number>`count(case when seal <= ${p.head} then 1 end)`.as("sealed"),
      sql<number>`count(*) - count(seal)`.as("unsealed"),
      sql<number>`coalesce(max(seal), 0)`.as("highest"),
    ]),
);
