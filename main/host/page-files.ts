/** The built screens. All names are listed once at the start: what is not in the list cannot be asked for, however it is spelled. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { securityHeaders } from "./content-policy.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webmanifest": "application/manifest+json",
};

/** One answer to the page: status, headers and body. */
export interface PageFile {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array<ArrayBuffer> | string;
}

/** Answers for one address of the page's origin, `/` being the page itself. */
export type Page = (address: URL) => PageFile | Promise<PageFile>;

function listFiles(folder: string, prefix = "/"): [string, string][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, string][] => {
    const file = path.join(folder, entry.name);
    return entry.isDirectory() ? listFiles(file, `${prefix}${entry.name}/`) : [[prefix + entry.name, file]];
  });
}

/** Lists `folder` (the built renderer) and serves it; throws a readable error when it was not built. */
export function openPageFiles(folder: string): Page {
  const files = new Map(listFiles(folder));
  const page = files.get("/index.html");
  if (page === undefined) throw new Error(`${folder} holds no index.html: run "npm run build" first.`);
  const html = readFileSync(page, "utf8");

  return ({ pathname }) => {
    const headers = securityHeaders;
    if (pathname === "/" || pathname === "/index.html") {
      return {
        status: 200,
        headers: { ...headers, "content-type": types[".html"] ?? "", "cache-control": "no-store" },
        body: html,
      };
    }
    const file = files.get(pathname);
    const type = types[path.extname(pathname)];
    if (file === undefined || type === undefined) {
      return { status: 404, headers: { ...headers, "content-type": "text/plain" }, body: "Not found\n" };
    }
    // Names under assets/ carry a hash of their content.
    const cache = pathname.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache";
    return {
      status: 200,
      headers: { ...headers, "content-type": type, "cache-control": cache },
      body: new Uint8Array(readFileSync(file)),
    };
  };
}
