/** One signed call to a bank, after Standard Webhooks (conventions, "Partner calls"). */

import { type LookupAddress, type LookupOptions, promises } from "node:dns";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import pMemoize from "p-memoize";
import { Webhook } from "standardwebhooks";
import type { OutboundProxy } from "../../outbound/proxy.ts";
import type { LeasedEvent, Service } from "../context.ts";
import { orderPaths, type PartnerCallKind, partnerAnswers } from "../contract/partner.ts";
import type { Clock, PartnerRequest, PartnerTransport } from "../ports.ts";
import { messageOf } from "../service-error.ts";
import type { RowOf } from "../store/schema.ts";
import { serviceVersion } from "../version.ts";
import {
  type Dispute,
  noAfterSilence,
  type Ordered,
  type PartnerAnswer,
  readEventAnswer,
  readPartnerAnswer,
  retryAfterMs,
  unanswered,
} from "./answer.ts";
import { type Partner, partnerAddress, partnerById, partnerProblems, signingKeys, storedAddress } from "./partners.ts";

/** The message to send: `id` is the `webhook-id`, `partner_reference` the bank's own reference, `attempts` includes this try. */
type Sent = LeasedEvent & { readonly attempts: number };

/** One try of one message. */
interface PartnerCall {
  readonly kind: PartnerCallKind;
  readonly message: Sent;
  /** What an order is about; its answer may come while the database is away. */
  readonly ordered?: Ordered | undefined;
  /** Whether an earlier try may have reached the bank: a status code alone then decides nothing. */
  readonly afterUnansweredTry?: boolean;
  readonly timeoutMs: number;
  /** Called right before sending; if false, the answer is `notSent`. Default: always true. */
  readonly maySend?: () => Promise<boolean>;
  /** The bank's row, if already read. */
  readonly bank?: Partner | undefined;
}

/** Nothing was sent, so the bank does not know of this try. For an event: the bank has no events address. */
export const notSent: PartnerAnswer = { kind: "none", why: "not_sent" };

/** Makes one signed call. Never throws: anything but a definite answer is `none`, with the reason. */
export const callPartner = async (service: Service, call: PartnerCall): Promise<PartnerAnswer> => {
  const startedAt = service.clock.now();
  const answer = await post(service, call).catch(
    (error: unknown): PartnerAnswer => ({ kind: "none", why: messageOf(error).slice(0, 200) }),
  );
  if (answer === notSent) return answer;
  service.telemetry.partnerCall(call.kind, answer.kind, Math.max(0, service.clock.now() - startedAt));
  if (answer.kind === "none") raiseAlarm(service, call.kind, call.message, answer.why);
  return answer;
};

const post = async (service: Service, { kind, message, ...call }: PartnerCall): Promise<PartnerAnswer> => {
  const { store, options, clock, transport } = service;
  const row = call.bank ?? (await store.read((tx) => tx.first(partnerById({ id: message.partner_id })), true));
  if (kind === "event") {
    if (!row?.events_url) return notSent;
    if (partnerProblems(row.id, row, options).length > 0) return { kind: "none", why: "not_usable" };
  }
  const address = partnerAddress(options, message.partner_id, row);
  if (address === null) return { kind: "none", why: row?.url && row.secret ? "not_usable" : "no_address" };
  if (call.maySend && !(await call.maySend())) return notSent;
  const keys = signingKeys(options, address, row, clock.now());
  const reply = await transport.post({
    url: kind === "event" ? (row?.events_url ?? "") : `${address.url.replace(/\/+$/, "")}${orderPaths[kind]}`,
    headers: {
      ...signedHeaders(keys, message.id, calendarOf(clock), message.body),
      ...(message.partner_reference === null ? {} : { "partner-reference": message.partner_reference }),
    },
    body: message.body,
    timeoutMs: call.timeoutMs,
  });
  const isOrder = kind !== "event";
  const rules = {
    answers: row?.answers ?? partnerAnswers[0],
    afterUnansweredTry: call.afterUnansweredTry === true,
    ordered: call.ordered,
  };
  const answer = isOrder ? readPartnerAnswer(reply.status, reply.body, rules) : readEventAnswer(reply.status);
  if (answer.kind !== "none") return isOrder ? { ...answer, address: storedAddress(row) } : answer;
  return { ...answer, retryAfterMs: retryAfterMs(reply.status, reply.retryAfter, clock.now()) };
};

/** @param secret `whsec_…` (base64 of the key), or any other text, used as the key in UTF-8. */
export const webhookOf = (secret: string): Webhook =>
  secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(new TextEncoder().encode(secret), { format: "raw" });

/** The time for signatures, which banks compare with their clock: a correction of the machine's clock counts at once, also backwards. */
export const calendarOf = (clock: Clock): number => clock.calendar?.() ?? clock.now();

/**
 * @param keys one, or two during a rotation; the bank accepts either signature.
 * @param id stable over retries, so that the bank can ignore repeats.
 */
export const signedHeaders = (
  keys: readonly string[],
  id: string,
  nowMs: number,
  body: string,
): Record<string, string> => {
  const at = new Date(nowMs);
  return {
    "content-type": "application/json",
    "user-agent": `Tillcash/${serviceVersion}`,
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(nowMs / 1000)),
    "webhook-signature": keys.map((key) => webhookOf(key).sign(id, at, body)).join(" "),
  };
};

