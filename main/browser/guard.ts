/** Turns away what did not come from the terminal's own page: other names for this address (DNS rebinding), other origins, no session. */
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { hasDoubledHeader } from "../../backend/contract/ambiguity.ts";
import { textPage, textPageHeaders } from "../host/pages.ts";
import type { Sessions } from "./session.ts";

const command = "<code>npm start</code>";
const page = textPage("This address no longer opens the terminal", {
  en: `Each address works once. Run ${command} again: it prints a new one and opens it. A terminal that runs goes on running.`,
  de: `Jede Adresse gilt einmal. Führen Sie noch einmal ${command} aus: Es nennt und öffnet eine neue. Ein laufendes Terminal läuft weiter.`,
  fr: `Chaque adresse ne sert qu’une fois. Relancez ${command} : une nouvelle s’affiche et s’ouvre. Un terminal en marche continue.`,
  it: `Ogni indirizzo vale una volta. Eseguite di nuovo ${command}: ne mostra e ne apre uno nuovo. Un terminale in funzione continua.`,
});

/** 401: a page for people, one line for programs. */
export const unauthorizedPage = (context: Context): Response => {
  if ((context.req.header("accept") ?? "").includes("text/html")) return context.body(page, 401, textPageHeaders);
  context.header("cache-control", "no-store");
  return context.text("This address no longer opens the terminal. Run npm start again for a new one.\n", 401);
};

const ownHosts = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

/** Refuses what a proxy in between could read differently: two headers where one may stand. */
export const oneOfEach = createMiddleware<{ Bindings: Partial<HttpBindings> }>(async (context, next) => {
  const rawHeaders = context.env?.incoming?.rawHeaders ?? [];
  if (hasDoubledHeader(rawHeaders)) return context.text("A header that may stand once stands twice.\n", 400);
  await next();
});

/** Refuses a `Host` that is not this terminal's, and any cross-site or cross-origin request but a plain link to a page. */
export const sameSiteOnly = (port: number) =>
  createMiddleware(async (context, next) => {
    const host = context.req.header("host") ?? "";
    if (!ownHosts(port).includes(host)) return context.text("This address is not the terminal's.\n", 421);
    const origin = context.req.header("origin");
    if (origin !== undefined && origin !== `http://${host}`) return context.text("Not from this page.\n", 403);
    const reads = context.req.method === "GET" || context.req.method === "HEAD";
    if (!reads && origin === undefined) return context.text("Not from a page.\n", 403);
    const site = context.req.header("sec-fetch-site");
    const isLink = reads && context.req.header("sec-fetch-mode") === "navigate";
    if (site !== undefined && site !== "same-origin" && site !== "none" && !isLink) {
      return context.text("Not from this page.\n", 403);
    }
    await next();
  });

/** The session of a request: a page's script adds the header itself, so that no other site or port can. */
const sessionOf = (context: Context): string =>
  /^Bearer ([\w.~-]{1,200})$/.exec(context.req.header("authorization") ?? "")?.[1] ?? "";

/** Refuses everything without the session that a one-time entry token was exchanged for. */
export const sessionOnly = (sessions: Sessions) =>
  createMiddleware(async (context, next) => {
    if (!sessions.isOpen(sessionOf(context))) return unauthorizedPage(context);
    await next();
  });

/** Proves to the page that its own host answers: another program that has the port now cannot. After `sameSiteOnly`, which checks the name. */
export const proven = (sessions: Sessions) =>
  createMiddleware(async (context, next) => {
    await next();
    const challenge = context.req.header("till-challenge") ?? "";
    const host = context.req.header("host") ?? "";
    if (/^[\w-]{16,64}$/.test(challenge)) context.header("till-proof", sessions.prove(challenge, host));
  });
