/** What the service needs from the world. Adapters in `adapters.ts`; the simulation brings its own. */

export type Cancel = () => void;

export interface Clock {
  /** Milliseconds since the epoch, UTC. */
  now(): number;
  /** Runs once after at least `delayMs`; may be a little early or late: re-check the column that holds the deadline. */
  after(delayMs: number, run: () => void): Cancel;
  /** Runs when the requests of this event-loop tick have been handled. */
  soon(run: () => void): void;
}

export interface Random {
  /** Bytes from a CSPRNG. */
  bytes(count: number): Uint8Array;
  /** In [0, 1), for jitter only. */
  fraction(): number;
}

export interface PartnerRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** Sends one POST to a partner. Rejects when there is no HTTP answer (refused, reset, time-out). */
export interface PartnerTransport {
  post(request: PartnerRequest): Promise<{ readonly status: number; readonly body: string }>;
  close(): void;
}
