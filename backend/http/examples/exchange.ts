/** What an example of a call is: what is sent, and what comes back for it. */

/** One way through a call. */
export interface Exchange {
  /** What is special about it, for people. */
  readonly summary: string;
  /** The body; absent where the call takes none. */
  readonly sent?: unknown;
  /** The body of the answer of success; absent where there is none to show. */
  readonly answered?: unknown;
}

/** The exchanges of each call, by the call's id and a name of their own; the first is the usual one. */
export type Exchanges = Readonly<Record<string, Readonly<Record<string, Exchange>>>>;

/** OpenAPI's `examples`: those of the exchanges that have such a part; undefined for none. */
export const examplesOf = (exchanges: Readonly<Record<string, Exchange>> | undefined, part: "sent" | "answered") => {
  const shown = Object.entries(exchanges ?? {}).flatMap(([name, exchange]) =>
    exchange[part] === undefined ? [] : [[name, { summary: exchange.summary, value: exchange[part] }] as const],
  );
  return shown.length === 0 ? undefined : Object.fromEntries(shown);
};
