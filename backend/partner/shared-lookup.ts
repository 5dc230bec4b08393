/**
 * Looks a host up once for all calls that wait for it. The system's look-ups share a few threads and cannot be called
 * off: hundreds of calls to one bank whose name server is silent would leave none for the other banks.
 */
import { type LookupAddress, type LookupOptions, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

type Told = (error: NodeJS.ErrnoException | null, address: string | LookupAddress[], family?: number) => void;
type Lookup = (host: string, options: LookupOptions, told: Told) => void;

/** @param ask for tests; the system's by default. */
export const createSharedLookup = (ask: Lookup = lookup): LookupFunction => {
  const waiting = new Map<string, Told[]>();
  return (host, options, told) => {
    const key = `${host}\n${options.family ?? 0}\n${options.all === true}\n${options.hints ?? 0}`;
    const others = waiting.get(key);
    if (others !== undefined) {
      others.push(told);
      return;
    }
    const all: Told[] = [told];
    waiting.set(key, all);
    ask(host, options, (...answer) => {
      waiting.delete(key);
      for (const each of all) each(...answer);
    });
  };
};
