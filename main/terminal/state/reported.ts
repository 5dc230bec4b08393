import type { Facts } from "./facts.ts";

/** A report that the service was given, with its times by this terminal's clock. */
export interface Reported {
  readonly facts: Facts;
  readonly report: "link" | "undelivered";
  /** Why nothing was handed out; empty for a link. */
  readonly reason: string;
  /** The code of whoever said what became of the cash; null where nobody is named. */
  readonly cashier: string | null;
  /** The name of the hand-out; null for none, and of one that an earlier version wrote. */
  readonly handOutId: string | null;
  readonly confirmedAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly reportedAtMs: number | null;
}
