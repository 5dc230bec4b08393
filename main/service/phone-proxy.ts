/**
 * In training, lets a phone open the customer's pages of the training service, and nothing else: one listener on one
 * private address, with a code, for an hour. No other listener of a terminal is reachable from outside.
 */
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { createAdaptorServer } from "@hono/node-server";
import pLimit from "p-limit";
import { hasDoubledHeader } from "../../backend/contract/ambiguity.ts";
import { toBase32 } from "../../backend/contract/ids.ts";
import type { Reply } from "../../preload/contract.ts";
import { withAnswers } from "../host/host-answers.ts";
import type { Log } from "../host/log-file.ts";
import { textPage, textPageHeaders } from "../host/pages.ts";
import { isSame } from "../host/secrets.ts";
import { type LanAddress, lanAddresses } from "../terminal/devices/find-printers.ts";
import type { Cancel, Clock } from "../terminal/ports.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Actor, terminalActor } from "../terminal/withdrawal/inputs.ts";
import type { ServiceChannel } from "./service-channel.ts";

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

/** 403: says nothing about what is here. */
const unauthorizedPhonePage = (): Response => new Response(unauthorized, { status: 403, headers: textPageHeaders });
/** 503: the training service is not running or did not answer. */
const noServicePage = (): Response => new Response(noService, { status: 503, headers: textPageHeaders });
/** For requests that our pages never make. */
const refusal = (status: 400 | 403 | 404 | 405 | 413 | 421): Response =>
  new Response("Refused.\n", {
    status,
    headers: { "cache-control": "no-store", "content-type": "text/plain", "x-content-type-options": "nosniff" },
  });

/** The customer's pages: their files, one check-in, the sandbox bank's approval. Nothing else of the service is reachable. */
const pages: readonly (readonly [method: string, path: RegExp])[] = [
  ["GET", /^\/websdk-assets\/(brand\/)?[\w.-]{1,100}$/],
  ["GET", /^\/websdk\/[\w-]{1,64}(\/live)?$/],
  ["POST", /^\/websdk\/[\w-]{1,64}\/(withdrawal|cancel)$/],
  ["GET", /^\/sandbox\/bank\/sca\/[0-9A-Z]{1,32}(\/live)?$/],
  ["POST", /^\/sandbox\/bank\/sca\/[0-9A-Z]{1,32}$/],
];
const checkinPath = "/sandbox/checkins";

/** Whether this belongs to the customer's pages. @param path as `URL` gives it: dot segments resolved, escapes kept. */
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

/** Longer than the 20 s for which the service holds an answer open. */
const answerMs = 30_000;

/** The training service: its address as used in its pages, and a way to call it that no other program can take over. */
interface PhoneService {
  readonly address: string;
  fetch(request: Request): Promise<Response>;
}

/** Makes absolute addresses of the training service in a page relative. */
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

/** Sends the request under the service's own origin: the phone's Host and Origin are dropped. Rejects if there is no answer. */
const forward = async (
  { address, fetch }: PhoneService,
  { headers: given, signal }: Request,
  { path, cookies, ...asked }: { method: string; path: string; cookies: string; body: string | null },
): Promise<Response> => {
  const headers = new Headers({ origin: address });
  for (const name of sentHeaders) {
    const value = given.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (cookies !== "") headers.set("cookie", cookies);
  const ends = AbortSignal.any([signal, AbortSignal.timeout(answerMs)]);
  const answer = await fetch(new Request(address + path, { ...asked, headers, redirect: "manual", signal: ends }));
  return passBack(answer, address);
};

/** The pages' forms have only a few fields. */
const bodyBytesMax = 4 * 1024;
const keyCookie = "tillcash-phone";
const startPaths: readonly string[] = ["/", "/sandbox"];

const readCookies = (headers: Headers): readonly (readonly [string, string])[] =>
  (headers.get("cookie") ?? "").split(/;\s*/).map((cookie) => {
    const at = cookie.indexOf("=");
    return at === -1 ? ["", cookie] : [cookie.slice(0, at), cookie.slice(at + 1)];
  });

/** A form on another site, or a page that embeds this one: browsers say where a request comes from. */
const isForeign = ({ method, headers }: Request, host: string): boolean => {
  const [origin, site] = [headers.get("origin"), headers.get("sec-fetch-site")];
  if (origin !== null && origin !== `http://${host}`) return true;
  if (method === "POST") return origin === null || (site !== null && site !== "same-origin");
  const isLink = headers.get("sec-fetch-mode") === "navigate";
  return site !== null && site !== "same-origin" && site !== "none" && !isLink;
};

const readForm = async (request: Request): Promise<string | null> => {
  const length = request.headers.get("content-length") ?? "";
  return /^\d+$/.test(length) && Number(length) <= bodyBytesMax ? request.text() : null;
};

/** @param host the only accepted Host, against DNS rebinding. @param key cookie value of an admitted phone. */
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

  return async (request: Request, rawHeaders: readonly string[]): Promise<Response> => {
    const { method, headers } = request;
    if (hasDoubledHeader(rawHeaders)) return refusal(400);
    if (headers.get("host") !== host) return refusal(421);
    if (method !== "GET" && method !== "POST") return refusal(405);
    if (isForeign(request, host)) return refusal(403);
    const { pathname, search } = new URL(request.url);
    const isGet = method === "GET";
    if (isGet && isSame(pathname.slice(1).toUpperCase(), code)) return letIn();
    const given = readCookies(headers);
    if (!given.some(([name, value]) => name === keyCookie && isSame(value, key))) return unauthorizedPhonePage();
    const isStart = isGet && startPaths.includes(pathname);
    if (!isStart && !isPhonePage(method, pathname)) return refusal(404);
    const body = isGet ? null : await readForm(request);
    if (!isGet && body === null) return refusal(413);
    const running = service();
    if (running === null) return noServicePage();
    const passed = given.filter(([name]) => name !== keyCookie).map(([name, value]) => `${name}=${value}`);
    // The start page creates a new check-in and redirects to its page.
    const asked = isStart ? { method: "POST", path: checkinPath, body: "" } : { method, path: pathname + search, body };
    return forward(running, request, { ...asked, cookies: passed.join("; ") }).catch(noServicePage);
  };
};

