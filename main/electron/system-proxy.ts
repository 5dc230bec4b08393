/** Uses the system's proxy settings, as a browser does, if no environment variable is set. */
import { setTimeout as delay } from "node:timers/promises";
import { app } from "electron";
import type { ProxyEnvironment } from "../../outbound/proxy.ts";

/** A proxy file that cannot be loaded must not delay the terminal's start. */
const answerMaxMs = 2_000;

/** The first proxy of Chromium's list (`PROXY a:8080; DIRECT`) as a URL; null for a direct connection or SOCKS. */
export const firstProxy = (ways: string): string | null => {
  const [, kind, host] = /^\s*(PROXY|HTTPS)\s+([^\s;]+)/.exec(ways) ?? [];
  if (host === undefined) return null;
  return `${kind === "HTTPS" ? "https" : "http"}://${host}`;
};

/** Call it once Electron is ready. Environment variables take precedence. @param address the address to reach. */
export const withSystemProxy = async <T extends ProxyEnvironment>(env: T, address: string): Promise<T> => {
  if (env.https_proxy || env.HTTPS_PROXY) return env;
  const asked = app.resolveProxy(address).catch(() => "DIRECT");
  const proxy = firstProxy(await Promise.race([asked, delay(answerMaxMs, "DIRECT", { ref: false })]));
  return proxy === null ? env : { ...env, HTTPS_PROXY: proxy };
};
