/** Statements on open withdrawals; some also read ended ones. */
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SqlBool,
  sql,
  type UpdateObject,
} from "kysely";
import { customerIsBlocked } from "../checkin/check-in.ts";
import type { Reader, Service } from "../context.ts";
import { startOrderWindowMs } from "../contract/partner.ts";
import type { Reason } from "../contract/reasons.ts";
import type { Status } from "../contract/transaction.ts";
import { isOfChain } from "../merchants/chains.ts";
import { merchantColumns } from "../merchants/merchants.ts";
import { columnsBeside, partnerMayUse } from "../partner/partners.ts";
import { lookedNow } from "../store/restores.ts";
import { columnsOf, type Database, type RowOf } from "../store/schema.ts";
import { adhoc, isIn, monthsLately, type Query, type Span, statement } from "../store/store.ts";
import { isUser, type UserKey } from "../store/user-key.ts";
import { type UnlinkedCounts, unlinkedAges } from "../telemetry.ts";
import { expiries, type NextStatus } from "./lifecycle.ts";

/** A stored withdrawal: times in epoch milliseconds, amounts in minor units. */
export type Row = RowOf<"withdrawals">;

/** Open (and restored) withdrawals, then ended ones, in the order to search them: ended ones never come back. */
export const bothTables = ["withdrawals", "archived_withdrawals"] as const;
/** One of the two. */
export type Table = (typeof bothTables)[number];

/** Every column of a withdrawal. */
export const withdrawalColumns = columnsOf("withdrawals");

/** An open withdrawal; ended ones are in `closed.ts`. */
export const withdrawalById = statement("withdrawal_by_id", (db, p: { id: string }) =>
  db.selectFrom("withdrawals").select(withdrawalColumns).where("id", "=", p.id),
);

/** Columns that are shown, or needed to decide on visibility and expiry; never the user's id. */
export const shownColumns = columnsOf(
  "withdrawals",
  ...(["user_id", "settle_attempts", "idempotency_key", "request_hash", "history_length"] as const),
  ...(["disputed_at", "cashier", "other_hand_out_id"] as const),
);

/** The shown columns of a withdrawal. */
export type ShownRow = Pick<Row, (typeof shownColumns)[number]>;

/** The shown columns of an open withdrawal. It is the most frequent call, so it reads no more. */
export const shownById = statement("withdrawal_shown_by_id", (db, p: { id: string }) =>
  db.selectFrom("withdrawals").select(shownColumns).where("id", "=", p.id),
);

/** A partner's open withdrawal under an idempotency key. */
export const withdrawalByKey = statement("withdrawal_by_key", (db, p: { partner: string; key: string }) =>
  db
    .selectFrom("withdrawals")
    .select(withdrawalColumns)
    .where((row) => row.and({ partner_id: p.partner, idempotency_key: p.key })),
);

/** The id of a partner's withdrawal under an idempotency key, open or ended. */
export const withdrawalIdByKey = statement("withdrawal_id_by_key", (db, p: { partner: string; key: string }) =>
  db
    .selectFrom("withdrawals")
    .select("id")
    .where((row) => row.and({ partner_id: p.partner, idempotency_key: p.key }))
    .unionAll(
      db
        .selectFrom("idempotency_keys")
        .select("transaction_id as id")
        .where((row) => row.and({ partner_id: p.partner, idempotency_key: p.key })),
    ),
);

/** A partner's ended withdrawal under an idempotency key. */
export const endedByKey = statement("ended_by_key", (db, p: { partner: string; key: string }) =>
  db
    .selectFrom("idempotency_keys")
    .select(["transaction_id as id", "created_at"])
    .where((row) => row.and({ partner_id: p.partner, idempotency_key: p.key })),
);

/** Columns of a report's row, of table `w`. */
export const reportColumns = withdrawalColumns.map((column) => `w.${column}` as const);

