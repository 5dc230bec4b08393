/** The browser's hold on a check-in: a cookie that no script can read and that goes to that check-in's page alone. */
import { getCookie, setCookie } from "hono/cookie";
import { pagePath } from "../checkin/address.ts";
import { checkinSessionMs } from "../checkin/open.ts";
import type { App } from "../http/app-context.ts";
import type { HttpContext } from "../http/request.ts";
import { basePathOf, isSecure } from "./serve-page.ts";

const name = "tillcash_session";

/** The session that the browser sent; null for none. */
export const readSession = (c: HttpContext): string | null => getCookie(c, name) ?? null;

/** Lax, not Strict: the first page follows from a link in the bank's app, and its redirect must carry the cookie. */
export const writeSession = (app: App, c: HttpContext, checkinId: string, session: string): void =>
  setCookie(c, name, session, {
    path: basePathOf(app) + pagePath(checkinId),
    maxAge: checkinSessionMs / 1000,
    httpOnly: true,
    sameSite: "Lax",
    secure: isSecure(app),
  });
