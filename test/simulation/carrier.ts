/** Carries HTTP calls over the faulty network into the service machine and back, as fetch would. */
import type { ServiceAnswer, Transport } from "../../main/terminal/ports.ts";
import { type BankCredential, grantOf } from "./bank-credential.ts";
import type { BookGuard } from "./book-guard.ts";
import type { BankCall } from "./customer.ts";
import type { FaultInjector } from "./fault-injector.ts";
import { headerOf } from "./light-http.ts";
import type { Network } from "./network.ts";
import type { ServiceMachine } from "./service.ts";
import type { Twins } from "./twins.ts";

/** Where tills and bank believe the service to be. */
export const serviceUrl = "http://service.simulated";
const bankCallTimeoutMs = 20_000;

interface Received {
  readonly status: number;
  readonly body: unknown;
  readonly dateMs: number | null;
  readonly retryAfterMs: number | null;
}

interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly address?: string;
  readonly signal?: AbortSignal;
}

const signInPath = "/oauth2/authorize";

const callService = async (service: ServiceMachine, call: Call): Promise<Received> => {
  const hasBody = call.body !== undefined;
  const response = await service.fetch({
    method: call.method,
    url: serviceUrl + call.path,
    headers: hasBody ? { ...call.headers, "content-type": "application/json" } : call.headers,
    body: hasBody ? JSON.stringify(call.body) : null,
    ...(call.address ? { address: call.address } : {}),
    ...(call.signal ? { signal: call.signal } : {}),
  });
  const text = await response.text();
  const retryAfter = headerOf(response, "retry-after");
  return {
    status: response.status,
    body: text === "" ? null : (JSON.parse(text) as unknown),
    dateMs: Date.parse(headerOf(response, "date") ?? new Date(service.calendar()).toUTCString()),
    retryAfterMs: retryAfter === null ? null : Number(retryAfter) * 1_000,
  };
};

/** What a gateway says that cannot reach the service, or lost it on the way: HTML without a time. */
const badGateway: Received = { status: 502, body: undefined, dateMs: null, retryAfterMs: null };

/** Names the withdrawal that a call is about, so that its faults are its own. */
const subjectOf = (till: number, path: string, body: unknown): string => {
  const inBody =
    typeof body === "object" && body !== null && "transaction_id" in body ? String(body.transaction_id) : "";
  const id = inBody || (/(?:id=|transactions\/)([^&/]+)/.exec(path)?.[1] ?? "");
  return `till ${till} ${id}`;
};

/** A till's transport. @param services by base address; another address is no host at all. @param signal is aborted when its power goes. */
export const tillTransport = (
  till: number,
  network: Network,
  services: ReadonlyMap<string, ServiceMachine>,
  guard: BookGuard,
  twins: Twins,
  proxy: Proxy,
  signal: AbortSignal,
  hasCable: () => boolean,
): Transport => ({
  send: async (request): Promise<ServiceAnswer> => {
    const { method, path, body, timeoutMs, baseUrl, token } = request;
    const subject = subjectOf(till, path, body);
    twins.asks(till, subject.split(" ").at(-1) ?? "");
    const service = services.get(baseUrl);
    if (service === undefined || !hasCable()) return { kind: "silence", why: "unreachable" };
    const headers: Record<string, string> =
      request.token === undefined ? {} : { authorization: `Bearer ${request.token}` };
    const call: Call = { method, path, headers, address: `10.0.0.${till}`, ...(body === undefined ? {} : { body }) };
    const said = proxy.instead(subject, method, path);
    if (said !== null) {
      twins.hears(till, said.body);
      return { kind: "answer", ...said };
    }
    const hangUp = isHeld(path) ? new AbortController() : null;
    const stop = (): void => hangUp?.abort(goneAway);
    if (hangUp) signal.addEventListener("abort", stop);
    const exchange = await network.exchange(subject, timeoutMs, () => {
      guard.arrived(till, baseUrl, path, body, token ?? null);
      return callService(service, hangUp ? { ...call, signal: hangUp.signal } : call);
    });
    if (exchange.kind === "answer" && path === signInPath) guard.granted(baseUrl, body, exchange.value.body);
    if (exchange.kind === "answer") twins.hears(till, exchange.value.body);
    if (exchange.kind === "answer") guard.answered(path, body, token ?? null, exchange.value);
    if (hangUp) signal.removeEventListener("abort", stop);
    if (exchange.kind === "silence") {
      stop();
      return exchange;
    }
    if (exchange.kind === "answer") proxy.takes(method, path, exchange.value);
    return { kind: "answer", ...(exchange.kind === "gateway" ? badGateway : exchange.value) };
  },
});

