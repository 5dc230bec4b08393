/** The https proxy of this machine, from HTTPS_PROXY and NO_PROXY. */
import http from "node:http";

/** The variables that name a proxy; the lower-case ones win, as in curl. */
export interface ProxyEnvironment {
  readonly HTTPS_PROXY?: string | undefined;
  readonly https_proxy?: string | undefined;
  readonly NO_PROXY?: string | undefined;
  readonly no_proxy?: string | undefined;
}

/** In the form of Node's agents. Plain http has no proxy: it is used on this machine only. */
export interface OutboundProxy {
  readonly https_proxy: string;
  readonly no_proxy: string;
}

/** Hosts of this machine, which never go through the proxy. */
const loopbackHosts = ["localhost", "127.0.0.1", "::1", "[::1]"] as const;

/** What is wrong with a proxy's address, as the end of a sentence, or null. */
export const proxyProblem = (address: string): string | null =>
  /^https?:$/.test(URL.parse(address)?.protocol ?? "") ? null : "must be http://HOST:PORT or https://HOST:PORT";

/** The proxy from environment variables; null if not set or invalid (see `proxyProblem`). */
export const proxyFrom = (env: ProxyEnvironment): OutboundProxy | null => {
  const address = env.https_proxy || env.HTTPS_PROXY || "";
  if (address === "" || proxyProblem(address) !== null) return null;
  const others = env.no_proxy || env.NO_PROXY || "";
  return { https_proxy: address, no_proxy: [...loopbackHosts, ...(others === "" ? [] : [others])].join(",") };
};

/** Sends every https `fetch` of this program through the proxy from now on; null changes nothing. @returns a function that undoes it. */
export const fetchThrough = (proxy: OutboundProxy | null): (() => void) =>
  proxy === null ? () => undefined : http.setGlobalProxyFromEnv({ ...proxy });
