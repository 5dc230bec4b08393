/** The terminal over loopback: its page, `POST /bridge/dispatch`, `GET /bridge/events`, the entry and the hand-over. */
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { z } from "zod";
import { type Bridge, commandSchema, type Reply } from "../../preload/contract.ts";
import { watchAsCustomer } from "../customer-display/customer-view.ts";
import { asCustomerPage, customerPaths, type Page } from "../host/pages.ts";
import { isSame } from "../host/secrets.ts";
import { oneOfEach, proven, sameSiteOnly, sessionOnly, unauthorizedPage } from "./guard.ts";
import type { Sessions } from "./session.ts";

/** A comment now and then, so that a dead connection is noticed on both sides. */
const heartbeatMs = 15_000;

/** What can be listened to: snapshots, or the customer's part of them. */
type Subscribe<T> = (listener: (value: T) => void) => () => void;

/** One reader's stream of `data: SNAPSHOT` events; a slow one gets the latest, never a queue. `ended` runs once, when the reader has gone. */
function snapshotStream<T extends object>(subscribe: Subscribe<T>, ended: () => void): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  let latest: T | null = null;
  let stop = (): void => undefined;
  let heartbeat: NodeJS.Timeout | undefined;

  const send = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (latest === null || (controller.desiredSize ?? 0) <= 0) return;
    controller.enqueue(text.encode(`data: ${JSON.stringify(latest)}\n\n`));
    latest = null;
  };

  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(text.encode("retry: 1000\n\n"));
      stop = subscribe((snapshot) => {
        latest = snapshot;
        send(controller);
      });
      heartbeat = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(text.encode(": here\n\n"));
      }, heartbeatMs);
    },
    pull: send,
    cancel() {
      clearInterval(heartbeat);
      stop();
      ended();
    },
  });
}

const commandBytesMax = 64 * 1024;
const readersMax = 16;
const entrySchema = z.object({ token: z.string().max(100) });

interface TillApp {
  readonly bridge: Bridge;
  readonly page: Page;
  readonly sessions: Sessions;
  /** Known to whoever can read the data folder: a second start proves itself with it. */
  readonly handOverSecret: string;
  readonly port: number;
  /** An address was used. */
  readonly entered: () => void;
  /** A second start asked for the terminal; the result is the address it may open. */
  readonly handOver: () => string;
  /** Who can read the data folder asked that every page comes in again. */
  readonly endSessions: () => void;
}

/**
 * The loopback app. Whatever reads or works the terminal needs a session; the built pages, which hold nothing of it, do not.
 * A body that is no command is 400.
 */
export function createTillApp(till: TillApp): Hono {
  const app = new Hono();
  let readers = 0;

  app.use(oneOfEach);

  // Before the guards: a second start is no page. It has the secret, and no browser sends this header across origins.
  app.post("/hand-over", (context) =>
    isSame(context.req.header("x-hand-over") ?? "", till.handOverSecret)
      ? context.json({ address: till.handOver() })
      : context.text("Refused.\n", 403),
  );

  app.post("/end-sessions", (context) => {
    if (!isSame(context.req.header("x-hand-over") ?? "", till.handOverSecret)) return context.text("Refused.\n", 403);
    till.endSessions();
    return context.body(null, 204);
  });

  app.use(sameSiteOnly(till.port));
  app.use(proven(till.sessions));

  // The token stands in the address's fragment, which no browser sends: it is spent by the page's script alone.
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

  // An open page asks now and then, so that its session lasts as long as it is used.
  app.post("/bridge/stay", (context) => context.body(null, 204));

  const sendEvents = (context: Context, stream: (ended: () => void) => ReadableStream<Uint8Array>) => {
    if (readers >= readersMax) return context.text("Too many pages are open.\n", 503);
    readers += 1;
    const body = stream(() => {
      readers -= 1;
    });
    return context.body(body, 200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
  };

  app.get("/bridge/events", (context) => sendEvents(context, (ended) => snapshotStream(till.bridge.subscribe, ended)));
  app.get(customerPaths.events, (context) =>
    sendEvents(context, (ended) => snapshotStream(watchAsCustomer(till.bridge), ended)),
  );
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
