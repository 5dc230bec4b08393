import type { App } from "./app-context.ts";
import type { HttpContext } from "./http-context.ts";

/** The address of whoever sent this request; `in-process` where a test calls the app itself. */
export const callerAddress = (app: App, context: HttpContext): string => {
  const peer = context.env?.incoming?.socket.remoteAddress ?? "in-process";
  return app.clientAddress(peer, context.req.header("x-forwarded-for"));
};
