/** The path of every call: id, token, body, schemas, handler, answer. In one function, which is faster than middleware. */
import type { z } from "zod";
import { type Session, scopesOfKind } from "../access/credentials.ts";
import type { Chain, Client, Reader, Terminal } from "../context.ts";
import type { waitQuerySchema } from "../contract/pos.ts";
import type { Scope } from "../contract/scopes.ts";
import { invalidField, ServiceError } from "../service-error.ts";
import type { Wait } from "../withdrawals/get.ts";
import type { App } from "./app-context.ts";
import type { Call, Operation } from "./operation.ts";
import { errorResponse, isRefusal, toServiceError } from "./problem.ts";
import {
  answerHeaders,
  encodeBody,
  type HttpContext,
  headerOf,
  isEchoableRequestId,
  isSaneRequestId,
  parseBody,
  refuseCrossSite,
  requestIdHeader,
  requestIdLengthMax,
  watchBody,
} from "./request.ts";

type Handled = (c: HttpContext) => Promise<Response>;

/** Stands in for the session in calls that need none. */
const anonymousSession: Session = { kind: "client", ownerId: "", deviceId: "", scopes: [], expiresAt: 0 };

/** A random request id of 16 hexadecimal characters. */
export const randomRequestId = (app: App): string => app.service.random.id();

/** The caller's request id where it is acceptable, else a random one. The user-creation service echoes any of at most 255 characters. */
const requestIdOf = (app: App, operation: Operation, sent: string | undefined): string => {
  const taken = operation.errorShape === "users" ? isEchoableRequestId : isSaneRequestId;
  return sent !== undefined && taken(sent) ? sent : randomRequestId(app);
};

/** Status counted for a streamed answer that breaks off after its real status was sent. */
const brokenOff = 500;

/** Builds the handler of one operation; any failure is answered too. */
export const serveOperation = (app: App, operation: Operation): Handled => {
  const method = operation.method.toUpperCase();
  const endpoint = `${method} ${operation.path}`;
  const { clock } = app.service;

  /** @throws ServiceError for faults that do not depend on the token. */
  const checkForm = (c: HttpContext): void => {
    if (operation.errorShape === "users") checkRequestId(c);
    if (method !== "GET") refuseCrossSite(crossSiteHeaders(c), app.publicUrl);
  };

  const serve: Handled = async (c) => {
    const startedAt = clock.now();
    const requestId = requestIdOf(app, operation, headerOf(c, "x-request-id"));
    let session: Session | null = null;
    let response: Response;
    try {
      checkForm(c);
      if (operation.scopes !== null) {
        const found = await app.access.tokens.find(tokenIn(headerOf(c, "authorization")));
        session = withScope(found, operation.scopes);
        app.access.heard(session, headerOf(c, "user-agent"));
      }
      const reply = await operation.handle({
        app,
        context: c,
        requestId,
        session: session ?? anonymousSession,
        params: operation.params && validate(operation.params, c.req.param()),
        query: operation.query && validate(operation.query, queryOf(c.req.url)),
        headers: operation.headers && validate(operation.headers, c.req.header()),
        body: operation.body && validate(operation.body, await parseBody(c, operation.takesForms)),
      });
      response = toResponse(reply, requestId, clock.now(), operation);
    } catch (error) {
      logFailure(app, error, requestId, endpoint);
      response = errorResponse(error, {
        shape: operation.errorShape,
        requestId,
        endpoint,
        session,
        nowMs: clock.now(),
        tokenSent: headerOf(c, "authorization") !== undefined,
      });
    }
    const answered = (status: number) => {
      const durationMs = Math.max(0, clock.now() - startedAt);
      app.observer.answered({ method, route: operation.path, status, durationMs, requestId });
    };
    if (operation.streams && c.req.method !== "HEAD") {
      return watchBody(response, (error) => {
        if (error !== undefined) logFailure(app, error, requestId, endpoint);
        answered(error === undefined ? response.status : brokenOff);
      });
    }
    answered(response.status);
    return response;
  };
  const { tracing } = app;
  return tracing ? (c) => tracing.call(endpoint, () => serve(c)) : serve;
};

const toResponse = (reply: unknown, requestId: string, nowMs: number, { errorShape, replies }: Operation): Response => {
  const headers = answerHeaders(requestId, nowMs, "application/json");
  if (reply instanceof Response) {
    for (const name of ["Date", requestIdHeader]) reply.headers.set(name, headers[name] ?? "");
    return reply;
  }
  const text = JSON.stringify(reply);
  // Only this error shape allows ids that are not ASCII.
  return new Response(errorShape === "users" ? encodeBody(requestId, text) : text, {
    status: 201 in replies ? 201 : 200,
    headers,
  });
};

const crossSiteHeaders = (c: HttpContext) => ({
  origin: headerOf(c, "origin"),
  site: headerOf(c, "sec-fetch-site"),
  host: headerOf(c, "host"),
});

const checkRequestId = (c: HttpContext): void => {
  if ((headerOf(c, "x-request-id")?.length ?? 0) > requestIdLengthMax)
    throw invalidField(requestIdHeader, `must have at most ${requestIdLengthMax} characters`);
};

/** Logs what the caller does not see: unexpected errors with their stack, and the cause of a 503. */
export const logFailure = (app: App, error: unknown, requestId: string, endpoint: string): void => {
  if (isRefusal(error)) return;
  const { code, message, extra } = toServiceError(error);
  if (code !== "internal_error" && code !== "unavailable") return;
  const cause = extra.cause ?? error;
  app.service.log.error({ request_id: requestId, endpoint, code, err: cause }, message);
};

