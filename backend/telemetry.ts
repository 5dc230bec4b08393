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

/** For how long, or longer, unlinked money is counted as waiting, in milliseconds. */
export const unlinkedAges = { "0s": 0, "2m": 120_000, "15m": 900_000, "24h": 86_400_000 } as const;
/** How many wait, by age. */
export type UnlinkedCounts = Readonly<Record<keyof typeof unlinkedAges, number>>;

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
  /** Withdrawals that are paid and without word of the cash; null as for `outbox`. */
  unlinked(counts: UnlinkedCounts | null): void;
  /** Terminals of which nothing is heard while their shops are open; null as for `outbox`. */
  silentTerminals(count: number | null): void;
  /** Banks that cannot be called because of the address or the key that is stored of them. */
  unusablePartners(count: number): void;
  /** Rows that retention has deleted, forgotten or archived. */
  purged(what: Retained, rows: number): void;
}
