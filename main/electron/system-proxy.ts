/** The proxy that this machine's own settings name, where no variable does: as a browser on it would go. */
import { setTimeout as delay } from "node:timers/promises";
import { app } from "electron";
import type { ProxyEnvironment } from "../../outbound/proxy.ts";

/** A network that never answers with its proxy file must not keep a terminal from opening. */
const answerMaxMs = 2_000;

/** The first way of Chromium's list (`PROXY a:8080; DIRECT`) as an address; null for a direct way and for SOCKS. */
export const firstProxy = (ways: string): string | null => {
  const [, kind, host] = /^\s*(PROXY|HTTPS)\s+([^\s;]+)/.exec(ways) ?? [];
  if (host === undefined) return null;
  return `${kind === "HTTPS" ? "https" : "http"}://${host}`;
};

/** To be called once Electron is ready. @param address what is to be reached. The variables win over the system's settings. */
export const withSystemProxy = async <T extends ProxyEnvironment>(env: T, address: string): Promise<T> => {
  if (env.https_proxy || env.HTTPS_PROXY) return env;
  const asked = app.resolveProxy(address).catch(() => "DIRECT");
  const proxy = firstProxy(await Promise.race([asked, delay(answerMaxMs, "DIRECT", { ref: false })]));
  return proxy === null ? env : { ...env, HTTPS_PROXY: proxy };
};
