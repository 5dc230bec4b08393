/** The history of a withdrawal (conventions, "Extensions": `GET /ext/v1/transactions/{id}/events`). */
import { z } from "zod";
import { example, field } from "./field.ts";
import { statuses, timeSchema, transactionIdSchema, transactionSchema } from "./transaction.ts";

/** Who did it: a terminal, a bank, the passing of a deadline, or a person at the service's command line. */
export const actors = ["device", "partner", "sweeper", "operator"] as const;
/** One of `actors`. */
export type Actor = (typeof actors)[number];

/**
 * In order: a change of status; a bank's answer that contradicts its first one; the end of such a dispute; an
 * operator's decision; an approval repeated after a restore; another hand-out by the same device; a terminal's report
 * after an operator's decision. Only the first changes the status.
 */
const eventKinds = [
  "transition",
  "contradicted",
  "dispute_closed",
  "decided",
  "approved",
  "reported_again",
  "cash_reported",
] as const;
/** One of `eventKinds`. */
export type EventKind = (typeof eventKinds)[number];

/** A row of the history, as `GET /ext/v1/transactions/{id}/events` shows it. */
const transactionEventSchema = z
  .object({
    sequence: field(
      z.int(),
      "From 1, without gaps, in the order in which it happened. Status events count for themselves: theirs is another.",
      3,
    ),
    kind: field(
      z.enum(eventKinds),
      "A change of the status, what became of a bank that contradicts itself, an operator's note on what he decided, an approval that a bank repeated after a restore, a second hand-out that the same device reported (`reason` names it), or what the terminal said of the cash after an operator had decided (`reason`: `linked` or `undelivered`).",
      "transition",
    ),
    at: field(timeSchema, "When.", example.confirmedAt),
    from: field(z.enum(statuses).nullable(), "The status before; null for the request itself.", "ready"),
    to: field(z.enum(statuses), "The status after.", "awaiting_sca"),
    actor: field(z.enum(actors), "Who did it; `sweeper` is the passing of a deadline.", "device"),
    actor_id: field(z.string().nullable(), "The device, the partner or the operator.", example.device),
    request_id: field(z.string().nullable(), "The `X-Request-Id` of the call that did it.", example.requestId),
    reason: field(z.string().nullable(), "A code, the cashier's words, or the operator's note.", null),
    attempt: field(z.int().nullable(), "The try of the call to the bank that brought this answer.", null),
    cashier: field(
      z.string().nullable(),
      "The terminal's code of the person who handed out or said that nothing was; null where it did not say, and for a bank.",
      "C2",
    ),
  })
  .meta({ id: "TransactionEvent", description: "One step in the life of a withdrawal." });
/** A row of the history. */
export type TransactionEvent = z.infer<typeof transactionEventSchema>;

/** The reply of that call. */
export const transactionEventsSchema = z
  .object({
    transaction_id: transactionIdSchema,
    transaction: transactionSchema,
    events: z.array(transactionEventSchema).meta({ description: "In the order in which they happened." }),
  })
  .meta({ id: "TransactionEvents", description: "The history of a withdrawal." });
/** A withdrawal's history. */
export type TransactionEvents = z.infer<typeof transactionEventsSchema>;
