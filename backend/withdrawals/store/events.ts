/** Statements on the history of withdrawals, `withdrawal_events`. */
import { columnsOf, rowFrom } from "../../store/columns.ts";
import { adhoc, statement } from "../../store/statement.ts";
import type { WithdrawalEventsTable } from "../../store/tables/withdrawals.ts";

const eventColumns = columnsOf<WithdrawalEventsTable>()({
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
});

/** Adds a row to the history. */
export const insertEvent = statement(
  "withdrawal_event_insert",
  (db, p: { [Column in keyof WithdrawalEventsTable]: string | number | null }) =>
    db.insertInto("withdrawal_events").values(rowFrom<WithdrawalEventsTable>(p, eventColumns)),
);

/** The history of one, the oldest first. */
export const eventsOf = statement("withdrawal_events_of", (db, p: { id: string }) =>
  db.selectFrom("withdrawal_events").select(eventColumns).where("transaction_id", "=", p.id).orderBy("sequence"),
);

/** Deletes the history of what leaves the archive. */
export const deleteEvents = (ids: readonly string[]) =>
  adhoc((db) => db.deleteFrom("withdrawal_events").where("transaction_id", "in", ids));
