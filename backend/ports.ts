/** What the service needs from the world. Adapters in `adapters.ts`; the simulation brings its own. */

/** Cancels a timer or a subscription; again does nothing. */
export type Cancel = () => void;

/** Time and timers. */
export interface Clock {
  /** Milliseconds since the epoch, UTC. Never less than before in one process; in a fleet it goes back where the database's clock has. */
  now(): number;
  /** The time of day as it is believed to be now, which may be set back: only for what others compare with their clocks. */
  calendar?(): number;
  /** Runs once after at least `delayMs`; may be a little early or late: re-check the column that holds the deadline. */
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
  /** 32 hexadecimal characters, random but for six bits: names a request. Asked for at each one, so an adapter may draw many at once. */
  id(): string;
}

/** One POST to a bank; `timeoutMs` is for all of it. */
export interface PartnerRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** What a bank's server answered, whatever it was. */
export interface PartnerReply {
  readonly status: number;
  readonly body: string;
  /** The header `Retry-After` as it came. */
  readonly retryAfter?: string | undefined;
  /** The header `Date` as it came. */
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
