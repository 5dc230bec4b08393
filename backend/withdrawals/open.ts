/**
 * Withdrawals that have not ended well yet, and what an operator decides about one whose bank never says a definite word (docs/api.md,
 * "What a bank's answer means"), or whose terminal never says what became of the cash. It never leads to cash: nobody stands at the
 * counter any more.
 */
import { contactOf } from "../access/contacts.ts";
import { silentAfterMs } from "../access/terminals.ts";
import { type Repeated, repeat } from "../background.ts";
import type { Service } from "../context.ts";
import { orderId, outbox, unansweredOrder } from "../partner/orders.ts";
import { partnerById, storedAddress } from "../partner/partners.ts";
import type { Query, Tx } from "../store/store.ts";
import { cashByOperator, countNote, failByOperator, firstOf, returnByOperator, settleByOperator } from "./closed.ts";
import { listDisputes } from "./dispute.ts";
import { type Cause, type Change, recordNote } from "./history.ts";
import { type ReportRow, withLaterAnswer } from "./report.ts";
import { type ById, type Row, type UpdatedRow, unlinkedCounts, waitingWithdrawals, withdrawalById } from "./store.ts";
import { recordTransition } from "./transition.ts";

/** Whether the bank has booked the payment, by its own word outside of the interface. */
export type Decision = "paid" | "not-paid";

/** What became of the cash, as people found out whose terminal is lost. */
export type CashDecision = "handed-out" | "not-handed-out";

/** Milliseconds that a bank or a terminal is waited for before anybody may decide in its stead. */
export const decidableAfterMs = 15 * 60_000;

/** By how much the clocks of a fleet's processes may differ. */
const slackMs = 5_000;
const decidable = (now: number) => ({ before: now - decidableAfterMs, future: now + slackMs });
const isDecidable = (at: number, now: number): boolean => at < now - decidableAfterMs || at > now + slackMs;

/** A terminal that is there says itself what became of the cash. */
const isHeard = (heardAt: number | null, now: number): boolean => heardAt !== null && heardAt > now - silentAfterMs;

/** What each decision leads through; a payment that was booked and not handed out is `undelivered`, and so due back. */
const steps: Readonly<Record<Decision, readonly ((p: ById) => Query<UpdatedRow>)[]>> = {
  paid: [settleByOperator, returnByOperator],
  // Disputed until somebody has closed it: an operator who is wrong must not hide a payment.
  "not-paid": [failByOperator],
};

/** One that waits, or is disputed. */
export interface OpenWithdrawal {
  readonly row: Row & Pick<ReportRow, "later_answer">;
  /** Since when it is as it is, epoch milliseconds. */
  readonly since: number;
  /** `wait`: for the bank's, the customer's or the terminal's word; the others are an operator's to say. */
  readonly needs: "wait" | "decide" | "close";
  /** When its terminal was heard last, to five minutes; null: never. */
  readonly heardAt: number | null;
  /** What the bank said to the last of how many tries; null where no order waits. */
  readonly tries: { readonly count: number; readonly last: string | null } | null;
}

/** Everything that is open: disputes first, then what waits, the oldest first. */
export const listOpen = async ({
  store,
  clock,
}: Pick<Service, "store" | "clock">): Promise<readonly OpenWithdrawal[]> => {
  const now = clock.now();
  // Before the disputes: what is decided meanwhile becomes one, and none waits again.
  const waiting = await store.read(async (tx) => withLaterAnswer(tx, await tx.all(waitingWithdrawals({}))));
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

/** Counts, in the one process of the fleet whose work it is, the money of which no word of the cash has come. */
export const watchUnlinked = (service: Service): Repeated =>
  repeat(service.clock, 0, async () => {
    const { store, clock, telemetry, log } = service;
    try {
      const counts = unlinkedCounts({ now: clock.now() });
      telemetry.unlinked(service.owns("queue metrics") ? ((await store.read((tx) => tx.first(counts))) ?? null) : null);
    } catch (error) {
      log.warn({ err: error }, "unlinked withdrawals could not be counted and will be again");
    }
    return countEveryMs;
  });

/**
 * Ends the waiting. The bank's own word, should it come late, is held against the decision like any that contradicts.
 * @param operator who decides. @param note who said what, 1 to 500 characters.
 * @returns the row; null where no bank's word has been waited for for 15 minutes.
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
    const change = byOperator(tx, service, now, operator);
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
 * Says in its terminal's stead what became of the cash of a payment. What the terminal itself says later is kept beside it, and what
 * is otherwise is a line of the report.
 * @param isForced also where the terminal was heard lately: it was set up anew, say, and knows nothing of it any more.
 * @returns the row; false where its terminal was heard lately, null for what has not waited for its word for 15 minutes.
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
    const change = byOperator(tx, service, now, operator);
    await recordTransition(change, row, "settled");
    return await noteDecision(change, id, note);
  });

const byOperator = (tx: Tx, { keys }: Pick<Service, "keys">, now: number, operator: string): Change => {
  const cause: Cause = { actor: "operator", actorId: operator, requestId: null, attempt: null };
  return { tx, keys, now, cause };
};

const noteDecision = async (change: Change, id: string, note: string): Promise<Row | null> => {
  const row = await firstOf(change.tx, countNote, { id });
  if (!row) return null;
  await recordNote(change, "decided", row, note);
  return row;
};
