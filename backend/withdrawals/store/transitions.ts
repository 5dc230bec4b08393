/** Statements that change a withdrawal's status: one conditional UPDATE each, whose WHERE decides; no row comes back where it did not apply. */
import { sql } from "kysely";
import { customerIsBlocked } from "../../checkin/checkin-store.ts";
import type { Reason } from "../../contract/reasons.ts";
import { rowFrom, withdrawalColumns } from "../../store/columns.ts";
import { statement } from "../../store/statement.ts";
import type { Row } from "./reads.ts";
import { answersByCode, type ById, countsEvent, found, type ToSettle, updatedColumns } from "./updated-row.ts";

type AtTerminal = { readonly id: string; readonly merchant: string; readonly device: string; readonly now: number };
type Answered = { readonly id: string; readonly now: number; readonly attempts: number };

/** A new one; no row comes back where the partner has used its idempotency key before. */
export const insertWithdrawal = statement("withdrawal_insert", (db, p: Record<keyof Row, string | number | null>) =>
  db
    .insertInto("withdrawals")
    .values(rowFrom<Row>(p, withdrawalColumns))
    .onConflict((same) => same.columns(["partner_id", "idempotency_key"]).doNothing())
    .returning(withdrawalColumns),
);

/** `requested` → `ready`: the bank has secured the funds in time. */
export const acceptStart = statement("start_accepted", (db, p: ById) =>
  db
    .updateTable("withdrawals")
    .set((set) => ({ status: "ready", deadline_at: set.ref("expires_at"), ...countsEvent }))
    .where("id", "=", p.id)
    .where(found((row) => [row("status", "=", "requested"), row("deadline_at", ">", p.now)]))
    .returning(updatedColumns),
);

