/** Which requests of a phone reach the training service, and what of its answers goes back. */

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
export const isPhonePage = (method: string, path: string): boolean =>
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
export interface PhoneService {
  readonly address: string;
  fetch(request: Request): Promise<Response>;
}

/** A phone's request, checked. */
export interface ForwardedRequest {
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
export const forward = async (service: PhoneService, forwarded: ForwardedRequest): Promise<Response> => {
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
export const startOver = (service: PhoneService, forwarded: ForwardedRequest): Promise<Response> =>
  forward(service, { ...forwarded, method: "POST", path: checkinPath, body: "" });
