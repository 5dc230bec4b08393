/** What can come into the core: the screens' commands and what comes back from effects. */
import type { CommandOf, Reply } from "../../../preload/contract.ts";
import type { DrawerState, PrintAnswer, ServiceAnswer } from "../ports.ts";
import type { PrintTask } from "../receipts/printed-lines.ts";
import type { Receipt, ReceiptCopy } from "../receipts/receipt-schema.ts";
import type { Event } from "./events.ts";
import type { Reported } from "./reported.ts";
import type { Report } from "./state.ts";

/** A service answer, or that there is no token to ask with (the request itself was never sent). */
export type Answer = (
  | ServiceAnswer
  | {
      readonly kind: "unauthorized";
      readonly why: "invalid_client" | "throttled" | "unavailable";
      readonly retryAfterMs: number | null;
    }
) & {
  /** Asked with a key that another one has replaced meanwhile: it says nothing about this one, nor about its service. */
  readonly ofEarlierKey?: true;
};

/** What comes back from the printer, and what terminal.ts looked up for it. */
export type PrintInternal =
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
export type Internal =
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
      readonly answer: Answer;
    }
  | {
      readonly type: "drawer_answered";
      readonly withdrawalId: string;
      readonly result: "opened" | "failed" | "unknown";
    }
  | { readonly type: "drawer_state_answered"; readonly withdrawalId: string; readonly drawer: DrawerState }
  | PrintInternal
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
export type PrintInput = CommandOf<"printer"> | PrintInternal;
/** Commands about what was done before; nothing is decided about a withdrawal. */
export type HistoryCommand = CommandOf<"history">;
/** The presses of a withdrawal. */
export type CashierCommand = CommandOf<"cashier">;

/** Anything that is decided about. */
export type Input = CashierCommand | ManagerCommand | CommandOf<"printer"> | DayInput | Internal;

/** What an input leads to: the events that happen and the reply to whoever sent it. */
export interface Decision {
  readonly events: readonly Event[];
  readonly reply: Reply;
}

/** Randomness that a decision may use: drawn outside, so that deciding stays a function. */
export interface Fresh {
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
