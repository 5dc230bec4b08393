/** The web-SDK page behind a `destination_url` (conventions, "Client-level calls" and "Sandbox"). */
import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import {
  type Checkin,
  checkinSessionMs,
  findCheckin,
  isCheckinId,
  linkByToken,
  linkCheckin,
  linkTokenName,
  openCheckin,
  pagePath,
  webSdkPath,
} from "../checkin/check-in.ts";
import type { Service } from "../context.ts";
import { approvalLink } from "../contract/approval-link.ts";
import { formatAmount } from "../contract/money.ts";
import { isClosed, isFinal, partnerReferenceSchema, type Status, statuses } from "../contract/transaction.ts";
import type { App } from "../http/app-context.ts";
import type { Mount } from "../http/create-app.ts";
import { type Bindings, everyAnswer, type HttpContext, requestIdHeader } from "../http/request.ts";
import { randomRequestId } from "../http/serve-operation.ts";
import { findShop, findShops, merchantById, type Shop } from "../merchants/merchants.ts";
import { brandByDigest, brandSheet, brandTheme } from "../partner/brand.ts";
import { partnerById } from "../partner/partners.ts";
import { ServiceError } from "../service-error.ts";
import { cancelWithdrawal } from "../withdrawals/cancel.ts";
import { oneOrArchived } from "../withdrawals/closed.ts";
import { getTransaction, readRow } from "../withdrawals/get.ts";
import { requestWithdrawal } from "../withdrawals/request.ts";
import { type ShownRow, withdrawalIdByKey } from "../withdrawals/store.ts";
import { assets } from "./assets.ts";
import { readAmount } from "./browser.ts";
import { amountPage, amountRules, problemTexts } from "./pages/amount.ts";
import { messagePage } from "./pages/document.ts";
import { withdrawalPage } from "./pages/withdrawal.ts";
import { sandboxBankPath, scaPathOf } from "./sandbox-links.ts";
import { basePathOf, isSecure, type Pages, pageHeaders, readOwnForm, serveOn, type Visit } from "./serve-page.ts";
import type { StatusMessage } from "./texts/en.ts";

/** Link previews of browsers and messengers must not use up the link. */
const looksAhead = (visit: Visit): boolean => {
  const purpose = visit.c.req.header("sec-purpose") ?? visit.c.req.header("purpose") ?? "";
  return visit.c.req.method === "HEAD" || /prefetch|preview/i.test(purpose);
};

/** Opens a valid link: sets the cookie and redirects to the page without the secret. */
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
  const link = await app.service.store.read((tx) => tx.first(linkByToken({ id, token: hash })));
  const { texts } = visit;
  const message: StatusMessage =
    link === undefined ? texts.linkUnknown : link.opened_at === null ? texts.linkExpired : texts.linkUsed;
  const content = { title: message.title, brand: link?.brand ?? texts.appName, main: messagePage(message) };
  return visit.show(content, link === undefined ? 404 : 410);
};

/** Held answers end before common proxies time out. */
const liveWaitMs = 20_000;
const refreshWithoutScriptsSeconds = 3;
const checkinRoute = `${webSdkPath}/:id`;

const webSdkRoutes = (pages: Pages): Hono<{ Bindings: Bindings }> => {
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
  const serve = serveOn(hono, pages);

  serve("GET", checkinRoute, (visit) => {
    const id = checkinIdOf(visit);
    if (visit.c.req.query(linkTokenName) !== undefined) return openLink(pages, visit, id);
    if (visit.c.req.query("lang") !== undefined) return Promise.resolve(visit.seeOther(pagePath(id)));
    return opened((found) => showPage(pages, found))(visit);
  });
  serve(
    "GET",
    `${checkinRoute}/live`,
    opened((found) => answerLive(pages, found)),
  );
  serve("POST", `${checkinRoute}/withdrawal`, async (visit) => {
    const form = await readOwnForm(pages.app, visit.c);
    return opened((found) => submitAmount(pages, found, form))(visit);
  });
  serve("POST", `${checkinRoute}/cancel`, async (visit) => {
    const form = await readOwnForm(pages.app, visit.c);
    return opened((found) => cancelCurrent(pages, found, form))(visit);
  });
  return hono;
};

/** The check-in's id in the path; empty if invalid. */
const checkinIdOf = (visit: Visit): string => {
  const id = visit.c.req.param("id") ?? "";
  return isCheckinId(id) ? id : "";
};