/** @throws ServiceError `validation_failed`. */
const validate = <T>(schema: z.ZodType<T>, value: unknown): T => {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => ({ path: pathOf(issue), message: sentenceOf(issue) }));
  throw new ServiceError("validation_failed", undefined, { errors });
};

const pathOf = (issue: z.core.$ZodIssue): string =>
  issue.code === "unrecognized_keys" ? (issue.keys[0] ?? "").slice(0, 64) : issue.path.map(String).join(".");

const typeNames: Readonly<Record<string, string>> = { object: "an object", array: "a list", int: "a whole number" };
const named = (type: string): string => typeNames[type] ?? `a ${type}`;

const isNumber = (origin: string): boolean => ["number", "int"].includes(origin);
const unitOf = ({ origin }: { readonly origin: string }): string => (origin === "string" ? " characters" : "");

/** What is wrong with a field, as the end of a sentence that starts with its name; a schema's own message is used. */
const sentenceOf = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `must be ${named(issue.expected)}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map(String).join(", ")}`;
    case "too_big":
      return isNumber(issue.origin)
        ? `must be at most ${issue.maximum}`
        : `must have at most ${issue.maximum}${unitOf(issue)}`;
    case "too_small":
      if (isNumber(issue.origin)) return `must be at least ${issue.minimum}`;
      return Number(issue.minimum) === 1 && issue.origin === "string"
        ? "must not be empty"
        : `must have at least ${issue.minimum}${unitOf(issue)}`;
    case "invalid_format":
      return issue.message.startsWith("Invalid") ? "is not in the form that the reference describes" : issue.message;
    case "unrecognized_keys":
      return "is no parameter of this call";
    default:
      return issue.message;
  }
};

/**
 * Parses a query; each parameter may occur once.
 * @throws ServiceError `validation_failed` for a duplicate, of which two parsers could take either.
 */
export const queryOf = (url: string): Record<string, string> => {
  const values: Record<string, string> = {};
  const start = url.indexOf("?");
  if (start < 0) return values;
  for (const [name, value] of new URLSearchParams(url.slice(start))) {
    if (Object.hasOwn(values, name)) throw invalidField(name.slice(0, 64), "must be given once");
    if (name !== "__proto__") values[name] = value;
  }
  return values;
};

const bearer = /^bearer +([\x21-\x7e]+) *$/i;

const unauthenticated = (detail: string) => new ServiceError("unauthenticated", detail);

/** @throws ServiceError `unauthenticated`. */
const tokenIn = (header: string | undefined): string => {
  if (header === undefined) throw unauthenticated("The Authorization header is missing");
  const token = bearer.exec(header)?.[1];
  if (token === undefined) throw unauthenticated("The Authorization header is not of the form: Bearer <ACCESS_TOKEN>");
  return token;
};

/** @throws ServiceError `unauthenticated` without a session, `insufficient_scope` when it has none of `scopes`. */
const withScope = (session: Session | null, scopes: readonly Scope[]): Session => {
  if (session === null) throw unauthenticated("The access token is unknown, expired or revoked");
  if (!session.scopes.some((scope) => scopes.includes(scope)))
    throw new ServiceError("insufficient_scope", lackOf(session, scopes));
  return session;
};

/** Names only scopes that a credential of this kind can have. */
const lackOf = ({ kind }: Session, scopes: readonly Scope[]): string => {
  const possible = scopes.filter((scope) => scopesOfKind[kind].includes(scope));
  if (possible.length === 0) return `This call is not for a ${kind}'s token`;
  return `This call needs the scope ${possible.join(" or ")}`;
};

/** @throws ServiceError `insufficient_scope` unless it is a terminal's token. */
export const terminalOf = (session: Session, requestId?: string): Terminal => {
  if (session.kind !== "terminal") throw new ServiceError("insufficient_scope", "This call needs a terminal's token");
  return { merchantId: session.ownerId, deviceId: session.deviceId, requestId };
};

/** @throws ServiceError `insufficient_scope` unless it is a client's token. */
export const clientOf = (session: Session, requestId?: string): Client => {
  if (session.kind !== "client") throw new ServiceError("insufficient_scope", "This call needs a client-level token");
  return { partnerId: session.ownerId, requestId };
};

/** @throws ServiceError `insufficient_scope` unless it is a chain's token. */
export const chainOf = (session: Session): Chain => {
  if (session.kind !== "chain") throw new ServiceError("insufficient_scope", "This call needs a chain's token");
  return { chainId: session.ownerId };
};

/** The reader behind a token of any kind. */
export const readerOf = (session: Session): Reader => {
  if (session.kind === "chain") return chainOf(session);
  return session.kind === "terminal" ? terminalOf(session) : clientOf(session);
};

type HeldCall = Pick<
  Call<unknown, z.output<typeof waitQuerySchema>, unknown, unknown>,
  "app" | "context" | "session" | "query"
>;

/**
 * Runs a read that may be held (extension `wait`) within the credential's limit. It ends when the caller disconnects or
 * the service stops. @throws ServiceError `too_many_requests`.
 */
export const withHeldReadSlot = <T>(call: HeldCall, read: (wait?: Wait) => Promise<T>): Promise<T> => {
  const { wait } = call.query;
  return wait === undefined || wait === 0 ? read() : hold(call, wait, read);
};

const hold = async <T>(
  { app, context, session, query: { status } }: HeldCall,
  wait: number,
  read: (wait: Wait) => Promise<T>,
): Promise<T> => {
  const signal = AbortSignal.any([context.req.raw.signal, app.stopping]);
  const release = app.access.heldReads.acquire(session);
  try {
    return await read({ waitMs: wait * 1000, signal, ...(status && { whileStatus: status }) });
  } finally {
    release();
  }
};
