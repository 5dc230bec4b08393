/**
 * Where the pages of the browser host come in: its port on loopback and their sessions. Both stay while this program runs, also when
 * it changes between training and real money, so that no other program gets the port in between.
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Hono } from "hono";
import { portSchema } from "../../preload/settings.ts";
import { readJson, tryWriteJson } from "../host/json-file.ts";
import { createClock } from "../terminal/adapters.ts";
import { openSessions } from "./session.ts";

/** An open port and its sessions. */
export type Listener = Awaited<ReturnType<typeof openListener>>;

const bind = (server: Server, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port }, () => {
      server.removeListener("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/**
 * @param wanted 0 picks a free port; null prefers the one remembered in `file`, so that a browser finds its terminal again. Rejects
 * when a wanted one is taken.
 */
export const openListener = async (wanted: number | null, file: string) => {
  let app: Hono | null = null;
  const server = createAdaptorServer({
    fetch: (request, env) => app?.fetch(request, env) ?? new Response("The terminal starts.\n", { status: 503 }),
    serverOptions: { maxHeaderSize: 16 * 1024 },
  }) as Server;
  const last = wanted ?? readJson(file, portSchema) ?? 0;
  const port = await bind(server, last).catch((error: unknown) => {
    if (wanted !== null) throw error;
    return bind(server, 0);
  });
  if (wanted === null) tryWriteJson(file, port);
  return {
    port,
    sessions: openSessions(createClock().monotonicMs),
    /** Answers with this app from now on; null: with 503. */
    serve(next: Hono | null): void {
      app = next;
    },
    /** Ends what is open; pages come again by themselves. */
    endConnections: (): void => server.closeAllConnections(),
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
};
