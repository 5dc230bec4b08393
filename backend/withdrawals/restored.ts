/**
 * Applies a restore from a copy: open withdrawals end, since their outcome is unknown and cash must not be handed out
 * twice. Terminals and banks repeat the rest (`as-reported.ts`), by the statements at the beginning.
 */
import { sql } from "kysely";
import { appendAudit } from "../access/audit.ts";
import { allCodes, countEnd } from "../access/credentials.ts";
import type { Service } from "../context.ts";
import { dayMs, toTime } from "../contract/times.ts";
import type { Status } from "../contract/transaction.ts";
import { insertEvent } from "../partner/events.ts";
import { takeForSent } from "../partner/orders.ts";
import {
  beginRestore,
  copiedAtSetting,
  correctedEvent,
  correctPastRestore,
  endRestore,
  headsAfter,
  holdMark,
  insertRestore,
  keepKnownUntil,
  lookedSetting,
  newestRestore,
  type RestoredFrom,
  readRestoredFrom,
  removeRestore,
  restoredEvent,
  restoredFromSetting,
  restoreUnderWay,
  type ToldSince,
} from "../store/restores.ts";
import { removeSetting, setSetting, settingByName } from "../store/settings.ts";
import { monthsAround, type Query, statement, type Tx } from "../store/store.ts";
import { ofBoth } from "./closed.ts";
import { lostSince } from "./lost-commits.ts";
import {
  answersByCode,
  disputedBeforeConfirmation,
  eventColumnsOf,
  incrementHistoryLength,
  notedColumns,
  type UpdatedRow,
  updatedColumns,
  withoutIndex,
} from "./store.ts";
import { byOperator, type Cause, recordNote, recordTransition, statusEventOf } from "./transition.ts";

/**
 * Ends up to `limit` withdrawals in an open status; they all have a deadline. A confirmed one may have been paid after
 * the copy was made, so it is disputed; one that is disputed already, as its bank says that it has paid, stays so.
 */
export const endRestored = statement(
  "restore_end",
  (db, p: { status: Status; now: number; limit: number }, months) =>
    db
      .updateTable("withdrawals")
      .set({
        status: "canceled",
        reason: "restored",
        closed_at: p.now,
        deadline_at: null,
        disputed_at: sql<
          number | null
        >`case when confirmed_at is null then disputed_at else cast(${p.now} as bigint) end`,
        ...disputedBeforeConfirmation,
        ...incrementHistoryLength,
      })
      // Also here, for a row that another process changes meanwhile.
      .where("status", "=", p.status)
      .where("id", "in", (open) =>
        open
          .selectFrom("withdrawals")
          .select("id")
          .where("deadline_at", "is not", null)
          .where("status", "=", p.status)
          .limit(p.limit),
      )
      .returning(updatedColumns(months)),
  monthsAround,
);

/**
 * Marks withdrawals as disputed that are paid or being paid in this copy, but were open or without their cash in an older copy restored
 * before: their bank may have been notified since that they are canceled, or that no cash was handed out. A time to come says nothing,
 * and an outcome before what led to it neither: the clock was wrong then.
 */
export const disputeToldOtherwise = ofBoth((table) =>
  statement(`restore_told_otherwise_${table}`, (db, p: ToldSince & { now: number; limit: number }) =>
    db
      .updateTable(table)
      .set({ disputed_at: p.now, ...incrementHistoryLength })
      .where("id", "in", (told) =>
        told
          .selectFrom(table)
          .select("id")
          .where((or) => or.or([or("created_at", "<=", p.knownUntil), or("created_at", ">", p.now)]))
          .where("status", "in", ["settling", "settled", "linked", "undelivered"])
          .where("disputed_at", "is", null)
          .where(({ or, eb, ref, fn, val }) => {
            const outcome = fn.coalesce("linked_at", "closed_at", val(p.since));
            return or([
              eb(outcome, ">=", p.since),
              eb(outcome, "<", ref("created_at")),
              eb(outcome, "<", ref("settled_at")),
            ]);
          })
          .limit(p.limit),
      )
      .returning(eventColumnsOf(table)),
  ),
);

