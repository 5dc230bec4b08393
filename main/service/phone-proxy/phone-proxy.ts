/** The one listener of a terminal that other machines reach: on one private address, behind a code, for an hour, in training. It answers with the customer's pages of the training service and nothing else. */

import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import { hasDoubledHeader } from "../../../backend/contract/ambiguity.ts";
import { textPage, textPageHeaders } from "../../host/pages.ts";
import { isSame } from "../../host/secrets.ts";
import type { Cancel, Clock } from "../../terminal/ports.ts";

const unauthorized = textPage("This phone is not let in yet", {
  en: "Scan the code that the terminal shows beside the customer’s phone, or type the address under it.",
  de: "Scannen Sie den Code, den das Terminal beim Handy des Kunden zeigt, oder tippen Sie die Adresse darunter.",
  fr: "Scannez le code que le terminal affiche près du téléphone du client, ou tapez l’adresse au-dessous.",
  it: "Scansionate il codice che il terminale mostra accanto al telefono del cliente, o digitate l’indirizzo sotto.",
});
const noService = textPage("Nobody answers", {
  en: "The terminal’s training service does not answer now. Load this page again in a moment.",
  de: "Der Übungsdienst des Terminals antwortet gerade nicht. Laden Sie diese Seite gleich noch einmal.",
  fr: "Le service d’entraînement du terminal ne répond pas. Rechargez cette page dans un instant.",
  it: "Il servizio di prova del terminale ora non risponde. Ricaricate la pagina fra un momento.",
});

/** 403: without the code nothing is said about what is here. */
const unauthorizedPhonePage = (): Response => new Response(unauthorized, { status: 403, headers: textPageHeaders });
/** 503: the training service does not run, or was silent. */
const noServicePage = (): Response => new Response(noService, { status: 503, headers: textPageHeaders });
/** One line for what no page of ours asks for. */
const refusal = (status: 400 | 403 | 404 | 405 | 413 | 421): Response =>
  new Response("Refused.\n", {
    status,
    headers: { "cache-control": "no-store", "content-type": "text/plain", "x-content-type-options": "nosniff" },
  });

/** The customer's pages: their files, one check-in, the sandbox bank's approval. Nothing else of the service has a way here. */
const pages: readonly (readonly [method: string, path: RegExp])[] = [
  ["GET", /^\/websdk-assets\/(brand\/)?[\w.-]{1,100}$/],
  ["GET", /^\/websdk\/[\w-]{1,64}(\/live)?$/],
  ["POST", /^\/websdk\/[\w-]{1,64}\/(withdrawal|cancel)$/],
  ["GET", /^\/sandbox\/bank\/sca\/[0-9A-Z]{1,32}(\/live)?$/],
  ["POST", /^\/sandbox\/bank\/sca\/[0-9A-Z]{1,32}$/],
];
const checkinPath = "/sandbox/checkins";

/** Whether a page of the customer's asks for this. @param path as `URL` has it: without dots, escapes not undone. */
const isPhonePage = (method: string, path: string): boolean =>
  pages.some(([one, pattern]) => one === method && pattern.test(path));

const sentHeaders = ["accept", "accept-language", "content-type", "purpose", "sec-purpose", "sec-fetch-site"] as const;
const returnedHeaders = [
  "cache-control",
  "content-security-policy",
  "content-type",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "permissions-policy",
  "referrer-policy",
  "x-content-type-options",
  "x-frame-options",
] as const;

/** Held answers of the pages end after 20 s. */
const answerMs = 30_000;

/** The training service: its address as its pages name it, and the way to it that no other program can take. */
interface PhoneService {
  readonly address: string;
  fetch(request: Request): Promise<Response>;
}

/** A phone's request, checked. */
interface ForwardedRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Headers;
  /** The pages' cookies, without the phone's own key. */
  readonly cookies: string;
  readonly body: string | null;
  /** Aborted when the phone has gone. */
  readonly signal: AbortSignal;
}

/** What leads to the training service by its own address leads to the phone's: addresses of pages in quotes, and redirects. */
const relative = (text: string, service: string): string => text.replaceAll(`"${service}/`, '"/');

