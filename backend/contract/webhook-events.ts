/** Status events (extension; conventions, "Partner calls"): notifications to a bank about its withdrawals, as opposed to orders. */

import { z } from "zod";
import { dayMs } from "./times.ts";
import { type Status, transactionSchema } from "./transaction.ts";

/** The statuses that a bank is notified of: all but `requested`, which it caused, and `settling`, which is the Settle order. */
export const eventStatuses = [
  "ready",
  "awaiting_sca",
  "settled",
  "linked",
  "undelivered",
  "rejected",
  "canceled",
  "expired",
  "declined",
  "failed",
] as const satisfies readonly Status[];
/** A status that banks are notified of. */
export type EventStatus = (typeof eventStatuses)[number];

/** Whether banks are notified of the status. */
export const isEventStatus = (status: Status): status is EventStatus =>
  (eventStatuses as readonly Status[]).includes(status);

/** Undelivered events are given up after this time. */
export const eventLifetimeMs = 3 * dayMs;

/** Body of a status event (conventions, "Partner calls"). */
export const statusEventSchema = z
  .object({
    type: z
      .enum(eventStatuses.map((status) => `withdrawal.${status}` as const))
      .meta({ description: "`withdrawal.` and the new status.", example: "withdrawal.linked" }),
    sequence: z.int().min(1).meta({
      description:
        "Counts the events of one transaction from 1, and leaps after a restore: what has a smaller one than the last you saw is old.",
      example: 4,
    }),
    transaction: transactionSchema,
  })
  .meta({ id: "StatusEvent", description: "One move of one withdrawal, with the transaction as the move left it." });
/** The body of a status event. */
export type StatusEvent = z.infer<typeof statusEventSchema>;
