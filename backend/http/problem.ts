/** Turns thrown errors into answers: RFC 9457, except where clients were promised another shape. */
import { OAuthRefusal } from "../access/authorize.ts";
import type { Session } from "../access/credentials.ts";
import { assertNever } from "../contract/assert-never.ts";
import { type ErrorCode, errorTable } from "../contract/errors.ts";
import { toTime } from "../contract/times.ts";
import { ServiceError } from "../service-error.ts";
import { UserExists } from "../users/create-user.ts";
import { answerHeaders, encodeBody } from "./request.ts";

/** A path's error format: RFC 9457, RFC 6749, or the published shape of `/api/v2/users`. */
export type ErrorShape = "problem" | "oauth" | "users";

interface Failing {
  readonly requestId: string;
  readonly nowMs: number;
  /** Default: `problem`. */
  readonly shape?: ErrorShape;
  /** `POST /api/v2/users`: part of the published shape. */
  readonly endpoint?: string;
  readonly session?: Session | null;
  /** Whether a token was sent: RFC 6750 names an error only then. */
  readonly tokenSent?: boolean;
}

/** Expected errors with an answer of their own shape. */
export const isRefusal = (error: unknown): boolean => error instanceof OAuthRefusal || error instanceof UserExists;

/** Anything unexpected becomes `internal_error`; details go only to the log. */
export const toServiceError = (error: unknown): ServiceError =>
  error instanceof ServiceError ? error : new ServiceError("internal_error");

/** The answer to a failure; anything unexpected is `internal_error` without details. */
export const errorResponse = (error: unknown, failing: Failing): Response => {
  const { shape = "problem" } = failing;
  switch (shape) {
    case "problem":
      return problemResponse(toServiceError(error), failing);
    case "oauth":
      return oauthResponse(error, failing);
    case "users":
      return usersResponse(error, failing);
    default:
      return assertNever(shape);
  }
};

const respond = (
  status: number,
  body: unknown,
  type: string,
  { requestId, nowMs }: Failing,
  more: Readonly<Record<string, string>>,
): Response =>
  new Response(encodeBody(requestId, JSON.stringify(body)), {
    status,
    headers: { ...answerHeaders(requestId, nowMs, type), ...more },
  });

const headersOf = ({ code, extra }: ServiceError, tokenSent = false): Record<string, string> => ({
  ...(extra.retryAfterSeconds === undefined ? {} : { "Retry-After": String(extra.retryAfterSeconds) }),
  ...(code === "unauthenticated"
    ? { "WWW-Authenticate": `Bearer realm="tillcash"${tokenSent ? ', error="invalid_token"' : ""}` }
    : {}),
  ...(code === "insufficient_scope"
    ? { "WWW-Authenticate": 'Bearer realm="tillcash", error="insufficient_scope"' }
    : {}),
});

/** `application/problem+json` (RFC 9457). */
const problemResponse = (error: ServiceError, failing: Failing): Response => {
  const { requestId, tokenSent } = failing;
  const { status, title } = errorTable[error.code];
  const problem = {
    type: `urn:tillcash:problem:${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(status === 400 ? { errors: error.extra.errors ?? [] } : {}),
    transaction: error.extra.transaction,
    limits: error.extra.limits,
  };
  return respond(status, problem, "application/problem+json", failing, headersOf(error, tokenSent));
};

/** RFC 6749 §5.2. */
const oauthResponse = (error: unknown, failing: Failing): Response => {
  if (error instanceof OAuthRefusal) {
    const more = error.status === 401 ? { "WWW-Authenticate": `${error.challenge} realm="tillcash"` } : {};
    const body = { error: error.code, error_description: error.message };
    return respond(error.status, body, "application/json", failing, { ...more, Pragma: "no-cache" });
  }
  const failure = toServiceError(error);
  const fields = (failure.extra.errors ?? []).map(({ path, message }) => `${path}: ${message}`).join("; ");
  const body = { error: oauthCode(failure.code), error_description: oauthText(fields || failure.message) };
  const { status } = errorTable[failure.code];
  return respond(status, body, "application/json", failing, { ...headersOf(failure), Pragma: "no-cache" });
};

/** `error_description` takes printable ASCII without quotation mark and backslash. */
const oauthText = (text: string): string => text.replaceAll('"', "'").replaceAll(/[^\x20-\x5b\x5d-\x7e]/g, "?");

const oauthCode = (code: ErrorCode) => {
  if (code === "too_many_requests") return "too_many_requests";
  if (code === "unavailable") return "temporarily_unavailable";
  return code === "internal_error" ? "server_error" : "invalid_request";
};

/** The published shape of the user-creation service. */
const usersResponse = (error: unknown, failing: Failing): Response => {
  const { requestId, endpoint = "", session = null } = failing;
  const failure = error instanceof UserExists ? null : toServiceError(error);
  if (failure?.code === "unauthenticated") {
    const body = { error: "invalid_token", error_description: failure.message };
    return respond(401, body, "application/json", failing, headersOf(failure, failing.tokenSent));
  }
  const status = failure === null ? 422 : errorTable[failure.code].status;
  const errors = failure === null ? [businessError("ENTITY_EXISTS", (error as Error).message)] : usersErrors(failure);
  const body = {
    errors,
    date: toTime(failing.nowMs),
    requestId,
    endpoint,
    authContext: session === null ? "" : `${session.ownerId}/${session.deviceId}`,
  };
  return respond(status, body, "application/json", failing, failure ? headersOf(failure, failing.tokenSent) : {});
};

const businessError = (code: string, message: string) => ({ message, code, type: "BUSINESS" });

const usersErrors = (failure: ServiceError) => {
  const { code, message, extra } = failure;
  const { status } = errorTable[code];
  if (code === "insufficient_scope") return [businessError("UNAUTHORIZED_ACCESS", message)];
  if (status >= 500) return [{ message, code: "UNEXPECTED_ERROR", type: "TECHNICAL" }];
  if (code === "too_many_requests") return [{ message, code: "TOO_MANY_REQUESTS", type: "TECHNICAL" }];
  const fields = extra.errors ?? [];
  if (fields.length === 0) return [businessError("BAD_REQUEST", message)];
  return fields.map((field) => businessError("BAD_REQUEST", `${field.path}: ${field.message}`));
};
