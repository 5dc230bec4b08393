/** The terminal over loopback: its page, `POST /bridge/dispatch`, `GET /bridge/events`, the entry and the hand-over. */
import { createHmac, randomBytes } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { z } from "zod";
import { hasDoubledHeader } from "../../backend/contract/ambiguity.ts";
import { type Bridge, commandSchema, type Reply } from "../../preload/contract.ts";
import { watchAsCustomer } from "../customer-display/customer-view.ts";
import { asCustomerPage, customerPaths, type Page, textPage, textPageHeaders } from "../host/pages.ts";
import { isSame } from "../host/secrets.ts";

const entryLifetimeMs = 15 * 60_000;
const entriesMax = 20;
const secretBytes = 32;
/** Maximum age of a session, however much it is used. */
const longestMs = 7 * 24 * 60 * 60_000;
/** Maximum idle time of a session; covers a terminal that sleeps over a long weekend. */
const sessionLifetimeMs = 96 * 60 * 60_000;

/** One-time entry tokens and the sessions that they are exchanged for. */
export type Sessions = ReturnType<typeof openSessions>;

const newSecret = (): string => randomBytes(secretBytes).toString("base64url");

/** @param nowMs never jumps, and counts the time that the machine sleeps. */
export const openSessions = (nowMs: () => number) => {
  const hostKey = newSecret();
  const entries = new Map<string, number>();
  const sessions = new Map<string, { readonly endsAtMs: number; idleAtMs: number }>();

  return {
    /** Lets a page recognize this program: given at the entry, and the same until the program ends. */
    hostKey,
    /** Issues a token for one entry within 15 minutes. */
    issueEntry(): string {
      const oldest = entries.size >= entriesMax ? entries.keys().next().value : undefined;
      if (oldest !== undefined) entries.delete(oldest);
      const token = newSecret();
      entries.set(token, nowMs() + entryLifetimeMs);
      return token;
    },
    /** Exchanges a token for a session; null when it is unknown, used or too old. */
    redeemEntry(token: string): string | null {
      const until = entries.get(token);
      entries.delete(token);
      const now = nowMs();
      if (until === undefined || until < now) return null;
      const session = newSecret();
      sessions.set(session, { endsAtMs: now + longestMs, idleAtMs: now + sessionLifetimeMs });
      return session;
    },
    /** Whether this program issued the session within seven days, and it was used within four; marks it as used. */
    isOpen(session: string): boolean {
      const [found, now] = [sessions.get(session), nowMs()];
      if (found === undefined) return false;
      if (now >= Math.min(found.endsAtMs, found.idleAtMs)) {
        sessions.delete(session);
        return false;
      }
      found.idleAtMs = now + sessionLifetimeMs;
      return true;
    },
    /** Answers a page's challenge, which only the holder of `hostKey` can; valid for this `Host` only. */
    prove: (challenge: string, host: string): string =>
      createHmac("sha256", hostKey).update(`${challenge} ${host}`).digest("hex"),
    endAll(): void {
      sessions.clear();
      entries.clear();
    },
  };
};

const command = "<code>npm start</code>";
const page = textPage("This address no longer opens the terminal", {
  en: `Each address works once. Run ${command} again: it prints a new one and opens it. A terminal that runs goes on running.`,
  de: `Jede Adresse gilt einmal. Führen Sie noch einmal ${command} aus: Es nennt und öffnet eine neue. Ein laufendes Terminal läuft weiter.`,
  fr: `Chaque adresse ne sert qu’une fois. Relancez ${command} : une nouvelle s’affiche et s’ouvre. Un terminal en marche continue.`,
  it: `Ogni indirizzo vale una volta. Eseguite di nuovo ${command}: ne mostra e ne apre uno nuovo. Un terminale in funzione continua.`,
});

/** 401: a page for people, one line for programs. */
const unauthorizedPage = (context: Context): Response => {
  if ((context.req.header("accept") ?? "").includes("text/html")) return context.body(page, 401, textPageHeaders);
  context.header("cache-control", "no-store");
  return context.text("This address no longer opens the terminal. Run npm start again for a new one.\n", 401);
};

