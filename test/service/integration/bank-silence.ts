/** A bank that takes calls and says nothing: connections stay open without a byte until the caller hangs up. */
import type { ServerResponse } from "node:http";

/** How long it says nothing to a withdrawal's calls of one kind, from the first of them on. */
export const silentMs = 3_600_000;

/** What one order or event came upon. */
export interface Silence {
  readonly reference: string;
  /** Calls that got no byte. */
  readonly calls: number;
  /** Of these, calls that the caller ended. */
  readonly hungUp: number;
  /** From the first call to the last. */
  readonly lastedMs: number;
}

/** By the process's own `Date.now`. */
export const createSilence = () => {
  const kept = new Map<string, { begunAt: number; silence: Silence }>();
  return {
    /** Whether a call is kept without an answer. */
    keeps(reference: string, response: ServerResponse): boolean {
      const cameAt = Date.now();
      const first = { reference, calls: 0, hungUp: 0, lastedMs: 0 };
      const entry = kept.get(reference) ?? { begunAt: cameAt, silence: first };
      kept.set(reference, entry);
      if (cameAt - entry.begunAt >= silentMs) return false;
      const { silence } = entry;
      entry.silence = { ...silence, calls: silence.calls + 1, lastedMs: cameAt - entry.begunAt };
      response.on("close", () => {
        entry.silence = { ...entry.silence, hungUp: entry.silence.hungUp + 1 };
      });
      return true;
    },
    seen: (): readonly Silence[] => [...kept.values()].map(({ silence }) => silence),
  };
};