/** All open withdrawals, with their unanswered orders. */
export const waitingWithdrawals = statement("withdrawals_waiting", (db) =>
  db
    .selectFrom("withdrawals as w")
    .leftJoin("outbox as o", (on) => on.on("o.id", "=", sql<string>`'settle_' || w.id`))
    .select(reportColumns)
    .select(["o.created_at as ordered_at", "o.attempts as pending_attempts", "o.last_error"])
    .select((row) =>
      row
        .selectFrom("terminal_contacts as t")
        .select("t.heard_at")
        .whereRef("t.merchant_id", "=", "w.merchant_id")
        .whereRef("t.device_id", "=", "w.device_id")
        .as("heard_at"),
    )
    // Each condition has its own index as long as ended withdrawals are in this table.
    .where(sql<boolean>`(w.deadline_at > 0 or w.status in ('settling', 'settled'))`),
);

/** Numbers of paid withdrawals without a report about the cash, by minimum age; dated in the future they have age 0. */
export const unlinkedCounts = statement("withdrawals_unlinked", (db, p: { now: number }) =>
  db
    .selectFrom("withdrawals")
    .select(
      (Object.keys(unlinkedAges) as (keyof UnlinkedCounts)[]).map((age) => {
        const ms = sql.lit(unlinkedAges[age]);
        return sql<number>`count(case when ${ms} = 0 or settled_at <= cast(${p.now} as bigint) - ${ms} then 1 end)`.as(
          age,
        );
      }),
    )
    .where("confirmed_at", "is not", null)
    .where(sql<boolean>`status in ('settling', 'settled')`)
    .where("status", "=", "settled"),
);

/** A page of the reader's withdrawals; times in epoch milliseconds. */
interface WithdrawalsPage {
  readonly reader: Reader;
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** The last row of the page before. */
  readonly before: { readonly at: number; readonly id: string };
  readonly store: string | undefined;
  readonly status: Status | undefined;
  readonly limit: number;
}

/** A reader's withdrawals, the newest first, from one of the tables. */
export const withdrawalsPage = (
  table: Table,
  { reader, fromMs, toMs, before, store, status, limit }: WithdrawalsPage,
) =>
  adhoc((db) => {
    let query = db
      .selectFrom(table)
      .select(shownColumns)
      .where("created_at", ">=", fromMs)
      .where("created_at", "<", toMs)
      .where("created_at", "<=", before.at)
      .where((or) => or.or([or("created_at", "<", before.at), or("id", "<", before.id)]))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc")
      .limit(limit);
    if ("partnerId" in reader) query = query.where("partner_id", "=", reader.partnerId);
    else if ("merchantId" in reader) query = query.where("merchant_id", "=", reader.merchantId);
    else query = query.where(isOfChain(reader.chainId, sql.ref(`${table}.merchant_id`)));
    if (store !== undefined) query = query.where("merchant_id", "=", store);
    if (status !== undefined) query = query.where("status", "=", sql.lit(status));
    return query;
  });

/** Which withdrawal, and when: epoch milliseconds. */
export type ById = { readonly id: string; readonly now: number };

type WithdrawalRow = ExpressionBuilder<Database, "withdrawals">;
type Conditions = (row: WithdrawalRow) => readonly Expression<SqlBool>[];

/**
 * Conditions that must not use an index, on a row found by its key: on a database that was never analyzed PostgreSQL
 * might prefer the index by shop or bank, and scan it for each transition.
 */
export const withoutIndex =
  (conditions: Conditions) =>
  (row: WithdrawalRow): RawBuilder<SqlBool> =>
    sql<SqlBool>`(${row.and(conditions(row))}) is true`;

/** For the `set` of every UPDATE that writes to the history: the new row's number, unique because the withdrawal is locked. */
export const incrementHistoryLength = { history_length: sql<number>`history_length + 1` } as const;

/** The UPDATE of a withdrawal's status to an allowed next one. @param conditions besides the status. */
export const transition = <From extends Status>(
  db: Kysely<Database>,
  id: string,
  from: From,
  to: NextStatus<From>,
  changes: Omit<UpdateObject<Database, "withdrawals">, "status">,
  conditions: Conditions = () => [],
) =>
  db
    .updateTable("withdrawals")
    .set({ status: to, ...changes, ...incrementHistoryLength })
    .where("id", "=", id)
    .where(withoutIndex((row) => [row("status", "=", from), ...conditions(row)]));

const ofItsPartner = (table: Table, condition: RawBuilder<unknown>) =>
  sql<number>`(select case when ${condition} then 1 else 0 end from partners where partners.id = ${sql.ref(`${table}.partner_id`)})`;

