/** The orders to a bank: Start order, which the caller waits for, and Settle order, which stays in the outbox until it has a definite answer. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { pause, pauseUnless } from "../background.ts";
import type { Service, SettleQueue, StartSlots } from "../context.ts";
import { parseStrictJson } from "../contract/ambiguity.ts";
import { formatAmount } from "../contract/money.ts";
import {
  holdMarginMs,
  partnerCallTimeoutMs,
  type SettleOrder,
  type StartOrder,
  startOrderWindowMs,
} from "../contract/partner.ts";
import { toTime } from "../contract/times.ts";
import { ServiceError } from "../service-error.ts";
import { lookedNow } from "../store/restores.ts";
import { columnsOf, type RowOf } from "../store/schema.ts";
import { insertRow, statement, type Tx } from "../store/store.ts";
import type { DefiniteAnswer, PartnerAnswer } from "./answer.ts";
import type { Partner } from "./partners.ts";
import { type CallResult, createQueue, leaseMs, type MessageKind, queueStatements, retryPauseMs } from "./queue.ts";
import { callPartner, notSent, raiseAlarm } from "./send.ts";

/** What a claim reads of an order's withdrawal: whether it waits for this bank's answer, and what its order says. */
interface Ordered {
  readonly is_due: 0 | 1;
  readonly user_id: string | null;
  readonly terminal_reference: string | null;
  readonly merchant_id: string;
  readonly amount: number;
  readonly currency: string;
  /** See `lookedNow`. */
  readonly looked: string | null;
}
/** A Settle order as this process has just written it, where its commit has read the bank's row with that, or as it is claimed. */
export type Order = RowOf<"outbox"> & Partial<Ordered> & { readonly bank?: Partner | undefined };

/** Condition: its user's id was erased. Only what was reported after a restore can have an order then, which still has the id. */
const isErased = sql<SqlBool>`(w.status <> 'settling' and w.user_id like 'erased-%')`;
/** It is being paid; or it is `linked` by a report after a restore, and its bank is asked all the same once it has approved it. */
const waitsForBank = sql<0 | 1>`(select count(*) from withdrawals as w where w.id = outbox.transaction_id
  and w.partner_id = outbox.partner_id
  and (coalesce(w.partner_reference, '') = coalesce(outbox.partner_reference, '') or ${isErased})
  and (w.status = 'settling' or (w.status = 'linked' and w.reason = 'restored' and w.settled_at is null
    and exists (select 1 from withdrawal_events as e where e.transaction_id = w.id and e.asked_at in (w.created_at, 0)
      and e.kind = 'approved'))))`;

const ofWithdrawal = <T>(value: RawBuilder<T>) =>
  sql<T>`(select ${value} from withdrawals as w where w.id = outbox.transaction_id)`;

/** Statements on the outbox. */
export const outbox = queueStatements<Order, "all">(
  "outbox",
  columnsOf("outbox"),
  ["all"],
  () => ({ unsent_attempts: sql<number>`case when unsent_attempts = attempts then attempts + 1 else 0 end` }),
  [
    waitsForBank.as("is_due"),
    ofWithdrawal(sql`case when ${isErased} then null else w.user_id end`).as("user_id"),
    ofWithdrawal(sql`w.transaction_id_partner`).as("terminal_reference"),
    ofWithdrawal(sql`w.merchant_id`).as("merchant_id"),
    ofWithdrawal(sql`w.amount`).as("amount"),
    ofWithdrawal(sql`w.currency`).as("currency"),
    lookedNow,
  ],
);

const insert = statement("outbox_insert", (db, p: RowOf<"outbox">) => insertRow(db, "outbox", p));

/**
 * Writes the Settle order in the commit that makes a withdrawal `settling`, already leased by this process.
 * @param row `answers_by_code` is 1 for banks whose sent tries must be counted; for others no write precedes the call.
 */
