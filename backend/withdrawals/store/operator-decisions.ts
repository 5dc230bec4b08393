/** What an operator decides about a Settle order that has no answer. */
import { sql } from "kysely";
import { statement } from "../../store/statement.ts";
import { type ById, countsEvent, updatedColumns } from "./updated-row.ts";

/** `settling` → `settled`, the first half of a decision that the bank has booked the payment. */
export const settleByOperator = statement("decide_settled", (db, p: ById) =>
  db
    .updateTable("withdrawals")
    .set({ status: "settled", settled_at: p.now, ...countsEvent })
    .where("id", "=", p.id)
    .where("status", "=", "settling")
    .returning(updatedColumns),
);

/** `settled` → `undelivered`, the second half. */
export const returnByOperator = statement("decide_undelivered", (db, p: ById) =>
  db
    .updateTable("withdrawals")
    .set({
      status: "undelivered",
      undelivered_reason: sql.lit("decided_by_operator"),
      closed_at: p.now,
      ...countsEvent,
    })
    .where("id", "=", p.id)
    .where("status", "=", "settled")
    .returning(updatedColumns),
);

/** `settling` → `failed` and disputed: the decision that the bank has not booked the payment. */
export const failByOperator = statement("decide_failed", (db, p: ById) =>
  db
    .updateTable("withdrawals")
    .set({ status: "failed", reason: "settle_declined", closed_at: p.now, disputed_at: p.now, ...countsEvent })
    .where("id", "=", p.id)
    .where("status", "=", "settling")
    .returning(updatedColumns),
);

/** Makes room in the history for a note. */
export const countNote = statement("decide_note", (db, p: { id: string }) =>
  db.updateTable("withdrawals").set(countsEvent).where("id", "=", p.id).returning(updatedColumns),
);