/** Limits log lines: a bank may be down with ten thousand orders waiting. The metrics count all calls. */
const logEveryMs = 10_000;

const loggedAt = new WeakMap<Service, Map<string, number>>();

/**
 * Reports a call without a usable answer. Log lines are limited per partner, kind of call and reason, so that one
 * reason does not hide another.
 */
export const raiseAlarm = (service: Service, kind: PartnerCallKind, message: Sent, why: string): void => {
  service.telemetry.partnerAlarm(message.partner_id, kind, why);
  const times = loggedAt.get(service) ?? new Map<string, number>();
  loggedAt.set(service, times);
  const now = service.clock.now();
  const key = `${message.partner_id}\n${kind}\n${why}`;
  const sinceMs = now - (times.get(key) ?? Number.NEGATIVE_INFINITY);
  if (sinceMs >= 0 && sinceMs < logEveryMs) return;
  times.set(key, now);
  service.log.error(
    { partner: message.partner_id, transaction_id: message.transaction_id, call: kind, attempt: message.attempts, why },
    why !== "changed"
      ? "the partner gives no usable answer; its calls are repeated"
      : kind === "event"
        ? "a status event that was altered in the database is not sent: look for who can write there"
        : "an order that was altered in the database is not sent: ask the bank, then decide what became of the withdrawal",
  );
};

/** Reports a contradictory answer: the first one stands, and somebody has to ask the bank. */
export const raiseDispute = (service: Service, order: RowOf<"outbox">, dispute: Dispute): void => {
  const isSilence = dispute === noAfterSilence || dispute === unanswered;
  const why = isSilence ? dispute : (`${dispute}_after_the_opposite` as const);
  service.telemetry.partnerAlarm(order.partner_id, "settle", why);
  service.log.error(
    { partner: order.partner_id, transaction_id: order.transaction_id, call: "settle", why },
    "the partner may have booked something else than it answered first: ask it",
  );
};

type Lookup = (host: string, options: LookupOptions) => Promise<LookupAddress | LookupAddress[]>;

/** Shares concurrent DNS look-ups of the same name; results are not cached. @param lookup the system's, unless a test brings its own. */
export const createSharedLookup = (lookup: Lookup = promises.lookup): LookupFunction => {
  const shared = pMemoize(lookup, { cache: false, cacheKey: JSON.stringify });
  return (host, options, callback) => {
    shared(host, options).then(
      (found) => (Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family)),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
};

/** Longer bodies count as no answer. */
const responseBytesMax = 64 * 1024;
/** Connections per host: more than one partner's calls in flight, so that partners on one host do not block each other. */
const socketsPerHostMax = 2_048;
const idleSocketMs = 15_000;

/**
 * HTTP to banks with keep-alive. Follows no redirects, reads at most 64 KiB, and ends after `timeoutMs` in all. Rejects
 * with `timeout`, `too_large`, `cut_off`, or the socket's error code.
 * @param proxy HTTP proxy on the way to the banks.
 */
export const createHttpTransport = (clock: Clock, proxy: OutboundProxy | null = null): PartnerTransport => {
  const options = {
    keepAlive: true,
    maxSockets: socketsPerHostMax,
    timeout: idleSocketMs,
    lookup: createSharedLookup(),
    proxyEnv: proxy === null ? undefined : { ...proxy },
  };
  const agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };

  return {
    post: ({ url, headers, body, timeoutMs }: PartnerRequest) =>
      new Promise((resolve, reject) => {
        const target = new URL(url);
        const secure = target.protocol === "https:";
        const send = secure ? https.request : http.request;
        const call = send(
          target,
          {
            method: "POST",
            agent: secure ? agents["https:"] : agents["http:"],
            headers: { ...headers, accept: "application/json", "content-length": Buffer.byteLength(body) },
          },
          (response) => {
            const chunks: Buffer[] = [];
            let bytes = 0;
            response.on("data", (chunk: Buffer) => {
              bytes += chunk.length;
              if (bytes > responseBytesMax) return end(new Error("too_large"));
              chunks.push(chunk);
            });
            response.on("error", end);
            response.on("aborted", () => end(new Error("cut_off")));
            response.on("end", () => {
              if (!response.complete || (bytes === 0 && !hasContentLength(response))) return end(new Error("cut_off"));
              cancelTimer();
              const body = Buffer.concat(chunks).toString("utf8");
              const { "retry-after": retryAfter, date } = response.headers;
              resolve({ status: response.statusCode ?? 0, body, retryAfter, date });
            });
          },
        );
        const end = (error: Error) => {
          cancelTimer();
          call.destroy();
          reject(named(error));
        };
        // After a pause of this process its time is over before what has come meanwhile was read.
        const cancelTimer = clock.after(timeoutMs, () => clock.soon(() => end(new Error("timeout"))));
        call.on("error", end);
        call.end(body);
      }),

    close() {
      agents["http:"].destroy();
      agents["https:"].destroy();
    },
  };
};

/**
 * Whether the end of the body can be told. Without a length, a bank that dies after its headers would look like an
 * empty answer. A 204 has neither a body nor a length (RFC 9110 §8.6).
 */
const hasContentLength = ({ statusCode, headers }: http.IncomingMessage): boolean =>
  statusCode === 204 || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** Reduces an error to its code (`ECONNREFUSED`), since the message may hold addresses. */
const named = (error: Error): Error =>
  "code" in error && typeof error.code === "string" ? new Error(error.code, { cause: error }) : error;
