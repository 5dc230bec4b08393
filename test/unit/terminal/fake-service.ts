/** A scripted service behind the Transport port: follows the conventions, and misbehaves where a story says so. */
import { scaTimeoutSeconds } from "../../../backend/contract/sca.ts";
import type { ServiceAnswer, Transport } from "../../../main/terminal/ports.ts";
import type { VirtualClock } from "./virtual-clock.ts";

type Sent = Parameters<Transport["send"]>[0];
type Fields = Record<string, unknown> & {
  transaction_id: string;
  status: string;
  transaction_id_partner: string | null;
};

/** What to do with one request instead of the right thing; `lose` does it and loses the answer; a promise answers when it does. */
export type Fault = ServiceAnswer | Promise<ServiceAnswer> | "lose" | "drop" | "hang";

/** An id whose check character is right. */
export const orderId = "0000000000000000";

/** The service; a test reads what came and writes what is answered. */
export class FakeService implements Transport {
  readonly requests: Sent[] = [];
  readonly #counts = new Map<string, number>();
  readonly orders = new Map<string, Fields>();
  /** The first hand-out that was named of each. */
  readonly handOuts = new Map<string, string>();
  /** Off: as a release that knows heads by their own call alone. */
  keepsHeadsBeside = true;
  readonly heads: { readonly seq: number; readonly head: string }[] = [];
  /** Heads that it refused since they do not continue those. */
  readonly forks: { readonly seq: number; readonly head: string }[] = [];
  readonly clock: VirtualClock;
  /** Called for every request; null lets the service answer. */
  fault: (request: Sent, nth: number) => Fault | null = () => null;
  /** Whether `wait` is honoured; a server of the plain specification ignores it. */
  holds = true;
  /** Whether `/ext` exists. */
  extended = true;
  /** Makes bodies thinner or stranger before they are sent. */
  shape: (fields: Fields) => unknown = (fields) => fields;
  /** What it says about the shop; null for a service without that call. */
  shop: Record<string, unknown> | null = null;
  dateOffMs = 0;
  tokens = 0;
  secret = "till-secret";

  constructor(clock: VirtualClock) {
    this.clock = clock;
  }

  order(fields: Partial<Fields> & { transaction_id: string }): Fields {
    const nowMs = this.clock.now();
    const made: Fields = {
      status: "ready",
      amount: "50.00",
      currency: "EUR",
      store: "demo-shop",
      transaction_id_partner: null,
      created_at: new Date(nowMs - 5_000).toISOString(),
      expires_at: new Date(nowMs + 895_000).toISOString(),
      confirmed_at: null,
      sca_expires_at: null,
      reason: null,
      ...fields,
    };
    this.orders.set(made.transaction_id, made);
    return made;
  }

  calls(what: string): readonly Sent[] {
    return this.requests.filter((request) => `${request.method} ${request.path}`.includes(what));
  }

