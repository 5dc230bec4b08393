/** The orders to a bank: Start order, which a caller waits for, and Settle orders, which wait in the outbox until each has a definite answer. */
import { type SqlBool, sql } from "kysely";
import type { Service, SettleQueue, StartSlots } from "../context.ts";
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
import { columnsOf, type RowOf } from "../store/schema.ts";
import { insertRow, statement, type Tx } from "../store/store.ts";
import type { DefiniteAnswer, PartnerAnswer } from "./answer.ts";
import type { Partner } from "./partners.ts";
import { type CallResult, createQueue, leaseMs, type MessageKind, queueStatements, retryPauseMs } from "./queue.ts";
import { callPartner, notSent } from "./send.ts";

/** Statements on the outbox. */
export const outbox = queueStatements<RowOf<"outbox">, "all">("outbox", columnsOf("outbox"), ["all"], () => ({
  unsent_attempts: sql<number>`case when unsent_attempts = attempts then attempts + 1 else 0 end`,
}));

const insert = statement("outbox_insert", (db, p: RowOf<"outbox">) => insertRow(db, "outbox", p));

/**
 * Writes the order in the commit that makes a withdrawal `settling`, already leased by this process.
 * @param row with `answers_by_code` 1 for a bank of which it counts what was sent; for the others no write precedes the call.
 */
export async function insertOrder(
  tx: Tx,
  row: RowOf<"withdrawals"> & { readonly answers_by_code: number },
  now: number,
  workerId: string,
): Promise<RowOf<"outbox">> {
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
    unsent_attempts: row.answers_by_code === 1 ? 1 : 0,
  };
  tx.runUnawaited(insert({ ...order }));
  return order;
}

/** The `webhook-id`: one withdrawal has one Settle order for ever. */
export const orderId = (transactionId: string): string => `settle_${transactionId}`;

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

/** Whether an order has waited so long for a definite answer. */
export const unansweredOrder = statement("outbox_unanswered_one", (db, p: Unanswered & { readonly id: string }) =>
  db.selectFrom("outbox").select("id").where("id", "=", p.id).where(isUnanswered(p)),
);

const callColumns = ["id", "partner_id", "attempts", "created_at", "last_error"] as const;

/** What waits for the bank of one withdrawal: its order, its status events. */
export const callsOf = statement("calls_of", (db, p: { id: string }) =>
  db
    .selectFrom("outbox")
    .select(callColumns)
    .where("transaction_id", "=", p.id)
    .unionAll(db.selectFrom("status_events").select(callColumns).where("transaction_id", "=", p.id)),
);

/** Before an order goes out for the first time: nothing comes back where its lease is lost, and then it must not go. */
const recordSending = statement("outbox_sending", (db, p: { id: string; worker: string; attempts: number }) =>
  db
    .updateTable("outbox")
    .set({ unsent_attempts: 0 })
    .where("id", "=", p.id)
    .where("claimed_by", "=", p.worker)
    .where("attempts", "=", p.attempts)
    .returning("id"),
);

/** Keeps a definite answer, with the address that it came from, and deletes the order's row, in one commit. */
export type OnSettleAnswer = (
  service: Service,
  order: RowOf<"outbox">,
  answer: DefiniteAnswer,
  address?: string,
) => Promise<void>;

/** A database that is away while a bank answers: the answer is kept in memory for about two minutes. */
const answerTriesMax = 60;
const answerPauseMs = { first: 100, max: 2_000 } as const;

const sendOrder = async (
  service: Service,
  order: RowOf<"outbox">,
  onAnswer: OnSettleAnswer,
  isStopping: () => boolean,
): Promise<CallResult> => {
  const answer = await callPartner(service, {
    kind: "settle",
    message: order,
    afterUnansweredTry: order.unsent_attempts !== order.attempts,
    timeoutMs: partnerCallTimeoutMs,
    maySend: () => maySend(service, order),
  });
  if (answer === notSent) return "not_sent";
  if (answer.kind === "none") return answer;
  await keepAnswer(service, () => onAnswer(service, order, answer.kind, answer.address), isStopping);
  return "done";
};

/** Whether the order is still this process's to send; one that never went out is recorded as sent before it goes. */
const maySend = async ({ store, clock }: Service, order: RowOf<"outbox">): Promise<boolean> => {
  const outlastsCall = () => clock.now() + partnerCallTimeoutMs <= order.due_at;
  if (!outlastsCall()) return false;
  const { id, claimed_by: worker, attempts } = order;
  if (order.unsent_attempts !== attempts) return true;
  const held = await store.write((tx) => tx.first(recordSending({ id, worker, attempts }))).catch(() => undefined);
  return held !== undefined && outlastsCall();
};

/** A bank that is asked again may not say it again: what it has said is written as soon as the database takes it. */
const keepAnswer = async ({ clock, log }: Service, write: () => Promise<void>, isStopping: () => boolean) => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write();
    } catch (error) {
      if (tries >= answerTriesMax || isStopping()) throw error;
      if (tries === 1) log.error({ err: error }, "a bank's answer could not be written and will be tried again");
      const pauseMs = Math.min(answerPauseMs.max, answerPauseMs.first * 2 ** tries);
      await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
    }
  }
};

const slotsSet = statement("partner_slots", (db) =>
  db.selectFrom("partners").select(["id", "slots"]).where("slots", "is not", null),
);

/** Settle orders as their queue sends them. @param onAnswer what to do with a definite answer. */
export const settleOrders = (onAnswer: OnSettleAnswer): MessageKind<RowOf<"outbox">, "all"> => ({
  call: "settle",
  statements: outbox,
  slots: ({ options }) => ({ all: options.partnerInFlightMax }),
  slotsSet: slotsSet({}),
  pollsPerLook: 1,
  hasOwner: true,
  report: ({ telemetry }, state) => telemetry.outbox(state),
  send: (service, order, isStopping) => sendOrder(service, order, onAnswer, isStopping),
});

/** @param service read later: it is still in the making. */
export const createSettleQueue = (
  service: () => Service,
  workerId: string,
  onAnswer: OnSettleAnswer,
): SettleQueue & { start(): void } => ({ workerId, ...createQueue(service, workerId, settleOrders(onAnswer)) });

/**
 * Start order (interface 4.2): tried until a definite answer or until 15 s after the request, under one `webhook-id`.
 * @param storeName the merchant's name, as the customer knows the shop. @param bank as the request was admitted with: the first try goes there.
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
      afterUnansweredTry: attempt > 1,
      timeoutMs: Math.min(partnerCallTimeoutMs, leftMs),
      bank: attempt === 1 ? bank : undefined,
    });
    if (answer.kind !== "none" || service.startSlots.stopping.aborted) return { answer, attempts: attempt };
    const backoffMs = retryPauseMs("start", attempt - 1, service.random.fraction());
    const delayMs = Math.min(Math.max(answer.retryAfterMs ?? 0, backoffMs), endAt - service.clock.now());
    await pause(service, delayMs);
    if (service.startSlots.stopping.aborted) return { answer, attempts: attempt };
  }
};

/** Ends early when the service is stopping. */
const pause = ({ clock, startSlots }: Service, delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      cancel();
      startSlots.stopping.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    startSlots.stopping.addEventListener("abort", end);
  });

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