/**
 * The hash of the previous row in the history, where that is of these months. On PostgreSQL also null if the UPDATE waited for
 * another whose row it cannot see; `previousHash` in `transition.ts` then reads again.
 */
const previousHashIn = (months: Span) =>
  sql<string | null>`(select before.hash from withdrawal_events as before
    where before.transaction_id = withdrawals.id and before.sequence = withdrawals.history_length - 1
    and before.asked_at = withdrawals.created_at and ${isIn("before.asked_at", months)})`.as("previous_hash");

/** For status events: whether the bank wants them, and the newest restore that may have forgotten earlier ones. */
const forEventIn = (table: Table) =>
  [
    ofItsPartner(table, sql`partners.events_url is not null`).as("wants_events"),
    sql<number | null>`(select max(restored_at) from restores where restored_at > ${sql.ref(`${table}.created_at`)}
      or ${sql.ref(`${table}.reason`)} = 'restored')`.as("restored_at"),
  ] as const;

/** Columns needed to add a row to the history. */
export const notedColumns = [...withdrawalColumns, sql<string | null>`cast(null as text)`.as("previous_hash")] as const;
/** The same for status events too. */
export const eventColumnsOf = (table: Table) => [...notedColumns, ...forEventIn(table)] as const;
/** The same for an open withdrawal, returned by the transition so that no further statement is needed. */
export const updatedColumns = (months: Span) =>
  [...withdrawalColumns, previousHashIn(months), ...forEventIn("withdrawals")] as const;
/** 1: the bank may answer Settle order by status code alone. */
export const answersByCode = ofItsPartner("withdrawals", sql`partners.answers = 'by-status-code'`).as(
  "answers_by_code",
);

/** A withdrawal whose `history_length` was just incremented. */
export interface RowAfterEvent extends Row {
  /** See `previousHashIn`. */
  readonly previous_hash: string | null;
}

/** A withdrawal right after a transition. */
export interface UpdatedRow extends RowAfterEvent {
  /** 1: its bank wants status events. */
  readonly wants_events: number;
  /** Epoch milliseconds; null: it was asked for since the last restore. */
  readonly restored_at: number | null;
}

/** A withdrawal that may have become `settling`. */
export interface ToSettle extends UpdatedRow {
  /** 1: its bank may answer Settle order by status code alone. */
  readonly answers_by_code: number;
}

type AtTerminal = ById & { readonly merchant: string; readonly device: string };
type AtBank = ById & { readonly partner: string };
type Answered = ById & { readonly attempts: number };

/** Condition: the confirming device. */
const atDevice =
  ({ merchant, device }: AtTerminal): Conditions =>
  (row) => [row("merchant_id", "=", merchant), row("device_id", "=", device)];

/** Condition: the withdrawal's bank, before the deadline. */
const inTimeAtBank =
  ({ partner, now }: AtBank): Conditions =>
  (row) => [row("partner_id", "=", partner), row("deadline_at", ">", now)];

/** The report is by the time of the confirmation. Where a failover has forgotten that, and the bank has paid, the dispute's stands for it. */
export const disputedBeforeConfirmation = {
  confirmed_at: sql<number | null>`coalesce(confirmed_at, disputed_at)`,
} as const;

/** Changes that close a withdrawal with a deadline. */
const closed = (now: number, reason: Reason) => ({
  ...{ reason, closed_at: now, deadline_at: null },
  ...disputedBeforeConfirmation,
});

const attemptsOf = ({ attempts }: Answered) => ({ settle_attempts: sql<number>`cast(${attempts} as bigint)` });

/** A statement that changes a status, and returns what history and status events need of the row. */
const transitionStatement = <P extends ById>(name: string, update: (db: Kysely<Database>, p: P) => TransitionQuery) =>
  statement(name, (db, p: P, months) => update(db, p).returning(updatedColumns(months)), monthsLately);
type TransitionQuery = ReturnType<typeof transition>;

/**
 * Inserts a withdrawal, unless the partner has an open one under its idempotency key: then no row changes, or a unique index refuses it
 * where that one is committed meanwhile.
 */