/** `requested` → `declined`: the bank said no, or nothing in time. */
export const declineStart = statement("start_declined", (db, p: ById & { readonly reason: Reason }) =>
  db
    .updateTable("withdrawals")
    .set({ status: "declined", reason: p.reason, closed_at: p.now, deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where("status", "=", "requested")
    .returning(updatedColumns),
);

/** `ready` → `awaiting_sca` or `settling`, where the cashier confirms in time and the user is not blocked. */
export const confirmReady = statement(
  "confirm_ready",
  (db, p: { id: string; merchant: string; device: string; posId: string; now: number; scaExpiresAt: number }) => {
    const scaExpiresAt = sql<number | null>`case when sca_required = 1 then cast(${p.scaExpiresAt} as bigint) end`;
    return db
      .updateTable("withdrawals")
      .set({
        status: sql<"awaiting_sca">`case when sca_required = 1 then 'awaiting_sca' else 'settling' end`,
        device_id: p.device,
        transaction_id_partner: p.posId,
        confirmed_at: p.now,
        sca_expires_at: scaExpiresAt,
        deadline_at: scaExpiresAt,
        ...countsEvent,
      })
      .where("id", "=", p.id)
      .where(
        found((row) => [
          row("merchant_id", "=", p.merchant),
          row("status", "=", "ready"),
          row("deadline_at", ">", p.now),
          row.not(customerIsBlocked(sql.ref("withdrawals.partner_id"), sql.ref("withdrawals.user_id"))),
        ]),
      )
      .returning([
        ...updatedColumns,
        answersByCode,
        sql<number | null>`(select terminal_hour_max from merchants where merchants.id = withdrawals.merchant_id)`.as(
          "terminal_hour_max",
        ),
      ]);
  },
);

/** What the UPDATE above returns, as `Transition` hands it on. */
export type Confirmed = ToSettle & { readonly terminal_hour_max: number | null };

/** `ready` or this device's `awaiting_sca` → `rejected`, in time. */
export const rejectOpen = statement("reject_open", (db, p: AtTerminal & { readonly reason: Reason }) =>
  db
    .updateTable("withdrawals")
    .set({ status: "rejected", reason: p.reason, closed_at: p.now, deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where(
      found((row) => [
        row("merchant_id", "=", p.merchant),
        row.or([row("status", "=", "ready"), row("status", "=", "awaiting_sca").and("device_id", "=", p.device)]),
        row("deadline_at", ">", p.now),
      ]),
    )
    .returning(updatedColumns),
);

/** `ready` → `canceled`, in time. */
export const cancelReady = statement("cancel_ready", (db, p: { id: string; partner: string; now: number }) =>
  db
    .updateTable("withdrawals")
    .set({ status: "canceled", reason: "user_canceled", closed_at: p.now, deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where(
      found((row) => [row("partner_id", "=", p.partner), row("status", "=", "ready"), row("deadline_at", ">", p.now)]),
    )
    .returning(updatedColumns),
);

type AtBank = { readonly id: string; readonly partner: string; readonly now: number };

/** `awaiting_sca` → `settling`, in time. */
export const approveSca = statement("sca_approve", (db, p: AtBank) =>
  db
    .updateTable("withdrawals")
    .set({ status: "settling", deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where(
      found((row) => [
        row("partner_id", "=", p.partner),
        row("status", "=", "awaiting_sca"),
        row("deadline_at", ">", p.now),
      ]),
    )
    .returning([...updatedColumns, answersByCode]),
);

/** `awaiting_sca` → `canceled`, in time. */
export const denySca = statement("sca_deny", (db, p: AtBank) =>
  db
    .updateTable("withdrawals")
    .set({ status: "canceled", reason: "sca_denied", closed_at: p.now, deadline_at: null, ...countsEvent })
    .where("id", "=", p.id)
    .where(
      found((row) => [
        row("partner_id", "=", p.partner),
        row("status", "=", "awaiting_sca"),
        row("deadline_at", ">", p.now),
      ]),
    )
    .returning(updatedColumns),
);

/** `settling` → `settled`. @param attempts calls of Settle order until the answer. */
export const settleAccepted = statement("settle_accepted", (db, p: Answered) =>
  db
    .updateTable("withdrawals")
    .set({
      status: "settled",
      settled_at: p.now,
      settle_attempts: sql<number>`cast(${p.attempts} as bigint)`,
      ...countsEvent,
    })
    .where("id", "=", p.id)
    .where("status", "=", "settling")
    .returning(updatedColumns),
);

/** `settling` → `failed`. @param attempts as above. */
export const failDeclined = statement("settle_declined", (db, p: Answered) =>
  db
    .updateTable("withdrawals")
    .set({
      status: "failed",
      reason: "settle_declined",
      closed_at: p.now,
      settle_attempts: sql<number>`cast(${p.attempts} as bigint)`,
      ...countsEvent,
    })
    .where("id", "=", p.id)
    .where("status", "=", "settling")
    .returning(updatedColumns),
);

/** `settled` → `linked`, by the device that confirmed. */
export const linkSettled = statement(
  "link_settled",
  (db, p: AtTerminal & { readonly cashier: string | null; readonly handOutId: string | null }) =>
    db
      .updateTable("withdrawals")
      .set({ status: "linked", linked_at: p.now, cashier: p.cashier, hand_out_id: p.handOutId, ...countsEvent })
      .where("id", "=", p.id)
      .where(
        found((row) => [
          row("merchant_id", "=", p.merchant),
          row("device_id", "=", p.device),
          row("status", "=", "settled"),
        ]),
      )
      .returning(updatedColumns),
);

/** `settled` → `undelivered`, by the device that confirmed. */
export const settledToUndelivered = statement(
  "declare_undelivered",
  (db, p: AtTerminal & { readonly reason: string; readonly cashier: string | null }) =>
    db
      .updateTable("withdrawals")
      .set({
        status: "undelivered",
        undelivered_reason: p.reason,
        closed_at: p.now,
        cashier: p.cashier,
        ...countsEvent,
      })
      .where("id", "=", p.id)
      .where(
        found((row) => [
          row("merchant_id", "=", p.merchant),
          row("device_id", "=", p.device),
          row("status", "=", "settled"),
        ]),
      )
      .returning(updatedColumns),
);
