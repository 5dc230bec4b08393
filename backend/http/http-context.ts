/** A request as Hono hands it on, and what node:http knows of it. */
import type { IncomingMessage } from "node:http";
import type { Context } from "hono";

/** What `@hono/node-server` adds; absent when a test calls `app.request`. */
export interface Bindings {
  readonly incoming?: IncomingMessage;
}

/** A request on its way. */
export type HttpContext = Context<{ Bindings: Bindings }>;

/**
 * As `c.req.header`, from the list that node:http has made already: Hono looks each name up anew in the lines as they
 * came. What may stand once stands once by now (`request-form.ts`).
 * @param name in lower case, and not `set-cookie`.
 */
export const headerOf = (c: HttpContext, name: string): string | undefined => {
  const incoming = c.env?.incoming;
  if (incoming === undefined) return c.req.header(name);
  const value = incoming.headers[name];
  return typeof value === "string" ? value : undefined;
};
