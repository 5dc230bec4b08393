/**
 * Withdrawals that have not ended well yet, and what an operator who has asked the bank decides about one whose bank never says a
 * definite word (docs/api.md, "What a bank's answer means"). It never leads to cash: nobody stands at the counter any more.
 */
import { type Repeated, repeat } from "../background.ts";
import type { Service } from "../context.ts";
import { orderId, outbox, unansweredOrder } from "../partner/orders.ts";
import type { Query } from "../store/store.ts";
import { countNote, failByOperator, returnByOperator, settleByOperator } from "./closed.ts";
import { listDisputes } from "./dispute.ts";
import { type Cause, type Change, recordNote } from "./history.ts";
import type { ReportRow } from "./report.ts";
import { type ById, type Row, type UpdatedRow, unlinkedCounts, waitingWithdrawals } from "./store.ts";
import { recordTransition } from "./transition.ts";

/** Whether the bank has booked the payment, by its own word outside of the interface. */
export type Decision = "paid" | "not-paid";

/** Milliseconds that a bank is waited for before anybody may decide in its stead. */
export const decidableAfterMs = 15 * 60_000;

/** By how much the clocks of a fleet's processes may differ. */
const slackMs = 5_000;
const decidable = (now: number) => ({ before: now - decidableAfterMs, future: now + slackMs });
const isDecidable = (at: number, now: number): boolean => at < now - decidableAfterMs || at > now + slackMs;

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
  const waiting = await store.read((tx) => tx.all(waitingWithdrawals({})));
  const disputed = (await listDisputes(store)).map(
    (row): OpenWithdrawal => ({ row, since: row.disputed_at ?? 0, needs: "close", tries: null }),
  );
  const known = new Set(disputed.map(({ row }) => row.id));
  const rest = waiting.map((row): OpenWithdrawal => {
    const since = (row.status === "settled" ? row.settled_at : row.ordered_at) ?? row.confirmed_at ?? row.created_at;
    const mayBeDecided = row.status !== "settled" && row.ordered_at !== null && isDecidable(since, now);
    const tries = row.pending_attempts === null ? null : { count: row.pending_attempts, last: row.last_error };
    return { row, since, needs: mayBeDecided ? "decide" : "wait", tries };
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
    const cause: Cause = { actor: "operator", actorId: operator, requestId: null, attempt: null };
    const change: Change = { tx, keys: service.keys, now, cause };
    let status: Row["status"] = "settling";
    for (const step of steps[decision]) {
      const row = await tx.first(step({ id, now }));
      if (!row) return null;
      await recordTransition(change, row, status);
      status = row.status;
    }
    await tx.run(outbox.delete({ id: orderId(id) }));
    const row = await tx.first(countNote({ id }));
    if (!row) return null;
    await recordNote(change, "decided", row, note);
    return row;
  });
