/** The calls of a terminal (interface 4.1, 4.5 to 4.8). Fetches the access token when needed. */
import { z } from "zod";
import type { AsReported } from "../../../backend/contract/pos.ts";
import { credentialSchema } from "../../../preload/contract.ts";
import { backOffFirstMs, callTimeoutMs, lookUpTimeoutMs, throttledMaxMs, waitSeconds, waitSlackMs } from "../bounds.ts";
import type { Credential, Device, JournalHead, Ports, ServiceAnswer, ServiceRequest } from "../ports.ts";
import { type Answer, bodyOf, fieldsOf, httpOf, isUnsafeService } from "./answer.ts";

/** A token is renewed after this share of its lifetime. */
const renewAfterShare = 0.9;
const lifetimeDefaultMs = 3_600_000;
const lifetimeMaxMs = 30 * 86_400_000;

/** A token, or the answer that says why there is none. `answer` is null if the token was cached. */
type Access =
  | { readonly kind: "token"; readonly token: string; readonly answer: Answer | null }
  | { readonly kind: "none"; readonly answer: Answer };

const keyRefused = {
  kind: "none",
  answer: { kind: "unauthorized", why: "invalid_client", retryAfterMs: null },
} as const;

const lifetimeMs = (value: unknown): number => {
  const seconds = typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, lifetimeMaxMs) : lifetimeDefaultMs;
};

/**
 * Fetches and caches the access token (interface 4.1). Obeys Retry-After. A refused credential is retried after 1 s,
 * doubling up to two minutes, because the service throttles repeated attempts like guessing.
 */
const createAccess = (ports: Pick<Ports, "clock" | "transport">) => {
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
    // The call itself was not sent, so authorize's status must not be taken for the call's.
    return { kind: "none", answer: { kind: "unauthorized", why: "unavailable", retryAfterMs: answer.retryAfterMs } };
  };

  return {
    /** A valid token, or why there is none. At most one authorize call runs at a time. */
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
    /** Discards a token that the service refused, unless it was replaced meanwhile. */
    discard(token: string): void {
      if (held?.token === token) held = null;
    },
  };
};

type Call = Omit<ServiceRequest, "baseUrl" | "token">;

/** What a failed sign-in means for an enrolment. */
const whyNoToken = { invalid_client: "denied", throttled: "wait", unavailable: "unreachable" } as const;
type WhyRefused = (typeof whyNoToken)[keyof typeof whyNoToken] | "unsafe_service";

const whyRefused = (answer: Answer): WhyRefused => {
  if (isUnsafeService(answer)) return "unsafe_service";
  return answer.kind === "unauthorized" ? whyNoToken[answer.why] : "unreachable";
};

type ClientPorts = Pick<Ports, "clock" | "transport" | "secrets">;