export async function insertOrder(
  tx: Tx,
  row: RowOf<"withdrawals"> & { readonly answers_by_code: number },
  now: number,
  workerId: string,
): Promise<Order> {
  const body: SettleOrder = {
    userId: row.user_id,
    TransactionId: row.transaction_id_partner ?? "",
    DateOperation: toTime(now),
    SvcTransactionReferenceId: row.id,
  };
  const order: RowOf<"outbox"> = {
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
    // What a restore ended may have had an order before, which the copy forgot: that one's answer is not this code.
    unsent_attempts: row.answers_by_code === 1 && row.reason !== "restored" ? 1 : 0,
  };
  tx.runUnawaited(insert({ ...order }));
  const { transaction_id_partner: terminal_reference, merchant_id, amount, currency } = row;
  return { ...order, terminal_reference, merchant_id, amount, currency };
}

/** The `webhook-id`: a withdrawal has exactly one Settle order. */
export const orderId = (transactionId: string): string => `settle_${transactionId}`;

/** Deletes an order if this try still holds it, and no later one has been claimed. */
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

/** Matches orders from before `before`, or dated after `future` by a clock that was ahead, whose age is unknown. */
type Unanswered = { readonly before: number; readonly future: number };
const isUnanswered = ({ before, future }: Unanswered) =>
  sql<SqlBool>`(created_at < ${before} or created_at > ${future})`;

/** The order, if it has waited that long for a definite answer. */
export const unansweredOrder = statement("outbox_unanswered_one", (db, p: Unanswered & { readonly id: string }) =>
  db.selectFrom("outbox").select("id").where("id", "=", p.id).where(isUnanswered(p)),
);

const callColumns = ["id", "partner_id", "attempts", "created_at", "last_error"] as const;

/** Calls that wait for a withdrawal's bank: its order and its status events. */
export const callsOf = statement("calls_of", (db, p: { id: string }) =>
  db
    .selectFrom("outbox")
    .select(callColumns)
    .where("transaction_id", "=", p.id)
    .unionAll(db.selectFrom("status_events").select(callColumns).where("transaction_id", "=", p.id)),
);

/** Records that an order is about to be sent for the first time; no row comes back if its lease is lost, and then it must not be sent. */
const recordSending = statement("outbox_sending", (db, p: { id: string; worker: string; attempts: number }) =>
  db
    .updateTable("outbox")
    .set({ unsent_attempts: 0 })
    .where((row) => row.and({ id: p.id, claimed_by: p.worker, attempts: p.attempts }))
    .returning("id"),
);

/** Whether it is taken for sent, or has its answer. */
const stillSent = statement("outbox_still_sent", (db, p: { id: string }) =>
  db.selectNoFrom(
    sql<
      string | null
    >`case when exists (select 1 from outbox where id = ${p.id} and unsent_attempts <> 0) then null else 'sent' end`.as(
      "hash",
    ),
  ),
);

/** Takes all orders for sent once: a copy of the database does not know what was sent since. */
export const takeForSent = statement("outbox_take_for_sent", (db) =>
  db.updateTable("outbox").set({ unsent_attempts: 0 }).where("unsent_attempts", "!=", 0),
);

/**
 * Stores a definite answer with the address it came from, and deletes the order, in one commit. @param answer null: there is none, and this
 * process no longer holds the order.
 */
export type OnSettleAnswer = (
  service: Service,
  order: Order,
  answer: DefiniteAnswer | null,
  address?: string,
) => Promise<void>;

/** Whether the database may lack what was done, by an order's `looked`. */
type MayHaveForgotten = (service: Service, looked: string | null) => boolean;

/** If the database is away, a bank's answer is kept in memory for about two minutes. */
const answerTriesMax = 60;
const answerPauseMs = { first: 100, max: 2_000 } as const;

/**
 * Whether an order from the database is, to the letter, that of a withdrawal which waits for it: a yes to another one would hand out cash
 * for this, a yes to one that nobody has approved, or that has ended, would be money without cash, and another customer's is not ours.
 */
