/** Request and response examples of the API document. */

import { z } from "zod";
import { OAuthRefusal } from "../access/authorize.ts";
import { destinationUrl } from "../checkin/check-in.ts";
import { checkinBodySchema, checkinReplySchema } from "../contract/client.ts";
import { csvLine } from "../contract/csv.ts";
import { type ErrorCode, errorTable, exampleLimits } from "../contract/errors.ts";
import { example } from "../contract/field.ts";
import type { TransactionEvent } from "../contract/history.ts";
import { holdMarginMs, type SettleOrder, type StartOrder } from "../contract/partner.ts";
import { accessTokenSchema, confirmBodySchema, tokenBodySchema } from "../contract/pos.ts";
import { reconciliationLineSchema } from "../contract/reconciliation.ts";
import { tillSchema } from "../contract/terminal.ts";
import { toTime } from "../contract/times.ts";
import { type Status, type Transaction, transactionSchema } from "../contract/transaction.ts";
import { type EventStatus, eventStatuses, type StatusEvent } from "../contract/webhook-events.ts";
import { invalidField, ServiceError } from "../service-error.ts";
import { UserExists } from "../users/create-user.ts";
import { eventSequence } from "../withdrawals/lifecycle.ts";
import type { Operation } from "./operation.ts";
import { errorResponse } from "./problem.ts";

/** One example of a call: the call's id, the example's name and summary, request body and response body. */
type Way = readonly [call: string, name: string, summary: string, sent: unknown, answered: unknown];

/** Examples of each call by its id, the usual one first. */
export type Exchanges = Readonly<Record<string, readonly Way[] | undefined>>;

/** OpenAPI's `examples` of requests or of responses; undefined for none. */
export const examplesOf = (ways: readonly Way[] = [], part: "sent" | "answered") => {
  const shown = ways.flatMap(([, name, summary, sent, answered]) => {
    const value = part === "sent" ? sent : answered;
    return value === undefined ? [] : [[name, { summary, value }] as const];
  });
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
};

/** Builds an example from the examples of a schema's fields; undefined where one has none. */
const exampleFrom = (schema: z.ZodType | undefined): unknown => {
  const own = schema?.meta()?.example;
  if (own !== undefined) return own;
  if (schema instanceof z.ZodArray) return [exampleFrom(schema.element as z.ZodType)];
  if (!(schema instanceof z.ZodObject)) return undefined;
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, exampleFrom(field)] as const);
  return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields);
};
const shownOf = <Schema extends z.ZodObject>(schema: Schema) => exampleFrom(schema) as z.output<Schema>;

/** The configured times (SCA_TIMEOUT_SECONDS, ORDER_TTL_SECONDS). */
export interface Timing {
  readonly scaSeconds: number;
  readonly orderTtlSeconds: number;
}

const offsetOf = (time: string, from: string): number => Date.parse(time) - Date.parse(from);

/**
 * The example withdrawal: in every status, and in some by other ways too. Deadlines shorter than usual move the earlier
 * steps closer together.
 * @param timing as the service runs; the usual one gives the times of `example`.
 */
export const tellWithdrawal = ({ scaSeconds, orderTtlSeconds }: Timing) => {
  const [scaMs, ttlMs, createdAt] = [scaSeconds * 1000, orderTtlSeconds * 1000, Date.parse(example.createdAt)];
  const confirmedAt = createdAt + Math.min(offsetOf(example.confirmedAt, example.createdAt), ttlMs / 2);
  const approvedAt = confirmedAt + Math.min(offsetOf(example.approvedAt, example.confirmedAt), scaMs / 2);
  const settledAt = approvedAt + offsetOf(example.settledAt, example.approvedAt);
  const linkedAt = settledAt + offsetOf(example.linkedAt, example.settledAt);
  const asked: Transaction = {
    ...shownOf(transactionSchema),
    status: "ready",
    transaction_id_partner: null,
    expires_at: toTime(createdAt + ttlMs),
    confirmed_at: null,
    sca_expires_at: null,
    settled_at: null,
    linked_at: null,
  };
  const confirmed = {
    ...asked,
    transaction_id_partner: example.transactionIdPartner,
    confirmed_at: toTime(confirmedAt),
    sca_expires_at: toTime(confirmedAt + scaMs),
  };
  const paid = { ...confirmed, settled_at: toTime(settledAt) };
  const ended = (before: Transaction, status: Status, endedAt: number, reason: string): Transaction => ({
    ...before,
    status,
    closed_at: toTime(endedAt),
    reason,
  });
  return {
    as: {
      ready: asked,
      awaiting_sca: { ...confirmed, status: "awaiting_sca" },
      settling: { ...confirmed, status: "settling" },
      settled: { ...paid, status: "settled" },
      linked: { ...paid, status: "linked", linked_at: toTime(linkedAt) },
      undelivered: ended(paid, "undelivered", linkedAt, "till_short"),
      declined: ended(asked, "declined", createdAt + 400, "partner_declined"),
      rejected: ended(asked, "rejected", confirmedAt, "cashier_rejected"),
      canceled: ended(confirmed, "canceled", confirmedAt + scaMs, "sca_timeout"),
      expired: ended(asked, "expired", createdAt + ttlMs, "order_expired"),
      failed: ended(confirmed, "failed", settledAt, "settle_declined"),
    } satisfies Record<Exclude<Status, "requested">, Transaction>,
    unapproved: { ...confirmed, status: "settling", sca_required: false, sca_expires_at: null },
    /** Canceled: the customer said no in the bank's app. */
    denied: ended(confirmed, "canceled", approvedAt, "sca_denied"),
    /** Canceled: the customer gave up before the cashier confirmed. */
    givenUp: ended(asked, "canceled", confirmedAt, "user_canceled"),
    /** Rejected by a terminal whose own time-out ran out. */
    rejectedLate: ended(confirmed, "rejected", confirmedAt + scaMs - 500, "sca_timeout"),
    approvedAt: toTime(approvedAt),
  };
};
/** See `tellWithdrawal`. */
export type WithdrawalStory = ReturnType<typeof tellWithdrawal>;

