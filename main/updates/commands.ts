/** The terminal with the commands about updates answered, and how far they are on every screen. */
import type { Reply, TerminalCommand, UpdateCommand } from "../../preload/contract.ts";
import type { Actor } from "../terminal/state/actor.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Updates } from "./updates.ts";

const commands: Readonly<Record<UpdateCommand["type"], true>> = { look_for_update: true, install_update: true };
const isOurs = (command: TerminalCommand): command is UpdateCommand => Object.hasOwn(commands, command.type);

const answer = async (command: UpdateCommand, updates: Updates): Promise<Reply> => {
  if (command.type === "look_for_update") return updates.look() ? { ok: true } : { ok: false, code: "busy" };
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
          updates.touched();
          // Nothing may begin on a terminal that is about to end.
          if (updates.isInstalling()) return { ok: false, code: "busy" };
          if (!isOurs(command)) return terminal.dispatch(command, actor);
          if (command.type === "install_update") terminal.record("update_agreed", command.version, actor);
          return answer(command, updates);
        },
      };
