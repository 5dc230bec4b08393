/** What an example of a call is: what is sent, and what comes back for it. */

import { z } from "zod";
import { OAuthRefusal } from "../access/authorize.ts";
import { destinationUrl } from "../checkin/check-in.ts";
import { csvLine } from "../contract/csv.ts";
import { type ErrorCode, errorTable } from "../contract/errors.ts";
import { example } from "../contract/field.ts";
import type { TransactionEvent } from "../contract/history.ts";
import { holdMarginMs, type SettleOrder, type StartOrder } from "../contract/partner.ts";
import { tokenLifetimeSeconds } from "../contract/pos.ts";
import type { Status, Transaction } from "../contract/transaction.ts";
import { type EventStatus, eventStatuses, type StatusEvent } from "../contract/webhook-events.ts";
import { ServiceError } from "../service-error.ts";
import { UserExists } from "../users/create-user.ts";
import { eventSequence } from "../withdrawals/lifecycle.ts";
import type { Operation } from "./operation.ts";
import { type ErrorShape, errorResponse } from "./problem.ts";

/** One way through a call. */
interface Exchange {
  /** What is special about it, for people. */
  readonly summary: string;
  /** The body; absent where the call takes none. */
  readonly sent?: unknown;
  /** The body of the answer of success; absent where there is none to show. */
  readonly answered?: unknown;
}

/** The exchanges of each call, by the call's id and a name of their own; the first is the usual one. */
export type Exchanges = Readonly<Record<string, Readonly<Record<string, Exchange>>>>;

/** OpenAPI's `examples`: those of the exchanges that have such a part; undefined for none. */
export const examplesOf = (exchanges: Readonly<Record<string, Exchange>> | undefined, part: "sent" | "answered") => {
  const shown = Object.entries(exchanges ?? {}).flatMap(([name, exchange]) =>
    exchange[part] === undefined ? [] : [[name, { summary: exchange.summary, value: exchange[part] }] as const],
  );
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
};

/** What the fields of a schema have as their examples; undefined where one of them has none. */
const exampleFrom = (schema: z.ZodType | undefined): unknown => {
  const own = schema?.meta()?.example;
  if (own !== undefined) return own;
  if (schema instanceof z.ZodArray) return [exampleFrom(schema.element as z.ZodType)];
  if (!(schema instanceof z.ZodObject)) return undefined;
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, exampleFrom(field)] as const);
  return fields.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(fields);
};

/** For calls of which there is one usual way: what their schemas say. */
export const usualExchanges = (operations: readonly Operation[]): Exchanges =>
  Object.fromEntries(
    operations.map(({ id, summary, body, replies }) => {
      const reply = Object.values(replies)[0]?.content["application/json"]?.schema;
      return [id, { usual: { summary, sent: exampleFrom(body), answered: exampleFrom(reply) } }];
    }),
  );

/** What an installation may set (SCA_TIMEOUT_SECONDS, ORDER_TTL_SECONDS). */
export interface Timing {
  readonly scaSeconds: number;
  readonly orderTtlSeconds: number;
}

const createdMs = Date.parse(example.createdAt);
const offsetOf = (time: string, from: string): number => Date.parse(time) - Date.parse(from);
const text = (epochMs: number): string => new Date(epochMs).toISOString();

/** The instants of its life. Shorter deadlines than the usual ones draw what lies before them nearer. */
const instantsOf = ({ scaSeconds, orderTtlSeconds }: Timing) => {
  const [scaMs, ttlMs] = [scaSeconds * 1000, orderTtlSeconds * 1000];
  const confirmed = createdMs + Math.min(offsetOf(example.confirmedAt, example.createdAt), ttlMs / 2);
  const approved = confirmed + Math.min(offsetOf(example.approvedAt, example.confirmedAt), scaMs / 2);
  const settled = approved + offsetOf(example.settledAt, example.approvedAt);
  return {
    expires: createdMs + ttlMs,
    confirmed,
    scaExpires: confirmed + scaMs,
    approved,
    settled,
    linked: settled + offsetOf(example.linkedAt, example.settledAt),
  };
};