/** What stands between a till and its service, and now and then says again what it has said before. */
export interface Proxy {
  /** The answer that this call gets without leaving; null: it leaves. */
  instead(subject: string, method: string, path: string): Received | null;
  takes(method: string, path: string, answer: Received): void;
}

/** The transaction that an answer is about; null where it names none. */
const transactionOf = ({ body }: Received): string | null => {
  const { transaction_id: id, transaction } = (body ?? {}) as Record<string, unknown>;
  if (typeof id === "string") return id;
  return typeof transaction === "object" && transaction !== null
    ? transactionOf({ body: transaction } as Received)
    : null;
};
const isOfTransaction = (path: string): boolean => path.startsWith("/transaction");
/** How long it waits has no part in what a proxy takes for the same. */
const withoutWait = (path: string): string => path.split("&")[0] ?? "";

/** Knows nothing at first. */
export const createProxy = (injector: FaultInjector): Proxy => {
  const before = new Map<string, Received>();
  let latest: Received | null = null;
  return {
    instead(subject, method, path) {
      if (!isOfTransaction(path)) return null;
      const faults = injector.of(`proxy ${subject}`);
      const stale = before.get(withoutWait(path));
      if (method === "GET" && stale !== undefined && faults.occurs("answerStale")) return stale;
      const isOther = latest !== null && !subject.endsWith(transactionOf(latest) ?? "");
      return isOther && faults.occurs("answerSwapped") ? latest : null;
    },
    takes(method, path, answer) {
      if (!isOfTransaction(path)) return;
      if (method === "GET") before.set(withoutWait(path), answer);
      if (transactionOf(answer) !== null) latest = answer;
    },
  };
};

/** The reason of each hanging up; one made for each would carry a stack that nobody reads. */
const goneAway = "the caller has gone";

/** A call that the service may hold for long. */
const isHeld = (path: string): boolean => path.includes("wait=");

/** The bank's server: signs in when it has to, then calls. */
export const bankCaller = (
  network: Network,
  service: ServiceMachine,
  credential: () => BankCredential,
  onApproval: (transactionId: string) => void,
): BankCall => {
  let token: string | null = null;
  const signIn = async (): Promise<void> => {
    const exchange = await network.exchange("bank's sign-in", bankCallTimeoutMs, () =>
      callService(service, {
        method: "POST",
        path: signInPath,
        headers: {},
        body: grantOf(credential()),
      }),
    );
    if (exchange.kind === "answer" && exchange.value.status === 201)
      token = (exchange.value.body as { access_token: string }).access_token;
  };
  return async (scope, path, body, idempotencyKey) => {
    if (token === null) await signIn();
    if (token === null) return null;
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
    const approved = /^\/ext\/v1\/withdrawals\/(\w+)\/sca$/.exec(path)?.[1];
    const exchange = await network.exchange(scope, bankCallTimeoutMs, () => {
      if (approved && (body as { outcome: string }).outcome === "approved") onApproval(approved);
      return callService(service, { method: "POST", path, headers, body });
    });
    if (exchange.kind === "silence") return null;
    if (exchange.kind === "gateway") return badGateway;
    if (exchange.value.status === 401) token = null;
    return exchange.value;
  };
};
