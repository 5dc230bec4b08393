/** What can come into the core: the screens' commands and what comes back from effects. */
import { counterCode } from "../../../preload/choices.ts";
import type { Answerer } from "../../../preload/command.ts";
import type { CommandNameOf, CommandOf, Refusal, Reply } from "../../../preload/contract.ts";
import type { DrawerState, PrintAnswer } from "../ports.ts";
import type { Receipt, ReceiptCopy } from "../printing/paper.ts";
import type { PrintTask } from "../printing/queue.ts";
import type { Answer } from "../service/answer.ts";
import type { Report } from "../service/client.ts";
import type { Event } from "./events.ts";
import type { DrawerResult, Moment, Reported, State, Tagged } from "./state.ts";

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

interface OfOne {
  withdrawalId: string;
}
interface Answered {
  answer: Answer;
}

/** What comes back from effects; `number` is the request's: a late answer to an older one decides nothing any more. */
export type EffectResult = Tagged<
  "type",
  {
    look_up_answered: Answered & { transactionId: string };
    confirm_answered: Answered & OfOne & { number: number };
    status_answered: Answered & OfOne & { number: number; tookMs: number };
    /** `restoredAt`: the service's restore that this terminal knew of when it sent the report. */
    report_answered: Answered & OfOne & { report: Report; number: number; restoredAt: string | null };
    drawer_answered: OfOne & { result: DrawerResult };
    no_sale_answered: { number: number; result: DrawerResult };
    drawer_state_answered: OfOne & { drawer: DrawerState };
    print_answered: { number: number; result: PrintAnswer };
    /** A receipt of what is in the journal already; the history looked it up. */
    receipt_wanted: OfOne & { copies: readonly ReceiptCopy[]; receipt: Receipt };
    print_pause_ended: Record<never, never>;
    reports_collected: { restoredAt: string; reports: readonly Reported[] };
    /** `restoredAt`: the restore for which it was repeated. */
    report_repeated: Answered & { restoredAt: string; number: number };
    probe_answered: Answered;
    shop_answered: Answered & { merchantId: string };
    service_head_answered: Answered;
    /** Null when there is nothing to report yet. */
    journal_head_answered: { answer: Answer | null };
    duplicate_device_answered: Answered;
    approval_ran_out: OfOne;
    review_ran_out: OfOne;
    closing_ran_out: OfOne;
    hand_out_check_ran_out: OfOne;
    done_ran_out: { step: number };
  }
>;

/** Inputs that concern the drawer's day. */
export type DayInput =
  | CommandOf<"day">
  | { readonly type: "day_print_wanted"; readonly number: number; readonly task: PrintTask };

/** Anything that is decided about. */
export type Input = CommandOf<"cashier" | "manager" | "printer"> | DayInput | EffectResult;

/** How the commands of one part are answered: a new one without an answer is a type error there. */
export type Answers<By extends Answerer> = {
  readonly [Type in CommandNameOf<By>]: (
    command: Extract<CommandOf<By>, { type: Type }>,
    actor: Actor,
  ) => Reply | Promise<Reply>;
};

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

/** What an input meets. */
export interface Turn {
  readonly state: State;
  readonly moment: Moment;
  readonly fresh: RandomSource;
  readonly actor: Actor;
}

/** How each of these inputs is decided. */
export type Decisions<I extends { readonly type: string }> = {
  readonly [Type in I["type"]]: (turn: Turn, input: Extract<I, { type: Type }>) => Decision;
};

/** The input is taken, with the events that follow from it. */
export const accept = (...events: readonly Event[]): Decision => ({ events, reply: { ok: true } });
/** The input is refused; events may still follow, such as a toast. */
export const refuse = (code: Extract<Reply, { ok: false }>["code"], ...events: readonly Event[]): Decision => ({
  events,
  reply: { ok: false, code },
});
