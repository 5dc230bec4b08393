/** Serves the office page: its built files under a strict content policy. Its data comes from the API. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { getMimeType } from "hono/utils/mime";
import type { Mount } from "../http/create-app.ts";
import { baseHeaders, requestIdHeader } from "../http/request.ts";
import { randomRequestId } from "../http/serve-operation.ts";
import { ServiceError } from "../service-error.ts";

/** Where the built page may be: beside the built program, or in the build when the service runs from sources. */
const folders = ["office", "../office", "../../out/main/office"].map((location) =>
  path.join(import.meta.dirname, location),
);

const pageHeaders = {
  ...baseHeaders,
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), microphone=(), geolocation=(), usb=(), payment=()",
  "Referrer-Policy": "no-referrer",
};

/** Serves `/office/`; `/office` redirects to it. */
export const officeMount: Mount = (routes, app) => {
  const folder = folders.find((location) => existsSync(path.join(location, "assets"))) ?? null;
  const assets = folder === null ? [] : readdirSync(path.join(folder, "assets"));
  const answer = (file: string, type: string, cache: string): Response => {
    if (folder === null) throw new ServiceError("not_found", "This service was built without its page");
    const headers = { "Content-Type": type, "Cache-Control": cache, [requestIdHeader]: randomRequestId(app) };
    return new Response(readFileSync(path.join(folder, file)), { headers: { ...pageHeaders, ...headers } });
  };
  // Relative, so that it works behind a proxy that strips a prefix.
  const toPage = () => new Response(null, { status: 302, headers: { ...baseHeaders, Location: "office/" } });
  routes.get("/office", toPage);
  routes.get("/office/", () => answer("index.html", "text/html; charset=utf-8", "no-cache"));
  routes.get("/office/assets/:file", (c) => {
    const file = c.req.param("file");
    if (!assets.includes(file)) throw new ServiceError("not_found");
    // Their names contain a hash of their content.
    return answer(
      `assets/${file}`,
      getMimeType(file) ?? "application/octet-stream",
      "public, max-age=31536000, immutable",
    );
  });
};
