/** A second person beside the one who acts: the PIN that came with a command. */
import type { Refusal, TerminalCommand } from "../../preload/contract.ts";
import type { Actor } from "../terminal/state/actor.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Accounts } from "./accounts.ts";

/**
 * Adds who approved a command to who gives it; a command without a PIN leaves the one who is signed in. A wrong PIN is
 * recorded, and the refusal is the answer.
 */
export const createApproval =
  (accounts: Pick<Accounts, "verify" | "find">, record: Terminal["record"]) =>
  async (command: TerminalCommand, actor: Actor): Promise<Actor | Refusal> => {
    if (!("approval" in command) || command.approval === undefined) return actor;
    const found = await accounts.verify(command.approval.person, command.approval.pin);
    if (!found.ok) {
      record("approval_refused", accounts.find(command.approval.person)?.code ?? null, actor);
      return found.code;
    }
    return { ...actor, approvedBy: { code: found.value.code, role: found.value.role } };
  };
