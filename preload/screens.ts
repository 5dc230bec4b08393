/** The cashier's screens, one kind for each thing that can be going on. */
import type { outcomes } from "./enums.ts";
import type { Pieces } from "./notes-and-coins.ts";

/** What one withdrawal ended as. */
export type Outcome = (typeof outcomes)[number];

/** An amount as the screens show it: the wire's decimal string and its currency. */
export interface Amount {
  readonly amount: string;
  readonly currency: string;
}

/** Runs on the receiver's monotonic clock from the moment the snapshot arrives. */
export interface Countdown {
  readonly totalMs: number;
  readonly remainingMs: number;
}

/** The withdrawal that something is about. */
export interface OfWithdrawal {
  readonly withdrawalId: string;
  readonly transactionId: string;
  readonly money: Amount;
}

/** Ways to pay an amount with the notes and coins in the drawer, the suggested one first; none where the shop does not count the drawer here. */
export type Cash = readonly (readonly Pieces[])[];

/** A withdrawal whose cash is about to leave the drawer, or may be. */
interface WithCash extends OfWithdrawal {
  readonly cash: Cash;
}

/** The shops and terminals that a journal's entries name. */
export interface JournalOrigin {
  readonly shops: readonly string[];
  readonly terminals: readonly string[];
}

/** What is in front, with all that it shows. Every screen carries the `step` that its buttons send along. */
export type Screen = { readonly step: string } & (
  | { readonly kind: "starting" }
  | {
      readonly kind: "setup";
      readonly why: "not_enrolled" | "credential_refused" | "unsafe_service";
      /** Where it was set up before: what is known of it. */
      readonly known: { readonly serviceUrl: string; readonly merchantId: string; readonly deviceId: string } | null;
    }
  /** Nothing can be started: the journal cannot be opened (it is retried), or it may be another shop's. */
  | { readonly kind: "blocked"; readonly why: "journal_unavailable" | "journal_newer" }
  | {
      readonly kind: "blocked";
      readonly why: "other_journal";
      /** The names in it, and how many of its withdrawals are open. */
      readonly found: JournalOrigin & { readonly open: number };
    }
  | { readonly kind: "ready" }
  | { readonly kind: "looking_up"; readonly transactionId: string }
  | ({
      readonly kind: "review";
      readonly shop: string;
      /** Null when the service does not say when it was ordered. */
      readonly orderedMsAgo: number | null;
      /** Null when the service does not say when the order expires. */
      readonly expires: Countdown | null;
      /** Whether the drawer can pay it, as far as the terminal knows: too little in all, no notes for it, or its day is not open. Only `ok` and `no_notes` can be confirmed. */
      readonly drawer: "ok" | "short" | "no_notes" | "no_day";
      /** How much more is enough, where it is `short`; rounded up where the expected sum is a manager's to know. */
      readonly missing: string | null;
    } & WithCash)
  | ({ readonly kind: "confirming" } & WithCash)
  /** `approval`: the customer must approve now. `payment`: approved, the bank is still settling; no cash yet. */
  | ({
      readonly kind: "waiting";
      readonly phase: "approval" | "payment";
      readonly countdown: Countdown | null;
      /** As on `payable`, of a payment: its customer may have left. Missing: no. */
      readonly recovered?: true;
    } & WithCash)
  | ({ readonly kind: "closing"; readonly why: "cashier" | "time_out" } & OfWithdrawal)
  /** The only screen that offers cash: the service said `settled`. `recovered`: its customer may have left, as after a restart, a sleep or a lock. */
  | ({
      readonly kind: "payable";
      readonly recovered: boolean;
      /** The terminal stopped in the middle of a hand-out: the customer may already have the cash. */
      readonly handOutBegun: boolean;
      /** The cashier rejected it, but the bank had paid. */
      readonly rejectedHere: boolean;
    } & WithCash)
  | ({
      readonly kind: "opening";
      /** `checking`: the service is asked whether the cash was given already, before the drawer opens. */
      readonly drawer: "checking" | "opening" | "failed" | "unknown";
      /** As on `payable`: cash may have been taken out for it before. */
      readonly recovered: boolean;
    } & WithCash)
  /** The drawer is open and the cash is counted, for as long as it takes. `drawer`: what its sensor says, where it has one. */
  | ({
      readonly kind: "counting";
      readonly drawer: "open" | "closed" | "unknown";
      readonly recovered: boolean;
    } & WithCash)
  | ({ readonly kind: "done"; readonly until: Countdown } & OfWithdrawal)
  | {
      readonly kind: "ended";
      readonly outcome: Outcome;
      readonly transactionId: string | null;
      readonly money: Amount | null;
      /** Whether `retry` makes sense here. */
      readonly canRetry: boolean;
      /** `opened`: for a withdrawal that was not handed out. `short`: it holds too little for another one of this amount. */
      readonly drawer?: "opened" | "short";
      /** When an earlier customer's withdrawal, which had been unclear, began; null for the current one. */
      readonly late: string | null;
    }
  | ({
      readonly kind: "unknown";
      readonly sinceMs: number;
      /** `manager_decides`: the cash may have been given, and the service cannot say. */
      readonly doing: "asking_service" | "repeating" | "manager_decides";
    } & OfWithdrawal)
);

/** One kind of screen with its own fields. */
export type ScreenOf<K extends Screen["kind"]> = Extract<Screen, { readonly kind: K }>;
