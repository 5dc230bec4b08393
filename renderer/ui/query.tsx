import { Button, Loader } from "@mantine/core";
import { t } from "i18next";
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import type { Command, Reply } from "../../preload/contract.ts";
import page from "./page.module.css";
import { useCommands } from "./terminal.tsx";

/** State of a query that a page sends when it opens. */
export type QueryState<T> =
  | { readonly kind: "asking" }
  | { readonly kind: "failed"; readonly why?: string }
  | { readonly kind: "answered"; readonly data: T };

/** What a query has come to by its reply. The data comes from the core, so its type is trusted. */
export const answerOf = <T,>(reply: Reply): QueryState<T> =>
  reply.ok && reply.data !== undefined
    ? { kind: "answered", data: reply.data as T }
    : { kind: "failed", ...(!reply.ok && { why: reply.code }) };

/** Sends the query at once, and again by `refetch`. `turn` counts how often it was sent. */
export const useQuery = <T,>(command: Command) => {
  const { dispatch } = useCommands();
  const latest = useRef(command);
  latest.current = command;
  const [asked, setAsked] = useState<{ readonly turn: number; readonly state: QueryState<T> }>({
    turn: 0,
    state: { kind: "asking" },
  });
  const refetch = useCallback(() => {
    setAsked(({ turn }) => ({ turn: turn + 1, state: { kind: "asking" } }));
    void dispatch(latest.current).then((reply) => setAsked(({ turn }) => ({ turn, state: answerOf<T>(reply) })));
  }, [dispatch]);
  useEffect(refetch, [refetch]);
  return { ...asked, refetch };
};

interface AnswerProps<T> {
  readonly state: QueryState<T>;
  readonly again: () => void;
  /** Progress of a long query, as text. */
  readonly progress?: string | undefined;
  readonly children: (data: T) => ReactNode;
}

/** Shows a query's loading, its failure with a retry button, or its data. */
export const Answer = <T,>({ state, again, progress, children }: AnswerProps<T>) => {
  if (state.kind === "answered") return children(state.data);
  return (
    <div className={page.middle} role="status">
      {state.kind === "asking" ? (
        <>
          <Loader size={56} color="var(--accent)" />
          <p>{progress ?? t("manager.loading")}</p>
        </>
      ) : state.why === "people_lost" ? (
        <p>{t("peopleLost.next")}</p>
      ) : (
        <>
          <p>{t("manager.failed")}</p>
          <Button size="lg" onClick={again}>
            {t("manager.again")}
          </Button>
        </>
      )}
    </div>
  );
};

interface QueryProps<T> extends Pick<AnswerProps<T>, "progress"> {
  readonly command: Command;
  readonly children: (data: T, again: () => void) => ReactNode;
}

/** Asks when it is first shown, and shows the answer. Asked again, it shows everything anew, however quickly the answer comes. */
export const Query = <T,>({ command, progress, children }: QueryProps<T>) => {
  const { turn, state, refetch } = useQuery<T>(command);
  return (
    <Answer key={turn} state={state} again={refetch} progress={progress}>
      {(data) => children(data, refetch)}
    </Answer>
  );
};
