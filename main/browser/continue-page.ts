import type { Context } from "hono";

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/">
<title>Tillcash</title></head><body><a href="/">Tillcash</a></body></html>`;

/** Leads on from a page of our own: in a redirect that began elsewhere (in a file, say) the browser keeps a strict cookie back. */
export const continuePage = (context: Context): Response => {
  context.header("content-security-policy", "default-src 'none'; base-uri 'none'; frame-ancestors 'none'");
  context.header("x-content-type-options", "nosniff");
  return context.html(page);
};
