/** The web-SDK page behind a `destination_url` (conventions, "Client-level calls" and "Sandbox"). */

import { Hono } from "hono";
import { isCheckinId, linkTokenName, pagePath, webSdkPath } from "../checkin/address.ts";
import { linkByToken } from "../checkin/checkin-store.ts";
import { findCheckin, openCheckin } from "../checkin/open.ts";
import { isClosed, isFinal, type Status, statuses } from "../contract/transaction.ts";
import type { App } from "../http/app-context.ts";
import { type Bindings, requestIdHeader } from "../http/request.ts";
import { randomRequestId } from "../http/serve-operation.ts";
import { ServiceError } from "../service-error.ts";
import { one } from "../store/store.ts";
import { cancelWithdrawal } from "../withdrawals/cancel.ts";
import { getTransaction } from "../withdrawals/get.ts";
import { showAmount, submitAmount } from "./amount-form.ts";
import { backHref } from "./back.ts";
import { brandFileHeaders, brandPath, findBrandFile, findTheme } from "./brand.ts";
import { type Current, findCurrent } from "./current.ts";
import type { Opened } from "./opened.ts";
import { messagePage } from "./pages/message.ts";
import { withdrawalPage } from "./pages/withdrawal.ts";
import { sandboxBankPath } from "./sandbox-links.ts";
import { type Pages, pageHeaders, readOwnForm, servePage, type Visit } from "./serve-page.ts";
import { readSession, writeSession } from "./session-cookie.ts";
import type { StatusMessage } from "./texts/texts.ts";
import { assets } from "./theme/assets.ts";

/** Browsers and messengers that look ahead must not use the link up. */
const looksAhead = (visit: Visit): boolean => {
  const purpose = visit.c.req.header("sec-purpose") ?? visit.c.req.header("purpose") ?? "";
  return visit.c.req.method === "HEAD" || /prefetch|preview/i.test(purpose);
};

