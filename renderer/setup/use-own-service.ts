/** Sends a command about the own service and keeps a refusal until the next try. */
import { useState } from "react";
import type { Command, OwnServiceField, OwnServiceReply, Refusal } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";

/** The result of the last command. */
export interface OwnAnswer {
  readonly kind: "idle" | "working" | "done" | "refused";
  readonly fields: readonly OwnServiceField[];
  /** The service's own sentence, in English. */
  readonly output: string | null;
  readonly code: Refusal | null;
}

const idle: OwnAnswer = { kind: "idle", fields: [], output: null, code: null };

/** `send` resolves true when the command was executed. */
export const useOwnService = () => {
  const commands = useCommands();
  const [answer, setAnswer] = useState<OwnAnswer>(idle);
  const send = async (command: Command): Promise<boolean> => {
    setAnswer({ ...idle, kind: "working" });
    const reply = await commands.dispatch(command);
    if (!reply.ok) setAnswer({ ...idle, kind: "refused", code: reply.code });
    else {
      // The data is the host's, so its form is the contract's; some commands have none.
      const data = (reply.data ?? { kind: "done" }) as OwnServiceReply;
      setAnswer(data.kind === "done" ? { ...idle, kind: "done" } : { ...idle, ...data });
      return data.kind === "done";
    }
    return false;
  };
  return {
    answer,
    send,
    mark: (fields: readonly OwnServiceField[]): void => setAnswer({ ...idle, kind: "refused", fields }),
    clearResult: (): void => setAnswer((now) => (now.kind === "working" ? now : idle)),
  };
};
