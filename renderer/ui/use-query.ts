import { useCallback, useEffect, useRef, useState } from "react";
import type { Command } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";

/** A question to the terminal that a page opens with. */
export type QueryState<T> =
  | { readonly kind: "asking" }
  | { readonly kind: "failed" }
  | { readonly kind: "answered"; readonly data: T };

/** Asks at once and again on demand. The data is the core's, so its form is the contract's. */
export const useQuery = <T>(command: Command): { state: QueryState<T>; refetch: () => void } => {
  const commands = useCommands();
  const latest = useRef({ commands, command });
  latest.current = { commands, command };
  const [state, setState] = useState<QueryState<T>>({ kind: "asking" });
  const refetch = useCallback(() => {
    setState({ kind: "asking" });
    void latest.current.commands
      .dispatch(latest.current.command)
      .then((reply) =>
        setState(
          reply.ok && reply.data !== undefined ? { kind: "answered", data: reply.data as T } : { kind: "failed" },
        ),
      );
  }, []);
  useEffect(refetch, [refetch]);
  return { state, refetch };
};
