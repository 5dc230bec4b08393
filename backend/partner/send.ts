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
import type { RowOf } from "../store/schema.ts";
import { serviceVersion } from "../version.ts";
import {
  type Dispute,
  noAfterSilence,
  type PartnerAnswer,
  readEventAnswer,
  readPartnerAnswer,
  retryAfterMs,
} from "./answer.ts";
import { type Partner, partnerAddress, partnerById, partnerProblems, signingKeys, storedAddress } from "./partners.ts";

/** What goes out: its `id` is the `webhook-id`, `partner_reference` the bank's own name for the withdrawal, `attempts` counts this try. */
type Sent = LeasedEvent & { readonly attempts: number };

/** One try of one message. */
interface PartnerCall {
  readonly kind: PartnerCallKind;
  readonly message: Sent;
  /** Whether an earlier try may have reached the bank: a status code alone then decides nothing. */
  readonly afterUnansweredTry?: boolean;
  readonly timeoutMs: number;
  /** Asked at the last moment before the call goes out; where it says no, the answer is `notSent`. Default: yes. */
  readonly maySend?: () => Promise<boolean>;
  /** As it was read just now. Default: it is read. */
  readonly bank?: Partner | undefined;
}

/** Nothing went out, so the bank knows nothing of this try. For an event: the bank takes none any more. */
export const notSent: PartnerAnswer = { kind: "none", why: "not_sent" };

/** One signed call. Never throws: whatever is no definite answer is `none`, with the reason. */
export const callPartner = async (service: Service, call: PartnerCall): Promise<PartnerAnswer> => {
  const startedAt = service.clock.now();
  const answer = await post(service, call).catch(
    (error: unknown): PartnerAnswer => ({
      kind: "none",
      why: error instanceof Error ? error.message.slice(0, 200) : "failed",
    }),
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
  const rules = { answers: row?.answers ?? partnerAnswers[0], afterUnansweredTry: call.afterUnansweredTry ?? false };
  const answer = kind === "event" ? readEventAnswer(reply.status) : readPartnerAnswer(reply.status, reply.body, rules);
  if (answer.kind !== "none") return kind === "event" ? answer : { ...answer, address: storedAddress(row) };
  return { ...answer, retryAfterMs: retryAfterMs(reply.status, reply.retryAfter, clock.now()) };
};

/** @param secret `whsec_…` (base64 of the key) or any other text, which is then the key itself in UTF-8. */
export const webhookOf = (secret: string): Webhook =>
  secret.startsWith("whsec_") ? new Webhook(secret) : new Webhook(new TextEncoder().encode(secret), { format: "raw" });

/** What a bank compares with its own clock: a time that was set right counts at once, also when it was set back. */
export const calendarOf = (clock: Clock): number => clock.calendar?.() ?? clock.now();

/**
 * @param keys one, or two during a rotation: the bank takes the signature that it can verify.
 * @param id stable over retries, so that the partner can drop repeats.
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

/** A bank that is down with ten thousand orders waiting is one line now and then; the metrics count them all. */
const logEveryMs = 10_000;

const loggedAt = new WeakMap<Service, Map<string, number>>();

/** A call without a usable answer. A line for each partner, kind of call and reason: silence must not hide a wrong secret. */
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
    "the partner gives no usable answer; its calls are repeated",
  );
};

/** The first definite answer stands, and somebody has to ask the bank. */
export const raiseDispute = (service: Service, order: RowOf<"outbox">, dispute: Dispute): void => {
  const why = dispute === noAfterSilence ? dispute : (`${dispute}_after_the_opposite` as const);
  service.telemetry.partnerAlarm(order.partner_id, "settle", why);
  service.log.error(
    { partner: order.partner_id, transaction_id: order.transaction_id, call: "settle", why },
    "the partner may have booked something else than it answered first: ask it",
  );
};

type Lookup = (host: string, options: LookupOptions) => Promise<LookupAddress | LookupAddress[]>;

/** @param lookup the system's, unless a test brings its own. Nothing is kept once it has answered. */
export const createSharedLookup = (lookup: Lookup = promises.lookup): LookupFunction => {
  const shared = pMemoize(lookup, { cache: false, cacheKey: JSON.stringify });
  return (host, options, callback) => {
    shared(host, options).then(
      (found) => (Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family)),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
};

/** More than any answer we read; a longer one is no answer. */
const responseBytesMax = 64 * 1024;
/** Connections to one host: more than any partner's calls in flight, so that two behind one host do not wait for each other. */
const socketsPerHostMax = 2_048;
const idleSocketMs = 15_000;

/**
 * HTTP to a partner over kept connections. Follows no redirect, reads no more than 64 KiB, ends after `timeoutMs` in all.
 * Rejects with `timeout`, `too_large`, or the socket's error code. @param proxy between this machine and the partners.
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
        const cancelTimer = clock.after(timeoutMs, () => end(new Error("timeout")));
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
 * Without a length the end of the connection ends the body: a bank that dies after its headers looks like an empty answer.
 * A 204 has neither a body nor a length (RFC 9110 §8.6).
 */
const hasContentLength = ({ statusCode, headers }: http.IncomingMessage): boolean =>
  statusCode === 204 || headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;

/** The code says enough (`ECONNREFUSED`); the message may hold addresses. */
const named = (error: Error): Error =>
  "code" in error && typeof error.code === "string" ? new Error(error.code, { cause: error }) : error;
