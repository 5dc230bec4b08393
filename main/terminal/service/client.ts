/** The calls a terminal makes (interface 4.1, 4.5 to 4.8). */
import type { AsReported } from "../../../backend/contract/pos.ts";
import type { Clock, JournalHead, Secrets, Transport } from "../ports.ts";
import { callTimeoutMs, lookUpTimeoutMs, waitSeconds, waitSlackMs } from "../state/bounds.ts";
import type { Answer } from "../state/inputs.ts";
import type { Report } from "../state/state.ts";
import { createAuthorized } from "./authorized.ts";
import { createCodeCalls } from "./code-calls.ts";

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
