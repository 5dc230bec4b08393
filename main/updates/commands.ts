/** Answers the bridge's commands about updates around the terminal, and counts every command as activity. */
import type { Reply, TerminalCommand, UpdateCommand } from "../../preload/contract.ts";
import type { Actor } from "../terminal/state/actor.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Updates } from "./updates.ts";

const commands: Readonly<Record<UpdateCommand["type"], true>> = { check_for_update: true, install_update: true };
const isUpdateCommand = (command: TerminalCommand): command is UpdateCommand => Object.hasOwn(commands, command.type);

const answer = async (command: UpdateCommand, updates: Updates): Promise<Reply> => {
  if (command.type === "check_for_update") return updates.check() ? { ok: true } : { ok: false, code: "busy" };
  const outcome = await updates.install(command.version);
  return outcome === "begun" ? { ok: true } : { ok: false, code: outcome };
};

/** @param updates null where this program takes none: the terminal itself refuses the commands then. */
export const withUpdates = <T extends Pick<Terminal, "dispatch" | "record">>(
  terminal: T,
  updates: Updates | null,
): T =>
  updates === null
    ? terminal
    : {
        ...terminal,
        async dispatch(command: TerminalCommand, actor: Actor): Promise<Reply> {
          updates.recordActivity();
          // No new work on a program that is about to exit.
          if (updates.isInstalling()) return { ok: false, code: "busy" };
          if (!isUpdateCommand(command)) return terminal.dispatch(command, actor);
          if (command.type === "install_update") terminal.record("update_agreed", command.version, actor);
          return answer(command, updates);
        },
      };