/** The answer to a link that is right: a redirect to the page without the secret, with the cookie. */
const openLink = async (pages: Pages, visit: Visit, checkinId: string): Promise<Response> => {
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

/** A held answer ends before common proxies give up on it. */
const liveWaitMs = 20_000;
const refreshWithoutScriptsSeconds = 3;
const checkinRoute = `${webSdkPath}/:id`;

/** The customer's pages. */
export const webSdkRoutes = (pages: Pages): Hono<{ Bindings: Bindings }> => {
  const hono = new Hono<{ Bindings: Bindings }>();
  const opened = (handle: (opened: Opened) => Promise<Response>) => async (visit: Visit) => {
    const found = await findOpened(pages, visit);
    return found === null ? sessionGone(visit) : handle(found);
  };

  for (const { path, type, body } of assets) {
    const headers = { "Content-Type": type, "Cache-Control": "public, max-age=31536000, immutable" };
    hono.get(path, () => {
      const requestId = randomRequestId(pages.app);
      return new Response(body, { headers: { ...pageHeaders, ...headers, [requestIdHeader]: requestId } });
    });
  }
  hono.get(`${brandPath}/:file`, async (c) => {
    const file = await findBrandFile(pages.app.service, c.req.param("file"));
    const own = { ...brandFileHeaders, [requestIdHeader]: randomRequestId(pages.app) };
    if (file === null)
      return new Response("Not found\n", { status: 404, headers: { ...own, "Cache-Control": "no-store" } });
    return new Response(file.body, { headers: { ...own, "Content-Type": file.type } });
  });
  hono.get(
    checkinRoute,
    servePage(pages, checkinRoute, (visit) => {
      const id = checkinIdOf(visit);
      if (visit.c.req.query(linkTokenName) !== undefined) return openLink(pages, visit, id);
      if (visit.c.req.query("lang") !== undefined) return Promise.resolve(visit.seeOther(pagePath(id)));
      return opened((found) => showPage(pages, found))(visit);
    }),
  );
  hono.get(
    `${checkinRoute}/live`,
    servePage(
      pages,
      `${checkinRoute}/live`,
      opened((found) => answerLive(pages, found)),
    ),
  );
  hono.post(
    `${checkinRoute}/withdrawal`,
    servePage(pages, `${checkinRoute}/withdrawal`, async (visit) => {
      const form = await readOwnForm(pages.app, visit.c);
      return opened((found) => submitAmount(pages, found, form))(visit);
    }),
  );
  hono.post(
    `${checkinRoute}/cancel`,
    servePage(pages, `${checkinRoute}/cancel`, async (visit) => {
      const form = await readOwnForm(pages.app, visit.c);
      return opened((found) => cancelCurrent(pages, found, form))(visit);
    }),
  );
  return hono;
};

/** Empty, which no check-in has, for what cannot be an id. */
const checkinIdOf = (visit: Visit): string => {
  const id = visit.c.req.param("id") ?? "";
  return isCheckinId(id) ? id : "";
};

const findOpened = async ({ app }: Pages, visit: Visit): Promise<Opened | null> => {
  const session = readSession(visit.c);
  if (session === null) return null;
  const checkin = await findCheckin(app.service, app.access.tokens, checkinIdOf(visit), session);
  if (checkin === null) return null;
  const theme = await findTheme(app.service, checkin.partnerId);
  return {
    visit: { ...visit, show: (content, status) => visit.show({ ...content, theme }, status) },
    checkin: { ...checkin, brand: theme?.name ?? checkin.brand },
    current: await findCurrent(app.service, checkin),
  };
};

const sessionGone = (visit: Visit): Promise<Response> => {
  const { sessionGone: message, appName } = visit.texts;
  return visit.show({ title: message.title, brand: appName, main: messagePage(message, null) }, 404);
};

const showPage = (pages: Pages, opened: Opened): Promise<Response> => {
  const { visit, current } = opened;
  if (current === null) return showAmount(pages, opened, null);
  const again = visit.c.req.query("again") !== undefined && isClosed(current.row.status);
  return again ? showAmount(pages, opened, null) : showWithdrawal(pages, opened, current);
};

/** A bank in the place of the sandbox's has pages of its own: the sandbox's approve nothing of it. */
const isSandboxBank = ({ service }: App, partnerId: string): boolean =>
  service.options.boundPartners.get(partnerId)?.url.endsWith(sandboxBankPath) ?? false;

const showWithdrawal = ({ app, sandbox }: Pages, { visit, checkin }: Opened, current: Current): Promise<Response> => {
  const { row, shopName } = current;
  const path = visit.basePath + pagePath(checkin.id);
  const back = backHref(checkin, current);
  const main = withdrawalPage({
    texts: visit.texts,
    id: row.id,
    status: row.status,
    reason: row.reason,
    amountMinor: row.amount,
    currency: row.currency,
    shopName,
    expiresAtMs: row.expires_at,
    scaExpiresAtMs: row.sca_expires_at,
    confirmedAtMs: row.confirmed_at,
    linkedAtMs: row.linked_at,
    nowMs: app.service.clock.now(),
    brand: checkin.brand,
    liveHref: `${path}/live?seen=${row.status}&of=${row.id}`,
    cancelAction: `${path}/cancel`,
    againHref: isClosed(row.status) ? `${path}?again` : null,
    backHref: back,
    scaHref:
      current.approvalHref ??
      (sandbox !== null && isSandboxBank(app, row.partner_id)
        ? visit.basePath + sandbox.scaPath(row.id, checkin.id)
        : null),
  });
  const refreshSeconds = isFinal(row.status) ? null : refreshWithoutScriptsSeconds;
  return visit.show({ title: visit.texts.appName, brand: checkin.brand, main, refreshSeconds });
};

/**
 * `{"status"}` once it is no longer the `seen` one, or after 20 s. Another withdrawal than `of` counts as a change.
 * @throws ServiceError `too_many_requests` beyond the few answers that one check-in may hold open.
 */
const answerLive = async ({ app }: Pages, { visit, checkin, current }: Opened): Promise<Response> => {
  const seen = statuses.find((status) => status === visit.c.req.query("seen"));
  const answer = (status: Status | "none") =>
    new Response(JSON.stringify({ status }), { headers: { ...pageHeaders, "Content-Type": "application/json" } });
  if (current === null) return answer("none");
  if (current.row.id !== visit.c.req.query("of") || seen === undefined) return answer(current.row.status);
  const signal = AbortSignal.any([visit.c.req.raw.signal, app.stopping]);
  const client = { partnerId: checkin.partnerId };
  const wait = { waitMs: liveWaitMs, whileStatus: seen, signal };
  const release = app.access.heldReads.acquire({ kind: "page", ownerId: checkin.id, deviceId: "" });
  return answer((await getTransaction(app.service, client, current.row.id, wait).finally(release)).status);
};

/** Cancels what the page showed; a withdrawal that has moved on meanwhile is shown as it is. */
const cancelCurrent = async ({ app }: Pages, opened: Opened, form: URLSearchParams): Promise<Response> => {
  const { visit, checkin, current } = opened;
  if (current !== null && current.row.id === form.get("transaction_id")) {
    await cancelWithdrawal(app.service, { partnerId: checkin.partnerId }, current.row.id).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.code === "transaction_conflict")) throw error;
    });
  }
  return visit.seeOther(pagePath(checkin.id));
};
