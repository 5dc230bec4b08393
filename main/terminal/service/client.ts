/** The calls a terminal makes (interface 4.1, 4.5 to 4.8). */
import { z } from "zod";
import type { AsReported } from "../../../backend/contract/pos.ts";
import { type Credential, credentialSchema } from "../../../preload/contract.ts";
import { callTimeoutMs, lookUpTimeoutMs, waitSeconds, waitSlackMs } from "../bounds.ts";
import type { Clock, Device, JournalHead, Secrets, ServiceAnswer, Transport } from "../ports.ts";
import { createAuthorized } from "./access.ts";
import { type Answer, isUnsafeService } from "./answer.ts";

/** The credential that a code was worth, or why there is none: `denied` is final for this code. */
type EnrolmentAnswer =
  | { readonly kind: "redeemed"; readonly credential: Credential }
  | { readonly kind: "refused"; readonly code: "denied" | "unsafe_service" | "wait" | "unreachable" };

const grantedSchema = z.object({ merchant_id: z.string(), device_id: z.string(), password: z.string() });

/** Only a service that speaks this contract says no; whatever else listens there counts as nobody. */
const refusedSchema = z.object({ code: z.enum(["not_found", "validation_failed"]) });

/** Reads status and body; whatever is not of the contract counts as `unreachable`. */
const readEnrolmentAnswer = (serviceUrl: string, answer: ServiceAnswer): EnrolmentAnswer => {
  if (isUnsafeService(answer)) return { kind: "refused", code: "unsafe_service" };
  if (answer.kind === "silence") return { kind: "refused", code: "unreachable" };
  if (answer.status === 429) return { kind: "refused", code: "wait" };
  if (refusedSchema.safeParse(answer.body).success) return { kind: "refused", code: "denied" };
  const granted = grantedSchema.safeParse(answer.body);
  if (answer.status !== 201 || !granted.success) return { kind: "refused", code: "unreachable" };
  const { merchant_id: merchantId, device_id: deviceId, password: secret } = granted.data;
  const credential = credentialSchema.safeParse({ serviceUrl, merchantId, deviceId, secret });
  return credential.success
    ? { kind: "redeemed", credential: credential.data }
    : { kind: "refused", code: "unreachable" };
};

/** `unreachable` as well where the service has no such call: then the PIN can be reset there only once it has. */
export type ManagerResetAnswer = "accepted" | "denied" | "wait" | "unreachable";

const resetSchema = z.object({ merchant_id: z.string(), device_id: z.string() });

/** Only a 201 that names a terminal lets anybody in; whatever else listens there counts as nobody. */
const readManagerResetAnswer = (answer: ServiceAnswer): ManagerResetAnswer => {
  if (answer.kind === "silence") return "unreachable";
  if (answer.status === 429) return "wait";
  if (answer.status === 201 && resetSchema.safeParse(answer.body).success) return "accepted";
  return refusedSchema.safeParse(answer.body).success ? "denied" : "unreachable";
};

/** Each code is redeemed by one call, which is not repeated. */
const createCodeCalls = (transport: Transport) => {
  const redeem = (baseUrl: string, path: string, body: unknown) =>
    transport.send({ method: "POST", baseUrl, path, body, timeoutMs: callTimeoutMs, authorized: false, token: null });
  return {
    /** Turns a one-time code into an access key, once; `wait` after too many wrong ones. */
    redeemEnrolmentCode: async (serviceUrl: string, code: string): Promise<EnrolmentAnswer> =>
      readEnrolmentAnswer(serviceUrl, await redeem(serviceUrl, "/ext/v1/enrolments", { code })),
    /** Redeems the operator's code for a forgotten manager's PIN at the service of `device`, with no key of its own. */
    async redeemManagerReset({ serviceUrl, merchantId, deviceId }: Device, code: string): Promise<ManagerResetAnswer> {
      const body = { merchant_id: merchantId, device_id: deviceId, code };
      return readManagerResetAnswer(await redeem(serviceUrl, "/ext/v1/manager-resets", body));
    },
  };
};

/**
 * What the service is told about a withdrawal: `POST /transaction/reject`, `/transaction/link`, or the undelivered
 * report.
 */
export const reports = ["reject", "link", "undelivered"] as const;
/** One of `reports`. */
export type Report = (typeof reports)[number];

/** The calls of one enrolled terminal. */
export type ServiceClient = ReturnType<typeof createServiceClient>;

/** A client under the credential that is kept; without one every call answers `unauthorized`. No call rejects. */
export const createServiceClient = (ports: {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly secrets: Secrets;
}) => {
  const { send, probe, enroll } = createAuthorized(ports);
  const post = (path: string, body: unknown): Promise<Answer> =>
    send({ method: "POST", path, body, timeoutMs: callTimeoutMs });
  const get = (path: string): Promise<Answer> => send({ method: "GET", path, timeoutMs: callTimeoutMs });

  return {
    ...createCodeCalls(ports.transport),
    probe,
    enroll,
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
    /**
     * `reason` is needed for `undelivered`; of a reject it may be `sca_timeout` (an extension, which other servers ignore).
     * `handOutId` is a link's.
     */
    sendReport(
      report: Report,
      transactionId: string,
      reason: string,
      cashier: string | null,
      asReported: AsReported | null,
      handOutId: string | null,
    ): Promise<Answer> {
      // Extensions as well: other servers ignore them.
      const by = {
        ...(handOutId === null || report !== "link" ? {} : { hand_out_id: handOutId }),
        ...(cashier === null || report === "reject" ? {} : { cashier }),
        ...(asReported === null || report === "reject" ? {} : { as_reported: asReported }),
      };
      if (report === "undelivered")
        return post(`/ext/v1/transactions/${encodeURIComponent(transactionId)}/undelivered`, { reason, ...by });
      const why = reason === "" ? {} : { reason };
      return post(`/transaction/${report}`, { transaction_id: transactionId, ...why, ...by });
    },
    /** What the service says about this terminal's shop, where it has the extension. */
    getShop: (): Promise<Answer> => get("/ext/v1/till"),
    /** The newest link of the journal's chain, where the service has the extension. */
    reportJournalHead: ({ sequence, at, hash }: JournalHead): Promise<Answer> =>
      post("/ext/v1/journal-heads", { seq: sequence, head: hash, at: new Date(at).toISOString() }),
    /** The links that this terminal has reported, the newest first, where the service has the extension; an earlier one ignores `limit`. */
    listJournalHeads: (limit?: number): Promise<Answer> =>
      get(`/ext/v1/journal-heads${limit === undefined ? "" : `?limit=${limit}`}`),
    /** The store's transactions confirmed in a time, by the service's clock, where the service has the extension. */
    getReport(store: string, fromMs: number, toMs: number): Promise<Answer> {
      const [from, to] = [fromMs, toMs].map((ms) => encodeURIComponent(new Date(ms).toISOString()));
      return get(`/ext/v1/reconciliation?from=${from}&to=${to}&store=${encodeURIComponent(store)}&format=json`);
    },
    /** The history of a transaction, where the service has the extension. */
    getEvents: (transactionId: string): Promise<Answer> =>
      get(`/ext/v1/transactions/${encodeURIComponent(transactionId)}/events`),
  };
};
