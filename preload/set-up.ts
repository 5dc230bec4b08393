/** Replies to the commands of the set-up and of the practice. */
import type { connectionTroubles, printTroubles } from "./enums.ts";
import type { Settings } from "./settings.ts";

/** One of `connectionTroubles`. */
export type ConnectionTrouble = (typeof connectionTroubles)[number];

/** What a connection test found. */
export interface ConnectionReport {
  /** Null: a service of this kind answers. */
  readonly trouble: ConnectionTrouble | null;
  /** Terminal clock minus service clock in milliseconds, when it is off by more than 60 s. */
  readonly clockOffMs: number | null;
}

/** What became of a try to open the drawer. */
export type DrawerResult = "opened" | "failed" | "unknown";

/** Whether the test lines were printed; if not, or not surely, why. */
export type PrinterTest = "printed" | (typeof printTroubles)[number];

/** What may be a receipt printer, with the settings that would use it. */
export interface FoundPrinter {
  /** Its own name, or its port's; null for a printer in the network. */
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
