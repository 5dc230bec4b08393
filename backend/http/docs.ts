/** The rendered API reference: one page, a sheet and a script of its own, no other host asked. Loaded on demand. */
import { ServiceError } from "../service-error.ts";
import { referencePage } from "./reference/page.ts";
import { search } from "./reference/search.ts";
import { style } from "./reference/style.ts";
import { baseHeaders } from "./request.ts";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

let last: { readonly document: string; readonly page: string } | undefined;

/** @param document the OpenAPI document as JSON. */
export const docsPage = (document: string): Response => {
  if (last?.document !== document) last = { document, page: referencePage(JSON.parse(document)) };
  return new Response(last.page, {
    headers: {
      ...baseHeaders,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": policy,
      "Referrer-Policy": "no-referrer",
    },
  });
};

const files: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
  "reference.css": { type: "text/css; charset=utf-8", text: style },
  "search.js": { type: "text/javascript; charset=utf-8", text: `(${search.toString()})();\n` },
};

/** @throws ServiceError `not_found` for anything but the page's own files. */
export const docsAsset = (name: string): Response => {
  const file = Object.hasOwn(files, name) ? files[name] : undefined;
  if (file === undefined) throw new ServiceError("not_found");
  return new Response(file.text, {
    headers: { ...baseHeaders, "Cache-Control": "no-cache", "Content-Type": file.type },
  });
};