/** How many withdrawals the restore has ended, in all of its runs. */
export const countRestored = statement("restore_count", (db, p: { since: number }) =>
  db
    .selectFrom("withdrawals")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("status", "=", "canceled")
    .where("reason", "=", "restored")
    .where("closed_at", ">=", p.since),
);

/**
 * The newest times in the database, until `until`: what is later was written by a clock that was ahead. Null where there are none.
 * A restore that was applied and not served since, as by a command that was tried on a copy, is no time of its own.
 */
export const newestMoment = statement("restore_newest", (db, p: { until: number }) => {
  const newest = (column: string, table: string, where = sql`true`) =>
    sql<
      number | null
    >`(select max(${sql.ref(column)}) from ${sql.table(table)} where ${sql.ref(column)} <= ${p.until} and ${where})`;
  return db.selectNoFrom([
    newest("at", "audit", sql`event <> ${sql.lit(restoredEvent)}`).as("audited"),
    newest("forgot_since", "restores").as("restored"),
    newest("created_at", "withdrawals").as("created"),
    newest("confirmed_at", "withdrawals").as("confirmed"),
    newest("settled_at", "withdrawals").as("settled"),
    newest("linked_at", "withdrawals").as("linked"),
    newest("closed_at", "withdrawals", sql`reason is distinct from 'restored'`).as("closed"),
    newest("archived_at", "archived_withdrawals").as("ended"),
    newest("created_at", "archived_withdrawals").as("ended_created"),
  ]);
});

/** When the newest of the open and of the ended withdrawals were requested, whatever the clock said. */
const newestRequests = statement("restore_newest_request", (db) =>
  db.selectNoFrom([
    sql<number | null>`(select max(created_at) from withdrawals)`.as("created"),
    sql<number | null>`(select max(created_at) from archived_withdrawals)`.as("ended_created"),
  ]),
);

/**
 * Marks withdrawals as disputed that were open in the copy and ended without cash before the restore was said: processes served on after
 * a failover, and what it forgot may have been confirmed, paid and told to the bank. What ended at the very time is known to the copy.
 * An end before its request is of a clock that was set back meanwhile, as one is that changes to a standby's: nobody knows when it came, and
 * what was asked for at a time to come was asked for by the clock before. It counts unless a time to come was said too: the word is by the
 * clock after that, and says nothing of it.
 */
export const disputeEndedSince = ofBoth((table) =>
  statement(`restore_ended_since_${table}`, (db, p: ReturnType<typeof endedSince> & { now: number; limit: number }) => {
    const isPast = sql<boolean>`cast(${p.said} as bigint) <= cast(${p.now} as bigint)`;
    return db
      .updateTable(table)
      .set({
        disputed_at: p.now,
        confirmed_at: sql<number>`coalesce(confirmed_at, cast(${p.now} as bigint))`,
        ...incrementHistoryLength,
      })
      .where("id", "in", (ended) =>
        ended
          .selectFrom(table)
          .select("id")
          .where("created_at", ">=", p.from)
          .where((row) => row.or([row("created_at", "<=", p.to), row("created_at", ">", p.now)]))
          .where(({ or, and, eb, ref }) =>
            or([
              and([
                or([eb("created_at", "<=", p.said), and([eb("created_at", ">", p.now), isPast])]),
                eb("closed_at", ">", p.since),
                eb("closed_at", "<=", p.until),
              ]),
              and([eb("created_at", "<", p.toUntold), eb("closed_at", "<", ref("created_at"))]),
            ]),
          )
          .where("status", "in", ["declined", "rejected", "canceled", "expired"])
          .where("disputed_at", "is", null)
          .where(sql<boolean>`reason is distinct from 'restored'`)
          .limit(p.limit),
      )
      .returning(eventColumnsOf(table));
  }),
);

