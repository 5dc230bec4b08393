/** The service's ports. Adapters are in `adapters.ts`; the simulation has its own. */

/** Cancels a timer or a subscription; idempotent. */
export type Cancel = () => void;

/** Time and timers. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. Never goes back in a single process; in a fleet it follows the database's clock, also backwards. */
  now(): number;
  /** The wall clock, which may be set back; only for times that others compare with their clocks. */
  calendar?(): number;
  /** Runs once after at least `delayMs`; may fire a little early or late, so check the stored deadline again. */
  after(delayMs: number, run: () => void): Cancel;
  /** Runs when the requests of this event-loop tick have been handled. */
  soon(run: () => void): void;
}

/** Randomness. */
export interface Random {
  /** Bytes from a CSPRNG. */
  bytes(count: number): Uint8Array;
  /** In [0, 1), for jitter only. */
  fraction(): number;
  /**
   * 16 hexadecimal characters, random but for two bits: identifies a request. Called for each request, so an adapter
   * may generate many at once.
   */
  id(): string;
}

/** One POST to a bank; `timeoutMs` is for all of it. */
export interface PartnerRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** A bank's HTTP answer of any kind. */
export interface PartnerReply {
  readonly status: number;
  readonly body: string;
  /** The header `Retry-After`, unparsed. */
  readonly retryAfter?: string | undefined;
  /** The header `Date`, unparsed. */
  readonly date?: string | undefined;
}

/** Sends one POST to a partner. Rejects when there is no HTTP answer (refused, reset, time-out). */
export interface PartnerTransport {
  post(request: PartnerRequest): Promise<PartnerReply>;
  close(): void;
}

/** Structured log lines. Never pass user ids, balances, tokens, secrets or bodies; a transaction id is fine. */
export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
