/** Rows of the outbox: Settle orders without a definite answer. Every statement on them is here. */
import { type Kysely, type SqlBool, sql } from "kysely";
import { partnerCallTimeoutMs, type SettleOrder } from "../contract/partner.ts";
import { outboxColumns, rowFrom } from "../store/columns.ts";
import type { Database } from "../store/schema.ts";
import { type Dialect, statement } from "../store/statement.ts";
import { send, type UnitOfWork } from "../store/store.ts";
import type { OutboxTable, WithdrawalsTable } from "../store/tables/withdrawals.ts";
import { type DueClaim, type DueEnd, type DueTimes, hasDue, isDue } from "./due.ts";
import { retrySchedules } from "./retry.ts";

/** Long enough for one call and its commit; after it another process takes over. */
export const leaseMs = 2 * partnerCallTimeoutMs;
/** No lease or pause reaches further: a row that lies beyond was written under a wrong clock and is due now. */
export const maxPlausibleDueAheadMs = 2 * retrySchedules.settle.maxMs;

const insert = statement("outbox_insert", (db, p: Record<keyof OutboxTable, string | number | null>) =>
  db.insertInto("outbox").values(rowFrom<OutboxTable>(p, outboxColumns)),
);

/**
 * Writes the order in the commit that makes a withdrawal `settling`, already leased by this process.
 * @param row with `answers_by_code` 1 for a bank of which it counts what was sent; for the others no write precedes the call.
 */
export function* insertOrder(
  row: WithdrawalsTable & { readonly answers_by_code: number },
  now: number,
  workerId: string,
): UnitOfWork<OutboxTable> {
  const body: SettleOrder = {
    userId: row.user_id,
    TransactionId: row.transaction_id_partner ?? "",
    DateOperation: new Date(now).toISOString(),
    SvcTransactionReferenceId: row.id,
  };
  const order: OutboxTable = {
    id: orderId(row.id),
    transaction_id: row.id,
    partner_id: row.partner_id,
    body: JSON.stringify(body),
    attempts: 1,
    due_at: now + leaseMs,
    claimed_by: workerId,
    created_at: now,
    last_error: null,
    partner_reference: row.partner_reference,
    unsent_attempts: row.answers_by_code === 1 ? 1 : 0,
  };
  yield* send(insert({ ...order }));
  return order;
}

/** The `webhook-id`: one withdrawal has one Settle order for ever. */
export const orderId = (transactionId: string): string => `settle_${transactionId}`;

/** Ends an order, whoever holds it: for a yes, which counts from any try. */
export const deleteOrder = statement("outbox_delete", (db, p: { id: string }) =>
  db.deleteFrom("outbox").where("id", "=", p.id),
);

/** Ends an order for the try that still holds it; nothing where a later try has been claimed since. */
export const deleteHeldOrder = statement(
  "outbox_delete_held",
  (db, p: { id: string; worker: string | null; attempts: number }) =>
    db
      .deleteFrom("outbox")
      .where("id", "=", p.id)
      .where("claimed_by", "=", p.worker)
      .where("attempts", "=", p.attempts)
      .returning("id"),
);

/** Written before `before`, or under a clock that was ahead: such an order's age is not known. */
type Unanswered = { readonly before: number; readonly future: number };
const isUnanswered = ({ before, future }: Unanswered) =>
  sql<SqlBool>`(created_at < ${before} or created_at > ${future})`;

/** Orders that have waited so long for a definite answer, the oldest first. */
export const unansweredOrders = statement("outbox_unanswered", (db, p: Unanswered) =>
  db.selectFrom("outbox").select(["transaction_id"]).where(isUnanswered(p)).orderBy("created_at"),
);

/** Whether one order is among them. */
export const unansweredOrder = statement("outbox_unanswered_one", (db, p: Unanswered & { readonly id: string }) =>
  db.selectFrom("outbox").select("id").where("id", "=", p.id).where(isUnanswered(p)),
);

/** Partners with something to claim. */
export const duePartners = statement("outbox_due_partners", (db, p: DueTimes) =>
  db.selectFrom("partners").select("id").where(hasDue("outbox", p)),
);

const claim = (end: DueEnd) => (db: Kysely<Database>, p: DueClaim, dialect: Dialect) =>
  db
    .updateTable("outbox")
    .set((set) => ({
      due_at: p.leasedUntil,
      claimed_by: p.worker,
      attempts: set("attempts", "+", 1),
      unsent_attempts: sql<number>`case when unsent_attempts = attempts then attempts + 1 else 0 end`,
    }))
    .where("id", "in", (inner) => {
      const due = inner
        .selectFrom("outbox")
        .select("id")
        .where("partner_id", "=", p.partner)
        .where(isDue(end, p))
        .orderBy("due_at")
        .limit(p.limit);
      return dialect === "postgres" ? due.forUpdate().skipLocked() : due;
    })
    .returning(outboxColumns);

/** Leases the oldest that are due (`claimDue`); two processes never get the same one. */
export const claimOrders = {
  passed: statement("outbox_claim", claim("passed")),
  beyond: statement("outbox_claim_beyond", claim("beyond")),
} as const;

/** Before an order goes out for the first time: nothing comes back where its lease is lost, and then it must not go. */
export const recordSending = statement("outbox_sending", (db, p: { id: string; worker: string; attempts: number }) =>
  db
    .updateTable("outbox")
    .set({ unsent_attempts: 0 })
    .where("id", "=", p.id)
    .where("claimed_by", "=", p.worker)
    .where("attempts", "=", p.attempts)
    .returning("id"),
);

/** Puts one back until `dueAt`, unless another process has taken it over. */
export const postponeOrder = statement(
  "outbox_postpone",
  (db, p: { id: string; worker: string; attempts: number; dueAt: number; error: string }) =>
    db
      .updateTable("outbox")
      .set({ due_at: p.dueAt, last_error: p.error })
      .where("id", "=", p.id)
      .where("claimed_by", "=", p.worker)
      .where("attempts", "=", p.attempts),
);

/** Ends all leases and pauses: for a process that is alone with its database and has just started. */
export const endLeases = statement("outbox_end_leases", (db, p: { now: number }) =>
  db.updateTable("outbox").set({ due_at: p.now }).where("due_at", ">", p.now),
);

/** How many orders wait, and since when the oldest does (epoch milliseconds). */
export const outboxState = statement("outbox_state", (db, _: Readonly<Record<never, never>>) =>
  db
    .selectFrom("outbox")
    .select((select) => [select.fn.countAll<number>().as("depth"), select.fn.min("created_at").as("oldest")]),
);
