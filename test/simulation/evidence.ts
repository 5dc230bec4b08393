/** All that the checker may look at: what people, tills, the service and the bank were seen to do, in virtual milliseconds. */
import type { Status } from "../../backend/contract/transaction.ts";
import type { Ledger } from "./bank.ts";

/** A screen that offered cash, and what the service's own database said at that moment. */
export interface Offer {
  readonly till: number;
  readonly transactionId: string;
  readonly atMs: number;
  readonly serviceStatus: Status | null;
}

/** Cash that left a drawer: the cashier pressed OK and the till took it, or the drawer opened on that press. */
export interface CashGiven {
  readonly till: number;
  readonly transactionId: string;
  readonly amountMinor: number;
  readonly atMs: number;
}

/** A customer's approval as it reached the service, in the service's time; repeats reach it again. */
export interface Approval {
  readonly transactionId: string;
  readonly atMs: number;
}

/** What a till's journal says it did with a withdrawal. */
export interface JournalAccount {
  readonly till: number;
  readonly transactionId: string;
  readonly amountMinor: number | null;
  readonly handedOut: boolean;
  readonly open: boolean;
}

/** A row of the service's database, read straight from it. */
export interface ServiceRow {
  readonly transactionId: string;
  readonly status: Status;
  readonly amountMinor: number;
  readonly scaRequired: boolean;
  readonly scaExpiresAtMs: number | null;
  readonly settledAtMs: number | null;
  readonly confirmed: boolean;
}

/** From the moment a till could not take the next customer until it could. */
export interface Blocked {
  readonly till: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly screen: string;
}

export interface Evidence {
  readonly offers: readonly Offer[];
  readonly cash: readonly CashGiven[];
  readonly approvals: readonly Approval[];
  readonly journals: readonly JournalAccount[];
  readonly rows: ReadonlyMap<string, ServiceRow>;
  readonly ledger: Ledger;
  /** Finding by transaction id, from the reconciliation report. */
  readonly report: ReadonlyMap<string, string>;
  readonly blocked: readonly Blocked[];
  /** The longest a till may be busy: its own SCA time-out plus 5 s. */
  readonly blockedMostMs: number;
}
