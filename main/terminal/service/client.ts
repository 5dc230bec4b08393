/** The calls a terminal makes (interface 4.1, 4.5 to 4.8). Sends each request once; only a 401, which was not done, is sent again with a new token. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Clock, Credential, JournalHead, Secrets, ServiceRequest, Transport } from "../ports.ts";
import { callTimeoutMs, lookUpTimeoutMs, waitSeconds, waitSlackMs } from "../state/bounds.ts";
import type { Answer } from "../state/inputs.ts";
import type { Device, Report } from "../state/state.ts";
import { createAccess } from "./access.ts";
import {
  type EnrolmentAnswer,
  type ManagerResetAnswer,
  readEnrolmentAnswer,
  readManagerResetAnswer,
} from "./enrolment-answer.ts";

type Call = Omit<ServiceRequest, "authorized">;

const whyRefused = (answer: Answer): "denied" | "unreachable" | "wait" => {
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

/** The calls of one enrolled terminal. */
export type ServiceClient = ReturnType<typeof createServiceClient>;

/**
 * A client under the credential that is kept; without one every call answers `unauthorized` and nothing is sent. No
 * call rejects.
 */
export const createServiceClient = (ports: {
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

  const post = (path: string, body: unknown): Promise<Answer> =>
    send({ method: "POST", path, body, timeoutMs: callTimeoutMs });

  return {
    /** `heldFor` asks the service to hold the answer until the status is another; a server that ignores it answers at once. */
    getTransaction(transactionId: string, heldFor: "awaiting_sca" | "settling" | null): Promise<Answer> {
      const held = heldFor === null ? "" : `&wait=${waitSeconds}&status=${heldFor}`;
      return send({
        method: "GET",
        path: `/transaction?id=${encodeURIComponent(transactionId)}${held}`,
        timeoutMs: heldFor === null ? lookUpTimeoutMs : waitSeconds * 1000 + waitSlackMs,
      });
    },
    confirmTransaction: (transactionId: string, partnerId: string): Promise<Answer> =>
      post("/transaction/confirm", { transaction_id: transactionId, transaction_id_partner: partnerId }),
    /** `reason` is needed for `undelivered`; of a reject it may be `sca_timeout` (an extension, which other servers ignore). */
    sendReport(report: Report, transactionId: string, reason: string, cashier: string | null): Promise<Answer> {
      // An extension as well: other servers ignore it.
      const by = cashier === null || report === "reject" ? {} : { cashier };
      if (report === "undelivered")
        return post(`/ext/v1/transactions/${encodeURIComponent(transactionId)}/undelivered`, { reason, ...by });
      const why = reason === "" ? {} : { reason };
      return post(`/transaction/${report}`, { transaction_id: transactionId, ...why, ...by });
    },
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
    /** What the service says about this terminal's shop, where it has the extension. */
    getShop: (): Promise<Answer> => send({ method: "GET", path: "/ext/v1/till", timeoutMs: callTimeoutMs }),
    /** The newest link of the journal's chain, where the service has the extension. */
    reportJournalHead: ({ sequence, at, hash }: JournalHead): Promise<Answer> =>
      post("/ext/v1/journal-heads", { seq: sequence, head: hash, at: new Date(at).toISOString() }),
    /** The links that this terminal has reported, the newest first, where the service has the extension. */
    listJournalHeads: (): Promise<Answer> =>
      send({ method: "GET", path: "/ext/v1/journal-heads", timeoutMs: callTimeoutMs }),
    /** The store's transactions confirmed in a time, by the service's clock, where the service has the extension. */
    getReport(store: string, fromMs: number, toMs: number): Promise<Answer> {
      const [from, to] = [fromMs, toMs].map((ms) => encodeURIComponent(new Date(ms).toISOString()));
      const path = `/ext/v1/reconciliation?from=${from}&to=${to}&store=${encodeURIComponent(store)}&format=json`;
      return send({ method: "GET", path, timeoutMs: callTimeoutMs });
    },
    /** The history of a transaction, where the service has the extension. */
    getEvents: (transactionId: string): Promise<Answer> =>
      send({
        method: "GET",
        path: `/ext/v1/transactions/${encodeURIComponent(transactionId)}/events`,
        timeoutMs: callTimeoutMs,
      }),
    /** Turns a one-time code into an access key, once; `wait` after too many wrong ones. */
    async redeemEnrolmentCode(serviceUrl: string, code: string): Promise<EnrolmentAnswer> {
      const answer = await ports.transport.send({
        baseUrl: serviceUrl,
        method: "POST",
        path: "/ext/v1/enrolments",
        body: { code },
        timeoutMs: callTimeoutMs,
        authorized: false,
        token: null,
      });
      return readEnrolmentAnswer(serviceUrl, answer);
    },
    /** Redeems the operator's code for a forgotten manager's PIN at the service of `device`, with no key of its own. */
    async redeemManagerReset({ serviceUrl, merchantId, deviceId }: Device, code: string): Promise<ManagerResetAnswer> {
      const answer = await ports.transport.send({
        baseUrl: serviceUrl,
        method: "POST",
        path: "/ext/v1/manager-resets",
        body: { merchant_id: merchantId, device_id: deviceId, code },
        timeoutMs: callTimeoutMs,
        authorized: false,
        token: null,
      });
      return readManagerResetAnswer(answer);
    },
    /** Tries a credential; it replaces the one in use only when the service takes it and it may still be replaced then. */
    async enroll(
      candidate: Credential,
      mayReplace: () => boolean,
    ): Promise<"accepted" | "denied" | "unreachable" | "wait" | "busy"> {
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