const findOpened = async ({ app }: Pages, visit: Visit): Promise<Opened | null> => {
  const session = readSession(visit.c);
  if (session === null) return null;
  const checkin = await findCheckin(app.service, app.access.tokens, checkinIdOf(visit), session);
  if (checkin === null) return null;
  const theme = await findTheme(app.service, checkin.partner_id);
  return {
    visit: { ...visit, show: (content, status) => visit.show({ ...content, theme }, status) },
    checkin: { ...checkin, brand: theme?.name ?? checkin.brand },
    current: await findCurrent(app.service, checkin),
  };
};

const sessionGone = (visit: Visit): Promise<Response> => {
  const { sessionGone: message, appName } = visit.texts;
  return visit.show({ title: message.title, brand: appName, main: messagePage(message) }, 404);
};

const showPage = (pages: Pages, opened: Opened): Promise<Response> => {
  const { visit, current } = opened;
  if (current === null) return showAmount(pages, opened, null);
  const again = visit.c.req.query("again") !== undefined && isClosed(current.row.status);
  return again ? showAmount(pages, opened, null) : showWithdrawal(pages, opened, current);
};

/** Whether the bank is the sandbox's own. A configured bank under that id has its own approval pages. */
const isSandboxBank = ({ service }: App, partnerId: string): boolean =>
  service.options.boundPartners.get(partnerId)?.url.endsWith(sandboxBankPath) ?? false;

const showWithdrawal = (
  { app, hasSandbox }: Pages,
  { visit, checkin }: Opened,
  current: Current,
): Promise<Response> => {
  const { row, shopName } = current;
  const path = visit.basePath + pagePath(checkin.id);
  const main = withdrawalPage({
    texts: visit.texts,
    row,
    isInDoubt: current.isInDoubt,
    shopName,
    nowMs: app.service.clock.now(),
    brand: checkin.brand,
    liveHref: `${path}/live?seen=${row.status}&of=${row.id}`,
    cancelAction: `${path}/cancel`,
    againHref: isClosed(row.status) ? `${path}?again` : null,
    backHref: backHref(checkin, current),
    scaHref:
      current.approvalHref ??
      (hasSandbox && isSandboxBank(app, row.partner_id) ? visit.basePath + scaPathOf(row.id, checkin.id) : null),
  });
  const refreshSeconds = isFinal(row.status) ? null : refreshWithoutScriptsSeconds;
  return visit.show({ title: visit.texts.appName, brand: checkin.brand, main, refreshSeconds });
};

/**
 * Answers `{"status"}` once it differs from `seen`, or after 20 s. A withdrawal other than `of` counts as a change.
 * @throws ServiceError `too_many_requests` beyond the answers that one check-in may hold open.
 */
const answerLive = async ({ app }: Pages, { visit, checkin, current }: Opened): Promise<Response> => {
  const seen = statuses.find((status) => status === visit.c.req.query("seen"));
  const answer = (status: Status | "none") =>
    new Response(JSON.stringify({ status }), { headers: { ...pageHeaders, "Content-Type": "application/json" } });
  if (current === null) return answer("none");
  if (current.row.id !== visit.c.req.query("of") || seen === undefined) return answer(current.row.status);
  const signal = AbortSignal.any([visit.c.req.raw.signal, app.stopping]);
  const client = { partnerId: checkin.partner_id };
  const wait = { waitMs: liveWaitMs, whileStatus: seen, signal };
  const release = app.access.heldReads.acquire({ kind: "page", ownerId: checkin.id, deviceId: "" });
  return answer((await getTransaction(app.service, client, current.row.id, wait).finally(release)).status);
};

/** Cancels the withdrawal that the page showed; if it has moved on, the page shows its new state. */
const cancelCurrent = async ({ app }: Pages, opened: Opened, form: URLSearchParams): Promise<Response> => {
  const { visit, checkin, current } = opened;
  if (current !== null && current.row.id === form.get("transaction_id")) {
    await cancelWithdrawal(app.service, { partnerId: checkin.partner_id }, current.row.id).catch((error: unknown) => {
      if (!(error instanceof ServiceError && error.code === "transaction_conflict")) throw error;
    });
  }
  return visit.seeOther(pagePath(checkin.id));
};

/** The web-SDK page: part of every service. @param hasSandbox whether the pages link to the sandbox's bank. */
export const webSdkMount =
  (hasSandbox: boolean): Mount =>
  (routes, app) => {
    routes.route("/", webSdkRoutes({ app, hasSandbox }));
  };

const name = "tillcash_session";

/** The session that the browser sent; null for none. */
const readSession = (c: HttpContext): string | null => getCookie(c, name) ?? null;

/** Lax rather than Strict: the first page is opened from a link in the bank's app, and its redirect must carry the cookie. */
const writeSession = (app: App, c: HttpContext, checkinId: string, session: string): void =>
  setCookie(c, name, session, {
    path: basePathOf(app) + pagePath(checkinId),
    maxAge: checkinSessionMs / 1000,
    httpOnly: true,
    sameSite: "Lax",
    secure: isSecure(app),
  });