export const insertWithdrawal = statement("withdrawal_insert", (db, p: Row) =>
  db
    .insertInto("withdrawals")
    .columns(withdrawalColumns)
    .expression(
      sql`select ${sql.join(withdrawalColumns.map((name) => p[name]))} where not exists (select 1 from withdrawals as known
        where known.partner_id = ${p.partner_id} and known.idempotency_key = ${p.idempotency_key})`,
    ),
);

/** `requested` → `ready`: the bank has secured the funds in time. */
export const acceptStart = transitionStatement("start_accepted", (db, { id, now }: ById) =>
  transition(db, id, "requested", "ready", { deadline_at: sql.ref("expires_at") }, (row) => [
    row("deadline_at", ">", now),
  ]),
);

/** `requested` → `declined`: the bank said no, or nothing in time. */
export const declineStart = transitionStatement("start_declined", (db, p: ById & { readonly reason: Reason }) =>
  transition(db, p.id, "requested", "declined", closed(p.now, p.reason)),
);

/** `ready` → `awaiting_sca` or `settling`, where the cashier confirms in time and the user is not blocked, as far as SQL folds the id. */
export const confirmReady = statement(
  "confirm_ready",
  (db, p: AtTerminal & { readonly terminalReference: string; readonly scaExpiresAt: number }, months) => {
    const scaExpiresAt = sql<number | null>`case when sca_required = 1 then cast(${p.scaExpiresAt} as bigint) end`;
    const next = sql<NextStatus<"ready">>`case when sca_required = 1 then 'awaiting_sca' else 'settling' end`;
    return db
      .updateTable("withdrawals")
      .set({
        status: next,
        device_id: p.device,
        transaction_id_partner: p.terminalReference,
        confirmed_at: p.now,
        sca_expires_at: scaExpiresAt,
        deadline_at: scaExpiresAt,
        ...incrementHistoryLength,
      })
      .where("id", "=", p.id)
      .where(
        withoutIndex((row) => [
          row("merchant_id", "=", p.merchant),
          row("status", "=", "ready"),
          row("deadline_at", ">", p.now),
          row.not(
            customerIsBlocked(sql.ref("withdrawals.partner_id"), sql`lower(user_id) = lower(withdrawals.user_id)`),
          ),
        ]),
      )
      .returning([
        ...updatedColumns(months),
        answersByCode,
        sql<number | null>`(select terminal_hour_max from merchants where merchants.id = withdrawals.merchant_id)`.as(
          "terminal_hour_max",
        ),
        lookedNow,
      ]);
  },
  monthsLately,
);

/** The row returned by `confirmReady`. */
export type Confirmed = Approved & { readonly terminal_hour_max: number | null };

/** `ready` or this device's `awaiting_sca` → `rejected`, in time. */
export const rejectOpen = transitionStatement("reject_open", (db, p: AtTerminal & { readonly reason: Reason }) =>
  db
    .updateTable("withdrawals")
    .set({ status: "rejected", ...closed(p.now, p.reason), ...incrementHistoryLength })
    .where("id", "=", p.id)
    .where(
      withoutIndex((row) => [
        row("merchant_id", "=", p.merchant),
        row.or([row("status", "=", "ready"), row("status", "=", "awaiting_sca").and("device_id", "=", p.device)]),
        row("deadline_at", ">", p.now),
      ]),
    ),
);

/** `ready` → `canceled`, in time. */
export const cancelReady = transitionStatement("cancel_ready", (db, p: AtBank) =>
  transition(db, p.id, "ready", "canceled", closed(p.now, "user_canceled"), inTimeAtBank(p)),
);

/** The row returned by `approveSca`. */
export type Approved = ToSettle & { readonly looked: string | null };

/** `awaiting_sca` → `settling`, in time. */
export const approveSca = statement(
  "sca_approve",
  (db, p: AtBank, months) =>
    transition(db, p.id, "awaiting_sca", "settling", { deadline_at: null }, inTimeAtBank(p)).returning([
      ...updatedColumns(months),
      answersByCode,
      lookedNow,
    ]),
  monthsLately,
);

