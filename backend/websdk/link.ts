/** Opening `destination_url`: once, in one browser. Says why when it does not open, but only to who holds the link. */

import { linkTokenName, pagePath } from "../checkin/address.ts";
import { linkByToken } from "../checkin/checkin-store.ts";
import { findCheckin, openCheckin } from "../checkin/open.ts";
import { one } from "../store/store.ts";
import { messagePage } from "./pages/message.ts";
import type { Pages, Visit } from "./serve-page.ts";
import { readSession, writeSession } from "./session-cookie.ts";
import type { StatusMessage } from "./texts/texts.ts";

/** Browsers and messengers that look ahead must not use the link up. */
const looksAhead = (visit: Visit): boolean => {
  const purpose = visit.c.req.header("sec-purpose") ?? visit.c.req.header("purpose") ?? "";
  return visit.c.req.method === "HEAD" || /prefetch|preview/i.test(purpose);
};

/** The answer to a link that is right: a redirect to the page without the secret, with the cookie. */
export const openLink = async (pages: Pages, visit: Visit, checkinId: string): Promise<Response> => {
  const { app } = pages;
  const token = visit.c.req.query(linkTokenName) ?? "";
  if (looksAhead(visit)) return new Response(null, { status: 204 });
  const session = readSession(visit.c);
  const known = session === null ? null : await findCheckin(app.service, app.access.tokens, checkinId, session);
  if (known !== null) return visit.seeOther(pagePath(checkinId));
  const opened = await openCheckin(app.service, app.access.tokens, checkinId, token);
  if (opened === null) return refuse(pages, visit, checkinId, token);
  writeSession(app, visit.c, checkinId, opened.session);
  return visit.seeOther(pagePath(checkinId));
};

const refuse = async ({ app }: Pages, visit: Visit, id: string, token: string): Promise<Response> => {
  const hash = app.access.tokens.hash(token);
  const link = await app.service.store.read(() => one(linkByToken({ id, token: hash })));
  const { texts } = visit;
  const message: StatusMessage =
    link === undefined ? texts.linkUnknown : link.opened_at === null ? texts.linkExpired : texts.linkUsed;
  const content = { title: message.title, brand: link?.brand ?? texts.appName, main: messagePage(message, null) };
  return visit.show(content, link === undefined ? 404 : 410);
};