type Reported = {
  readonly id: string;
  readonly merchant: string;
  readonly device: string;
  readonly terminalReference: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: "linked" | "undelivered";
  readonly undeliveredReason: string | null;
  readonly cashier: string | null;
  readonly handOutId: string | null;
  readonly confirmedAt: number;
  readonly now: number;
};

/**
 * `canceled` by a restore → the terminal's reported outcome, unless another terminal had confirmed it. It then waits
 * for the bank's answer, or an operator's decision.
 */
export const takeReported = statement("restore_reported", (db, p: Reported) => {
  const isLinked = sql<boolean>`cast(${p.status} as text) = 'linked'`;
  const now = sql<number>`cast(${p.now} as bigint)`;
  const said = sql<number>`cast(${p.confirmedAt} as bigint)`;
  return db
    .updateTable("withdrawals")
    .set({
      status: p.status,
      device_id: p.device,
      transaction_id_partner: p.terminalReference,
      // Limited to its own lifetime, whatever the terminal's clock says, as the report is ordered by it.
      confirmed_at: sql<number>`case when device_id is not null then confirmed_at when ${said} < created_at then created_at
        when ${said} > ${now} then ${now} else ${said} end`,
      linked_at: sql<number | null>`case when ${isLinked} then ${now} end`,
      closed_at: sql<number | null>`case when ${isLinked} then null else ${now} end`,
      undelivered_reason: p.undeliveredReason,
      cashier: p.cashier,
      hand_out_id: p.handOutId,
      disputed_at: p.now,
      ...incrementHistoryLength,
    })
    .where("id", "=", p.id)
    .where(
      withoutIndex((row) => [
        row("merchant_id", "=", p.merchant),
        row("status", "=", "canceled"),
        row("reason", "=", "restored"),
        row("amount", "=", p.amount),
        row("currency", "=", p.currency),
        row.or([row("device_id", "is", null), row("device_id", "=", p.device)]),
        row.or([row("transaction_id_partner", "is", null), row("transaction_id_partner", "=", p.terminalReference)]),
      ]),
    )
    .returning([...eventColumnsOf("withdrawals"), answersByCode]);
});

/**
 * Records that the bank has repeated the customer's approval of a withdrawal ended by a restore. It implies a
 * confirmation, though terminal and time are unknown.
 */
export const noteApproval = statement("restore_approved", (db, p: { id: string; partner: string; now: number }) => {
  const orNow = (column: string) =>
    sql<number>`case when status = 'canceled' and ${sql.ref(column)} is null then cast(${p.now} as bigint) else ${sql.ref(column)} end`;
  return db
    .updateTable("withdrawals")
    .set({ confirmed_at: orNow("confirmed_at"), disputed_at: orNow("disputed_at"), ...incrementHistoryLength })
    .where("id", "=", p.id)
    .where(
      withoutIndex((row) => [
        row("partner_id", "=", p.partner),
        row("reason", "=", "restored"),
        row("status", "in", ["canceled", "linked", "undelivered"]),
        row("settled_at", "is", null),
      ]),
    )
    .returning([...eventColumnsOf("withdrawals"), answersByCode]);
});

/** Locks a restored withdrawal until the commit, so that of two equal approvals the second sees the first. */
export const holdRestored = statement("restore_hold", (db, p: { id: string }) =>
  db.selectFrom("withdrawals").select("created_at").where("id", "=", p.id).forUpdate(),
);

/** Whether the bank has repeated the approval. */
export const approvalOf = statement("restore_approval", (db, p: { id: string; askedAt: number }) =>
  db
    .selectFrom("withdrawal_events")
    .select("sequence")
    .where("transaction_id", "=", p.id)
    .where("asked_at", "in", [p.askedAt, 0])
    .where("kind", "=", "approved")
    .limit(1),
);

