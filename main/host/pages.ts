/** Serves the terminal's pages for both hosts: built files or a developer's Vite server, and the content policy of each page. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { getMimeType } from "hono/utils/mime";
import { isLoopbackHost } from "../../backend/contract/service-url.ts";
import { type Language, languages } from "../../preload/choices.ts";

const contentPolicy = [
  "default-src 'none'",
  // The barcode decoder is WebAssembly; nothing else is compiled at run time.
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "font-src 'self'",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-src 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
  // For browsers that support it; Chromium does not yet, and the desktop program blocks datagrams itself.
  "webrtc 'block'",
].join("; ");

/** @param connect hosts that scripts may connect to instead of the page's own origin, as source expressions of `connect-src`. */
const connectingTo = (connect: string, policy = contentPolicy): string =>
  policy.replace("connect-src 'self'", `connect-src ${connect}`);

const permissions = [
  "camera=(self)",
  "hid=(self)",
  "serial=(self)",
  "fullscreen=(self)",
  ...[
    "microphone",
    "geolocation",
    "display-capture",
    "screen-wake-lock",
    "usb",
    "midi",
    "payment",
    "accelerometer",
  ].map((name) => `${name}=()`),
].join(", ");

const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": contentPolicy,
  "permissions-policy": permissions,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

interface PageFile {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer> | string;
}

/** Answers a request to the page's origin; `/` is the page itself. */
export type Page = (address: URL) => PageFile | Promise<PageFile>;

function listFiles(folder: string, prefix = "/"): [string, string][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? listFiles(file, `${prefix}${entry.name}/`) : [[prefix + entry.name, file]];
  });
}

/** Lists `folder` (the built renderer) and serves it; throws a readable error if it was not built. */
export function openPageFiles(folder: string): Page {
  const files = new Map(listFiles(folder));
  const page = files.get("/index.html");
  if (page === undefined) throw new Error(`${folder} holds no index.html: run "npm run build" first.`);
  const html = readFileSync(page, "utf8");

  return ({ pathname }) => {
    const headers = securityHeaders;
    const own = { ...headers, "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
    if (pathname === "/" || pathname === "/index.html") return { status: 200, headers: own, body: html };
    const file = files.get(pathname);
    const type = getMimeType(pathname);
    if (file === undefined || type === undefined)
      return { status: 404, headers: { ...headers, "content-type": "text/plain" }, body: "Not found\n" };
    // Names in assets/ contain a hash of their content.
    const cache = pathname.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    const body = new Uint8Array(readFileSync(file));
    return { status: 200, headers: { ...headers, "content-type": type, "cache-control": cache }, body };
  };
}

const forwarded = ["accept", "content-type", "cache-control", "etag"];

/** The terminal's policy plus what hot reload needs: inline scripts and styles, and its socket. */
const devPolicy = connectingTo("'self' ws://localhost:* ws://127.0.0.1:*")
  .replace("script-src 'self'", "script-src 'self' 'unsafe-inline'")
  .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'");

/** Passes requests on to the dev server on this machine, with the terminal's headers. */
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

/** @param devServer set only by `npm run dev`. */
export const openPage = (folder: string, devServer: string | undefined): Page =>
  devServer === undefined || !isOnThisMachine(devServer) ? openPageFiles(folder) : openDevServer(devServer);

/** Paths of the customer display in the browser host and in the desktop's scheme, where it has its own origin. */
export const customerPaths = {
  page: "/customer-display",
  events: "/customer-display/events",
  file: "/customer-display.html",
} as const;

/** Without camera and scanner, and with no connection except to its own `events` (null: none), so it cannot send commands. */
export const asCustomerPage = (page: PageFile, events: string | null): PageFile => ({
  ...page,
  headers: {
    ...page.headers,
    "content-security-policy": connectingTo(events ?? "'none'", page.headers["content-security-policy"]),
    "permissions-policy": "camera=(), hid=(), serial=(), microphone=(), geolocation=(), usb=(), payment=()",
  },
});

const style = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-content:center;padding:32px;box-sizing:border-box;
font:20px/1.45 system-ui,sans-serif;background:#f4f5f7;color:#16202a}
main{max-width:34em;padding:36px 40px;border:2px solid #c3cad2;border-radius:16px;background:#fff}
h1{margin:0 0 12px;font-size:30px;line-height:1.2}p{margin:0 0 12px}p:last-child{margin:0}
code{padding:2px 8px;border-radius:6px;background:#e6e9ed;font-size:18px}
@media(prefers-color-scheme:dark){body{background:#10161c;color:#eef2f5}main{background:#1a222a;border-color:#47535f}code{background:#2b3641}}`;

const styleHash = createHash("sha256").update(style).digest("base64");

/** Headers of a text page, which loads nothing. */
export const textPageHeaders = {
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
  "content-type": "text/html; charset=utf-8",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** @param title in English. @param texts trusted markup; a missing language is a type error. */
export const textPage = (title: string, texts: Readonly<Record<Language, string>>): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tillcash</title><style>${style}</style></head><body><main><h1>${title}</h1>
${languages.map((language) => `<p lang="${language}">${texts[language]}</p>`).join("\n")}
</main></body></html>`;
