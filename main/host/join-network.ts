/** Sets up the host's network: proxy and certificate authorities. */
import { trustMachine } from "../../outbound/authorities.ts";
import {
  fetchThrough,
  type OutboundProxy,
  type ProxyEnvironment,
  proxyFrom,
  proxyProblem,
} from "../../outbound/proxy.ts";
import type { Log } from "./log-file.ts";

/** Call it before the first connection. Unusable settings are logged and ignored. @returns the proxy; null without one. */
export const joinNetwork = (
  env: ProxyEnvironment & { readonly NODE_EXTRA_CA_CERTS?: string | undefined },
  log: Log,
): OutboundProxy | null => {
  for (const problem of trustMachine({ ...env })) log("warn", "authorities", { problem });
  const address = env.https_proxy || env.HTTPS_PROXY || "";
  const problem = address === "" ? null : proxyProblem(address);
  if (problem !== null) log("warn", `HTTPS_PROXY ${problem}`, {});
  const proxy = proxyFrom(env);
  fetchThrough(proxy);
  if (proxy !== null) log("info", "connections go through a proxy", { proxy: new URL(proxy.https_proxy).host });
  return proxy;
};