const summaries: Readonly<Record<EventStatus, string>> = {
  ready: "The barcode can be scanned",
  awaiting_sca: "The cashier has confirmed: ask your customer",
  settled: "You have paid",
  linked: "The cash was handed out",
  undelivered: "No cash was handed out",
  rejected: "The cashier refused",
  canceled: "Not approved in time",
  expired: "Nobody confirmed in time",
  declined: "You declined the Start order",
  failed: "You declined the Settle order",
};

const eventOf = ({ as }: WithdrawalStory, status: EventStatus): StatusEvent => {
  const transaction: Transaction = as[status];
  const sca_expires_at = transaction.sca_expires_at === null ? null : Date.parse(transaction.sca_expires_at);
  return { type: `withdrawal.${status}`, sequence: eventSequence({ status, sca_expires_at }), transaction };
};

/** Example webhook headers of each order and event: id and epoch seconds. */
export const webhookHeaders = (story: WithdrawalStory) => {
  const sent = (id: string, time: string) => ({ id, timestamp: String(Math.floor(Date.parse(time) / 1000)) });
  const event = eventOf(story, "awaiting_sca");
  return {
    startOrder: sent(`start_${example.transactionId}`, story.as.ready.created_at),
    settleOrder: sent(`settle_${example.transactionId}`, story.approvedAt),
    statusEvent: sent(`event_${example.transactionId}_${event.sequence}`, story.as.awaiting_sca.confirmed_at),
  };
};

/** Example of the metrics' text; a test compares it with the real one. */
export const metricsExample = [
  "# HELP tillcash_transitions_total Committed transitions of withdrawals",
  "# TYPE tillcash_transitions_total counter",
  'tillcash_transitions_total{from="settled",to="linked",reason="none"} 1',
  "",
].join("\n");