const isOwnOrder = ({ id, transaction_id, body, is_due, user_id, terminal_reference }: Order): boolean => {
  if (is_due === undefined) return true;
  const parsed = parseStrictJson(body);
  if (is_due !== 1 || id !== orderId(transaction_id) || !parsed.ok || parsed.value === null) return false;
  const said = parsed.value as SettleOrder;
  const order: SettleOrder = {
    userId: user_id ?? String(said.userId),
    TransactionId: terminal_reference ?? "",
    DateOperation: String(said.DateOperation),
    SvcTransactionReferenceId: transaction_id,
  };
  return body === JSON.stringify(order);
};

/** An order that has waited for its turn longer than this is sent as its bank is set by now. */
const bankKnownMs = 1_000;

const sendOrder = async (
  service: Service,
  order: Order,
  onAnswer: OnSettleAnswer,
  mayHaveForgotten: MayHaveForgotten,
  isStopping: () => boolean,
): Promise<CallResult> => {
  if (!isOwnOrder(order)) {
    raiseAlarm(service, "settle", order, "changed");
    return { why: "changed" };
  }
  const { transaction_id: transactionId, amount, currency, looked = null } = order;
  // A failover may have forgotten that it went out; whether it has is known soon, or an operator says so.
  if (order.unsent_attempts === order.attempts && mayHaveForgotten(service, looked)) return "not_sent";
  const answer = await callPartner(service, {
    kind: "settle",
    message: order,
    ordered: amount === undefined || currency === undefined ? undefined : { transactionId, amount, currency },
    afterUnansweredTry: order.unsent_attempts !== order.attempts,
    timeoutMs: partnerCallTimeoutMs,
    maySend: () => maySend(service, order),
    bank: Math.abs(service.clock.now() - order.created_at) < bankKnownMs ? order.bank : undefined,
  });
  if (answer === notSent) return "not_sent";
  if (answer.kind === "none") return answer;
  await keepAnswer(service, () => onAnswer(service, order, answer.kind, answer.address), isStopping);
  return "done";
};

/** Whether this process may still send the order; a first try is recorded before it goes out. */
const maySend = async ({ store, clock }: Service, order: RowOf<"outbox">): Promise<boolean> => {
  const outlastsCall = () => clock.now() + partnerCallTimeoutMs <= order.due_at;
  if (!outlastsCall()) return false;
  const { id, claimed_by: worker, attempts } = order;
  if (order.unsent_attempts !== attempts) return true;
  const held = await store
    .write(async (tx) => {
      const row = await tx.first(recordSending({ id, worker, attempts }));
      // Remembered by this process: a database that has lost it would believe a no to the next try.
      if (row !== undefined) tx.changed(order.transaction_id, undefined, { find: stillSent({ id }), hash: "sent" });
      return row;
    })
    .catch(() => undefined);
  return held !== undefined && outlastsCall();
};

/** A bank may not repeat its answer, so it is written as soon as the database is available. */
const keepAnswer = async ({ clock, log }: Service, write: () => Promise<void>, isStopping: () => boolean) => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries >= answerTriesMax || isStopping()) throw error;
      if (tries === 1) log.error({ err: error }, "a bank's answer could not be written and will be tried again");
      await pause(clock, Math.min(answerPauseMs.max, answerPauseMs.first * 2 ** tries));
    }
  }
};

const slotsSet = statement("partner_slots", (db) =>
  db.selectFrom("partners").select(["id", "slots"]).where("slots", "is not", null),
);

/**
 * The queue's configuration for Settle orders.
 * @param onAnswer stores a definite answer. @param mayHaveForgotten Default: it never does.
 */
