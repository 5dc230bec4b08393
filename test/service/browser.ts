/** As much of a browser as a page's server can tell: cookies by path, redirects followed, an origin on its forms. */

/** A page as it came at the end of all redirects. */
export interface Page {
  readonly status: number;
  readonly url: string;
  readonly html: string;
  readonly headers: Headers;
  /** Set by any answer on the way. */
  readonly cookies: readonly string[];
}

/** One person's browser with a cookie jar. */
export interface Browser {
  /** Each Set-Cookie it was given. */
  readonly seen: readonly string[];
  open(url: string, headers?: Record<string, string>): Promise<Page>;
  /** Without `headers`, as a form of the page's own origin. */
  submit(url: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Page>;
}

const redirectsMax = 5;

/** An empty jar. */
export const createBrowser = (): Browser => {
  const jar = new Map<string, { readonly pair: string; readonly path: string }>();
  const seen: string[] = [];

  const keep = (cookie: string): void => {
    seen.push(cookie);
    const [pair = ""] = cookie.split(";");
    const path = /; Path=([^;]*)/.exec(cookie)?.[1] ?? "/";
    jar.set(`${pair.split("=")[0]} ${path}`, { pair, path });
  };
  const cookiesFor = (path: string): string =>
    [...jar.values()]
      .filter((cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, "/")))
      .map(({ pair }) => pair)
      .join("; ");

  const go = async (url: string, init: RequestInit, given: readonly string[] = []): Promise<Page> => {
    const cookie = cookiesFor(new URL(url).pathname);
    const headers = new Headers(init.headers);
    if (cookie !== "") headers.set("cookie", cookie);
    const reply = await fetch(url, { ...init, headers, redirect: "manual" });
    const cookies = [...given, ...reply.headers.getSetCookie()];
    for (const each of reply.headers.getSetCookie()) keep(each);
    const location = reply.headers.get("location");
    if (reply.status === 303 && location !== null && cookies.length < redirectsMax) {
      const language = headers.get("accept-language");
      return go(
        new URL(location, url).href,
        language === null ? {} : { headers: { "accept-language": language } },
        cookies,
      );
    }
    return { status: reply.status, url, html: await reply.text(), headers: reply.headers, cookies };
  };

  return {
    seen,
    open: (url, headers = {}) => go(url, { headers }),
    submit: (url, fields, headers = { origin: new URL(url).origin, "sec-fetch-site": "same-origin" }) =>
      go(url, { method: "POST", headers, body: new URLSearchParams(fields) }),
  };
};
