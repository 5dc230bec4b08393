import type { PartnerCallKind } from "./contract/partner.ts";
import type { Reason } from "./contract/reasons.ts";
import type { Status } from "./contract/transaction.ts";
import type { Retained } from "./retention-periods.ts";

/** What the service counts about itself; `http/metrics.ts` turns it into Prometheus. Calls are cheap and never throw. */
export interface Telemetry {
  /** The database was copied, epoch milliseconds. */
  backup(atMs: number): void;
  /** One committed transition; `from` is null when the withdrawal was created. */
  transition(from: Status | null, to: Status, reason: Reason | null): void;
  /** One call to a partner and what came of it. */
  partnerCall(call: PartnerCallKind, outcome: "accepted" | "declined" | "none", durationMs: number): void;
  /** A partner gave no usable answer: somebody has to look (misrouted, misconfigured, down). */
  partnerAlarm(call: PartnerCallKind, why: string): void;
  /**
   * Settle orders without a definite answer, and how long the oldest has waited (0 when there is none). Null: another
   * process of the fleet counts them, and this one shows nothing.
   */
  outbox(state: { readonly depth: number; readonly oldestAgeMs: number } | null): void;
  /** Rows that retention has deleted, forgotten or archived. */
  purged(what: Retained, rows: number): void;
}
