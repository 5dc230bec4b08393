import { useCallback, useEffect, useRef, useState } from "react";
import type { Command } from "../../preload/contract.ts";
import { useDesk } from "./command-context.tsx";

/** A question to the till program that a page opens with. */
export type QuestionState<T> =
  | { readonly kind: "asking" }
  | { readonly kind: "failed" }
  | { readonly kind: "answered"; readonly data: T };

/** Asks at once and again on demand. The data is the core's, so its form is the contract's. */
export const useQuestion = <T>(command: Command): { state: QuestionState<T>; ask: () => void } => {
  const desk = useDesk();
  const latest = useRef({ desk, command });
  latest.current = { desk, command };
  const [state, setState] = useState<QuestionState<T>>({ kind: "asking" });
  const ask = useCallback(() => {
    setState({ kind: "asking" });
    void latest.current.desk
      .ask(latest.current.command)
      .then((reply) =>
        setState(
          reply.ok && reply.data !== undefined ? { kind: "answered", data: reply.data as T } : { kind: "failed" },
        ),
      );
  }, []);
  useEffect(ask, [ask]);
  return { state, ask };
};
