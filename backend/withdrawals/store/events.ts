/** Statements on the history of withdrawals, `withdrawal_events`. */
import { sql } from "kysely";
import { columnsOf, rowFrom } from "../../store/columns.ts";
import { adhoc, statement } from "../../store/statement.ts";
import type { WithdrawalEventsTable } from "../../store/tables/withdrawals.ts";

type Written = Omit<WithdrawalEventsTable, "seal">;

/** What a transition writes of a row; its seal comes later. */
const writtenColumns = columnsOf<Written>()({
  transaction_id: true,
  sequence: true,
  kind: true,
  at: true,
  from_status: true,
  to_status: true,
  actor: true,
  actor_id: true,
  request_id: true,
  reason: true,
  attempt: true,
  cashier: true,
  hash: true,
});

/** Every column of a row of the history. */
export const eventColumns = [...writtenColumns, "seal"] as const;

/** Adds a row to the history. */
export const insertEvent = statement(
  "withdrawal_event_insert",
  (db, p: { [Column in keyof Written]: string | number | null }) =>
    db.insertInto("withdrawal_events").values(rowFrom<Written>(p, writtenColumns)),
);

/** The history of one, the oldest first. */
export const eventsOf = statement("withdrawal_events_of", (db, p: { id: string }) =>
  db.selectFrom("withdrawal_events").select(eventColumns).where("transaction_id", "=", p.id).orderBy("sequence"),
);

/** The hash of one row. */
export const hashOfEvent = statement("withdrawal_event_hash", (db, p: { id: string; sequence: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("hash")
    .where("transaction_id", "=", p.id)
    .where("sequence", "=", p.sequence),
);

/** Deletes the history of what leaves the archive. */
export const deleteEvents = (ids: readonly string[]) =>
  adhoc((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "in", ids));

/** The seals that hold rows of these withdrawals. */
export const sealsOf = (ids: readonly string[]) =>
  adhoc((db) =>
    db
      .selectFrom("withdrawal_events")
      .select("seal")
      .distinct()
      .where("transaction_id", "in", ids)
      .where("seal", "is not", null)
      .orderBy("seal"),
  );

/** The rows of one seal. */
export const sealedRows = statement("withdrawal_events_sealed", (db, p: { seal: number }) =>
  db.selectFrom("withdrawal_events").select(eventColumns).where("seal", "=", p.seal),
);

/** Puts rows that have none under a seal, `limit` of them. */
export const sealRows = statement("withdrawal_events_seal", (db, p: { seal: number; limit: number }) =>
  db
    .updateTable("withdrawal_events")
    .set({ seal: p.seal })
    .where(
      sql<boolean>`(transaction_id, sequence) in
        (select transaction_id, sequence from withdrawal_events where seal is null limit ${p.limit})`,
    )
    .returning(eventColumns),
);

/** Puts what is left under one seal under another. */
export const moveSeal = statement("withdrawal_events_move_seal", (db, p: { from: number; to: number }) =>
  db.updateTable("withdrawal_events").set({ seal: p.to }).where("seal", "=", p.from).returning(eventColumns),
);
