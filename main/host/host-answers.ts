/** How a part of the program around the terminal answers the commands that are its own. */
import type { CommandNameOf, HostPartName, Reply, TerminalCommand } from "../../preload/contract.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Actor, Answers } from "../terminal/withdrawal/inputs.ts";

/** The terminal with the commands of one part answered; all others go on to it. */
export const withAnswers = <P extends HostPartName, T extends Pick<Terminal, "dispatch">>(
  terminal: T,
  answers: Answers<P>,
): T => ({
  ...terminal,
  async dispatch(command: TerminalCommand, actor: Actor): Promise<Reply> {
    if (!Object.hasOwn(answers, command.type)) return terminal.dispatch(command, actor);
    return answers[command.type as CommandNameOf<P>](command as never, actor);
  },
});