/** Examples beyond those built from the schemas. The event that a bank must act on comes first. */
const ownWays = (story: WithdrawalStory, { scaSeconds }: Timing, publicUrl: string): readonly Way[] => {
  const { as } = story;
  const { transactionId: transaction_id, userId } = example;
  const { created_at, expires_at, amount, currency, store, store_name, partner_reference } = as.ready;
  const start: StartOrder = {
    userId,
    amount,
    dateOfTransaction: created_at,
    expiryTimeOfTheOrder: toTime(Date.parse(expires_at) + scaSeconds * 1000 + holdMarginMs),
    svcTransactionReferenceId: transaction_id,
    store: store_name,
  };
  const settle: SettleOrder = {
    userId,
    TransactionId: example.transactionIdPartner,
    DateOperation: story.approvedAt,
    SvcTransactionReferenceId: transaction_id,
  };
  const accepted = { status: "accepted" };
  const inTurn = ["awaiting_sca", ...eventStatuses.filter((status) => status !== "awaiting_sca")] as const;
  const asked = { user_id: userId, amount, currency, store, partner_reference };
  const confirmation = shownOf(confirmBodySchema);
  const { device_type: _, ...token } = shownOf(tokenBodySchema);
  const scope = "withdrawals reconciliation";
  const [checkin, checkedIn] = [shownOf(checkinBodySchema), shownOf(checkinReplySchema)];
  const destination_url = destinationUrl(publicUrl, "ZkW3yQ1xV8uT5sR2", "mG0pX4bYy2nV1sQfK8cJ6tL3rZ5wH7uD9aEoBiTxPqA");
  const blocked = { status: "blocked", destination_url: null, expires_at: null };
  const user = { id: "ann", password: "correct horse 7", email: "ann@example.com", phone: "+49 30 1234567" };
  const made = { id: "9f1c4be07a52d3686e0b1f2a4c7d90", password: "w6Yt0KfQ2sHn8bVx4RcJ1mLp" };
  const till = { ...shownOf(tillSchema), sca_timeout_seconds: scaSeconds };
  const { confirmed_at, settled_at, linked_at } = as.linked;
  const line = { ...shownOf(reconciliationLineSchema), confirmed_at, settled_at, linked_at };
  const day = { from: "2026-11-20T00:00:00.000Z", to: "2026-11-21T00:00:00.000Z", lines: [line], count: 1 };
  const csv = csvLine(Object.keys(line)) + csvLine(Object.values(line));
  const history = { transaction_id, transaction: as.linked, events: historyOf(story) };
  const [undelivered, late] = [{ reason: as.undelivered.reason }, { transaction_id, reason: "sca_timeout" }];
  return [
    [
      "getToken",
      "bank",
      "A bank's server, by parameters",
      { ...token, scope },
      { ...shownOf(accessTokenSchema), scope },
    ],
    ["getTransaction", "scanned", "The barcode was scanned", undefined, as.ready],
    ["getTransaction", "waited", "After the wait for the customer's approval", undefined, as.settled],
    ["confirmTransaction", "approval_needed", "The customer has to approve now", confirmation, as.awaiting_sca],
    ["confirmTransaction", "no_approval_needed", "No approval is needed", confirmation, story.unapproved],
    ["rejectTransaction", "refused", "The cashier refuses", { transaction_id }, as.rejected],
    ["rejectTransaction", "timed_out", "The terminal's own time-out ran out", late, story.rejectedLate],
    ["linkTransaction", "handed_out", "The cash was handed out", { transaction_id }, as.linked],
    ["declareUndelivered", "not_handed_out", "There was not enough in the drawer", undelivered, as.undelivered],
    ["requestWithdrawal", "ready", "The funds are secured", asked, as.ready],
    ["requestWithdrawal", "declined", "The bank declined its own Start order", asked, as.declined],
    ["listWithdrawals", "newest", "The newest", undefined, { withdrawals: [as.linked], next: null }],
    ["getWithdrawal", "waited", "After the wait for the approval and the payment", undefined, as.settled],
    ["resolveSca", "approved", "The customer approved", { outcome: "approved" }, as.settling],
    ["resolveSca", "denied", "The customer said no", { outcome: "denied" }, story.denied],
    ["cancelWithdrawal", "given_up", "The customer gave up before the cashier confirmed", undefined, story.givenUp],
    ["getTransactionEvents", "linked", "A withdrawal that ended with cash", undefined, history],
    ["getReconciliation", "day", "A day", undefined, day],
    ["getReconciliationCsv", "day", "A day", undefined, csv],
    ["partnerCheckin", "known", "A customer who has been here before", checkin, { ...checkedIn, destination_url }],
    ["partnerCheckin", "blocked", "A customer who is blocked", checkin, blocked],
    ["createUser", "chosen", "With an id and a password of your own", user, { ...user, isAutoUpdateEnabled: false }],
    [
      "createUser",
      "made",
      "With an id and a password that the service makes",
      {},
      { ...made, isAutoUpdateEnabled: false },
    ],
    ["readTill", "shop", "The shop of this terminal", undefined, till],
    ["getMetrics", "some", "Some of them", undefined, metricsExample],
    ["startOrder", "secured", "The funds are secured", start, accepted],
    ["settleOrder", "paid", "The shop is paid", settle, accepted],
    ...inTurn.map((status) => ["statusEvent", status, summaries[status], eventOf(story, status), undefined] as const),
  ];
};

/** Examples by id of call or webhook; a call without any gets one built from its schemas. @param publicUrl where the service is reached. */
export const exchangesOf = (
  operations: readonly Operation[],
  story: WithdrawalStory,
  timing: Timing,
  publicUrl: string,
): Exchanges => {
  const usual = operations.map(({ id, summary, body, replies }): readonly [string, readonly Way[]] => {
    const reply = Object.values(replies)[0]?.content["application/json"]?.schema;
    return [id, [[id, "usual", summary, exampleFrom(body), exampleFrom(reply)]]];
  });
  return { ...Object.fromEntries(usual), ...Object.groupBy(ownWays(story, timing, publicUrl), ([call]) => call) };
};

