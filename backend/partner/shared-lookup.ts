/**
 * Looks a host up once for all calls that wait for it. The system's look-ups share a few threads and cannot be canceled:
 * hundreds of calls to one bank whose name server is silent would leave none for the other banks.
 */
import { type LookupAddress, type LookupOptions, promises } from "node:dns";
import type { LookupFunction } from "node:net";
import pMemoize from "p-memoize";

type Lookup = (host: string, options: LookupOptions) => Promise<LookupAddress | LookupAddress[]>;

/** @param lookup the system's, unless a test brings its own. Nothing is kept once it has answered. */
export const createSharedLookup = (lookup: Lookup = promises.lookup): LookupFunction => {
  const shared = pMemoize(lookup, { cache: false, cacheKey: JSON.stringify });
  return (host, options, callback) => {
    shared(host, options).then(
      (found) => (Array.isArray(found) ? callback(null, found) : callback(null, found.address, found.family)),
      (error: NodeJS.ErrnoException) => callback(error, []),
    );
  };
};
