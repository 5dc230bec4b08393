/** Answers the bridge's commands about updates around the terminal, and counts every command as activity. */
import type { Reply, TerminalCommand } from "../../preload/contract.ts";
import { withAnswers } from "../host/host-answers.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Actor } from "../terminal/withdrawal/inputs.ts";
import type { Updates } from "./updates.ts";

type Updated = Pick<Terminal, "dispatch" | "record">;

const withAnswered = <T extends Updated>(terminal: T, updates: Updates): T =>
  withAnswers<"updates", T>(terminal, {
    check_for_update: () => (updates.check() ? { ok: true } : { ok: false, code: "busy" }),
    async install_update({ version }, actor) {
      terminal.record("update_agreed", version, actor);
      const outcome = await updates.install(version);
      return outcome === "begun" ? { ok: true } : { ok: false, code: outcome };
    },
  });

/** @param updates null where this program takes none: the terminal itself refuses the commands then. */
export const withUpdates = <T extends Updated>(terminal: T, updates: Updates | null): T => {
  if (updates === null) return terminal;
  const answered = withAnswered(terminal, updates);
  return {
    ...terminal,
    async dispatch(command: TerminalCommand, actor: Actor): Promise<Reply> {
      updates.recordActivity();
      // No new work on a program that is about to exit.
      return updates.isInstalling() ? { ok: false, code: "busy" } : answered.dispatch(command, actor);
    },
  };
};
