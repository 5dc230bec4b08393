/** Answers a phone in the shop's network: behind a code, and with the customer's pages of the training service alone. */
import { hasDoubledHeader } from "../../../backend/contract/single-headers.ts";
import { isSame } from "../../host/same-secret.ts";
import { type ForwardedRequest, forward, isPhonePage, type PhoneService, startOver } from "./forward.ts";
import { noServicePage, refusal, unauthorizedPhonePage } from "./pages.ts";

/** The forms of the pages are a few fields. */
const bodyBytesMax = 4 * 1024;
const keyCookie = "tillcash-phone";
const startPaths: readonly string[] = ["/", "/sandbox"];

/** One opening of the customer's pages. */
export interface PhoneProxyOptions {
  /** `192.168.1.20:8790`: the only name that this is known under, so that no rebound name leads here. */
  readonly host: string;
  /** Null while the training service does not run. */
  readonly service: () => PhoneService | null;
  /** Lets a phone in, typed or scanned, in either case of its letters. */
  readonly code: string;
  /** What the phone's browser keeps from then on. */
  readonly key: string;
}

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

/** @returns what answers a request; `rawHeaders` as `node:http` has them, since `Request` joins doubled ones. */
export const createPhoneProxy = ({ host, service, code, key }: PhoneProxyOptions) => {
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
