/** What an answer means for the question whether something was done. */
import { z } from "zod";
import { type ErrorCode, errorTable } from "../../../backend/contract/errors.ts";
import { formatAmount, isCurrencyCode, minorDigits } from "../../../backend/contract/money.ts";
import { reasons } from "../../../backend/contract/reasons.ts";
import { statuses } from "../../../backend/contract/transaction.ts";
import { type JournalHealth, type ShopProfile, shopProfileSchema } from "../../../preload/contract.ts";
import { backOffFirstMs } from "../bounds.ts";
import type { ServiceAnswer } from "../ports.ts";

/** A service answer, or that there is no token to ask with (the request itself was never sent). */
export type Answer = (
  | ServiceAnswer
  | {
      readonly kind: "unauthorized";
      readonly why: "invalid_client" | "throttled" | "unavailable";
      readonly retryAfterMs: number | null;
    }
) & {
  /** Asked with a key that another one has replaced meanwhile: it says nothing about this one, nor about its service. */
  readonly ofEarlierKey?: true;
};

/** What can be said about the request from its answer. */
export type AnswerClass =
  /** Success; the body may still be thin. */
  | "done"
  /** Certainly not done, and never will be as asked. */
  | "conflict"
  | "missing"
  | "refused"
  /** Certainly not done now; the same request may succeed later. */
  | "later"
  /** No telling whether it was done. */
  | "unknown"
  /** A proxy's page instead of the service's word: as unknown, but not for ever. */
  | "misrouted";

/** Judges by status code, and by whether the body was the service's own (JSON or empty). */
export const classifyAnswer = (answer: Answer): AnswerClass => {
  if (answer.kind === "unauthorized") return "later";
  if (answer.kind === "silence") return "unknown";
  const { status, body } = answer;
  if (status >= 200 && status < 300) return "done";
  // The manager can give the credential its scope back; what was asked for is as it was.
  if (codeOf(answer) === "insufficient_scope") return "later";
  if (status === 401 || status === 408 || status === 425 || status === 429) return "later";
  if (status === 501) return "refused";
  if (status >= 500 || status < 400) return "unknown";
  if (body === undefined) return "misrouted";
  // The withdrawal is as it was, and nobody else has it.
  if (codeOf(answer) === "limit_reached") return "refused";
  if (status === 409) return "conflict";
  return status === 404 || status === 410 ? "missing" : "refused";
};

/** Whether nothing may be sent there where money is real (`UnsafeService`). */
export const isUnsafeService = (answer: Answer): boolean =>
  answer.kind === "silence" && (answer.because === "sandbox" || answer.because === "plain_http");

/** The service's own error code; null for every other server's and every gateway's words. */
export const codeOf = (answer: Answer): ErrorCode | null => {
  const { code } = fieldsOf(bodyOf(answer));
  return typeof code === "string" && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : null;
};

/** The body of an answer; undefined when there was no answer, or it was not JSON. */
export const bodyOf = (answer: Answer): unknown => (answer.kind === "answer" ? answer.body : undefined);
/** The fields of a body; none of anything else than an object. */
export const fieldsOf = (body: unknown): Readonly<Record<string, unknown>> =>
  typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
/** The HTTP status of an answer; null when there was none. */
export const httpOf = (answer: Answer): number | null => (answer.kind === "answer" ? answer.status : null);

/** Doubles from the first pause to the most, spread over its upper half by `fraction`; never before the service's Retry-After. */
export const backOffMs = (
  failures: number,
  maxMs: number,
  fraction: number,
  answer: Answer | null,
  firstMs = backOffFirstMs,
): number => {
  const fullMs = Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 20));
  const retryAfterMs = answer === null || answer.kind === "silence" ? 0 : (answer.retryAfterMs ?? 0);
  return Math.max(fullMs * (0.5 + fraction / 2), Math.min(retryAfterMs, maxMs * 4));
};

/** What could be read of a Transaction (interface 3.1). */
export type Reading = NonNullable<ReturnType<typeof readTransaction>>;

const text = (value: unknown, lengthMax = 200): string | null =>
  typeof value === "string" && value.length > 0 && value.length <= lengthMax ? value : null;

const time = (value: unknown): number | null => {
  const ms = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
};

const plainDecimal = /^(0|[1-9]\d{0,12})(\.\d{1,4})?$/;

const amountText = (value: unknown, currency: string | null): string | null => {
  if (typeof value === "string") return plainDecimal.test(value) && Number(value) > 0 ? value : null;
  if (typeof value !== "number" || !(value > 0)) return null;
  const code = currency ?? "";
  const digits = minorDigits(code);
  const minor = Math.round(value * 10 ** digits);
  if (!Number.isSafeInteger(minor)) return null;
  const isExact = Math.abs(minor / 10 ** digits - value) < 1e-9;
  // No digit that was said is rounded away.
  return isExact ? formatAmount(minor, code) : amountText(String(value), null);
};

/** Without the zeros that only a currency's spelling adds: `"50.00"`, `"50.0"` and `"50"` are one amount. */
const withoutTrailingZeros = (amount: string): string =>
  amount.includes(".") ? amount.replace(/0+$/, "").replace(/\.$/, "") : amount;

/** Whether two amounts are the same money, however they are spelt; null is an amount that nobody said. */
export const isSameAmount = (one: string | null, other: string | null): boolean =>
  one === null || other === null || withoutTrailingZeros(one) === withoutTrailingZeros(other);

/** Whether two currencies may be the same: one that nobody said is any. */
export const isSameCurrency = (one: string | null, other: string | null): boolean =>
  [one, other].some((code) => code === null || code === noCurrency) || one === other;

