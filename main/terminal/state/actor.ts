import { counterCode } from "../../../preload/choices.ts";
import type { Refusal } from "../../../preload/contract.ts";

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
