/**
 * Open and disputed withdrawals, and an operator's decision on one whose bank gives no definite answer (docs/api.md,
 * "What a bank's answer means") or whose terminal never reports the cash. It never leads to cash, as nobody waits at
 * the counter any more.
 */
import { contactOf, silentAfterMs } from "../access/terminals.ts";
import { type Repeated, watch } from "../background.ts";
import type { Service } from "../context.ts";
import { orderId, outbox, unansweredOrder } from "../partner/orders.ts";
import { partnerById, storedAddress } from "../partner/partners.ts";
import type { Query } from "../store/store.ts";
import { cashByOperator, countNote, failByOperator, firstOf, returnByOperator, settleByOperator } from "./closed.ts";
import { listDisputes } from "./dispute.ts";
import type { ReportRow } from "./reconcile.ts";
import { type ById, type Row, type UpdatedRow, unlinkedCounts, waitingWithdrawals, withdrawalById } from "./store.ts";
import { byOperator, type Change, recordNote, recordTransition } from "./transition.ts";

/** Whether the bank has booked the payment, as it has said outside of the interface. */
export type Decision = "paid" | "not-paid";

/** Whether the cash was handed out, as found out for a lost terminal. */
export type CashDecision = "handed-out" | "not-handed-out";

/** Milliseconds to wait for a bank or a terminal before an operator may decide. */
export const decidableAfterMs = 15 * 60_000;

/** Tolerated clock difference between processes of a fleet. */
const slackMs = 5_000;
const decidable = (now: number) => ({ before: now - decidableAfterMs, future: now + slackMs });
const isDecidable = (at: number, now: number): boolean => at < now - decidableAfterMs || at > now + slackMs;

/** Whether the terminal has called recently, so that it will report the cash itself. */
const isHeard = (heardAt: number | null, now: number): boolean => heardAt !== null && heardAt > now - silentAfterMs;

/** Transitions of each decision; a payment without cash becomes `undelivered`, so it is due back. */
const steps: Readonly<Record<Decision, readonly ((p: ById) => Query<UpdatedRow>)[]>> = {
  paid: [settleByOperator, returnByOperator],
  // Disputed until closed, so that a wrong decision cannot hide a payment.
  "not-paid": [failByOperator],
};

/** An open or disputed withdrawal. */
export interface OpenWithdrawal {
  readonly row: Row & Partial<Pick<ReportRow, "later_answer">>;
  /** Since when it is in this state, epoch milliseconds. */
  readonly since: number;
  /** `wait`: for bank, customer or terminal; `decide` and `close` are for an operator. */
  readonly needs: "wait" | "decide" | "close";
  /** When its terminal last called, to within five minutes; null: never. */
  readonly heardAt: number | null;
  /** Number of tries and the bank's last answer; null where no order waits. */
  readonly tries: { readonly count: number; readonly last: string | null } | null;
}

/** All of them: disputes first, then open ones, oldest first. */
export const listOpen = async ({
  store,
  clock,
}: Pick<Service, "store" | "clock">): Promise<readonly OpenWithdrawal[]> => {
  const now = clock.now();
  // Read before the disputes, so that one decided meanwhile is not missed.
  const waiting = await store.read((tx) => tx.all(waitingWithdrawals({})));
  const disputed = (await listDisputes(store)).map(
    (row): OpenWithdrawal => ({ row, since: row.disputed_at ?? 0, needs: "close", heardAt: null, tries: null }),
  );
  const known = new Set(disputed.map(({ row }) => row.id));
  const rest = waiting.map((row): OpenWithdrawal => {
    const since = (row.status === "settled" ? row.settled_at : row.ordered_at) ?? row.confirmed_at ?? row.created_at;
    const isAsked = row.status === "settled" ? !isHeard(row.heard_at, now) : row.ordered_at !== null;
    const mayBeDecided = isAsked && isDecidable(since, now);
    const tries = row.pending_attempts === null ? null : { count: row.pending_attempts, last: row.last_error };
    return { row, since, needs: mayBeDecided ? "decide" : "wait", heardAt: row.heard_at, tries };
  });
  return [
    ...disputed,
    ...rest.filter(({ row }) => !known.has(row.id)).sort((a, b) => a.since - b.since || (a.row.id < b.row.id ? -1 : 1)),
  ];
};

const countEveryMs = 5_000;

/** Counts paid withdrawals without a report about the cash, in the process that owns the metrics. */
export const watchUnlinked = (service: Service): Repeated =>
  watch(service, countEveryMs, "unlinked withdrawals could not be counted and will be again", async () => {
    const { store, clock, telemetry } = service;
    const counts = unlinkedCounts({ now: clock.now() });
    telemetry.unlinked(service.owns("queue metrics") ? ((await store.read((tx) => tx.first(counts))) ?? null) : null);
  });

/**
 * Decides for the bank. A late answer of the bank is compared with the decision like any contradicting one.
 * @param operator who decides.
 * @param note who said what, 1 to 500 characters.
 * @returns the row; null unless the bank was waited for 15 minutes.
 */
export const decideWithdrawal = (
  service: Pick<Service, "store" | "clock" | "keys">,
  id: string,
  decision: Decision,
  operator: string,
  note: string,
): Promise<Row | null> =>
  service.store.write(async (tx) => {
    const now = service.clock.now();
    if (!(await tx.first(unansweredOrder({ id: orderId(id), ...decidable(now) })))) return null;
    const change = { tx, keys: service.keys, now, cause: byOperator(operator) };
    let status: Row["status"] = "settling";
    for (const step of steps[decision]) {
      const row = await tx.first(step({ id, now }));
      if (!row) return null;
      const bank = await tx.first(partnerById({ id: row.partner_id }));
      await recordTransition({ ...change, address: storedAddress(bank) }, row, status);
      status = row.status;
    }
    await tx.run(outbox.delete({ id: orderId(id) }));
    return await noteDecision(change, id, note);
  });

/**
 * Decides for the terminal whether the cash was handed out. A later report of the terminal is recorded too, and
 * disputed if it differs.
 * @param isForced also if the terminal has called recently; it may have been set up again.
 * @returns the row; false if the terminal has called recently, null before 15 minutes of waiting.
 */
export const decideCash = (
  service: Pick<Service, "store" | "clock" | "keys">,
  id: string,
  decision: CashDecision,
  operator: string,
  note: string,
  isForced: boolean,
): Promise<Row | false | null> =>
  service.store.write(async (tx) => {
    const now = service.clock.now();
    const before = await tx.first(withdrawalById({ id }));
    if (before?.status !== "settled" || !isDecidable(before.settled_at ?? 0, now)) return null;
    const device = { merchant: before.merchant_id, device: before.device_id ?? "" };
    if (!isForced && isHeard((await tx.first(contactOf(device)))?.heard_at ?? null, now)) return false;
    const row = await tx.first(cashByOperator[decision === "handed-out" ? "linked" : "undelivered"]({ id, now }));
    if (!row) return null;
    const change = { tx, keys: service.keys, now, cause: byOperator(operator) };
    await recordTransition(change, row, "settled");
    return await noteDecision(change, id, note);
  });

const noteDecision = async (change: Change, id: string, note: string): Promise<Row | null> => {
  const row = await firstOf(change.tx, countNote, { id });
  if (!row) return null;
  await recordNote(change, "decided", row, note);
  return row;
};
