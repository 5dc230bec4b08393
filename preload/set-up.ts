/** What the set-up and the practice are answered. */
import type { connectionTroubles, printTroubles } from "./words.ts";

/** One of `connectionTroubles`. */
export type ConnectionTrouble = (typeof connectionTroubles)[number];

/** What a connection test found. */
export interface ConnectionReport {
  /** Null: a service of this kind answers. */
  readonly trouble: ConnectionTrouble | null;
  /** Terminal clock minus service clock in milliseconds, when it is off by more than 60 s. */
  readonly clockOffMs: number | null;
}

/** What the drawer said when it was tried. */
export type DrawerTest = "opened" | "failed" | "unknown";

/** What became of the test lines: on paper, or why they are not, or not surely. */
export type PrinterTest = "printed" | (typeof printTroubles)[number];

/** A practice withdrawal as its customer sees it; `status` and `reason` are the service's words. */
export interface PracticeWithdrawal {
  readonly transactionId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly shop: string;
}
