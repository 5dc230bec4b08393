/** Inputs of the core: the screens' commands and the results of effects. */
import { counterCode } from "../../../preload/choices.ts";
import type { Answerer } from "../../../preload/command.ts";
import type { CommandNameOf, CommandOf, DrawerResult, Refusal, Reply } from "../../../preload/contract.ts";
import type { DrawerState, PrintAnswer } from "../ports.ts";
import type { Receipt, ReceiptCopy } from "../printing/paper.ts";
import type { PrintTask } from "../printing/queue.ts";
import type { Answer } from "../service/answer.ts";
import type { Report } from "../service/client.ts";
import type { Event } from "./events.ts";
import type { Moment, Reported, State, Tagged } from "./state.ts";

/** Who gave a command, as checked by the host. The code goes into all resulting journal entries. */
export interface Actor {
  /** A person's code (`C2`); `counter` if nobody signs in; `terminal` for automatic steps. */
  readonly code: string;
  /** Whether people sign in on this terminal, so that a second one can be required. */
  readonly guarded: boolean;
  /** Their list is lost: nobody can approve until the operator's code has created a manager. */
  readonly isPeopleLost?: boolean;
  /** The second person who approved this command by PIN. */
  readonly approvedBy: { readonly code: string; readonly role: "cashier" | "manager" } | null;
}

/** The actor of automatic steps: service answers, deadlines. */
export const terminalActor: Actor = { code: "terminal", guarded: false, approvedBy: null };

/** The actor at a counter where nobody signs in. */
export const counterActor: Actor = { code: counterCode, guarded: false, approvedBy: null };

/** The refusal if a second person's approval is missing. */
export const approvalMissing = ({ isPeopleLost }: Actor): Refusal =>
  isPeopleLost === true ? "people_lost" : "approval_needed";

interface OfOne {
  withdrawalId: string;
}
interface Answered {
  answer: Answer;
}

/** Results of effects; `number` is the request's, so that late answers to earlier requests are recognised. */
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
    /** A receipt for a withdrawal from the history. */
    receipt_wanted: OfOne & { copies: readonly ReceiptCopy[]; receipt: Receipt };
    print_pause_ended: Record<never, never>;
    /** `keyNumber`: the key under which they were looked for; another shop's journal may be in use since. */
    reports_collected: { restoredAt: string; keyNumber: number; reports: readonly Reported[] };
    /** `restoredAt`: the restore for which it was repeated. */
    report_repeated: Answered & { restoredAt: string; number: number };
    probe_answered: Answered;
    shop_answered: Answered & { merchantId: string };
    service_head_answered: Answered;
    /** Null when there is nothing to report yet. */
    journal_head_answered: { changes: number; answer: Answer | null };
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

/** Everything that `decide` handles. */
export type Input = CommandOf<"cashier" | "manager" | "printer"> | DayInput | EffectResult;

/** The handlers of one part's commands; a command without a handler is a type error. */
export type Answers<By extends Answerer> = {
  readonly [Type in CommandNameOf<By>]: (
    command: Extract<CommandOf<By>, { type: Type }>,
    actor: Actor,
  ) => Reply | Promise<Reply>;
};

/** Result of an input: its events, and the reply to the sender. */
export interface Decision {
  readonly events: readonly Event[];
  readonly reply: Reply;
}

/** Randomness for a decision, drawn outside so that deciding stays a pure function. */
export interface RandomSource {
  readonly id: string;
  readonly fraction: number;
}

/** Context of a decision. */
export interface Turn {
  readonly state: State;
  readonly moment: Moment;
  readonly fresh: RandomSource;
  readonly actor: Actor;
}

/** One decision function per input. */
export type Decisions<I extends { readonly type: string }> = {
  readonly [Type in I["type"]]: (turn: Turn, input: Extract<I, { type: Type }>) => Decision;
};

/** Accepts the input, with the resulting events. */
export const accept = (...events: readonly Event[]): Decision => ({ events, reply: { ok: true } });
/** Refuses the input; there may still be events, such as a toast. */
export const refuse = (code: Extract<Reply, { ok: false }>["code"], ...events: readonly Event[]): Decision => ({
  events,
  reply: { ok: false, code },
});
