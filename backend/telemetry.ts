import type { PartnerCallKind } from "./contract/partner.ts";
import type { Reason } from "./contract/reasons.ts";
import type { Status } from "./contract/transaction.ts";
import type { Retained } from "./retention.ts";

/** How much of a queue waits. */
export interface QueueState {
  readonly depth: number;
  /** How long the oldest has waited; 0 when there is none. */
  readonly oldestAgeMs: number;
}

/** What the service counts about itself; `http/metrics.ts` turns it into Prometheus. Calls are cheap and never throw. */
export interface Telemetry {
  /** The database was copied, epoch milliseconds. */
  backup(atMs: number): void;
  /** One committed transition; `from` is null when the withdrawal was created. */
  transition(from: Status | null, to: Status, reason: Reason | null): void;
  /** One call to a partner and what came of it. */
  partnerCall(call: PartnerCallKind, outcome: "accepted" | "declined" | "none", durationMs: number): void;
  /** A partner gave no usable answer: somebody has to look (misrouted, misconfigured, down). */
  partnerAlarm(partner: string, call: PartnerCallKind, why: string): void;
  /** Settle orders without a definite answer. Null: another process of the fleet counts them, and this one shows nothing. */
  outbox(state: QueueState | null): void;
  /** Status events that a bank has not taken; null as for `outbox`. */
  statusEvents(state: QueueState | null): void;
  /** How long each withdrawal that is paid waits for word of the cash, in milliseconds; null as for `outbox`. */
  unlinked(agesMs: readonly number[] | null): void;
  /** Banks that cannot be called because of the address or the key that is stored of them. */
  unusablePartners(count: number): void;
  /** Rows that retention has deleted, forgotten or archived. */
  purged(what: Retained, rows: number): void;
}
