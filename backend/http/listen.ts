/** Serves the app with node:http: limits slow and large requests, and answers even what is not HTTP. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { getRequestListener, type HttpBindings } from "@hono/node-server";
import { type Repeated, watch } from "../background.ts";
import { hourMs } from "../contract/times.ts";
import { messageOf, ServiceError } from "../service-error.ts";
import type { App } from "./app-context.ts";
import type { Routes } from "./create-app.ts";
import { errorResponse } from "./problem.ts";
import { endAfterUnreadBody, formProblem } from "./request.ts";
import { randomRequestId } from "./serve-operation.ts";

const limits = {
  /** A request must arrive completely within this time; held answers are not affected. */
  requestTimeout: 30_000,
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  /** Longer than load balancers keep connections, so that they are the ones to close. */
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
  /** Checked by `formProblem` instead, which answers like every other refusal. */
  requireHostHeader: false,
  /** Skips the body stream of requests without a body. */
  optimizeEmptyRequests: true,
} as const;
const backlog = 1024;
const closeIdleEveryMs = 50;

/** A URL that a browser on this machine can open. */
export const urlOf = ({ host, port }: { readonly host: string; readonly port: number }, secure: boolean): string => {
  const named = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `${secure ? "https" : "http"}://${named.includes(":") ? `[${named}]` : named}:${port}`;
};

/** A year, during which browsers that came by HTTPS do not use plain http. */
const hsts = "max-age=31536000";

interface TlsFiles {
  /** PEM; the certificate with its chain. */
  readonly certFile: string;
  readonly keyFile: string;
}

const minVersion = "TLSv1.2";

/** HTTPS by what the files hold, also once they hold another certificate: the one of the start ends while the service runs. */
const listenWithTls = ({ service }: App, { certFile, keyFile }: TlsFiles, handle: RequestListener) => {
  let used = { cert: readFileSync(certFile), key: readFileSync(keyFile) };
  const server: HttpsServer = createHttpsServer({ ...limits, ...used, minVersion }, handle);
  const renewing = watch(service, hourMs, "the changed TLS_CERT and TLS_KEY cannot be used yet", async () => {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    if (cert.equals(used.cert) && key.equals(used.key)) return;
    // It throws where one of them has not been written yet, and goes on with those of before.
    server.setSecureContext({ cert, key, minVersion });
    used = { cert, key };
    service.log.info({ file: certFile }, "the certificate was renewed");
  });
  return { server, renewing };
};

/** @param tls for HTTPS; `null`: plain HTTP. Rejects with the system's error when the address is not available or a file cannot be read. */
export const listen = async (app: App, routes: Routes, host: string, port: number, tls: TlsFiles | null = null) => {
  const fail = (error: unknown) =>
    errorResponse(error, { requestId: randomRequestId(app), nowMs: app.service.clock.now() });
  const invalid = (detail: string) => fail(new ServiceError("validation_failed", detail));
  const answer: typeof routes.fetch = async (request, bindings, context) => {
    const response = await routes.fetch(request, bindings, context);
    // Keeps a proxy from sending the next call on a connection that is about to close.
    if (app.leaving.aborted) (bindings as HttpBindings).outgoing.setHeader("Connection", "close");
    return response;
  };
  const listener = getRequestListener(answer, {
    hostname: "localhost",
    // By default it would read up to 64 MiB of a refused body.
    autoCleanupIncoming: false,
    errorHandler: () => invalid("The request line or the Host header is not valid"),
  });
  const handle: RequestListener = (incoming, outgoing) => {
    if (tls !== null) outgoing.setHeader("Strict-Transport-Security", hsts);
    endAfterUnreadBody(incoming, outgoing, app.service.clock);
    const problem = formProblem(incoming);
    if (problem === null) return void listener(incoming, outgoing);
    void answerUnrouted(outgoing, fail(problem));
  };
  const { server, renewing }: { server: Server; renewing: Repeated | null } =
    tls === null ? { server: createServer(limits, handle), renewing: null } : listenWithTls(app, tls, handle);
  // node:http would answer an unknown expectation itself, without a request id.
  server.on("checkExpectation", handle);
  server.on("clientError", (error, socket) => answerRaw(socket as Socket, error, invalid("This is not valid HTTP")));
  await once(server.listen({ host, port, backlog }), "listening").catch((error: unknown) => {
    void renewing?.stop();
    throw error;
  });
  const { port: taken } = server.address() as AddressInfo;
  const close = (withinMs: number): Promise<void> => {
    void renewing?.stop();
    return closeServer(app, server, withinMs);
  };
  return { host, port: taken, close };
};

/** Closes the connection, since the request's body is not read. */
const answerUnrouted = async (outgoing: ServerResponse, response: Response): Promise<void> => {
  const headers = { ...Object.fromEntries(response.headers), connection: "close" };
  outgoing.writeHead(response.status, headers).end(await response.text());
};

const statusOf = (error: Error): string => {
  const code = "code" in error ? error.code : undefined;
  if (code === "HPE_HEADER_OVERFLOW") return "431 Request Header Fields Too Large";
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? "408 Request Timeout" : "400 Bad Request";
};

/** node:http keeps the pending answer of a connection here. */
const isAnswering = (socket: Socket): boolean => "_httpMessage" in socket && socket._httpMessage !== null;

/**
 * The parser gave up, so there is no request object and the answer is written to the socket directly. While an earlier
 * request is unanswered nothing is written, since the client would take it for that answer.
 */
const answerRaw = async (socket: Socket, error: Error, response: Response): Promise<void> => {
  const body = await response.text();
  if (!socket.writable || socket.bytesWritten > 0 || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\r\n");
  const status = statusOf(error);
  const text = body.replace('"status":400', `"status":${status.slice(0, 3)}`);
  socket.end(
    `HTTP/1.1 ${status}\r\n${headers}\r\ncontent-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
};

/** Stops accepting, lets what is in flight end for at most `withinMs`, then cuts it off. */
const closeServer = async (app: App, server: Server, withinMs: number): Promise<void> => {
  const { clock } = app.service;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  let done = false;
  const cancelEnd = clock.after(withinMs, () => server.closeAllConnections());
  /** A keep-alive connection becomes idle once its answer is sent. */
  const closeIdle = () => {
    if (done) return;
    server.closeIdleConnections();
    clock.after(closeIdleEveryMs, closeIdle);
  };
  closeIdle();
  await closed;
  done = true;
  cancelEnd();
};

/** Why HTTPS does not work with these files, for the operator; `null`: it works. */
export const tlsProblem = ({ certFile, keyFile }: TlsFiles): string | null => {
  const unreadable: string[] = [];
  const read = (name: string, file: string) => {
    try {
      return readFileSync(file);
    } catch (error) {
      unreadable.push(`${name} cannot be read: ${messageOf(error)}`);
      return undefined;
    }
  };
  const [cert, key] = [read("TLS_CERT", certFile), read("TLS_KEY", keyFile)];
  if (unreadable.length > 0) return unreadable.join("\n");
  try {
    createSecureContext({ cert, key, minVersion });
    return null;
  } catch (error) {
    return `TLS_CERT and TLS_KEY must be a certificate and its own key, both PEM: ${messageOf(error)}`;
  }
};