type Step = readonly [at: string, to: Status, actor: TransactionEvent["actor"], actor_id: string];

const historyOf = ({ as, approvedAt }: WithdrawalStory): TransactionEvent[] => {
  const { created_at, confirmed_at, settled_at, linked_at } = as.linked;
  const steps: Step[] = [
    [created_at, "requested", "partner", example.partner],
    [created_at, "ready", "partner", example.partner],
    [confirmed_at, "awaiting_sca", "device", example.device],
    [approvedAt, "settling", "partner", example.partner],
    [settled_at, "settled", "partner", example.partner],
    [linked_at, "linked", "device", example.device],
  ];
  return steps.map(([at, to, actor, actor_id], index) => ({
    sequence: index + 1,
    kind: "transition",
    at,
    from: steps[index - 1]?.[1] ?? null,
    to,
    actor,
    actor_id,
    request_id: to === "settled" ? null : example.requestId,
    reason: null,
    attempt: to === "ready" || to === "settled" ? 1 : null,
    cashier: to === "linked" ? "C2" : null,
  }));
};

/** The parts of an operation that its refusals depend on. */
export interface Refusing extends Pick<Operation, "id" | "method" | "path" | "errorShape"> {
  /** The first input field, for `validation_failed`; null for none. */
  readonly firstField: string | null;
  /** As worded in the answer: `withdrawals`, `transactions or reconciliation`. */
  readonly scope: string;
}

/** The transaction's state when a call comes too late. */
const conflictOf = ({ as }: WithdrawalStory, id: string): Transaction => {
  if (id === "rejectTransaction" || id === "cancelWithdrawal") return as.settled;
  if (id === "linkTransaction") return as.awaiting_sca;
  return id === "declareUndelivered" ? as.linked : as.canceled;
};

/** Details of refusals; the default is the error table's title. */
const details: Readonly<Partial<Record<ErrorCode, string>>> = {
  unauthenticated: "The access token is unknown, expired or revoked",
  transaction_not_found: "There is no such transaction.",
  amount_out_of_range: "The store hands out 10.00 to 500.00 EUR.",
  amount_step: "The amount must be a multiple of 10.00 EUR.",
  currency_mismatch: "The store hands out EUR.",
};

const errorOf = (code: ErrorCode, call: Refusing, story: WithdrawalStory): Error => {
  const message = details[code] ?? errorTable[code].title;
  switch (code) {
    case "validation_failed":
      return call.firstField === null
        ? new ServiceError(code, "A header that may stand once stands twice")
        : invalidField(call.firstField, "is missing");
    case "unauthenticated":
      return call.errorShape === "oauth"
        ? new OAuthRefusal("invalid_client", 401, "unknown client or wrong secret")
        : new ServiceError(code, message);
    case "insufficient_scope":
      return new ServiceError(code, `This call needs the scope ${call.scope}`);
    case "transaction_conflict": {
      const transaction = conflictOf(story, call.id);
      return new ServiceError(code, `The transaction is ${transaction.status}.`, { transaction });
    }
    case "amount_out_of_range":
    case "amount_step":
    case "currency_mismatch": {
      const path = code === "currency_mismatch" ? "currency" : "amount";
      return new ServiceError(code, message, { errors: [{ path, message }], limits: exampleLimits });
    }
    case "limit_reached": {
      const limit = call.id === "confirmTransaction" ? "terminal_hour" : "user_day";
      return new ServiceError(code, undefined, {
        limits: { ...exampleLimits, limit, limit_max: "400.00", limit_left: "20.00" },
      });
    }
    default:
      return new ServiceError(code, message);
  }
};

/** OpenAPI's `examples` of one response: each code with its body. */
export const refusalExamples = async (codes: readonly ErrorCode[], call: Refusing, story: WithdrawalStory) => {
  const failing = {
    shape: call.errorShape,
    requestId: example.requestId,
    endpoint: `${call.method.toUpperCase()} ${call.path}`,
    session: {
      kind: "client",
      ownerId: example.partner,
      deviceId: "server-1",
      scopes: ["users"],
      expiresAt: 0,
    } as const,
    nowMs: Date.parse(example.createdAt),
    tokenSent: true,
  };
  const shown = async (name: string, summary: string, error: Error) =>
    [name, { summary, value: (await errorResponse(error, failing).json()) as unknown }] as const;
  const known = codes.map((code) => shown(code, errorTable[code].title, errorOf(code, call, story)));
  // Not in the error table: it has the published shape of its own call.
  if (codes.length === 0)
    known.push(shown("entity_exists", "The id is taken", new UserExists("a user with this id exists")));
  return Object.fromEntries(await Promise.all(known));
};
