/** The terminal's access token: fetched when it is needed, renewed before it ends, thrown away when the service refuses it. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import { backOffFirstMs, callTimeoutMs, throttledMaxMs } from "../bounds.ts";
import type { Clock, Credential, Secrets, ServiceRequest, Transport } from "../ports.ts";
import { type Answer, isUnsafeService } from "./answer.ts";

/** A token is renewed when this share of its life is over. */
const renewAfterShare = 0.9;
const lifetimeDefaultMs = 3_600_000;
const lifetimeMaxMs = 30 * 86_400_000;

/** A token, or the answer that says why there is none. `answer` is null for a token that was held already. */
type Access =
  | { readonly kind: "token"; readonly token: string; readonly answer: Answer | null }
  | { readonly kind: "none"; readonly answer: Answer };

const keyRefused: Access = {
  kind: "none",
  answer: { kind: "unauthorized", why: "invalid_client", retryAfterMs: null },
};

const lifetimeMs = (value: unknown): number => {
  const seconds = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, lifetimeMaxMs) : lifetimeDefaultMs;
};

const fieldsOf = (body: unknown): Record<string, unknown> =>
  typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};

/**
 * Fetches and keeps the access token (interface 4.1). After a 429 nothing is sent until its Retry-After is over; a key that
 * was refused is tried again after 1 s, then twice as long each time: a terminal that goes on trying a revoked key is
 * throttled like somebody who guesses. Two minutes at most, both.
 */
const createAccess = (ports: { readonly clock: Clock; readonly transport: Transport }) => {
  let held: { readonly token: string; readonly renewAtMs: number } | null = null;
  let fetching: Promise<Access> | null = null;
  let closedUntilMs = Number.NEGATIVE_INFINITY;
  let refused = { times: 0, untilMs: Number.NEGATIVE_INFINITY };

  const fetchToken = async (credential: Credential): Promise<Access> => {
    const answer = await ports.transport.send({
      baseUrl: credential.serviceUrl,
      method: "POST",
      path: "/oauth2/authorize",
      body: {
        grant_type: "client_credentials",
        merchant_id: credential.merchantId,
        device_id: credential.deviceId,
        device_type: "terminal",
        password: credential.secret,
        scope: "",
      },
      timeoutMs: callTimeoutMs,
      authorized: false,
      token: null,
    });
    if (answer.kind === "silence") return { kind: "none", answer };
    const fields = fieldsOf(answer.body);
    const token = fields.access_token;
    const nowMs = ports.clock.monotonicMs();
    if (answer.status >= 200 && answer.status < 300 && typeof token === "string" && token !== "") {
      refused = { times: 0, untilMs: nowMs };
      held = { token, renewAtMs: nowMs + lifetimeMs(fields.expires_in) * renewAfterShare };
      return { kind: "token", token, answer };
    }
    if (answer.status === 429) {
      closedUntilMs = nowMs + Math.min(answer.retryAfterMs ?? backOffFirstMs, throttledMaxMs);
      return { kind: "none", answer: { kind: "unauthorized", why: "throttled", retryAfterMs: answer.retryAfterMs } };
    }
    if (fields.error === "invalid_client" || answer.status === 401 || answer.status === 403) {
      const pauseMs = Math.min(backOffFirstMs * 2 ** Math.min(refused.times, 20), throttledMaxMs);
      refused = { times: refused.times + 1, untilMs: nowMs + pauseMs };
      return keyRefused;
    }
    // The call itself was never sent: an authorize's own status must not be taken for the call's.
    return { kind: "none", answer: { kind: "unauthorized", why: "unavailable", retryAfterMs: answer.retryAfterMs } };
  };

  return {
    /** A token to use now, or why there is none. At most one authorize call is under way. */
    async token(credential: Credential): Promise<Access> {
      const nowMs = ports.clock.monotonicMs();
      if (held !== null && nowMs < held.renewAtMs) return { kind: "token", token: held.token, answer: null };
      if (nowMs < closedUntilMs) {
        const retryAfterMs = closedUntilMs - nowMs;
        return { kind: "none", answer: { kind: "unauthorized", why: "throttled", retryAfterMs } };
      }
      if (nowMs < refused.untilMs) return keyRefused;
      fetching ??= fetchToken(credential).finally(() => {
        fetching = null;
      });
      return fetching;
    },
    /** Throws a token away that the service refused; one fetched meanwhile stays. */
    discard(token: string | null): void {
      if (token === null || held?.token === token) held = null;
    },
  };
};

type Call = Omit<ServiceRequest, "authorized" | "baseUrl" | "token">;

type WhyRefused = "denied" | "unreachable" | "unsafe_service" | "wait";

const whyRefused = (answer: Answer): WhyRefused => {
  if (isUnsafeService(answer)) return "unsafe_service";
  if (answer.kind !== "unauthorized") return "unreachable";
  const { why } = answer;
  switch (why) {
    case "invalid_client":
      return "denied";
    case "throttled":
      return "wait";
    case "unavailable":
      return "unreachable";
    default:
      return assertNever(why);
  }
};

/** Sends each call once; only a 401, which was not done, is sent again with a new token. Without a credential nothing is sent. */
export const createAuthorized = (ports: {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly secrets: Secrets;
}) => {
  let access = createAccess(ports);
  let credential = ports.secrets.load();

  const sendOnce = async (
    call: Call,
    current: Credential,
    granting: ReturnType<typeof createAccess>,
  ): Promise<{ answer: Answer; token: string | null }> => {
    const granted = await granting.token(current);
    if (granted.kind === "none") return { answer: granted.answer, token: null };
    const answer = await ports.transport.send({
      ...call,
      authorized: true,
      baseUrl: current.serviceUrl,
      token: granted.token,
    });
    return { answer, token: granted.token };
  };

  const send = async (call: Call): Promise<Answer> => {
    if (credential === null) return { kind: "unauthorized", why: "invalid_client", retryAfterMs: null };
    // An enrolment while the call is under way: what one book began never goes out under another's credential.
    const current = credential;
    const granting = access;
    const first = await sendOnce(call, current, granting);
    if (first.token === null || first.answer.kind !== "answer" || first.answer.status !== 401) return first.answer;
    granting.discard(first.token);
    if (credential !== current) return first.answer;
    return (await sendOnce(call, current, granting)).answer;
  };

  return {
    /** `unauthorized` without a credential, or where the service gives no token. Does not reject. */
    send,
    /** Whether the service is there and the credential holds; needs no call beyond authorize while no token is held. */
    async probe(): Promise<Answer> {
      if (credential === null) return { kind: "unauthorized", why: "invalid_client", retryAfterMs: null };
      const granted = await access.token(credential);
      if (granted.kind === "none") return granted.answer;
      if (granted.answer !== null) return granted.answer;
      return ports.transport.send({
        baseUrl: credential.serviceUrl,
        method: "GET",
        path: "/healthz",
        timeoutMs: callTimeoutMs,
        authorized: false,
        token: null,
      });
    },
    /** Tries a credential; it replaces the one in use only when the service takes it and it may still be replaced then. */
    async enroll(candidate: Credential, mayReplace: () => boolean): Promise<"accepted" | "busy" | WhyRefused> {
      const trial = createAccess(ports);
      const granted = await trial.token(candidate);
      if (granted.kind === "none") return whyRefused(granted.answer);
      if (!(await ports.secrets.save(candidate, mayReplace))) return "busy";
      credential = candidate;
      access = trial;
      return "accepted";
    },
  };
};
