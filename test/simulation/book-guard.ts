/** Promise 6: no report of one book ever reaches another's service, nor another's shop. Looks at every call that arrives. */
import type { Watch } from "./watch.ts";

/** The purpose and service of a book, and its shop. */
interface Place {
  readonly serviceUrl: string;
  readonly merchantId: string;
}

/** Is told of every call to a service, and of every withdrawal that is made at one. */
export interface BookGuard {
  /** Where a withdrawal was made. */
  made(transactionId: string, place: Place): void;
  /** A call and its answer, as a service had them. */
  arrived(till: number, serviceUrl: string, path: string, body: unknown, token: string | null): void;
  granted(serviceUrl: string, body: unknown, answer: unknown): void;
  /** A service answered a call. */
  answered(
    path: string,
    body: unknown,
    token: string | null,
    answer: { readonly status: number; readonly body: unknown },
  ): void;
  /** The newest entry whose link the real service has taken from this device of the shop; 0 for none. */
  headTaken(deviceId: string): number;
  /** Copies what the real service has taken, as its database is copied. @returns what puts that back. */
  copy(): () => void;
}

const reports = /^\/transaction\/(confirm|reject|link)$/;
const undelivered = /^\/ext\/v1\/transactions\/([^/]+)\/undelivered$/;

const fieldsOf = (value: unknown) =>
  (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;

const fieldOf = (value: unknown, name: string): string | null => {
  const field = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return typeof field === "string" ? field : null;
};

/**
 * @param watch is told what breaks promise 6.
 * @param realUrl the service of real money; `shop` the one whose customers come.
 */
export const createBookGuard = (watch: Pick<Watch, "report">, realUrl: string, shop: string): BookGuard => {
  const origins = new Map<string, Place>();
  const shopOfToken = new Map<string, string>();
  const deviceOfToken = new Map<string, string>();
  const heads = new Map<string, number>();
  return {
    made: (transactionId, place) => void origins.set(transactionId, place),
    answered(path, body, token, answer) {
      const deviceId = deviceOfToken.get(String(token));
      if (answer.status !== 201 || deviceId === undefined) return;
      const isKept = fieldsOf(answer.body).journal_kept === true;
      const head = path === "/ext/v1/journal-heads" ? body : isKept ? fieldsOf(body).journal_head : undefined;
      if (head === undefined) return;
      const { seq } = head as { seq: number };
      heads.set(deviceId, Math.max(seq, heads.get(deviceId) ?? 0));
    },
    copy: () => {
      const copied = [...heads];
      return () => {
        heads.clear();
        for (const [device, sequence] of copied) heads.set(device, sequence);
      };
    },
    headTaken: (deviceId) => heads.get(`${shop} ${deviceId}`) ?? 0,
    granted(serviceUrl, body, answer) {
      const token = fieldOf(answer, "access_token");
      const merchantId = fieldOf(body, "merchant_id");
      const deviceId = fieldOf(body, "device_id");
      if (token !== null && serviceUrl === realUrl) deviceOfToken.set(token, `${merchantId} ${deviceId}`);
      if (token !== null && merchantId !== null) shopOfToken.set(`${serviceUrl} ${token}`, merchantId);
    },
    arrived(till, serviceUrl, path, body, token) {
      const id = undelivered.exec(path)?.[1] ?? (reports.test(path) ? fieldOf(body, "transaction_id") : null);
      const origin = id === null ? undefined : origins.get(id);
      if (id === null || origin === undefined) return;
      const shop = shopOfToken.get(`${serviceUrl} ${token}`) ?? "nobody";
      if (origin.serviceUrl !== serviceUrl)
        watch.report(6, id, `till ${till} sends ${path} to ${serviceUrl}, it is a withdrawal of ${origin.serviceUrl}`);
      else if (origin.merchantId !== shop && shop !== "nobody")
        watch.report(6, id, `till ${till} sends ${path} as ${shop}, it is a withdrawal of ${origin.merchantId}`);
    },
  };
};