/** The bank has paid what a terminal reported as handed out: the dispute ends, unless there was a second hand-out. */
export const payRestored = statement("restore_paid", (db, p: { id: string; now: number; attempts: number }) =>
  db
    .updateTable("withdrawals")
    .set({
      settled_at: p.now,
      settle_attempts: sql<number>`cast(${p.attempts} as bigint)`,
      disputed_at: sql<number | null>`case when other_hand_out_id is null then null else disputed_at end`,
      ...incrementHistoryLength,
    })
    .where("id", "=", p.id)
    .where(
      withoutIndex((row) => [
        row("status", "=", "linked"),
        row("reason", "=", "restored"),
        row("settled_at", "is", null),
      ]),
    )
    .returning(notedColumns),
);

/** Dependencies; no service may be running. */
type Restoring = Pick<Service, "store" | "clock" | "keys">;

/** The copy that a database was restored from. */
interface RestoreFrom extends RestoredFrom {
  /** When the copy was begun, epoch milliseconds; null, or to come, as the clock was ahead then: take the newest time in it. */
  readonly forgotSince: number | null;
}

/** A restore's result; times in epoch milliseconds. */
export interface Restored {
  readonly restoredAt: number;
  readonly forgotSince: number;
  /** Withdrawals that were open in the copy. */
  readonly ended: number;
  /** One-time codes that were still valid in the copy. */
  readonly endedCodes: number;
  /** See `RestoredFrom`. */
  readonly isUnread?: boolean;
}

const rowsPerCommitMax = 500;
const openInCopy: readonly Status[] = ["requested", "ready", "awaiting_sca"];

/**
 * Ends open withdrawals and one-time codes, records the restore and audits it; an interrupted run can be repeated.
 * `settling` goes on: it is approved, belongs to one terminal, and its order is sent under the same key, as one that may have been sent.
 */
export const applyRestore = async (on: Restoring, from: RestoreFrom): Promise<Restored> => {
  const forgotSince = await forgotSinceOf(on, from);
  const begunAt = await on.store.write((tx) =>
    begin(tx, on.clock.now(), { ...from, forgotSince: from.forgotSince ?? forgotSince }),
  );
  return finish(on, from, forgotSince, begunAt);
};

const forgotSinceOf = async (on: Restoring, { forgotSince }: RestoreFrom): Promise<number> => {
  const now = on.clock.now();
  return forgotSince !== null && forgotSince <= now ? forgotSince : newestOf(on, now);
};

/** If interrupted after this, the next start continues, with what was said: its clock may be right again. @returns the restore's time. */
const begin = async (tx: Tx, now: number, { forgotSince, ...from }: RestoreFrom): Promise<number> => {
  await tx.run(setSetting({ name: copiedAtSetting, value: String(forgotSince) }));
  await tx.run(setSetting({ name: restoredFromSetting, value: JSON.stringify(from) }));
  await tx.run(takeForSent({}));
  return beginRestore(tx, now);
};

