/** Serves the phone pages: headers, language, errors as pages, metrics. */
import type { Handler, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { errorTable } from "../contract/errors.ts";
import type { App } from "../http/app-context.ts";
import { toServiceError } from "../http/problem.ts";
import {
  type Bindings,
  decodeText,
  everyAnswer,
  type HttpContext,
  isOwnOrigin,
  readBody,
  requestIdHeader,
} from "../http/request.ts";
import { logFailure, randomRequestId } from "../http/serve-operation.ts";
import { ServiceError } from "../service-error.ts";
import { assetPaths } from "./assets.ts";
import { type Content, type Frame, type Markup, messagePage, page } from "./pages/document.ts";
import { sandboxHomePath } from "./sandbox-links.ts";
import type { Texts } from "./texts/en.ts";
import { chooseTexts, languageCookie } from "./texts/language.ts";
import { languages } from "./texts/languages.ts";

/** Dependencies of the customer's pages. */
export interface Pages {
  readonly app: App;
  /** Whether they link to the sandbox. */
  readonly hasSandbox: boolean;
}

/** One request for a page. */
export interface Visit {
  readonly c: HttpContext;
  readonly texts: Texts;
  readonly basePath: string;
  show(content: Content, status?: number): Promise<Response>;
  /** By 303, to one of our paths. */
  seeOther(path: string): Response;
}

/**
 * Only our own scripts, styles and connections; no framing. Referrers are sent to our origin only; `no-referrer` would
 * make browsers send `Origin: null` with our own forms.
 */
export const pageHeaders = {
  "Cache-Control": "no-store",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  "Referrer-Policy": "same-origin",
  ...everyAnswer,
  "X-Frame-Options": "DENY",
} as const;

/** The path of PUBLIC_URL without a trailing slash; empty for none. */
export const basePathOf = (app: App): string => new URL(app.publicUrl()).pathname.replace(/\/+$/, "");
/** Whether customers use https; cookies are then secure. */
export const isSecure = (app: App): boolean => new URL(app.publicUrl()).protocol === "https:";

const languageSeconds = 365 * 24 * 3600;

const frameOf = (pages: Pages, c: HttpContext, texts: Texts): Frame => {
  const basePath = basePathOf(pages.app);
  return {
    texts,
    basePath,
    otherLanguages: languages
      .filter((code) => code !== texts.language)
      .map((code) => ({
        code,
        href: `${basePath}${c.req.path.replace(/\/(withdrawal|cancel)$/, "")}?lang=${code}`,
      })),
    assets: assetPaths,
    sandboxHref: pages.hasSandbox ? basePath + sandboxHomePath : null,
  };
};

const respond = async (markup: Markup, status: number): Promise<Response> =>
  new Response(String(await markup), {
    status,
    headers: { ...pageHeaders, "Content-Type": "text/html; charset=utf-8" },
  });

/** Renders a page with its headers; a failure is a page too. */
const servePage = (
  pages: Pages,
  route: string,
  handle: (visit: Visit) => Promise<Response>,
): Handler<{ Bindings: Bindings }> => {
  const { app } = pages;
  const { clock } = app.service;
  return async (c) => {
    const startedAt = clock.now();
    const requestId = randomRequestId(app);
    const chosen = c.req.query("lang") ?? getCookie(c, languageCookie);
    const texts = chooseTexts(chosen, c.req.header("accept-language"));
    const frame = frameOf(pages, c, texts);
    const visit: Visit = {
      c,
      texts,
      basePath: frame.basePath,
      show: (content, status = 200) => respond(page(frame, content), status),
      seeOther: (path) =>
        new Response(null, { status: 303, headers: { ...pageHeaders, Location: frame.basePath + path } }),
    };
    if (c.req.query("lang") !== undefined) {
      setCookie(c, languageCookie, texts.language, {
        path: `${frame.basePath}/`,
        maxAge: languageSeconds,
        httpOnly: true,
        sameSite: "Lax",
        secure: isSecure(app),
      });
    }
    const response = await handle(visit).catch((error: unknown) => {
      logFailure(app, error, requestId, `${c.req.method} ${route}`);
      return failure(visit, error);
    });
    for (const cookie of c.res.headers.getSetCookie()) response.headers.append("Set-Cookie", cookie);
    response.headers.set(requestIdHeader, requestId);
    const durationMs = Math.max(0, clock.now() - startedAt);
    app.observer.answered({ method: c.req.method, route, status: response.status, durationMs, requestId });
    return response;
  };
};

/** Registers pages at routes. */
export const serveOn =
  (hono: Hono<{ Bindings: Bindings }>, pages: Pages) =>
  (method: "GET" | "POST", route: string, handle: (visit: Visit) => Promise<Response>) =>
    hono.on(method, route, servePage(pages, route, handle));

const refreshAfterFailureSeconds = 5;

const failure = (visit: Visit, error: unknown): Promise<Response> => {
  const { status } = errorTable[toServiceError(error).code];
  const message = status === 403 ? visit.texts.foreignRequest : visit.texts.unavailable;
  const content = { title: message.title, brand: visit.texts.appName, main: messagePage(message) };
  // Without scripts a withdrawal's page is read every few seconds: one failure must not be its end.
  const isPassing = visit.c.req.method === "GET" && (status >= 500 || status === 429);
  return visit.show({ ...content, refreshSeconds: isPassing ? refreshAfterFailureSeconds : null }, status);
};

/**
 * The fields of our own form. A form whose origin is foreign or missing is refused before anything is done (SameSite
 * already blocks most).
 * @throws ServiceError `insufficient_scope` for a foreign form, `payload_too_large`, `validation_failed`.
 */
export const readOwnForm = async (app: App, c: HttpContext): Promise<URLSearchParams> => {
  const site = c.req.header("sec-fetch-site");
  const isOwn =
    isOwnOrigin(c.req.header("origin") ?? "", app.publicUrl(), c.req.header("host")) &&
    (site === undefined || site === "same-origin");
  if (!isOwn) throw new ServiceError("insufficient_scope", "The form did not come from this page");
  return new URLSearchParams(decodeText(await readBody(c)));
};
