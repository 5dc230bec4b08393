import type { Context } from "hono";
import type { App } from "./app-context.ts";
import type { Bindings } from "./read-body.ts";

/** The address of whoever sent this request; `in-process` where a test calls the app itself. */
export const callerAddress = (app: App, context: Context<{ Bindings: Bindings }>): string => {
  const peer = context.env?.incoming?.socket.remoteAddress ?? "in-process";
  return app.clientAddress(peer, context.req.header("x-forwarded-for"));
};