const finish = async (
  on: Restoring,
  { forgotSince: said, copy = null, by = null, told = [], isUnread = false }: RestoreFrom,
  forgotSince: number,
  begunAt: number,
): Promise<Restored> => {
  const { store, clock, keys } = on;
  const cause = byOperator(by);
  for (const status of openInCopy) {
    for (let ended = rowsPerCommitMax; ended === rowsPerCommitMax; )
      ended = await store.write(async (tx) => {
        const restoredAt = await restoreUnderWay(tx);
        if (restoredAt === null) return 0;
        const now = clock.now();
        const rows = await tx.all(endRestored({ status, now, limit: rowsPerCommitMax }));
        for (const row of rows) await recordTransition({ tx, keys, now, cause, restoredAt }, row, status);
        return rows.length;
      });
  }
  // The copy was made before the first commit that is missing, and may have all that was asked for until then.
  const askedUntil = Math.max(said ?? forgotSince, (await store.read(lostSince)) ?? 0);
  await notifyAgain(on, disputeEndedSince, endedSince(forgotSince, askedUntil), cause);
  const now = clock.now();
  // A request to come is of a clock that was ahead: it says nothing of how far an older copy knew.
  for (const { since, knownUntil } of told)
    await notifyAgain(on, disputeToldOtherwise, { since, knownUntil: knownUntil > now ? since : knownUntil }, cause);
  // Only a file is put in the place of another; a fleet's tables are too large to be asked for nothing.
  const knownUntil = store.dialect === "sqlite" ? await newestRequest(on) : forgotSince;
  return store.write(async (tx) => {
    const now = clock.now();
    const restoredAt = await restoreUnderWay(tx);
    // Another process was faster.
    if (restoredAt === null) return { restoredAt: begunAt, forgotSince, ended: 0, endedCodes: 0 };
    for (const name of [copiedAtSetting, restoredFromSetting, lookedSetting]) await tx.run(removeSetting({ name }));
    await endRestore(tx);
    let endedCodes = 0;
    for (const { waiting, end } of allCodes) {
      endedCodes += Number((await tx.first(waiting({ now })))?.count ?? 0);
      await tx.run(end({}));
    }
    // Processes that ran before must drop their cached tokens.
    await tx.run(countEnd(now));
    const ended = Number((await tx.first(countRestored({ since: forgotSince })))?.count ?? 0);
    const restore = { restored_at: restoredAt, forgot_since: forgotSince };
    await tx.run(insertRestore(restore));
    await keepKnownUntil(tx, { ...restore, known_until: knownUntil });
    await appendAudit(tx, keys, restoredAt, {
      event: restoredEvent,
      actor: by ?? "service",
      address: null,
      object: copy ?? "database",
      detail: `copy of ${toTime(forgotSince)}; ended ${ended}${isUnread ? "; what was there could not be read" : ""}`,
    });
    return { restoredAt, forgotSince, ended, endedCodes, isUnread };
  });
};

/** Longer than any withdrawal waits. */
const openMostMs = dayMs;

/**
 * @param said not before `since`: until when the copy may have what was asked for, to come where the clock is behind.
 * @param toldSince the time that was said before: what ended since then is disputed already.
 */
const endedSince = (since: number, said: number, toldSince = Number.MAX_SAFE_INTEGER) => ({
  from: since - openMostMs,
  since,
  said,
  until: toldSince,
  to: said + openMostMs,
  toUntold: toldSince - openMostMs,
});

/**
 * Disputes withdrawals of which banks may have been told otherwise, and notifies them again.
 * @param restoreOf the time of the restore; null: there is nothing left to do. Default: of the one that is being applied.
 */
const notifyAgain = async <P>(
  { store, clock, keys }: Restoring,
  disputed: readonly ((p: P & { readonly now: number; readonly limit: number }) => Query<UpdatedRow>)[],
  since: P,
  cause: Cause,
  restoreOf: (tx: Tx) => Promise<number | null> = restoreUnderWay,
): Promise<void> => {
  for (const disputeIn of disputed)
    for (let told = rowsPerCommitMax; told === rowsPerCommitMax; )
      told = await store.write(async (tx) => {
        const restoredAt = await restoreOf(tx);
        if (restoredAt === null) return 0;
        const now = clock.now();
        const rows = await tx.all(disputeIn({ ...since, now, limit: rowsPerCommitMax }));
        for (const row of rows) {
          await recordNote({ tx, keys, now, cause }, "contradicted", row, "restored");
          const event = statusEventOf(row, restoredAt);
          if (event) tx.runUnawaited(insertEvent({ ...event, now, dueAt: now, attempts: 0 }));
        }
        return rows.length;
      });
};

