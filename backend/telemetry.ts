import type { PartnerCallKind } from "./contract/partner.ts";
import type { Reason } from "./contract/reasons.ts";
import type { Status } from "./contract/transaction.ts";
import type { Retained } from "./retention.ts";

/** A queue's state. */
export interface QueueState {
  readonly depth: number;
  /** How long the oldest has waited; 0 when there is none. */
  readonly oldestAgeMs: number;
}

/** Minimum ages, in milliseconds, by which unlinked withdrawals are counted. */
export const unlinkedAges = { "0s": 0, "2m": 120_000, "15m": 900_000, "24h": 86_400_000 } as const;
/** Unlinked withdrawals by minimum age. */
export type UnlinkedCounts = Readonly<Record<keyof typeof unlinkedAges, number>>;

/** The service's metrics; `http/metrics.ts` exports them to Prometheus. Calls are cheap and never throw. */
export interface Telemetry {
  /** Time of the newest copy of the database, epoch milliseconds; 0: there never was one. */
  backup(atMs: number): void;
  /** One committed transition; `from` is null when the withdrawal was created. */
  transition(from: Status | null, to: Status, reason: Reason | null): void;
  /** One call to a bank and its outcome. */
  partnerCall(call: PartnerCallKind, outcome: "accepted" | "declined" | "none", durationMs: number): void;
  /** A bank gave no usable answer (misrouted, misconfigured, down), so somebody has to look. */
  partnerAlarm(partner: string, call: PartnerCallKind, why: string): void;
  /** Settle orders without a definite answer. Null: another process of the fleet counts them, and this one exports nothing. */
  outbox(state: QueueState | null): void;
  /** Status events not yet accepted; null as for `outbox`. */
  statusEvents(state: QueueState | null): void;
  /** Paid withdrawals whose cash was not reported; null as for `outbox`. */
  unlinked(counts: UnlinkedCounts | null): void;
  /** Silent terminals of open shops; null as for `outbox`. */
  silentTerminals(count: number | null): void;
  /** Banks that cannot be called because of their stored address or key. */
  unusablePartners(count: number): void;
  /** The database has lost commits, and somebody has to say since when. */
  commitsLost(): void;
  /** Rows deleted or archived by retention. */
  purged(what: Retained, rows: number): void;
}
