/** The proxy through which this machine reaches others, as HTTPS_PROXY and NO_PROXY name it. */
import http from "node:http";

/** The variables that name a proxy; the smaller spelling wins, as in curl. */
export interface ProxyEnvironment {
  readonly HTTPS_PROXY?: string | undefined;
  readonly https_proxy?: string | undefined;
  readonly NO_PROXY?: string | undefined;
  readonly no_proxy?: string | undefined;
}

/** In the form that Node's agents take. Plain http never leaves this machine, so that it has no proxy. */
export interface OutboundProxy {
  readonly https_proxy: string;
  readonly no_proxy: string;
}

/** The services of this very machine are never asked through a proxy. */
const ownNames = ["localhost", "127.0.0.1", "::1", "[::1]"] as const;

/** What is wrong with such an address: the end of a sentence. Null: nothing. */
export const proxyProblem = (address: string): string | null =>
  /^https?:$/.test(URL.parse(address)?.protocol ?? "") ? null : "must be http://HOST:PORT or https://HOST:PORT";

/** Null where there is none, and where it is no address (then `proxyProblem` says so). */
export const proxyFrom = (env: ProxyEnvironment): OutboundProxy | null => {
  const address = env.https_proxy || env.HTTPS_PROXY || "";
  if (address === "" || proxyProblem(address) !== null) return null;
  const others = env.no_proxy || env.NO_PROXY || "";
  return { https_proxy: address, no_proxy: [...ownNames, ...(others === "" ? [] : [others])].join(",") };
};

/** Every `fetch` of this program goes through it from now on. The result takes that back. */
export const fetchThrough = (proxy: OutboundProxy | null): (() => void) =>
  proxy === null ? () => undefined : http.setGlobalProxyFromEnv({ ...proxy });