/** The example withdrawal: in every status, and the other ways to some of them. */
export interface WithdrawalStory {
  readonly as: Readonly<Record<Exclude<Status, "requested">, Transaction>>;
  /** Settling right after the confirmation: no approval was needed. */
  readonly unapproved: Transaction;
  /** Canceled: the customer said no in the bank's app. */
  readonly denied: Transaction;
  /** Canceled: the customer gave up before the cashier confirmed. */
  readonly givenUp: Transaction;
  /** Rejected by a terminal whose own time-out ran out. */
  readonly rejectedLate: Transaction;
  /** When the Settle order begins. */
  readonly approvedAt: string;
}

/** @param timing as the service runs; the usual one gives the times of `example`. */
export const tellWithdrawal = (timing: Timing): WithdrawalStory => {
  const at = instantsOf(timing);
  const asked: Transaction = {
    transaction_id: example.transactionId,
    status: "ready",
    amount: example.amount,
    currency: example.currency,
    store: example.store,
    store_name: example.storeName,
    transaction_id_partner: null,
    partner_reference: example.partnerReference,
    sca_required: true,
    created_at: text(createdMs),
    expires_at: text(at.expires),
    confirmed_at: null,
    sca_expires_at: null,
    settled_at: null,
    linked_at: null,
    closed_at: null,
    reason: null,
  };
  const confirmed = {
    ...asked,
    transaction_id_partner: example.transactionIdPartner,
    confirmed_at: text(at.confirmed),
    sca_expires_at: text(at.scaExpires),
  };
  const paid = { ...confirmed, settled_at: text(at.settled) };
  const ended = (before: Transaction, status: Status, endedAt: number, reason: string): Transaction => ({
    ...before,
    status,
    closed_at: text(endedAt),
    reason,
  });
  return {
    as: {
      ready: asked,
      awaiting_sca: { ...confirmed, status: "awaiting_sca" },
      settling: { ...confirmed, status: "settling" },
      settled: { ...paid, status: "settled" },
      linked: { ...paid, status: "linked", linked_at: text(at.linked) },
      undelivered: ended(paid, "undelivered", at.linked, "till_short"),
      declined: ended(asked, "declined", createdMs + 400, "partner_declined"),
      rejected: ended(asked, "rejected", at.confirmed, "cashier_rejected"),
      canceled: ended(confirmed, "canceled", at.scaExpires, "sca_timeout"),
      expired: ended(asked, "expired", at.expires, "order_expired"),
      failed: ended(confirmed, "failed", at.settled, "settle_declined"),
    },
    unapproved: { ...confirmed, status: "settling", sca_required: false, sca_expires_at: null },
    denied: ended(confirmed, "canceled", at.approved, "sca_denied"),
    givenUp: ended(asked, "canceled", at.confirmed, "user_canceled"),
    rejectedLate: ended(confirmed, "rejected", at.scaExpires - 500, "sca_timeout"),
    approvedAt: text(at.approved),
  };
};

/** The headers of one call, as they would come with its example. */
export interface SentHeaders {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
}

const secondsOf = (time: string): string => String(Math.floor(Date.parse(time) / 1000));

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
  const transaction = as[status];
  const sca_expires_at = transaction.sca_expires_at === null ? null : Date.parse(transaction.sca_expires_at);
  return { type: `withdrawal.${status}`, sequence: eventSequence({ status, sca_expires_at }), transaction };
};

/** What each order and event comes with. */
export const webhookHeaders = (story: WithdrawalStory): Readonly<Record<string, SentHeaders>> => ({
  startOrder: { id: `start_${example.transactionId}`, timestamp: secondsOf(story.as.ready.created_at) },
  settleOrder: { id: `settle_${example.transactionId}`, timestamp: secondsOf(story.approvedAt) },
  statusEvent: {
    id: `event_${example.transactionId}_${eventOf(story, "awaiting_sca").sequence}`,
    timestamp: secondsOf(story.as.awaiting_sca.confirmed_at ?? story.approvedAt),
  },
});