/** `awaiting_sca` → `canceled`, in time. */
export const denySca = transitionStatement("sca_deny", (db, p: AtBank) =>
  transition(db, p.id, "awaiting_sca", "canceled", closed(p.now, "sca_denied"), inTimeAtBank(p)),
);

/** `settling` → `settled`. @param p.attempts number of Settle order calls up to the answer. */
export const settleAccepted = transitionStatement("settle_accepted", (db, p: Answered) =>
  transition(db, p.id, "settling", "settled", { settled_at: p.now, ...attemptsOf(p) }),
);

/** `settling` → `failed`. @param p.attempts as above. */
export const failDeclined = transitionStatement("settle_declined", (db, p: Answered) =>
  transition(db, p.id, "settling", "failed", { reason: "settle_declined", closed_at: p.now, ...attemptsOf(p) }),
);

/** `settled` → `linked`, by the device that confirmed. */
export const linkSettled = transitionStatement(
  "link_settled",
  (db, p: AtTerminal & { readonly cashier: string | null; readonly handOutId: string | null }) => {
    const said = { linked_at: p.now, cashier: p.cashier, hand_out_id: p.handOutId };
    return transition(db, p.id, "settled", "linked", said, atDevice(p));
  },
);

/** `settled` → `undelivered`, by the device that confirmed. */
export const settledToUndelivered = transitionStatement(
  "declare_undelivered",
  (db, p: AtTerminal & { readonly reason: string; readonly cashier: string | null }) => {
    const said = { undelivered_reason: p.reason, closed_at: p.now, cashier: p.cashier };
    return transition(db, p.id, "settled", "undelivered", said, atDevice(p));
  },
);

/** The shop, if the bank may use it or has used it. */
export const storeOfPartner = statement("store_of_partner", (db, p: { partner: string; merchant: string }) =>
  db
    .selectFrom("merchants")
    .select("id")
    .where("id", "=", p.merchant)
    .where(
      sql<SqlBool>`(${partnerMayUse(sql`${p.partner}`, sql`${p.merchant}`)} or exists (select 1 from withdrawals as w
        where w.merchant_id = ${p.merchant} and w.partner_id = ${p.partner}) or exists (select 1 from archived_withdrawals as a
        where a.merchant_id = ${p.merchant} and a.partner_id = ${p.partner}))`,
    ),
);

/** Locks a bucket until the commit. */
export const lockBucket = statement("limit_lock", (db, p: { bucket: number }) =>
  db
    .insertInto("limit_locks")
    .values({ bucket: p.bucket })
    .onConflict((taken) => taken.column("bucket").doUpdateSet((set) => ({ bucket: set.ref("excluded.bucket") }))),
);

/** The shop, if the partner may use it, with the partner, whether the user is blocked, and whether an open withdrawal has the key. */
export const admissionFor = statement(
  "withdrawal_admission",
  (db, p: UserKey & { readonly merchant: string; readonly key: string }) =>
    db
      .selectFrom("merchants")
      .innerJoin("partners", (join) => join.on("partners.id", "=", p.partner))
      .select(merchantColumns.map((column) => `merchants.${column}` as const))
      .select(columnsBeside)
      .select(sql<number>`case when ${customerIsBlocked(sql`${p.partner}`, isUser(p))} then 1 else 0 end`.as("blocked"))
      .select(
        sql<number>`(select count(*) from withdrawals as w where w.partner_id = ${p.partner} and w.idempotency_key = ${p.key})`.as(
          "repeated",
        ),
      )
      .where("merchants.id", "=", p.merchant)
      .where(partnerMayUse(sql`${p.partner}`, sql`${p.merchant}`)),
);

/** Epoch milliseconds. `from`: an earlier scan has dealt with what was due by then; 0 for none. */
type DueTimes = { readonly from: number; readonly now: number };

/** A full scan for passed deadlines, including rows left by older releases. */
const allDue = statement("expire_all", (db, p: { now: number; limit: number }) =>
  db.selectFrom("withdrawals").select("id").where("deadline_at", "<=", p.now).limit(p.limit),
);