/** Sends each call once; only after a 401, which means not done, again with a new token. Sends nothing without a credential. */
const createAuthorized = (ports: ClientPorts) => {
  let access = createAccess(ports);
  let credential = ports.secrets.load();

  const send = async (call: Call): Promise<Answer> => {
    if (credential === null) return keyRefused.answer;
    // Fixed for this call: after an enrolment meanwhile, what one book began must not be sent with another's credential.
    const [current, granting] = [credential, access];
    const { serviceUrl: baseUrl } = current;
    for (let isAgain = false; ; isAgain = true) {
      const granted = await granting.token(current);
      if (granted.kind === "none") return granted.answer;
      const { token } = granted;
      const answer = await ports.transport.send({ ...call, baseUrl, token });
      if (isAgain || httpOf(answer) !== 401) return answer;
      granting.discard(token);
      if (credential !== current) return answer;
    }
  };

  return {
    /** `unauthorized` without a credential or token. Does not reject. */
    send,
    /** Checks that the service answers and accepts the credential: by authorize if there is no token yet, else by /healthz. */
    async probe(): Promise<Answer> {
      if (credential === null) return keyRefused.answer;
      const { serviceUrl: baseUrl } = credential;
      const granted = await access.token(credential);
      return (
        granted.answer ?? ports.transport.send({ baseUrl, method: "GET", path: "/healthz", timeoutMs: callTimeoutMs })
      );
    },
    /** Tests a credential; it replaces the current one only if the service accepts it and `mayReplace` still agrees. */
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

/** A refusal counts only if it follows this contract; other servers count as unreachable. */
const refusedSchema = z.object({ code: z.enum(["not_found", "validation_failed"]) });

/** Result of redeeming a one-time code; `denied` is final. Answers outside of the contract count as `unreachable`. */
const readRedeemed = <T>(answer: ServiceAnswer, granted: z.ZodType<T>): T | "denied" | "wait" | "unreachable" => {
  const [status, body] = [httpOf(answer), bodyOf(answer)];
  if (status === 429) return "wait";
  if (refusedSchema.safeParse(body).success) return "denied";
  return (status === 201 ? granted.safeParse(body).data : undefined) ?? "unreachable";
};

const resetSchema = z.object({ merchant_id: z.string(), device_id: z.string() });
const grantedSchema = resetSchema.extend({ password: z.string() });

/** `unreachable` also if the service does not have this call yet. */
export type ManagerResetAnswer = "accepted" | "denied" | "wait" | "unreachable";

/** Reports to the service: `POST /transaction/reject`, `/transaction/link`, or the undelivered report. */
export const reports = ["reject", "link", "undelivered"] as const;
/** One of `reports`. */
export type Report = (typeof reports)[number];

const headBody = ({ sequence, at, hash }: JournalHead) => ({
  seq: sequence,
  head: hash,
  at: new Date(at).toISOString(),
});

/** See `createServiceClient`. */
export type ServiceClient = ReturnType<typeof createServiceClient>;

/** A client with the saved credential; without one every call answers `unauthorized`. No call rejects. */
export const createServiceClient = (ports: ClientPorts) => {
  const { send, probe, enroll } = createAuthorized(ports);
  const post = (path: string, body: unknown): Promise<Answer> =>
    send({ method: "POST", path, body, timeoutMs: callTimeoutMs });
  const get = (path: string): Promise<Answer> => send({ method: "GET", path, timeoutMs: callTimeoutMs });

  /** Redeems a code by a single call. */
  const redeem = (baseUrl: string, path: string, body: unknown): Promise<ServiceAnswer> =>
    ports.transport.send({ method: "POST", baseUrl, path, body, timeoutMs: callTimeoutMs });

  return {
    /** Exchanges a one-time code for an access key; `wait` after too many wrong codes. */
    async redeemEnrolmentCode(serviceUrl: string, code: string) {
      const answer = await redeem(serviceUrl, "/ext/v1/enrolments", { code });
      if (isUnsafeService(answer)) return "unsafe_service";
      const granted = readRedeemed(answer, grantedSchema);
      if (typeof granted === "string") return granted;
      const { merchant_id: merchantId, device_id: deviceId, password: secret } = granted;
      return credentialSchema.safeParse({ serviceUrl, merchantId, deviceId, secret }).data ?? "unreachable";
    },
    /** Redeems the operator's code for resetting a manager's PIN, at the service of `device` and without a credential. */
    async redeemManagerReset({ serviceUrl, merchantId, deviceId }: Device, code: string): Promise<ManagerResetAnswer> {
      const body = { merchant_id: merchantId, device_id: deviceId, code };
      const answer = readRedeemed(await redeem(serviceUrl, "/ext/v1/manager-resets", body), resetSchema);
      // Only a 201 with a terminal counts as accepted.
      return typeof answer === "string" ? answer : "accepted";
    },
    probe,
    enroll,
    /** @param heldFor asks the service to hold the answer until the status differs (long poll); servers that ignore it answer at once. */
    getTransaction(transactionId: string, heldFor: "awaiting_sca" | "settling" | null): Promise<Answer> {
      const held = heldFor === null ? "" : `&wait=${waitSeconds}&status=${heldFor}`;
      return send({
        method: "GET",
        path: `/transaction?id=${encodeURIComponent(transactionId)}${held}`,
        timeoutMs: heldFor === null ? lookUpTimeoutMs : waitSeconds * 1000 + waitSlackMs,
      });
    },
    confirmTransaction: (transactionId: string, terminalReference: string): Promise<Answer> =>
      post("/transaction/confirm", { transaction_id: transactionId, transaction_id_partner: terminalReference }),
    /** @param reason of `undelivered`, or a reject's `sca_timeout`. @param handOutId of a link. @param head the journal's newest link. */
    sendReport(
      report: Report,
      transactionId: string,
      reason: string,
      cashier: string | null,
      asReported: AsReported | null,
      handOutId: string | null,
      head: JournalHead | null,
    ): Promise<Answer> {
      // Extensions; other servers ignore them.
      const by = {
        ...(handOutId === null || report !== "link" ? {} : { hand_out_id: handOutId }),
        ...(cashier === null || report === "reject" ? {} : { cashier }),
        ...(asReported === null || report === "reject" ? {} : { as_reported: asReported }),
        ...(head === null || report === "reject" ? {} : { journal_head: headBody(head) }),
      };
      if (report === "undelivered")
        return post(`/ext/v1/transactions/${encodeURIComponent(transactionId)}/undelivered`, { reason, ...by });
      const why = reason === "" ? {} : { reason };
      return post(`/transaction/${report}`, { transaction_id: transactionId, ...why, ...by });
    },
    /** This terminal's shop; an extension. @param confirmedSinceMs also returns this device's confirms since then, by the service's clock. */
    getShop: (confirmedSinceMs: number | null): Promise<Answer> =>
      get(
        `/ext/v1/till${confirmedSinceMs === null ? "" : `?since=${encodeURIComponent(new Date(confirmedSinceMs).toISOString())}`}`,
      ),
    /** Reports the journal's newest link; an extension. */
    reportJournalHead: (head: JournalHead): Promise<Answer> => post("/ext/v1/journal-heads", headBody(head)),
    /** The links that this terminal has reported, newest first; an extension. Earlier services ignore `limit`. */
    listJournalHeads: (limit?: number): Promise<Answer> =>
      get(`/ext/v1/journal-heads${limit === undefined ? "" : `?limit=${limit}`}`),
    /** The store's transactions confirmed in a time range by the service's clock; an extension. */
    getReport(store: string, fromMs: number, toMs: number): Promise<Answer> {
      const [from, to] = [fromMs, toMs].map((ms) => encodeURIComponent(new Date(ms).toISOString()));
      return get(`/ext/v1/reconciliation?from=${from}&to=${to}&store=${encodeURIComponent(store)}&format=json`);
    },
    /** The history of a transaction; an extension. */
    getEvents: (transactionId: string): Promise<Answer> =>
      get(`/ext/v1/transactions/${encodeURIComponent(transactionId)}/events`),
  };
};