const passBack = async (answer: Response, service: string): Promise<Response> => {
  const headers = new Headers();
  for (const name of returnedHeaders) {
    const value = answer.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  for (const cookie of answer.headers.getSetCookie()) headers.append("set-cookie", cookie);
  const location = answer.headers.get("location");
  if (location !== null)
    headers.set("location", location.startsWith(`${service}/`) ? location.slice(service.length) : location);
  const isPage = answer.headers.get("content-type")?.startsWith("text/html") === true;
  const body = isPage ? relative(await answer.text(), service) : await answer.arrayBuffer();
  return new Response(answer.status === 303 ? null : body, { status: answer.status, headers });
};

/** Asks the training service in its own name: the phone's Host and Origin end here. Rejects when it does not answer. */
const forward = async (service: PhoneService, forwarded: ForwardedRequest): Promise<Response> => {
  const { address } = service;
  const headers = new Headers({ origin: address });
  for (const name of sentHeaders) {
    const value = forwarded.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (forwarded.cookies !== "") headers.set("cookie", forwarded.cookies);
  const request = new Request(address + forwarded.path, {
    method: forwarded.method,
    headers,
    body: forwarded.body,
    redirect: "manual",
    signal: AbortSignal.any([forwarded.signal, AbortSignal.timeout(answerMs)]),
  });
  return passBack(await service.fetch(request), address);
};

/** A fresh start in the bank's app: a new check-in, whose page the phone is sent to. */
const startOver = (service: PhoneService, forwarded: ForwardedRequest): Promise<Response> =>
  forward(service, { ...forwarded, method: "POST", path: checkinPath, body: "" });

/** The forms of the pages are a few fields. */
const bodyBytesMax = 4 * 1024;
const keyCookie = "tillcash-phone";
const startPaths: readonly string[] = ["/", "/sandbox"];

const readCookies = (headers: Headers): readonly (readonly [string, string])[] =>
  (headers.get("cookie") ?? "").split(/;\s*/).map((cookie) => {
    const at = cookie.indexOf("=");
    return at === -1 ? ["", cookie] : [cookie.slice(0, at), cookie.slice(at + 1)];
  });

/** A form of another site's page, or a page that embeds this one. A browser says where a request comes from. */
const isForeign = ({ method, headers }: Request, host: string): boolean => {
  const [origin, site] = [headers.get("origin"), headers.get("sec-fetch-site")];
  if (origin !== null && origin !== `http://${host}`) return true;
  if (method === "POST") return origin === null || (site !== null && site !== "same-origin");
  const isLink = headers.get("sec-fetch-mode") === "navigate";
  return site !== null && site !== "same-origin" && site !== "none" && !isLink;
};

/** The body of a form; null for one that is too long, or that does not say how long it is. */
const readForm = async (request: Request): Promise<string | null> => {
  const length = request.headers.get("content-length") ?? "";
  return /^\d+$/.test(length) && Number(length) <= bodyBytesMax ? request.text() : null;
};

/**
 * @param host `192.168.1.20:8790`: the only name that this is known under, so that no rebound name leads here.
 * @param code lets a phone in, typed or scanned, in either case of its letters. @param key what its browser keeps from then on.
 * @returns what answers a request; `rawHeaders` as `node:http` has them, since `Request` joins doubled ones.
 */
const createPhoneProxy = (host: string, code: string, key: string, service: () => PhoneService | null) => {
  const letIn = (): Response =>
    new Response(null, {
      status: 303,
      headers: {
        location: "/",
        "cache-control": "no-store",
        "set-cookie": `${keyCookie}=${key}; Path=/; HttpOnly; SameSite=Lax`,
      },
    });

  const sendToService = async (send: (to: PhoneService) => Promise<Response>): Promise<Response> => {
    const running = service();
    if (running === null) return noServicePage();
    return send(running).catch(noServicePage);
  };

  return async (request: Request, rawHeaders: readonly string[]): Promise<Response> => {
    const { method, headers, signal } = request;
    if (hasDoubledHeader(rawHeaders)) return refusal(400);
    if (headers.get("host") !== host) return refusal(421);
    if (method !== "GET" && method !== "POST") return refusal(405);
    if (isForeign(request, host)) return refusal(403);
    const { pathname, search } = new URL(request.url);
    const isGet = method === "GET";
    if (isGet && isSame(pathname.slice(1).toUpperCase(), code)) return letIn();
    const cookies = readCookies(headers);
    if (!cookies.some(([name, value]) => name === keyCookie && isSame(value, key))) return unauthorizedPhonePage();
    const passed = cookies.filter(([name]) => name !== keyCookie).map(([name, value]) => `${name}=${value}`);
    const forwarded: Omit<ForwardedRequest, "body"> = {
      method,
      path: pathname + search,
      headers,
      cookies: passed.join("; "),
      signal,
    };
    if (isGet && startPaths.includes(pathname))
      return sendToService((at) => startOver(at, { ...forwarded, body: null }));
    if (!isPhonePage(method, pathname)) return refusal(404);
    const body = isGet ? null : await readForm(request);
    if (!isGet && body === null) return refusal(413);
    return sendToService((at) => forward(at, { ...forwarded, body }));
  };
};

/** How long a phone may play without anybody opening it again. */
export const openForMs = 60 * 60_000;
const defaultPort = 8790;
const codeLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 40 random bits for an hour: a neighbour who tries ten thousand a second finds it once in 30,000 such hours. */
const codeLength = 8;
/** A phone opens up to six connections. */
const connectionsMax = 32;

/** What a listener is opened with. */
interface PhoneListenerOptions {
  /** A private address of this machine. */
  readonly address: string;
  /** Null while the training service does not run. */
  readonly service: () => PhoneService | null;
  readonly clock: Clock;
  /** Ports that others of this machine need. */
  readonly reserved: readonly number[];
  /** Runs when it ended by itself, after an hour. */
  readonly ended: () => void;
}

/** An open listener. */
export type PhoneListener = Awaited<ReturnType<typeof openPhoneListener>>;

const listenOn = (server: Server, host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.removeListener("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

const newCode = (): string => [...randomBytes(codeLength)].map((byte) => codeLetters[byte & 31]).join("");

/** Rejects when the address cannot be listened on. The same port as last time where it is free: a firewall may know it. */
export const openPhoneListener = async (options: PhoneListenerOptions) => {
  const { address, service, clock, reserved, ended } = options;
  const [code, key] = [newCode(), randomBytes(32).toString("base64url")];
  let answer: ReturnType<typeof createPhoneProxy> | null = null;
  const server = createAdaptorServer({
    fetch: (request, env) =>
      answer === null || isOver()
        ? new Response(null, { status: 410 })
        : answer(request, (env as { incoming: { rawHeaders: string[] } }).incoming.rawHeaders),
    // Electron's own pages are answered with the global `Response`.
    overrideGlobalObjects: false,
    serverOptions: { maxHeaderSize: 8 * 1024, headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 5_000 },
  }) as Server;
  server.maxConnections = connectionsMax;
  const port = reserved.includes(defaultPort)
    ? await listenOn(server, address, 0)
    : await listenOn(server, address, defaultPort).catch(() => listenOn(server, address, 0));
  const host = `${address}:${port}`;
  answer = createPhoneProxy(host, code, key, service);

  // A machine that slept through the hour has no timer that fired: each request looks as well.
  const endsAtMs = clock.monotonicMs() + openForMs;
  const isOver = (): boolean => clock.monotonicMs() >= endsAtMs;
  let cancel: Cancel | null = null;
  const close = (): void => {
    cancel?.();
    server.close();
    server.closeAllConnections();
  };
  cancel = clock.after(openForMs, () => {
    close();
    ended();
  });
  return {
    address,
    /** What a phone opens; its last part is the code. */
    url: `http://${host}/${code}`,
    /** Wall clock, milliseconds since the epoch. */
    untilMs: clock.now() + openForMs,
    /** Ends it at once, with every connection. */
    close,
  };
};
