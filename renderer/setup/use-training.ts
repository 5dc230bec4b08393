import { useState } from "react";
import type { Refusal } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";

/** Starts the terminal again in training; `refusal` says why it did not. */
export const useTraining = () => {
  const commands = useCommands();
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  return {
    refusal,
    start: (): void =>
      void commands
        .dispatch({ type: "switch_purpose", training: true })
        .then((reply) => setRefusal(reply.ok ? null : reply.code)),
  };
};
