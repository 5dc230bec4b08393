/** Lets parts of the host answer their own commands. */
import type { CommandNameOf, HostPartName, Reply, TerminalCommand } from "../../preload/contract.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { Actor, Answers } from "../terminal/withdrawal/inputs.ts";

/** Adds the commands of one part to the terminal; others are passed on. @param refuse asked first about each; null: it is not refused. */
export const withAnswers = <P extends HostPartName, T extends Pick<Terminal, "dispatch">>(
  terminal: T,
  answers: Answers<P>,
  refuse: (command: TerminalCommand) => Reply | null = () => null,
): T => ({
  ...terminal,
  async dispatch(command: TerminalCommand, actor: Actor): Promise<Reply> {
    const refusal = refuse(command);
    if (refusal !== null) return refusal;
    if (!Object.hasOwn(answers, command.type)) return terminal.dispatch(command, actor);
    return answers[command.type as CommandNameOf<P>](command as never, actor);
  },
});
