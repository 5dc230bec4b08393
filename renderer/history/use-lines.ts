import { useCallback, useEffect, useRef, useState } from "react";
import type { HistoryFilter, HistoryLine } from "../../preload/contract.ts";
import { useCommands } from "../ui/command-context.tsx";

/** Lines on one page. */
export const pageLines = 50;
/** Behind the last key in the search field. */
const typingMs = 120;

/** A page of the list, and the ways to the others. */
export interface Lines {
  /** Null until the first answer. */
  readonly lines: readonly HistoryLine[] | null;
  readonly hasFailed: boolean;
  /** Null at the list's end. */
  readonly older: (() => void) | null;
  readonly newer: (() => void) | null;
  readonly again: () => void;
}

/** Asks for one page at a time; a new filter begins at the newest. */
export const useLines = (filter: HistoryFilter): Lines => {
  const commands = useCommands();
  const latest = useRef(commands);
  latest.current = commands;
  /** The last line of each page before this one. */
  const [path, setPath] = useState<readonly string[]>([]);
  const [state, setState] = useState<{ readonly lines: readonly HistoryLine[] | null; readonly hasFailed: boolean }>({
    lines: null,
    hasFailed: false,
  });
  const number = useRef(0);
  const load = useCallback(async (wanted: HistoryFilter, before: string | null) => {
    number.current += 1;
    const mine = number.current;
    const reply = await latest.current.dispatch({ type: "list_history", before, limit: pageLines + 1, filter: wanted });
    // An answer that was overtaken says nothing about what is asked now.
    if (mine !== number.current) return;
    setState(
      reply.ok ? { lines: (reply.data ?? []) as HistoryLine[], hasFailed: false } : { lines: null, hasFailed: true },
    );
  }, []);
  const before = path.at(-1) ?? null;
  /** What was asked for last: what comes to the same is not asked again, such as a field that a scan has passed through. */
  const asked = useRef<string | null>(null);
  useEffect(() => {
    const wanted = JSON.stringify(filter);
    const timer = window.setTimeout(
      () => {
        if (asked.current === wanted) return;
        asked.current = wanted;
        setPath([]);
        void load(filter, null);
      },
      asked.current === null ? 0 : typingMs,
    );
    return () => window.clearTimeout(timer);
  }, [filter, load]);
  const go = (to: readonly string[]): void => {
    setPath(to);
    void load(filter, to.at(-1) ?? null);
  };
  const lines = state.lines?.slice(0, pageLines) ?? null;
  const last = lines?.at(-1)?.withdrawalId;
  const hasOlder = (state.lines?.length ?? 0) > pageLines && last !== undefined;
  return {
    lines,
    hasFailed: state.hasFailed,
    older: hasOlder ? () => go([...path, last]) : null,
    newer: path.length > 0 ? () => go(path.slice(0, -1)) : null,
    again: () => void load(filter, before),
  };
};