/** The bodies. The event that a bank has to act upon comes first. */
const webhookExchanges = (story: WithdrawalStory, { scaSeconds }: Timing): Exchanges => {
  const { created_at, expires_at, amount, store_name } = story.as.ready;
  const start: StartOrder = {
    userId: example.userId,
    amount,
    dateOfTransaction: created_at,
    expiryTimeOfTheOrder: new Date(Date.parse(expires_at) + scaSeconds * 1000 + holdMarginMs).toISOString(),
    svcTransactionReferenceId: example.transactionId,
    store: store_name,
  };
  const settle: SettleOrder = {
    userId: example.userId,
    TransactionId: example.transactionIdPartner,
    DateOperation: story.approvedAt,
    SvcTransactionReferenceId: example.transactionId,
  };
  const accepted = { status: "accepted" };
  const inTurn = ["awaiting_sca", ...eventStatuses.filter((status) => status !== "awaiting_sca")] as const;
  return {
    startOrder: { secured: { summary: "The funds are secured", sent: start, answered: accepted } },
    settleOrder: { paid: { summary: "The shop is paid", sent: settle, answered: accepted } },
    statusEvent: Object.fromEntries(
      inTurn.map((status) => [status, { summary: summaries[status], sent: eventOf(story, status) }]),
    ),
  };
};

const transaction_id = example.transactionId;
const asked = {
  user_id: example.userId,
  amount: example.amount,
  currency: example.currency,
  store: example.store,
  partner_reference: example.partnerReference,
};

/** Signing in, as a bank. */
const signIn: Exchanges = {
  getToken: {
    bank: {
      summary: "A bank's server, by parameters",
      sent: {
        grant_type: "client_credentials",
        scope: "withdrawals reconciliation",
        client_id: `${example.partner}/server-1`,
        client_secret: "the-secret-of-this-server",
      },
      answered: {
        token_type: "bearer",
        access_token: "mG0pX4bYy2nV1sQfK8cJ6tL3rZ5wH7uD9aEoBiTxPqA",
        expires_in: tokenLifetimeSeconds,
        scope: "withdrawals reconciliation",
      },
    },
  },
};

/** A terminal's calls. */
const atTerminal = ({ as, unapproved, rejectedLate }: WithdrawalStory): Exchanges => {
  const confirmation = { transaction_id, transaction_id_partner: example.transactionIdPartner };
  return {
    getTransaction: {
      scanned: { summary: "The barcode was scanned", answered: as.ready },
      waited: { summary: "After the wait for the customer's approval", answered: as.settled },
    },
    confirmTransaction: {
      approval_needed: {
        summary: "The customer has to approve now",
        sent: confirmation,
        answered: as.awaiting_sca,
      },
      no_approval_needed: { summary: "No approval is needed", sent: confirmation, answered: unapproved },
    },
    rejectTransaction: {
      refused: { summary: "The cashier refuses", sent: { transaction_id }, answered: as.rejected },
      timed_out: {
        summary: "The terminal's own time-out ran out",
        sent: { transaction_id, reason: "sca_timeout" },
        answered: rejectedLate,
      },
    },
    linkTransaction: {
      handed_out: { summary: "The cash was handed out", sent: { transaction_id }, answered: as.linked },
    },
    declareUndelivered: {
      not_handed_out: {
        summary: "There was not enough in the drawer",
        sent: { reason: as.undelivered.reason },
        answered: as.undelivered,
      },
    },
  };
};

