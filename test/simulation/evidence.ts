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
  readonly currency: string;
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
  readonly terminalReference: string;
  readonly amountMinor: number | null;
  /** A confirm was intended: from then on money may move. */
  readonly intended: boolean;
  readonly handedOut: boolean;
  readonly declaredNot: boolean;
  /** Over without cash, as this till believes. */
  readonly closed: boolean;
  /** It has a line that sends somebody to look into it. */
  readonly flagged: boolean;
  /** The books must explain it, and nobody has said that they did. */
  readonly unresolved: boolean;
  /** A manager left it to the books, or the service refused its report: the reconciliation report has it until somebody explains it. */
  readonly toBooks: boolean;
  /** What the till wrote of it went with a folder that an older copy took the place of. */
  readonly lost: boolean;
  readonly open: boolean;
}

/** A row of the service's database, read straight from it. */
export interface ServiceRow {
  readonly transactionId: string;
  readonly status: Status;
  readonly amountMinor: number;
  readonly currency: string;
  readonly scaRequired: boolean;
  readonly scaExpiresAtMs: number | null;
  /** When the order expires, by the service's clock. */
  readonly expiresAtMs: number;
  readonly settledAtMs: number | null;
  readonly confirmedAtMs: number | null;
  /** The till's id of the confirm that the service took. */
  readonly terminalReference: string | null;
  /** Of the confirm. */
  readonly deviceId: string | null;
}

/** From the moment a till could not take the next customer until it could. */
export interface Blocked {
  readonly till: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly screen: string;
}

/** Everything a promise can be checked against. */
export interface Evidence {
  readonly offers: readonly Offer[];
  readonly cash: readonly CashGiven[];
  readonly approvals: readonly Approval[];
  /** How much later than its deadline an approval may count. */
  readonly approvalSlackMs: number;
  readonly journals: readonly JournalAccount[];
  readonly rows: ReadonlyMap<string, ServiceRow>;
  readonly ledger: Ledger;
  /** Finding by transaction id, from the reconciliation report. */
  readonly report: ReadonlyMap<string, string>;
  /** What a database of the service that was put back had forgotten, or had otherwise than it was. */
  readonly lost: ReadonlySet<string>;
  /** What the service has had as settled at any time. */
  readonly settledOnce: ReadonlySet<string>;
  /** What tills have reported again to a service that was put back, as lines of the shop's report. */
  readonly restored: ReadonlySet<string>;
  /** Disputes that an operator has closed. */
  readonly closed: ReadonlySet<string>;
  /** Of what an operator has said in a terminal's stead what became of the cash. */
  readonly decided: ReadonlySet<string>;
  /** How many unresolved withdrawals each running till shows in its header. */
  readonly problemsShown: readonly { readonly till: number; readonly count: number }[];
  /** Tills that still have something to report. */
  readonly unreported: readonly number[];
  /** Tills whose journal was put back from a copy behind what the service knows of it. */
  readonly forked: readonly number[];
  /** What two machines with one identity both have: it need not add up, if somebody reads that it does not. */
  readonly shared: ReadonlySet<string>;
  /** Only what was longer than a till's own SCA time-out plus 5 s. */
  readonly blocked: readonly Blocked[];
}
