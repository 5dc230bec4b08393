/** Rows of status events that a bank has not taken yet. Every statement on them is here. */
import { sql } from "kysely";
import { outboxColumns } from "../store/columns.ts";
import type { StatusEventsTable } from "../store/schema.ts";
import { statement } from "../store/statement.ts";

type NewEvent = {
  readonly id: string;
  readonly transaction: string;
  readonly partner: string;
  readonly body: string;
  readonly reference: string | null;
  readonly now: number;
};

/** Written only for a bank that has an address for events; in the commit of the move, so that no move is forgotten. */
export const insertEvent = statement("status_event_insert", (db, p: NewEvent) => {
  const time = sql<number>`cast(${p.now} as bigint)`;
  const text = (value: string | null) => sql<string>`cast(${value} as text)`;
  return db
    .insertInto("status_events")
    .columns(outboxColumns as (keyof StatusEventsTable)[])
    .expression((from) =>
      from
        .selectFrom("partners")
        .select([
          text(p.id).as("id"),
          text(p.transaction).as("transaction_id"),
          "partners.id as partner_id",
          text(p.body).as("body"),
          sql<number>`0`.as("attempts"),
          time.as("due_at"),
          sql<string>`''`.as("claimed_by"),
          time.as("created_at"),
          sql<string>`null`.as("last_error"),
          text(p.reference).as("partner_reference"),
        ])
        .where("partners.id", "=", p.partner)
        .where("partners.events_url", "is not", null),
    )
    .onConflict((same) => same.column("id").doNothing());
});

/** Partners with something to claim. */
export const partnersWithEvents = statement("status_event_partners", (db, p: { now: number }) =>
  db
    .selectFrom("partners")
    .select("id")
    .where((where) =>
      where.exists(
        where
          .selectFrom("status_events")
          .select("status_events.id")
          .whereRef("status_events.partner_id", "=", "partners.id")
          .where("status_events.due_at", "<=", p.now),
      ),
    ),
);

/** Leases the oldest that are due; two processes never get the same one. */
export const claimEvents = statement(
  "status_event_claim",
  (db, p: { partner: string; now: number; leasedUntil: number; worker: string; limit: number }, dialect) =>
    db
      .updateTable("status_events")
      .set((set) => ({ due_at: p.leasedUntil, claimed_by: p.worker, attempts: set("attempts", "+", 1) }))
      .where("id", "in", (inner) => {
        const due = inner
          .selectFrom("status_events")
          .select("id")
          .where("partner_id", "=", p.partner)
          .where("due_at", "<=", p.now)
          .orderBy("due_at")
          .limit(p.limit);
        return dialect === "postgres" ? due.forUpdate().skipLocked() : due;
      })
      .returning(outboxColumns),
);

/** Puts one back until `dueAt`, unless another process has taken it over. */
export const postponeEvent = statement(
  "status_event_postpone",
  (db, p: { id: string; worker: string; attempts: number; dueAt: number; error: string }) =>
    db
      .updateTable("status_events")
      .set({ due_at: p.dueAt, last_error: p.error })
      .where("id", "=", p.id)
      .where("claimed_by", "=", p.worker)
      .where("attempts", "=", p.attempts),
);

export const deleteEvent = statement("status_event_delete", (db, p: { id: string }) =>
  db.deleteFrom("status_events").where("id", "=", p.id),
);