/**
 * Corrects the newest restore's time. For terminals it counts as a new restore, so they repeat since then; nothing is
 * ended again, but what ended since an earlier time is disputed, and what an older copy that was served has told otherwise. @returns null where there was none.
 */
export const correctRestore = async (
  on: Restoring,
  {
    forgotSince,
    by,
    told = [],
  }: { readonly forgotSince: number; readonly by: string; readonly told?: readonly ToldSince[] },
): Promise<Restored | null> => {
  const { store, clock, keys } = on;
  const wrong = await store.read((tx) => tx.first(newestRestore({})));
  if (wrong === undefined) return null;
  const restoredAt = Math.max(clock.now(), wrong.restored_at + 1);
  // What ended later is disputed since the restore. First, as one that is interrupted is repeated.
  const missed = endedSince(forgotSince, forgotSince, wrong.forgot_since);
  const cause = byOperator(by);
  await notifyAgain(on, disputeEndedSince, missed, cause, async () => restoredAt);
  for (const each of told) await notifyAgain(on, disputeToldOtherwise, each, cause, async () => restoredAt);
  return store.write(async (tx) => {
    if ((await tx.first(removeRestore({ restoredAt: wrong.restored_at }))) === undefined) return null;
    const right = { restored_at: restoredAt, forgot_since: forgotSince };
    await tx.run(insertRestore(right));
    await correctPastRestore(tx, wrong, right);
    await tx.run(headsAfter({ wrong: wrong.restored_at, right: restoredAt }));
    await appendAudit(tx, keys, restoredAt, {
      event: correctedEvent,
      actor: by,
      address: null,
      object: "database",
      detail: `copy of ${toTime(forgotSince)}, not of ${toTime(wrong.forgot_since)}`,
    });
    return { restoredAt, forgotSince, ended: 0, endedCodes: 0 };
  });
};

const newestRequest = async ({ store }: Restoring): Promise<number> => {
  const newest = await store.read((tx) => tx.first(newestRequests({})));
  return Math.max(0, Number(newest?.created), Number(newest?.ended_created));
};

const newestOf = async ({ store }: Restoring, until: number): Promise<number> =>
  Math.max(0, ...Object.values((await store.read((tx) => tx.first(newestMoment({ until })))) ?? {}).map(Number));

const pendingRestore = async (tx: Tx) => ({
  copiedAt: (await tx.first(settingByName({ name: copiedAtSetting })))?.value,
  restoredFrom: (await tx.first(settingByName({ name: restoredFromSetting })))?.value,
});

/** Whether the database is marked as a copy that no start has applied yet. */
export const isRestorePending = async (tx: Tx): Promise<boolean> => {
  const { copiedAt, restoredFrom } = await pendingRestore(tx);
  return copiedAt !== undefined || restoredFrom !== undefined;
};

/**
 * Applies the restore of a database that is marked as a copy, put in place by `restore` or by hand. Call it before serving.
 * @param isRestoring the command `restored` comes next, which knows more than a mark that nobody has made by `restore`.
 * @returns null if it is not a copy.
 */
export const applyPendingRestore = async (on: Restoring, isRestoring = false): Promise<Restored | null> => {
  const { copiedAt, restoredFrom } = await on.store.read(pendingRestore);
  const said = readRestoredFrom(restoredFrom);
  if (copiedAt === undefined && (restoredFrom === undefined || (isRestoring && said.by === undefined))) return null;
  const from = { forgotSince: copiedAt === undefined ? null : Number(copiedAt), ...said };
  const forgotSince = await forgotSinceOf(on, from);
  const restoredAt = await on.store.write(async (tx) =>
    (await tx.first(holdMark({}))) === undefined
      ? null
      : begin(tx, on.clock.now(), { ...from, forgotSince: from.forgotSince ?? forgotSince }),
  );
  return restoredAt === null ? null : finish(on, from, forgotSince, restoredAt);
};