/** Withdrawals with passed deadlines, among those requested or confirmed between these times. */
const someDue = statement(
  "expire_some",
  (db, p: Record<"now" | "limit" | `${"requested" | "ready" | "awaiting"}${"From" | "To"}`, number>) => {
    const due = (status: Status, column: "created_at" | "confirmed_at", from: number, to: number) =>
      db
        .selectFrom("withdrawals")
        .select("id")
        .where(column, ">=", from)
        .where(column, "<=", to)
        .where("status", "=", sql.lit(status))
        .where("deadline_at", "<=", p.now);
    return due("requested", "created_at", p.requestedFrom, p.requestedTo)
      .unionAll(due("ready", "created_at", p.readyFrom, p.readyTo))
      .unionAll(due("awaiting_sca", "confirmed_at", p.awaitingFrom, p.awaitingTo))
      .limit(p.limit);
  },
);

/**
 * Up to `limit` withdrawals whose deadlines have passed since `from`. Deadlines have no index, which transitions would have to
 * update, so they are computed from request or confirmation times. Rows written under other settings are left to a full scan.
 */
export const dueWithdrawals = (
  { orderTtlMs, scaTimeoutMs }: Pick<Service["options"], "orderTtlMs" | "scaTimeoutMs">,
  { from, now }: DueTimes,
  limit: number,
): Query<{ id: string }> =>
  from === 0
    ? allDue({ now, limit })
    : someDue({
        ...{ now, limit },
        ...{ requestedFrom: from - startOrderWindowMs, requestedTo: now - startOrderWindowMs },
        ...{ readyFrom: from - orderTtlMs, readyTo: now - orderTtlMs },
        ...{ awaitingFrom: from - scaTimeoutMs, awaitingTo: now - scaTimeoutMs },
      });

/** `CASE status WHEN 'requested' THEN … END`, from the one table of expiries. */
const afterExpiry = (field: "status" | "reason") => {
  const cases = Object.entries(expiries).map(
    ([status, expiry]) => sql`when ${sql.lit(status)} then ${sql.lit(expiry[field])}`,
  );
  return sql<never>`case status ${sql.join(cases, sql` `)} end`;
};

const expired = {
  status: afterExpiry("status"),
  reason: afterExpiry("reason"),
  closed_at: sql<number>`deadline_at`,
  deadline_at: null,
  ...disputedBeforeConfirmation,
  ...incrementHistoryLength,
};

/** Expires one withdrawal if its deadline has passed. */
export const expireOne = statement(
  "expire_one",
  (db, p: ById, months) =>
    db
      .updateTable("withdrawals")
      .set(expired)
      .where("id", "=", p.id)
      .where("deadline_at", "<=", p.now)
      .returning(updatedColumns(months)),
  monthsLately,
);

/**
 * Up to `limit` open withdrawals requested after `createdAfter` or confirmed after `confirmedAfter`: their deadlines
 * were written by a clock that was ahead, and would last too long.
 */
export const futureExpiries = statement(
  "expire_future",
  (db, p: { now: number; createdAfter: number; confirmedAfter: number; limit: number }) =>
    db
      .selectFrom("withdrawals")
      .select("id")
      .where("deadline_at", ">", p.now)
      .where((row) => row.or([row("created_at", ">", p.createdAfter), row("confirmed_at", ">", p.confirmedAfter)]))
      .limit(p.limit),
);

/** The due ones among these, locked until the commit; those that another process is writing are skipped. */
export const holdDue = (ids: readonly string[], now: number) =>
  adhoc((db) =>
    db
      .selectFrom("withdrawals")
      .select("id")
      .where("id", "in", ids)
      .where("deadline_at", "<=", now)
      .orderBy("id")
      .forUpdate()
      .skipLocked(),
  );

/**
 * Expires withdrawals found in the same unit, by a list of ids: a subquery might be evaluated anew for each of
 * thousands of waiting rows, and arrays, which prevent that, are not available on all engines.
 * @param closedAt for those whose deadline was wrong. Default: their deadline.
 */
export const expireThese = (ids: readonly string[], now: number, closedAt: number | null = null) =>
  adhoc((db) =>
    db
      .updateTable("withdrawals")
      .set({ ...expired, ...(closedAt === null ? {} : { closed_at: closedAt }) })
      .where("id", "in", ids)
      .where("deadline_at", "is not", null)
      .returning(updatedColumns(monthsLately({ now }))),
  );