const ownHosts = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`];

/** Refuses duplicate headers, which a proxy could interpret differently. */
export const oneOfEach = createMiddleware<{ Bindings: Partial<HttpBindings> }>(async (context, next) => {
  const rawHeaders = context.env?.incoming?.rawHeaders ?? [];
  if (hasDoubledHeader(rawHeaders)) return context.text("A header that may stand once stands twice.\n", 400);
  await next();
});

/** Refuses a foreign `Host`, and cross-site or cross-origin requests other than plain links to a page. */
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

/** The session of a request: sent in a header by the page's script, which other sites and ports cannot do. */
const sessionOf = (context: Context): string =>
  /^Bearer ([\w.~-]{1,200})$/.exec(context.req.header("authorization") ?? "")?.[1] ?? "";

/** Refuses requests without a session. */
export const sessionOnly = (sessions: Sessions) =>
  createMiddleware(async (context, next) => {
    if (!sessions.isOpen(sessionOf(context))) return unauthorizedPage(context);
    await next();
  });

/** Proves to the page that its own host answers, no other program on this port. Use it after `sameSiteOnly`. */
export const proven = (sessions: Sessions) =>
  createMiddleware(async (context, next) => {
    await next();
    const challenge = context.req.header("till-challenge") ?? "";
    const host = context.req.header("host") ?? "";
    if (/^[\w-]{16,64}$/.test(challenge)) context.header("till-proof", sessions.prove(challenge, host));
  });

/** Interval of comments in the stream: the page takes a program that sends none for a while for one that hangs (`bridge.ts`). */
const heartbeatMs = 15_000;

type Subscribe<T> = (listener: (value: T) => void) => () => void;

/**
 * One reader's stream of `data: SNAPSHOT` events; a slow reader gets only the latest. `ended` is called once, when the reader
 * disconnects or may read no more.
 */
function snapshotStream<T extends object>(
  subscribe: Subscribe<T>,
  mayRead: () => boolean,
  ended: () => void,
): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  let latest: T | null = null;
  let stop = (): void => undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const send = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (latest === null || (controller.desiredSize ?? 0) <= 0) return;
    controller.enqueue(text.encode(`data: ${JSON.stringify(latest)}\n\n`));
    latest = null;
  };
  let isOver = false;
  const cancel = (): void => {
    // A reader with something left to read can leave after the end, too.
    if (isOver) return;
    isOver = true;
    clearInterval(heartbeat);
    stop();
    ended();
  };

  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(text.encode("retry: 1000\n\n"));
      stop = subscribe((snapshot) => {
        latest = snapshot;
        send(controller);
      });
      heartbeat = setInterval(() => {
        if (!mayRead()) {
          cancel();
          return controller.close();
        }
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(text.encode(": here\n\n"));
      }, heartbeatMs);
    },
    pull: send,
    cancel,
  });
}

const commandBytesMax = 64 * 1024;
const readersMax = 16;
const entrySchema = z.object({ token: z.string().max(100) });

interface TillApp {
  readonly bridge: Bridge;
  readonly page: Page;
  readonly sessions: Sessions;
  /** Shared with whoever can read the data folder; a second start authenticates with it. */
  readonly handOverSecret: string;
  readonly port: number;
  readonly entered: () => void;
  /** Called by a second start; returns the address it may open. */
  readonly handOver: () => string;
  /** Closes all open connections, and with them the streams of sessions that have ended; pages reconnect by themselves. */
  readonly endConnections: () => void;
}

/** Between two terminals: answers 503, and proves to open pages that it is their program that starts. */
export const createStartingApp = (sessions: Sessions, port: number): Hono => {
  const app = new Hono();
  app.use(oneOfEach);
  app.use(sameSiteOnly(port));
  app.use(proven(sessions));
  app.all("*", (context) => context.text("The terminal starts.\n", 503));
  return app;
};

/** Reading or operating the terminal needs a session; the built pages do not, as they contain no data. */
export function createTillApp(till: TillApp): Hono {
  const app = new Hono();
  let readers = 0;

  app.use(oneOfEach);

  // Before the guards, as a second start is no page. It has the secret in a header that browsers do not send across origins.
  app.post("/hand-over", (context) =>
    isSame(context.req.header("x-hand-over") ?? "", till.handOverSecret)
      ? context.json({ address: till.handOver() })
      : context.text("Refused.\n", 403),
  );

  app.post("/end-sessions", (context) => {
    if (!isSame(context.req.header("x-hand-over") ?? "", till.handOverSecret)) return context.text("Refused.\n", 403);
    till.sessions.endAll();
    // Not a moment later, or it would cut off what whoever reads the answer asks next.
    (context.env as Partial<HttpBindings> | undefined)?.outgoing?.once("finish", till.endConnections);
    return context.body(null, 204);
  });

  app.use(sameSiteOnly(till.port));
  app.use(proven(till.sessions));

  // The token is in the address's fragment, which browsers do not send; only the page's script redeems it.
  app.post("/enter", bodyLimit({ maxSize: commandBytesMax }), async (context) => {
    context.header("cache-control", "no-store");
    const entry = entrySchema.safeParse(await context.req.json().catch(() => undefined));
    const session = entry.success ? till.sessions.redeemEntry(entry.data.token) : null;
    if (session === null) return unauthorizedPage(context);
    till.entered();
    return context.json({ session, hostKey: till.sessions.hostKey });
  });
  app.get("/enter", (context) => unauthorizedPage(context));

  for (const path of ["/bridge/*", customerPaths.events]) app.use(path, sessionOnly(till.sessions));

  app.post("/bridge/dispatch", bodyLimit({ maxSize: commandBytesMax }), async (context) => {
    const refuse = (status: 400 | 415) => context.json<Reply>({ ok: false, code: "invalid" }, status);
    if (context.req.header("content-type")?.split(";")[0]?.trim() !== "application/json") return refuse(415);
    const body: unknown = await context.req.json().catch(() => undefined);
    const command = commandSchema.safeParse(body);
    if (!command.success) return refuse(400);
    return context.json(await till.bridge.dispatch(command.data));
  });

  // Called by open pages to keep their session alive.
  app.post("/bridge/stay", (context) => context.body(null, 204));

  const sendEvents = <T extends object>(context: Context, subscribe: Subscribe<T>) => {
    if (readers >= readersMax) return context.text("Too many pages are open.\n", 429);
    readers += 1;
    const session = sessionOf(context);
    const body = snapshotStream(
      subscribe,
      () => till.sessions.isOpen(session),
      () => {
        readers -= 1;
      },
    );
    return context.body(body, 200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
  };

  app.get("/bridge/events", (context) => sendEvents(context, till.bridge.subscribe));
  app.get(customerPaths.events, (context) => sendEvents(context, watchAsCustomer(till.bridge)));
  app.get(customerPaths.file, (context) => context.redirect(customerPaths.page, 303));
  app.get(customerPaths.page, async (context) => {
    const page = await till.page(new URL(customerPaths.file, context.req.url));
    const file = asCustomerPage(page, new URL(customerPaths.events, context.req.url).href);
    return new Response(file.body, file);
  });

  app.get("*", async (context) => {
    const file = await till.page(new URL(context.req.url));
    return new Response(file.body, file);
  });

  return app;
}