/** A bank's calls. */
const atBank = ({ as, denied, givenUp }: WithdrawalStory): Exchanges => ({
  requestWithdrawal: {
    ready: { summary: "The funds are secured", sent: asked, answered: as.ready },
    declined: { summary: "The bank declined its own Start order", sent: asked, answered: as.declined },
  },
  getWithdrawal: {
    waited: { summary: "After the wait for the approval and the payment", answered: as.settled },
  },
  resolveSca: {
    approved: { summary: "The customer approved", sent: { outcome: "approved" }, answered: as.settling },
    denied: { summary: "The customer said no", sent: { outcome: "denied" }, answered: denied },
  },
  cancelWithdrawal: {
    given_up: { summary: "The customer gave up before the cashier confirmed", answered: givenUp } satisfies Exchange,
  },
});

/** Everything that a withdrawal is moved with. */
const callExchanges = (story: WithdrawalStory): Exchanges => ({
  ...signIn,
  ...atTerminal(story),
  ...atBank(story),
});

const limits = { currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "10.00" };
const checkin = {
  referenceId: "checkin-8842",
  additionalData: {
    brand: "My Bank",
    userId: example.userId,
    balance: "250.00",
    currency: example.currency,
    urlBack: "https://bank.example/cash",
  },
};
const user = { id: "ann", password: "correct horse 7", email: "ann@example.com", phone: "+49 30 1234567" };
/** @param publicUrl where customers' pages are. */
export const otherExchanges = ({ scaSeconds }: Timing, publicUrl: string): Exchanges => ({
  partnerCheckin: {
    known: {
      summary: "A customer who has been here before",
      sent: checkin,
      answered: {
        status: "active",
        destination_url: destinationUrl(publicUrl, "ZkW3yQ1xV8uT5sR2", "mG0pX4bYy2nV1sQfK8cJ6tL3rZ5wH7uD9aEoBiTxPqA"),
        expires_at: "2026-11-20T10:25:00.000Z",
      },
    },
    blocked: {
      summary: "A customer who is blocked",
      sent: checkin,
      answered: { status: "blocked", destination_url: null, expires_at: null },
    },
  },
  createUser: {
    chosen: {
      summary: "With an id and a password of your own",
      sent: user,
      answered: { ...user, isAutoUpdateEnabled: false },
    },
    made: {
      summary: "With an id and a password that the service makes",
      sent: {},
      answered: {
        id: "9f1c4be07a52d3686e0b1f2a4c7d90",
        password: "w6Yt0KfQ2sHn8bVx4RcJ1mLp",
        isAutoUpdateEnabled: false,
      },
    },
  },
  readTill: {
    shop: {
      summary: "The shop of this terminal",
      answered: {
        ...limits,
        store_name: example.storeName,
        sca_timeout_seconds: scaSeconds,
        support: { text: "Head office, 8 to 18 h", phone: "+49 30 123456" },
        server_time: "2026-11-20T10:15:00.000Z",
        forgot_since: null,
        restored_at: null,
        kept_head: null,
      },
    },
  },
  getMetrics: {
    some: {
      summary: "Some of them",
      answered: [
        "# HELP tillcash_transitions_total Committed transitions of withdrawals",
        "# TYPE tillcash_transitions_total counter",
        'tillcash_transitions_total{from="settled",to="linked",reason="none"} 1',
        "",
      ].join("\n"),
    },
  },
});

type Step = readonly [at: string | null, to: Status, actor: TransactionEvent["actor"], actor_id: string | null];

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
    at: at ?? created_at,
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

const lineOf = ({ as }: WithdrawalStory) => ({
  transaction_id: as.linked.transaction_id,
  transaction_id_partner: as.linked.transaction_id_partner,
  store: as.linked.store,
  device_id: example.device,
  status: as.linked.status,
  finding: "matched",
  amount: as.linked.amount,
  currency: as.linked.currency,
  reason: as.linked.reason,
  created_at: as.linked.created_at,
  confirmed_at: as.linked.confirmed_at,
  settled_at: as.linked.settled_at,
  linked_at: as.linked.linked_at,
  closed_at: as.linked.closed_at,
  settle_attempts: 1,
  cashier: "C2",
});