/** How long to wait for the bank before showing the waiting withdrawal's page. */
const answerPatienceMs = 2_500;
const typedCharactersMax = 13;
/** Query parameter with part of a shop's name. */
const searchName = "shop";

interface Attempt {
  readonly typed: string;
  readonly shop: Shop | null;
  readonly problem: string;
}

const afterOf = ({ current }: Opened): string => current?.row.id ?? "";

/** The page that asks for amount and shop. @param attempt what was sent before and why it was refused; null at first. */
const showAmount = async ({ app }: Pages, opened: Opened, attempt: Attempt | null): Promise<Response> => {
  const { visit, checkin, current } = opened;
  const { texts } = visit;
  const page = pagePath(checkin.id);
  const search = visit.c.req.query(searchName) ?? "";
  const found = await findShops(app.service, checkin, search);
  const back = backHref(checkin, current);
  const chosen = attempt?.shop ?? found.shops[0];
  if (chosen === undefined && search === "") {
    const action = back === null ? null : { href: back, text: texts.back(checkin.brand) };
    return visit.show({ title: texts.noStore.title, brand: checkin.brand, main: messagePage(texts.noStore, action) });
  }
  const main = amountPage({
    texts,
    action: `${visit.basePath}${page}/withdrawal`,
    backHref: back,
    checkin,
    shops: withChosen(found.shops, chosen),
    chosen: chosen ?? null,
    search:
      search === "" && !found.areMore ? null : { text: search, action: visit.basePath + page, again: current !== null },
    typed: attempt?.typed ?? (visit.c.req.query("amount") ?? "").slice(0, typedCharactersMax),
    problem: attempt?.problem ?? null,
    after: afterOf(opened),
  });
  return visit.show({ title: texts.appName, brand: checkin.brand, main }, attempt === null ? 200 : 400);
};

/** Keeps a shop that was found by name in the list after a refusal. */
const withChosen = (shops: readonly Shop[], chosen: Shop | undefined): readonly Shop[] =>
  chosen === undefined || shops.some(({ id }) => id === chosen.id) ? shops : [chosen, ...shops];

/** Requests the withdrawal and redirects to its page; a refusal shows the form again. */
const submitAmount = async (pages: Pages, opened: Opened, form: URLSearchParams): Promise<Response> => {
  const { visit, checkin, current } = opened;
  const page = pagePath(checkin.id);
  const stale = form.get("after") !== afterOf(opened) || (current !== null && !isClosed(current.row.status));
  if (stale) return visit.seeOther(page);

  const { texts } = visit;
  const typed = (form.get("amount") ?? "").slice(0, typedCharactersMax);
  const shop = await findShop(pages.app.service, checkin, form.get("store") ?? "");
  if (shop === null) return showAmount(pages, opened, { typed, shop, problem: texts.storeMissing });
  const read = readAmount(typed, amountRules(shop, checkin.balance));
  if (typeof read === "string") {
    const problem = problemTexts(shop, checkin.balance, texts)[read];
    return showAmount(pages, opened, { typed, shop, problem });
  }
  const outcome = await start(pages, opened, shop, read);
  if (outcome === "started") return visit.seeOther(page);
  const problem = outcome === "limit_reached" ? texts.limitReached : texts.busy;
  return showAmount(pages, opened, { typed, shop, problem });
};

type Outcome = "started" | "busy" | "limit_reached";

/** Waits briefly for the bank. Later failures show on the withdrawal's page. */
const start = async ({ app }: Pages, opened: Opened, shop: Shop, minor: number): Promise<Outcome> => {
  const { checkin } = opened;
  const { service } = app;
  const body = {
    user_id: checkin.user_id,
    amount: formatAmount(minor, checkin.currency),
    currency: checkin.currency,
    store: shop.id,
    partner_reference: partnerReferenceSchema.safeParse(checkin.reference_id).data,
  };
  const asked = requestWithdrawal(
    service,
    { partnerId: checkin.partner_id },
    body,
    keyAfter(checkin.id, afterOf(opened)),
  ).then(
    (): Outcome => "started",
    (error: unknown) => afterFailure(app, opened, error),
  );
  let stop = () => {};
  const patience = new Promise<Outcome>((resolve) => {
    stop = service.clock.after(answerPatienceMs, () => resolve("started"));
  });
  return Promise.race([asked, patience]).finally(stop);
};

/**
 * After a failure the store decides: a withdrawal that exists is shown, whatever went wrong later (its bank may hold
 * the funds); only without one may the page say that nothing was started.
 */
