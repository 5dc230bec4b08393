import { useCallback, useEffect, useRef, useState } from "react";
import type { Command } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";

/** State of a query that a page sends when it opens. */
export type QueryState<T> =
  | { readonly kind: "asking" }
  | { readonly kind: "failed" }
  | { readonly kind: "answered"; readonly data: T };

/** Sends the query at once, and again by `refetch`. The data comes from the core, so its type is trusted. */
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
