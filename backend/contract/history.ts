/** The history of a withdrawal (conventions, "Extensions": `GET /ext/v1/transactions/{id}/events`). */
import { z } from "zod";
import { statuses, timeSchema, transactionIdSchema } from "./transaction.ts";

/** Who did it: a terminal, a bank, the passing of a deadline, or a person at the service's command line. */
export const actors = ["device", "partner", "sweeper", "operator"] as const;
export type Actor = (typeof actors)[number];

/**
 * A change of the status; a definite answer of the bank that contradicts its first one; the end of such a dispute. The
 * last two leave the status as it is.
 */
export const eventKinds = ["transition", "contradicted", "dispute_closed"] as const;
export type EventKind = (typeof eventKinds)[number];

export const transactionEventSchema = z
  .object({
    sequence: z.int().meta({ description: "From 1, without gaps, in the order in which it happened." }),
    kind: z.enum(eventKinds),
    at: timeSchema,
    from: z.enum(statuses).nullable().meta({ description: "Null for the request itself." }),
    to: z.enum(statuses),
    actor: z.enum(actors),
    actor_id: z.string().nullable().meta({ description: "The device, the partner or the operator." }),
    request_id: z.string().nullable().meta({ description: "The `X-Request-Id` of the call that did it." }),
    reason: z.string().nullable().meta({ description: "A code, the cashier's words, or the operator's note." }),
    attempt: z.int().nullable().meta({ description: "The try of the call to the bank that brought this answer." }),
  })
  .meta({ id: "TransactionEvent" });
export type TransactionEvent = z.infer<typeof transactionEventSchema>;

export const transactionEventsSchema = z
  .object({ transaction_id: transactionIdSchema, events: z.array(transactionEventSchema) })
  .meta({ id: "TransactionEvents" });
export type TransactionEvents = z.infer<typeof transactionEventsSchema>;
