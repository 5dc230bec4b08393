/** The token in use, and what a table has read with it. */
import { createContext, use, useCallback, useEffect, useState } from "react";
import { ApiProblem } from "./api.ts";

interface Session {
  readonly token: string;
  /** Forgets the token; the sign-in says why. */
  readonly end: (why: string) => void;
}

/** Of whoever is signed in. */
export const SessionContext = createContext<Session>({ token: "", end() {} });

/** What is being read, has been read, or why not. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly problem: string | null;
  readonly isLoading: boolean;
  /** When `data` came. */
  readonly at: number | null;
  readonly again: () => void;
}

/** Reads, and reads anew when `load` is another one; what was read again stays in sight meanwhile. @param load must be stable. */
export const useLoaded = <T>(load: (token: string) => Promise<T>): Loaded<T> => {
  const { token, end } = use(SessionContext);
  const nothing = { load, data: null, problem: null, isLoading: true, at: null };
  const [read, setRead] = useState<Omit<Loaded<T>, "again"> & { readonly load: typeof load }>(nothing);
  // What was read for another day or shop must not stand below this one's name.
  const state = read.load === load ? read : nothing;
  const [times, setTimes] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once more is a reason by itself
  useEffect(() => {
    let isOver = false;
    setRead((before) => ({ ...(before.load === load ? before : nothing), isLoading: true }));
    load(token).then(
      (data) => isOver || setRead({ load, data, problem: null, isLoading: false, at: Date.now() }),
      (error: unknown) => {
        if (isOver) return;
        if (error instanceof ApiProblem && error.isSignedOut) return end(error.message);
        const problem = error instanceof ApiProblem ? error.message : "This page has met an error. Load it again.";
        setRead((before) => ({ ...before, problem, isLoading: false }));
      },
    );
    return () => {
      isOver = true;
    };
  }, [load, token, end, times]);
  return { ...state, again: useCallback(() => setTimes((before) => before + 1), []) };
};
