/**
 * Loaded by each process that tests running programs: every `fetch` of it has a connection of its own. A kept one is closed by
 * the program some seconds later, and a request that leaves at that very moment fails, though nothing is wrong.
 */
type Replaced = typeof fetch & { readonly asIs?: typeof fetch };

// A process loads this once for each of its test files.
const fetchAsIs = (globalThis.fetch as Replaced).asIs ?? globalThis.fetch;

const fetchAlone: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  headers.set("connection", "close");
  return fetchAsIs(input, { ...init, headers });
};
globalThis.fetch = Object.assign(fetchAlone, { asIs: fetchAsIs });
