import { useState } from "react";
import type { Command, Refusal } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";

/** The state of one form's commands. */
export interface Sending {
  readonly isSending: boolean;
  /** Why the last one was refused; null after one that was not. */
  readonly refusal: Refusal | null;
  /** Sends one command at a time; true when it was done. */
  send(command: Command): Promise<boolean>;
}

/** A hook for forms that send: while one command is under way, another one is not sent. */
export const useSend = (): Sending => {
  const commands = useCommands();
  const [state, setState] = useState<{ isSending: boolean; refusal: Refusal | null }>({
    isSending: false,
    refusal: null,
  });
  return {
    ...state,
    async send(command) {
      if (state.isSending) return false;
      setState({ isSending: true, refusal: null });
      const reply = await commands.dispatch(command);
      setState({ isSending: false, refusal: reply.ok ? null : reply.code });
      return reply.ok;
    },
  };
};
