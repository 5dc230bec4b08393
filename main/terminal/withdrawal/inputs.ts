/** What can come into the core: the screens' commands and what comes back from effects. */
import { counterCode } from "../../../preload/choices.ts";
import type { CommandOf, Refusal, Reply } from "../../../preload/contract.ts";
import type { DrawerState, PrintAnswer } from "../ports.ts";
import type { PrintTask } from "../printing/queue.ts";
import type { Receipt, ReceiptCopy } from "../printing/receipt.ts";
import type { Answer } from "../service/answer.ts";
import type { Report } from "../service/client.ts";
import type { Event } from "./events.ts";
import type { Reported } from "./state.ts";

/** Who stands behind a command, as the host has checked it. Its code goes into every journal entry that follows. */
export interface Actor {
  /** A person's code (`C2`); `counter` where nobody signs in there; `terminal` for what follows by itself. */
  readonly code: string;
  /** Whether people are kept on this terminal, so that a second one can be asked for. */
  readonly guarded: boolean;
  /** Their list is lost: nobody can agree until the operator's code has made a manager. */
  readonly isPeopleLost?: boolean;
  /** The second person who agreed to this one command by PIN. */
  readonly approvedBy: { readonly code: string; readonly role: "cashier" | "manager" } | null;
}

/** What follows by itself: an answer of the service, a deadline. */
export const terminalActor: Actor = { code: "terminal", guarded: false, approvedBy: null };

/** Whoever stands at a counter where nobody signs in. */
export const counterActor: Actor = { code: counterCode, guarded: false, approvedBy: null };

/** What is said where a second person's word is missing. */
export const approvalMissing = ({ isPeopleLost }: Actor): Refusal =>
  isPeopleLost === true ? "people_lost" : "approval_needed";

/** What comes back from the printer, and what terminal.ts looked up for it. */
type PrintResult =
  | { readonly type: "print_answered"; readonly number: number; readonly result: PrintAnswer }
  /** A receipt of what is in the journal already; terminal.ts looked it up. */
  | {
      readonly type: "receipt_wanted";
      readonly withdrawalId: string;
      readonly copies: readonly ReceiptCopy[];
      readonly receipt: Receipt;
    }
  | { readonly type: "print_pause_ended" };

/** What comes back from the terminal's own effects and timers. */
export type EffectResult =
  | { readonly type: "look_up_answered"; readonly transactionId: string; readonly answer: Answer }
  /** `number` is the request's number when the request was made: a late answer to an older one is taken in, but decides nothing any more. */
  | {
      readonly type: "confirm_answered";
      readonly withdrawalId: string;
      readonly number: number;
      readonly answer: Answer;
    }
  | {
      readonly type: "status_answered";
      readonly withdrawalId: string;
      readonly number: number;
      readonly answer: Answer;
      readonly tookMs: number;
    }
  | {
      readonly type: "report_answered";
      readonly withdrawalId: string;
      readonly report: Report;
      readonly number: number;
      /** The service's restore that this terminal knew of when it sent the report. */
      readonly restoredAt: string | null;
      readonly answer: Answer;
    }
  | {
      readonly type: "drawer_answered";
      readonly withdrawalId: string;
      readonly result: "opened" | "failed" | "unknown";
    }
  | { readonly type: "no_sale_answered"; readonly number: number; readonly result: "opened" | "failed" | "unknown" }
  | { readonly type: "drawer_state_answered"; readonly withdrawalId: string; readonly drawer: DrawerState }
  | PrintResult
  | { readonly type: "reports_collected"; readonly restoredAt: string; readonly reports: readonly Reported[] }
  | { readonly type: "report_repeated"; readonly number: number; readonly answer: Answer }
  | { readonly type: "probe_answered"; readonly answer: Answer }
  | { readonly type: "shop_answered"; readonly merchantId: string; readonly answer: Answer }
  | { readonly type: "service_head_answered"; readonly answer: Answer }
  /** Null when there is nothing to report yet. */
  | { readonly type: "journal_head_answered"; readonly answer: Answer | null }
  | { readonly type: "duplicate_device_answered"; readonly answer: Answer }
  | { readonly type: "approval_ran_out"; readonly withdrawalId: string }
  | { readonly type: "review_ran_out"; readonly withdrawalId: string }
  | { readonly type: "closing_ran_out"; readonly withdrawalId: string }
  | { readonly type: "hand_out_check_ran_out"; readonly withdrawalId: string }
  | { readonly type: "done_ran_out"; readonly step: number };

/** What a manager says about withdrawals. */
export type ManagerCommand = CommandOf<"manager">;
/** Tests and practice: they decide nothing about a withdrawal of this terminal. */
export type SetUpCommand = CommandOf<"setUp">;
/** Inputs that concern the drawer's day. */
export type DayInput =
  | CommandOf<"day">
  | { readonly type: "day_print_wanted"; readonly number: number; readonly task: PrintTask };
/** Inputs that concern the printer. */
export type PrintInput = CommandOf<"printer"> | PrintResult;
/** Commands about what was done before; nothing is decided about a withdrawal. */
export type HistoryCommand = CommandOf<"history">;
/** The presses of a withdrawal. */
export type CashierCommand = CommandOf<"cashier">;

/** Anything that is decided about. */
export type Input = CashierCommand | ManagerCommand | CommandOf<"printer"> | DayInput | EffectResult;

/** What an input leads to: the events that happen and the reply to whoever sent it. */
export interface Decision {
  readonly events: readonly Event[];
  readonly reply: Reply;
}

/** Randomness that a decision may use: drawn outside, so that deciding stays a function. */
export interface RandomSource {
  readonly id: string;
  readonly fraction: number;
}

/** The input is taken, with the events that follow from it. */
export const accept = (...events: readonly Event[]): Decision => ({ events, reply: { ok: true } });
/** The input is refused; events may still follow, such as a toast. */
export const refuse = (code: Extract<Reply, { ok: false }>["code"], ...events: readonly Event[]): Decision => ({
  events,
  reply: { ok: false, code },
});
