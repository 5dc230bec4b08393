/** The list of what ships, as the build wrote it beside the page; read when somebody asks for it. */
import { useCallback, useEffect, useState } from "react";
import type { QueryState } from "../ui/use-query.ts";

/** One package: its name, version, SPDX expression, and its licence's words where it brings them. */
export interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string | null;
}

const read = async (): Promise<readonly Licence[]> => {
  const answer = await fetch("/licences.json");
  if (!answer.ok) throw new Error(`the list of licences: ${answer.status}`);
  return answer.json();
};

/** Reads it at once, and again on demand. */
export const useLicences = (): { state: QueryState<readonly Licence[]>; refetch: () => void } => {
  const [state, setState] = useState<QueryState<readonly Licence[]>>({ kind: "asking" });
  const refetch = useCallback(() => {
    setState({ kind: "asking" });
    read().then(
      (data) => setState({ kind: "answered", data }),
      () => setState({ kind: "failed" }),
    );
  }, []);
  useEffect(refetch, [refetch]);
  return { state, refetch };
};