export const settleOrders = (
  onAnswer: OnSettleAnswer,
  mayHaveForgotten: MayHaveForgotten = () => false,
): MessageKind<Order, "all"> => ({
  call: "settle",
  statements: outbox,
  slots: ({ options }) => ({ all: options.partnerInFlightMax }),
  slotsSet: slotsSet({}),
  pollsPerLook: 1,
  hasOwner: true,
  report: ({ telemetry }, state) => telemetry.outbox(state),
  send: (service, order, isStopping) => sendOrder(service, order, onAnswer, mayHaveForgotten, isStopping),
  onLost: (service, order, isStopping) => keepAnswer(service, () => onAnswer(service, order, null), isStopping),
});

/** @param service read later, as it is still under construction. */
export const createSettleQueue = (
  service: () => Service,
  workerId: string,
  ...handling: Parameters<typeof settleOrders>
): SettleQueue & { start(): void } => ({ workerId, ...createQueue(service, workerId, settleOrders(...handling)) });

/**
 * Start order (interface 4.2): retried under one `webhook-id` until a definite answer, at most until 15 s after the request.
 * @param storeName the shop's name for the customer.
 * @param bank the row that admitted the request; used for the first try.
 */
export const startOrder = async (
  service: Service,
  row: RowOf<"withdrawals">,
  storeName: string,
  bank?: Partner,
): Promise<{ readonly answer: PartnerAnswer; readonly attempts: number }> => {
  const order: StartOrder = {
    userId: row.user_id,
    amount: formatAmount(row.amount, row.currency),
    dateOfTransaction: toTime(row.created_at),
    expiryTimeOfTheOrder: toTime(row.expires_at + service.options.scaTimeoutMs + holdMarginMs),
    svcTransactionReferenceId: row.id,
    store: storeName,
  };
  const message = {
    id: `start_${row.id}`,
    transaction_id: row.id,
    partner_id: row.partner_id,
    partner_reference: row.partner_reference,
    body: JSON.stringify(order),
  };
  const endAt = row.created_at + startOrderWindowMs;
  let answer = notSent;
  for (let attempt = 1; ; attempt += 1) {
    const leftMs = endAt - service.clock.now();
    if (leftMs <= 0 || leftMs > startOrderWindowMs) return { answer, attempts: attempt - 1 };
    answer = await callPartner(service, {
      kind: "start",
      message: { ...message, attempts: attempt },
      ordered: { transactionId: row.id, amount: row.amount, currency: row.currency },
      afterUnansweredTry: attempt > 1,
      timeoutMs: Math.min(partnerCallTimeoutMs, leftMs),
      bank: attempt === 1 ? bank : undefined,
    });
    if (answer.kind !== "none" || service.startSlots.stopping.aborted) return { answer, attempts: attempt };
    const backoffMs = retryPauseMs("start", attempt - 1, service.random.fraction());
    const delayMs = Math.min(Math.max(answer.retryAfterMs ?? 0, backoffMs), endAt - service.clock.now());
    if (!(await pauseUnless(service.startSlots.stopping, service.clock, delayMs))) return { answer, attempts: attempt };
  }
};

/** @param slotsMax for each partner. */
export const createStartSlots = (slotsMax: number): StartSlots => {
  const taken = new Map<string, number>();
  const waiting: (() => void)[] = [];
  const stopping = new AbortController();
  const wakeWhenEmpty = () => {
    if (taken.size === 0) for (const wake of waiting.splice(0)) wake();
  };

  return {
    acquire(partnerId) {
      const count = taken.get(partnerId) ?? 0;
      if (stopping.signal.aborted) throw new ServiceError("unavailable", "The service is stopping. Ask again.");
      if (count >= slotsMax) {
        throw new ServiceError("unavailable", "The bank is slow to answer. Ask again.", { retryAfterSeconds: 5 });
      }
      taken.set(partnerId, count + 1);
      return () => {
        const left = (taken.get(partnerId) ?? 1) - 1;
        if (left > 0) taken.set(partnerId, left);
        else taken.delete(partnerId);
        wakeWhenEmpty();
      };
    },

    stopping: stopping.signal,

    stop() {
      stopping.abort();
      return new Promise((resolve) => {
        waiting.push(resolve);
        wakeWhenEmpty();
      });
    },
  };
};