const openForMs = 60 * 60_000;
const defaultPort = 8790;
/** 40 random bits for an hour: at ten thousand guesses a second it takes 30,000 such hours to find one. */
const codeLength = 8;
/** A phone opens up to six connections. */
const connectionsMax = 32;

type PhoneListener = Awaited<ReturnType<typeof openPhoneListener>>;

const listenOn = async (server: Server, host: string, port: number): Promise<number> => {
  server.listen({ host, port, exclusive: true });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

/**
 * Rejects if it cannot listen on the address. Prefers the usual port, which a firewall may already allow.
 * @param service null while the training service does not run. @param ended called when it closes by itself after an hour.
 */
const openPhoneListener = async (
  address: string,
  service: () => PhoneService | null,
  { clock, reserved }: Pick<PhoneHost, "clock" | "reserved">,
  ended: () => void,
) => {
  const [code, key] = [toBase32(randomBytes(codeLength)), randomBytes(32).toString("base64url")];
  let answer: ReturnType<typeof createPhoneProxy> | null = null;
  const server = createAdaptorServer({
    fetch: (request, env) =>
      answer === null || isOver()
        ? new Response(null, { status: 410 })
        : answer(request, (env as { incoming: { rawHeaders: string[] } }).incoming.rawHeaders),
    // Electron's pages need the original global `Response`.
    overrideGlobalObjects: false,
    serverOptions: { maxHeaderSize: 8 * 1024, headersTimeout: 10_000, requestTimeout: 15_000, keepAliveTimeout: 5_000 },
  }) as Server;
  server.maxConnections = connectionsMax;
  const port = reserved.includes(defaultPort)
    ? await listenOn(server, address, 0)
    : await listenOn(server, address, defaultPort).catch(() => listenOn(server, address, 0));
  const host = `${address}:${port}`;
  answer = createPhoneProxy(host, code, key, service);

  // Timers do not run while the machine sleeps, so each request checks the time, too.
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
    /** Address for the phone; ends with the code. */
    url: `http://${host}/${code}`,
    /** Wall clock, milliseconds since the epoch. */
    untilMs: clock.now() + openForMs,
    close,
  };
};

type Played = Pick<Terminal, "dispatch" | "show" | "record">;

/** What phone access needs from the host. */
export interface PhoneHost {
  /** Null: real money; a listener is never opened then. */
  readonly training: { readonly address: string; channel(): Pick<ServiceChannel, "fetch"> | null } | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Ports that other services of this machine need. */
  readonly reserved: readonly number[];
  /** This machine's current addresses. Default: from the system. */
  readonly addresses?: () => readonly LanAddress[];
}

const systemAddresses = (): readonly LanAddress[] => lanAddresses(networkInterfaces());

/** Answers `open_phone_access` and `close_phone_access` in training; elsewhere the core refuses them. */
export const withPhoneAccess = <T extends Played>(
  terminal: T,
  host: PhoneHost,
): { readonly terminal: T; stop(): void } => {
  const { training, addresses = systemAddresses } = host;
  if (training === null) return { terminal, stop() {} };
  let listener: PhoneListener | null = null;
  let isStopped = false;
  const service = (): PhoneService | null => {
    const channel = training.channel();
    return channel && { address: training.address, fetch: channel.fetch };
  };

  const close = (actor: Actor): void => {
    if (listener === null) return;
    listener.close();
    listener = null;
    terminal.record("phone_access_closed", null, actor);
    terminal.show({ phoneAccess: null });
  };

  const open = async (wanted: string | null, actor: Actor): Promise<Reply> => {
    const found = addresses();
    if (found.length === 0) return { ok: false, code: "no_private_network" };
    const chosen = found.find(({ address }) => wanted === null || address === wanted);
    if (chosen === undefined) return { ok: false, code: "stale" };
    // Pressed twice: the displayed code stays valid.
    if (listener !== null && (wanted === null || wanted === listener.address)) return { ok: true };
    close(actor);
    terminal.record("phone_access_opened", chosen.address, actor);
    const opened = await openPhoneListener(chosen.address, service, host, () => close(terminalActor)).catch(
      (error: unknown) => {
        host.log("warn", "the pages for a phone could not be opened", { error: String(error) });
        return null;
      },
    );
    if (opened === null) return { ok: false, code: "failed" };
    // The program was stopped meanwhile.
    if (isStopped) {
      opened.close();
      return { ok: false, code: "failed" };
    }
    listener = opened;
    const { url, untilMs } = opened;
    const others = found.filter(({ address }) => address !== chosen.address);
    // Loaded for the first code, to keep the start fast.
    const { qrPath } = await import("../../backend/contract/qr-code.ts");
    terminal.show({ phoneAccess: { url, qr: qrPath(url), untilMs, others } });
    return { ok: true };
  };

  /** Two concurrent presses would leave an untracked listener. */
  const inTurn = pLimit(1);
  return {
    terminal: withAnswers<"phone", T>(terminal, {
      open_phone_access: (command, actor) => inTurn(() => open(command.address, actor)),
      close_phone_access: (_, actor) =>
        inTurn(() => {
          close(actor);
          return { ok: true } as const;
        }),
    }),
    stop() {
      isStopped = true;
      listener?.close();
      listener = null;
    },
  };
};