/** Whether a body is about another transaction: a cache's or a mixed-up server's, which says nothing about this one. */
export const isAboutAnother = (body: unknown, transactionId: string): boolean => {
  const { transaction_id: id } = fieldsOf(body);
  return id !== undefined && id !== transactionId;
};

/** Whether the answer to a link names another hand-out than ours: another program with this terminal's identity gave the cash as well. */
export const namesOtherHandOut = (body: unknown, handOutId: string | null): boolean => {
  const { hand_out_id: id } = fieldsOf(body);
  return handOutId !== null && typeof id === "string" && id !== handOutId;
};

const hasWord = (value: unknown): boolean => value !== undefined && value !== null && value !== "";

/** Null when the body is none, or of another transaction. Times in milliseconds since the epoch, null if unreadable. */
export const readTransaction = (body: unknown, transactionId: string) => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return null;
  if (isAboutAnother(body, transactionId)) return null;
  const fields = fieldsOf(body);
  const currency = typeof fields.currency === "string" && isCurrencyCode(fields.currency) ? fields.currency : null;
  const partner = fields.transaction_id_partner;
  return {
    /** A status word of the conventions, exactly; null for any other word and for none. */
    status: statuses.find((word) => word === fields.status) ?? null,
    /** Whether the body says a status at all, in whatever word. */
    hasStatus: fields.status !== undefined && fields.status !== null,
    /** A word of the conventions; `unknown` for any other, as a newer service may have; null for none. */
    reason: reasons.find((word) => word === fields.reason) ?? (hasWord(fields.reason) ? ("unknown" as const) : null),
    /** Undefined when the body does not say whose confirm was taken. */
    terminalReference: partner === null ? null : (text(partner) ?? undefined),
    amount: amountText(fields.amount, currency),
    currency,
    store: text(fields.store),
    /** What a person calls the shop (an extension). */
    storeName: text(fields.store_name),
    createdAtMs: time(fields.created_at),
    expiresAtMs: time(fields.expires_at),
    confirmedAtMs: time(fields.confirmed_at),
    approvalEndsAtMs: time(fields.sca_expires_at),
  };
};

/** ISO 4217's code for "no currency": shown when a thin body names none. */
export const noCurrency = "XXX";

/** When a service was put back to a copy last, and from when on it may have forgotten what it was told. */
export interface ServiceRestore {
  /** As the service writes it: it names the restore. */
  readonly restoredAt: string | null;
  /** By the service's clock. */
  readonly forgotSinceMs: number | null;
  /** The newest link of this journal that the copy has; null where the service does not say or has none. */
  readonly keptHead: { readonly sequence: number; readonly hash: string } | null;
}

const { scaTimeoutSeconds, support } = shopProfileSchema.shape;
const decimal = z.string().regex(plainDecimal);
const limits = z
  .object({
    currency: z.string().refine(isCurrencyCode),
    amount_min: decimal,
    amount_max: decimal,
    amount_step: decimal,
  })
  .transform(({ currency, amount_min: min, amount_max: max, amount_step: step }) => ({ currency, min, max, step }));
const body = z.object({
  store_name: shopProfileSchema.shape.name,
  sca_timeout_seconds: scaTimeoutSeconds.catch(null),
  support: support.catch(null),
});

const restore = z
  .object({
    restored_at: z.iso.datetime().nullable(),
    forgot_since: z.iso.datetime().nullable().catch(null),
    kept_head: z
      .object({ seq: z.int().min(1), head: z.string() })
      .nullable()
      .catch(null),
  })
  .transform(
    ({ restored_at: restoredAt, forgot_since: since, kept_head: kept }): ServiceRestore => ({
      restoredAt,
      forgotSinceMs: since === null ? null : Date.parse(since),
      keptHead: kept && { sequence: kept.seq, hash: kept.head },
    }),
  );

/** What a service says of a copy that it was put back to; null where it does not know of such. */
export const readRestore = (answer: unknown): ServiceRestore | null => restore.safeParse(answer).data ?? null;

/** What a service says about the shop; null when the body names none. */
export const readShop = (answer: unknown, merchantId: string): ShopProfile | null => {
  const read = body.safeParse(answer);
  if (!read.success) return null;
  return {
    merchantId,
    name: read.data.store_name,
    limits: limits.safeParse(answer).data ?? null,
    scaTimeoutSeconds: read.data.sca_timeout_seconds,
    support: read.data.support,
  };
};

const headsSchema = z.object({ heads: z.array(z.object({ seq: z.int().min(1), head: z.string() })) });

/** @param body of `GET /ext/v1/journal-heads`. @returns null where it holds no links: another server's, or an error. */
export const compareAnchors = (
  body: unknown,
  linkOf: (sequence: number) => string | null,
): JournalHealth["anchors"] => {
  const heads = headsSchema.safeParse(body).data?.heads;
  if (heads === undefined) return null;
  const links = heads.map(({ seq, head }) => ({ seq, head, own: linkOf(seq) })).sort((a, b) => a.seq - b.seq);
  return {
    compared: heads.length,
    missing: links.filter(({ own }) => own === null).map(({ seq }) => seq),
    different: links.filter(({ own, head }) => own !== null && own !== head).map(({ seq }) => seq),
  };
};

/** The newest of them; null where the answer holds no links: another server's, or an error. */
export const newestAnchor = (body: unknown) => {
  const heads = headsSchema.safeParse(body).data?.heads;
  if (heads === undefined) return null;
  const [newest] = heads;
  return newest === undefined
    ? ({ kind: "compared" } as const)
    : ({ kind: "known", sequence: newest.seq, hash: newest.head } as const);
};
