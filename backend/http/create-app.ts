/** The whole app: the operations, and a proper answer to everything else. */
import { Hono } from "hono";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { environmentHeader, sandboxEnvironment } from "../contract/environment.ts";
import { ServiceError } from "../service-error.ts";
import type { App } from "./app-context.ts";
import { operations } from "./operations/index.ts";
import { errorResponse } from "./problem.ts";
import { type Bindings, baseHeaders, type HttpContext, isSaneRequestId, requestIdHeader } from "./request.ts";
import { logFailure, randomRequestId, serveOperation } from "./serve-operation.ts";

/** The service's Hono app. */
export type Routes = Hono<{ Bindings: Bindings }>;

/** Mounts pages outside the API reference (web SDK, sandbox), which set their own headers. */
export type Mount = (routes: Routes, app: App) => void;

/** Answers in-process (`routes.request`, `routes.fetch`) as well as behind a server. */
export const createApp = (app: App, mounts: readonly Mount[] = []): Routes => {
  // One regular expression for all paths; ambiguous paths are refused at start.
  const routes: Routes = new Hono({ router: new RegExpRouter() });
  const allowed = new Map<string, { readonly pattern: RegExp; readonly methods: string[] }>();

  if (app.isSandbox)
    routes.use("/oauth2/*", async (c, next) => {
      await next();
      c.res.headers.set(environmentHeader, sandboxEnvironment);
    });
  for (const operation of operations) {
    const route = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    routes.on(operation.method, route, serveOperation(app, operation));
    const methods = operation.method === "get" ? ["GET", "HEAD"] : ["POST"];
    const pattern = new RegExp(`^${operation.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    allowed.set(operation.path, { pattern, methods: [...(allowed.get(operation.path)?.methods ?? []), ...methods] });
  }

  // Relative, so that they also work behind a proxy that strips a prefix.
  for (const [path, to] of Object.entries({ "/": "docs", "/docs/": "../docs" }))
    routes.get(path, (c) => withoutBody(app, c, 302, { Location: to }));
  for (const mount of mounts) mount(routes, app);

  const methodsOf = (path: string): readonly string[] | undefined =>
    [...allowed.values()].find(({ pattern }) => pattern.test(path))?.methods;

  routes.notFound((c) => {
    const allow = methodsOf(c.req.path)?.concat("OPTIONS").join(", ");
    if (allow === undefined) return failed(app, c, new ServiceError("not_found"));
    if (c.req.method === "OPTIONS") return withoutBody(app, c, 204, { Allow: allow });
    const response = failed(app, c, new ServiceError("method_not_allowed"));
    response.headers.set("Allow", allow);
    return response;
  });
  routes.onError((error, c) => failed(app, c, error));
  return routes;
};

const requestIdFor = (app: App, c: HttpContext): string => {
  const sent = c.req.header(requestIdHeader);
  return sent !== undefined && isSaneRequestId(sent) ? sent : randomRequestId(app);
};

const withoutBody = (app: App, c: HttpContext, status: number, headers: Readonly<Record<string, string>>): Response =>
  new Response(null, { status, headers: { ...baseHeaders, ...headers, [requestIdHeader]: requestIdFor(app, c) } });

const failed = (app: App, c: HttpContext, error: unknown): Response => {
  const requestId = requestIdFor(app, c);
  logFailure(app, error, requestId, c.req.method);
  const response = errorResponse(error, {
    shape: c.req.path === "/api/v2/users" ? "users" : "problem",
    requestId,
    endpoint: `${c.req.method} ${c.req.path}`,
    nowMs: app.service.clock.now(),
  });
  app.observer.answered({ method: "other", route: "other", status: response.status, durationMs: 0, requestId });
  return response;
};
