/** The signed-in session, and a hook that loads data with its token. */
import { createContext, use, useCallback, useEffect, useState } from "react";
import { ApiProblem } from "./api.ts";

interface Session {
  readonly token: string;
  /** Signs out; the sign-in screen shows why. */
  readonly end: (why: string) => void;
}

/** The current session. */
export const SessionContext = createContext<Session>({ token: "", end() {} });

/** State of loaded data. */
export interface Loaded<T> {
  readonly data: T | null;
  readonly problem: string | null;
  readonly isLoading: boolean;
  /** Epoch milliseconds at which `data` arrived. */
  readonly at: number | null;
  readonly again: () => void;
}

/** Loads data, again whenever `load` changes; on a reload the old data stays visible. @param load must be stable. */
export const useLoaded = <T>(load: (token: string) => Promise<T>): Loaded<T> => {
  const { token, end } = use(SessionContext);
  const nothing = { load, data: null, problem: null, isLoading: true, at: null };
  const [read, setRead] = useState<Omit<Loaded<T>, "again"> & { readonly load: typeof load }>(nothing);
  // Data of another day or shop must not be shown under this one's name.
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
