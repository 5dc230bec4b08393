/** The page of the terminal: built files, or a developer's Vite server behind the same origin, guards and session. */
import { isLoopbackHost } from "../../backend/contract/service-url.ts";
import { connectingTo, securityHeaders } from "./content-policy.ts";
import { openPageFiles, type Page } from "./page-files.ts";

const forwarded = ["accept", "content-type", "cache-control", "etag"];

/** As the terminal's own policy, but for what a hot reload needs: its own inline scripts and styles, and its socket. */
const devPolicy = connectingTo("'self' ws://localhost:* ws://127.0.0.1:*")
  .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");

/** Everything from the dev server on this machine, under the terminal's headers. */
const openDevServer =
  (server: string): Page =>
  async ({ pathname, search }) => {
    const answer = await fetch(new URL(pathname + search, server), { headers: { accept: "*/*" } });
    const own = Object.fromEntries([...answer.headers].filter(([name]) => forwarded.includes(name)));
    const headers = { ...own, ...securityHeaders, "content-security-policy": devPolicy };
    return { status: answer.status, headers, body: new Uint8Array(await answer.arrayBuffer()) };
  };

const isOnThisMachine = (address: string): boolean =>
  URL.canParse(address) && isLoopbackHost(new URL(address).hostname);

/** `devServer` is set by `npm run dev` alone. */
export const openPage = (folder: string, devServer: string | undefined): Page =>
  devServer === undefined || !isOnThisMachine(devServer) ? openPageFiles(folder) : openDevServer(devServer);