  async send(request: Sent): Promise<ServiceAnswer> {
    this.requests.push(request);
    const name = `${request.method} ${request.path}`;
    const nth = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, nth);
    const fault = this.fault(request, nth);
    if (fault === "hang" || fault === "drop") return this.#silence(request.timeoutMs);
    if (fault === "lose") {
      await this.#answer(request);
      return this.#silence(request.timeoutMs);
    }
    return fault ?? this.#answer(request);
  }

  #silence(timeoutMs: number): Promise<ServiceAnswer> {
    return new Promise((resolve) => this.clock.after(timeoutMs, () => resolve({ kind: "silence", why: "timeout" })));
  }

  #reply(status: number, body: unknown): ServiceAnswer {
    return {
      kind: "answer",
      status,
      body,
      dateMs: this.clock.now() + this.dateOffMs,
      retryAfterMs: null,
    };
  }

  async #answer(request: Sent): Promise<ServiceAnswer> {
    const url = new URL(request.path, "http://service");
    if (url.pathname === "/oauth2/authorize") {
      const body = request.body as { password: string };
      if (body.password !== this.secret) return this.#reply(401, { error: "invalid_client" });
      this.tokens += 1;
      return this.#reply(201, { token_type: "bearer", access_token: `token-${this.tokens}`, expires_in: 86400 });
    }
    if (url.pathname === "/healthz") return this.#reply(200, { status: "ok" });
    if (url.pathname === "/transaction") return this.#get(url, request.timeoutMs);
    if (url.pathname === "/ext/v1/till") return this.#reply(this.shop === null ? 404 : 200, this.shop);
    if (url.pathname === "/ext/v1/reconciliation") return this.#reply(this.extended ? 200 : 404, []);
    if (url.pathname === "/ext/v1/journal-heads") return this.#journalHead(request);
    if (request.method === "GET") return this.#reply(404, { code: "not_found" });
    const body = request.body as {
      transaction_id?: string;
      transaction_id_partner?: string;
      hand_out_id?: string;
      journal_head?: { seq: number; head: string };
    };
    const undelivered = /^\/ext\/v1\/transactions\/([^/]+)\/undelivered$/.exec(url.pathname)?.[1];
    const id = undelivered ?? body.transaction_id ?? "";
    const order = this.orders.get(id);
    if (order === undefined || (undelivered !== undefined && !this.extended))
      return this.#reply(404, { code: "not_found" });
    const moved = this.#move(
      order,
      undelivered === undefined ? url.pathname : "/undelivered",
      body.transaction_id_partner,
    );
    if (!moved) return this.#reply(409, { code: "transaction_conflict" });
    const kept = this.#headBeside(body.journal_head);
    if (url.pathname !== "/transaction/link" || !this.extended || body.hand_out_id === undefined)
      return this.#reply(201, this.shape({ ...order, ...kept }));
    const first = this.handOuts.get(id) ?? body.hand_out_id;
    this.handOuts.set(id, first);
    return this.#reply(201, this.shape({ ...order, hand_out_id: first, ...kept }));
  }

  #headBeside(head: { seq: number; head: string } | undefined): { journal_kept?: true } {
    if (!this.extended || !this.keepsHeadsBeside || head === undefined || head.seq <= (this.heads.at(-1)?.seq ?? 0))
      return {};
    this.heads.push({ seq: head.seq, head: head.head });
    return { journal_kept: true };
  }

  #journalHead(request: Sent): ServiceAnswer {
    if (!this.extended) return this.#reply(404, { code: "not_found" });
    if (request.method === "GET") return this.#reply(200, { heads: [...this.heads].reverse() });
    const { seq, head } = request.body as { seq: number; head: string };
    const newest = this.heads.at(-1);
    if (newest?.seq === seq && newest.head === head) return this.#reply(201, newest);
    if (newest !== undefined && seq <= newest.seq) {
      this.forks.push({ seq, head });
      return this.#reply(409, { code: "journal_forked" });
    }
    this.heads.push({ seq, head });
    return this.#reply(201, { seq, head });
  }

  #move(order: Fields, path: string, terminalReference: string | undefined): boolean {
    switch (path) {
      case "/transaction/confirm":
        if (order.transaction_id_partner === terminalReference) return true;
        if (order.status !== "ready") return false;
        order.transaction_id_partner = terminalReference ?? "";
        order.confirmed_at = new Date(this.clock.now()).toISOString();
        order.sca_expires_at = new Date(this.clock.now() + scaTimeoutSeconds * 1000).toISOString();
        order.status = order.sca_required === false ? "settling" : "awaiting_sca";
        return true;
      case "/transaction/reject":
        if (["settling", "settled", "linked", "undelivered"].includes(order.status)) return false;
        if (order.status === "ready" || order.status === "awaiting_sca") {
          order.status = "rejected";
          order.reason = "cashier_rejected";
        }
        return true;
      case "/transaction/link":
        // What an operator has decided takes any word, and stays what it is.
        if (order.reason === "decided_by_operator") return true;
        if (order.status !== "settled" && order.status !== "linked") return false;
        order.status = "linked";
        return true;
      default:
        if (order.reason === "decided_by_operator") return true;
        if (order.status !== "settled" && order.status !== "undelivered") return false;
        order.status = "undelivered";
        return true;
    }
  }

  async #get(url: URL, timeoutMs: number): Promise<ServiceAnswer> {
    const order = this.orders.get(url.searchParams.get("id") ?? "");
    if (order === undefined) return this.#reply(404, { code: "transaction_not_found" });
    const held = url.searchParams.get("status");
    const untilMs = this.clock.monotonicMs() + Math.min(Number(url.searchParams.get("wait") ?? 0) * 1000, timeoutMs);
    while (this.holds && held === order.status && this.clock.monotonicMs() < untilMs)
      await new Promise<void>((resolve) => this.clock.after(50, resolve));
    return this.#reply(200, this.shape(order));
  }
}
