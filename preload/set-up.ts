/** What the set-up and the practice are answered. */
import type { Settings } from "./settings.ts";
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

/** What may be a receipt printer, with the settings that would use it. */
export interface FoundPrinter {
  /** As it names itself, or as the system names its port; null for one in the network. */
  readonly name: string | null;
  readonly printer: Settings["printer"];
}

/** A practice withdrawal as its customer sees it; `status` and `reason` are the service's words. */
export interface PracticeWithdrawal {
  readonly transactionId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly amount: string;
  readonly currency: string;
  readonly shop: string;
}