/** The history and both forms of the report. */
const reportExchanges = (story: WithdrawalStory): Exchanges => {
  const line = lineOf(story);
  const day = { from: "2026-11-20T00:00:00.000Z", to: "2026-11-21T00:00:00.000Z" };
  return {
    getTransactionEvents: {
      linked: {
        summary: "A withdrawal that ended with cash",
        answered: { transaction_id: line.transaction_id, events: historyOf(story) },
      },
    },
    getReconciliation: { day: { summary: "A day", answered: { ...day, lines: [line], count: 1 } } },
    getReconciliationCsv: {
      day: { summary: "A day", answered: csvLine(Object.keys(line)) + csvLine(Object.values(line)) },
    },
  };
};

/** The call that refuses, as far as its refusals depend on it. */
export interface Refusing {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly errorShape: ErrorShape;
  /** The first field that it takes, for `validation_failed`; null where it takes none. */
  readonly firstField: string | null;
  /** In the words of the answer: `withdrawals`, `transactions or reconciliation`. */
  readonly scope: string;
}

const amount = (code: ErrorCode, message: string, path = "amount") =>
  new ServiceError(code, message, { errors: [{ path, message }], limits });

/** What each call comes upon when it comes too late. */
const conflictOf = ({ as }: WithdrawalStory, id: string) => {
  switch (id) {
    case "rejectTransaction":
    case "cancelWithdrawal":
      return as.settled;
    case "linkTransaction":
      return as.awaiting_sca;
    case "declareUndelivered":
      return as.linked;
    default:
      return as.canceled;
  }
};

const invalid = ({ firstField }: Refusing): ServiceError =>
  firstField === null
    ? new ServiceError("validation_failed", "A header that may stand once stands twice")
    : new ServiceError("validation_failed", undefined, { errors: [{ path: firstField, message: "is missing" }] });

const errorOf = (code: ErrorCode, call: Refusing, story: WithdrawalStory): Error => {
  switch (code) {
    case "validation_failed":
      return invalid(call);
    case "unauthenticated":
      return call.errorShape === "oauth"
        ? new OAuthRefusal("invalid_client", 401, "unknown client or wrong secret")
        : new ServiceError(code, "The access token is unknown, expired or revoked");
    case "insufficient_scope":
      return new ServiceError(code, `This call needs the scope ${call.scope}`);
    case "transaction_not_found":
      return new ServiceError(code, "There is no such transaction.");
    case "transaction_conflict": {
      const transaction = conflictOf(story, call.id);
      return new ServiceError(code, `The transaction is ${transaction.status}.`, { transaction });
    }
    case "amount_out_of_range":
      return amount(code, "The store hands out 10.00 to 500.00 EUR.");
    case "amount_step":
      return amount(code, "The amount must be a multiple of 10.00 EUR.");
    case "currency_mismatch":
      return amount(code, "The store hands out EUR.", "currency");
    case "limit_reached": {
      const limit = call.id === "confirmTransaction" ? "terminal_hour" : "user_day";
      const reached = { limit, limit_max: "400.00", limit_left: "20.00" } as const;
      return new ServiceError(code, undefined, { limits: { ...limits, ...reached } });
    }
    default:
      return new ServiceError(code, errorTable[code].title);
  }
};

/** OpenAPI's `examples` of one answer: each code with the body that comes with it. */
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
  // The one refusal that is in no table: it has the published shape of its own call.
  if (codes.length === 0)
    known.push(shown("entity_exists", "The id is taken", new UserExists("a user with this id exists")));
  return Object.fromEntries(await Promise.all(known));
};

/** By the id of the call or of the webhook. @param publicUrl where the service is reached. */
export const allExchanges = (story: WithdrawalStory, timing: Timing, publicUrl: string): Exchanges => ({
  ...callExchanges(story),
  ...reportExchanges(story),
  ...otherExchanges(timing, publicUrl),
  ...webhookExchanges(story, timing),
});
