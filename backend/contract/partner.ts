/** The calls the service makes to a bank (interface 4.2, 4.4; conventions, "Partner calls"). Field names as the interface spells them. */
import { z } from "zod";

export const startOrderPath = "/api/svc/startwithdrawal";
export const settleOrderPath = "/api/svc/settlewithdrawal";

export const startOrderSchema = z
  .object({
    userId: z.string(),
    amount: z.string(),
    dateOfTransaction: z.string(),
    expiryTimeOfTheOrder: z.string(),
    svcTransactionReferenceId: z.string(),
    store: z.string(),
  })
  .meta({ id: "StartOrder" });
export type StartOrder = z.infer<typeof startOrderSchema>;

export const settleOrderSchema = z
  .object({
    userId: z.string(),
    TransactionId: z.string(),
    DateOperation: z.string(),
    SvcTransactionReferenceId: z.string(),
  })
  .meta({ id: "SettleOrder" });
export type SettleOrder = z.infer<typeof settleOrderSchema>;

/** One call may take this long before it counts as no answer. */
export const partnerCallTimeoutMs = 5_000;
/** A Start order is tried this long, then the withdrawal is declined as `partner_unreachable`. */
export const startOrderWindowMs = 15_000;

/** The two calls to a bank. */
export type PartnerCallKind = "start" | "settle";

/**
 * How a bank says yes and no: with a word in `status`, or, where the operator declared it (`partners set --answers`), by
 * the status code alone (conventions, "Partner calls").
 */
export const partnerAnswers = ["by-status-word", "by-status-code"] as const;
export type PartnerAnswers = (typeof partnerAnswers)[number];

export type PartnerAnswer =
  | { readonly kind: "accepted" }
  | { readonly kind: "declined"; readonly reason: string | null }
  | { readonly kind: "none"; readonly why: string };

/** The answers that decide something. */
export type DefiniteAnswer = Exclude<PartnerAnswer["kind"], "none">;

const negativeHttp: readonly number[] = [400, 402, 410, 422];
const positiveWords: ReadonlySet<string> = new Set([
  ...["accepted", "approved", "authorised", "authorized", "booked", "completed", "confirmed", "created", "executed"],
  ...["ok", "paid", "posted", "reserved", "secured", "settled", "success", "successful", "succeeded"],
]);
const negativeWords: ReadonlySet<string> = new Set(["declined", "rejected", "denied", "refused"]);

/**
 * Reads what a partner sent. Positive: 200 with an empty body or a JSON object without a status or with a positive one.
 * Negative: 200 with a negative status, or 400, 402, 410, 422. Everything else is no answer, also a status that is
 * neither (`pending`, `failed`, `canceled`): neither paid nor "not paid" may be guessed.
 */
export const readPartnerAnswer = (httpStatus: number, body: string): PartnerAnswer => {
  const json = parseObject(body);
  const reason = typeof json?.reason === "string" ? json.reason.slice(0, 200) : null;
  if (negativeHttp.includes(httpStatus)) return { kind: "declined", reason };
  if (httpStatus !== 200) return { kind: "none", why: `http_${httpStatus}` };
  if (body.trim() === "") return { kind: "accepted" };
  if (json === null) return { kind: "none", why: "not_json" };
  const word = statusOf(json);
  if (word === null || positiveWords.has(word)) return { kind: "accepted" };
  return negativeWords.has(word) ? { kind: "declined", reason } : { kind: "none", why: "status_unknown" };
};

/** The word of the status, in lower case; `null` where there is none. Settle order spells its fields with capitals. */
const statusOf = (json: Record<string, unknown>): string | null => {
  const names = Object.keys(json).filter((name) => name.toLowerCase() === "status" && json[name] !== null);
  if (names.length === 0) return null;
  return names.map((name) => String(json[name]).trim().toLowerCase()).join(" ");
};

const parseObject = (body: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};