const afterFailure = async (app: App, opened: Opened, error: unknown): Promise<Outcome> => {
  const { service } = app;
  service.log.warn({ err: error }, "a withdrawal could not be started from the phone page");
  const now = await findCurrent(service, opened.checkin);
  if ((now?.row.id ?? "") !== afterOf(opened)) return "started";
  return error instanceof ServiceError && error.code === "limit_reached" ? "limit_reached" : "busy";
};

interface Current {
  readonly row: ShownRow;
  readonly shopName: string;
  /** The link to approve in the bank's app; null if the bank has none. */
  readonly approvalHref: string | null;
  /** Whether it ended as not paid, and the bank may have paid all the same. */
  readonly isInDoubt: boolean;
}

/**
 * The idempotency key: one withdrawal per predecessor, so that two taps, two tabs or a repeat after a crash make the
 * same one. The space keeps it apart from keys that a partner can send.
 */
const keyAfter = (checkinId: string, before: string): string => `websdk ${checkinId} ${before}`;

/** A check-in's withdrawal; null before the customer has requested one. */
const findCurrent = async (service: Service, checkin: Checkin): Promise<Current | null> => {
  const key = keyAfter(checkin.id, checkin.transaction_id ?? "");
  const next = await service.store.read((tx) => tx.first(withdrawalIdByKey({ partner: checkin.partner_id, key })));
  if (next) await linkCheckin(service, checkin, next.id);
  const id = next?.id ?? checkin.transaction_id;
  const row = id === null ? undefined : await readRow(service, id);
  if (row === undefined) return null;
  const { shop, partner, isInDoubt } = await service.store.read(async (tx) => {
    const shop = await tx.first(merchantById({ id: row.merchant_id }));
    const partner = await tx.first(partnerById({ id: row.partner_id }));
    const closed = isClosed(row.status) ? await oneOrArchived(tx, row.id, row.created_at) : undefined;
    return { shop, partner, isInDoubt: closed !== undefined && closed.disputed_at !== null };
  });
  const shopName = row.store_name ?? shop?.name ?? row.merchant_id;
  return { row, shopName, approvalHref: approvalLink(partner?.sca_url ?? null, row.id), isInDoubt };
};

/**
 * The bank's return address with `reference` (its `referenceId`), `outcome` (the status, or `none`) and
 * `transaction_id` (if there is one). Null unless it is http or https.
 */
const backHref = (checkin: Checkin, current: Current | null): string | null => {
  if (!URL.canParse(checkin.url_back)) return null;
  const url = new URL(checkin.url_back);
  if (url.protocol !== "https:" && url.protocol !== "http:") return null;
  url.searchParams.set("reference", checkin.reference_id);
  url.searchParams.set("outcome", current?.row.status ?? "none");
  if (current !== null) url.searchParams.set("transaction_id", current.row.id);
  return url.href;
};

/** An opened check-in in its browser, with its withdrawal. */
interface Opened {
  readonly visit: Visit;
  readonly checkin: Checkin;
  readonly current: Current | null;
}

/** Path of banks' files, below the pages' path. */
const brandPath = "/websdk-assets/brand";

type Stored = Pick<Service, "store">;

/** The theme of a bank's pages, with the name that the operator gave it; null where none was set. */
const findTheme = async ({ store }: Stored, partner: string) => {
  const brand = await store.read((tx) => tx.first(brandTheme({ partner })));
  if (brand === undefined) return null;
  return {
    name: brand.name,
    style: brand.color === null ? null : `${brandPath}/${brand.digest}.css`,
    logo: brand.logo_type === null ? null : `${brandPath}/${brand.digest}`,
  };
};

/**
 * A file of a bank's brand: named by a digest, so that it can be cached forever.
 * @param name `DIGEST.css` or `DIGEST`.
 * @returns null for an unknown file.
 */
const findBrandFile = async ({ store }: Stored, name: string) => {
  const [, digest = "", isSheet] = /^([\w-]{43})(\.css)?$/.exec(name) ?? [];
  const brand = digest === "" ? undefined : await store.read((tx) => tx.first(brandByDigest({ digest })));
  if (brand === undefined) return null;
  if (isSheet) return brand.color === null ? null : { type: "text/css; charset=utf-8", body: brandSheet(brand.color) };
  if (brand.logo === null || brand.logo_type === null) return null;
  return { type: brand.logo_type, body: Uint8Array.from(Buffer.from(brand.logo, "base64")) };
};

/** Opened directly, a logo must not be able to do anything. */
const brandFileHeaders = {
  "Cache-Control": "public, max-age=31536000, immutable",
  "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  ...everyAnswer,
} as const;
