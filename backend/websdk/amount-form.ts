/** The amount page and what follows from it: one withdrawal, however often the button was pressed. */

import { pagePath } from "../checkin/address.ts";
import { formatAmount } from "../contract/money.ts";
import { isClosed, partnerReferenceSchema } from "../contract/transaction.ts";
import type { App } from "../http/app-context.ts";
import { findShop, findShops } from "../merchants/find-shops.ts";
import type { Shop } from "../merchants/merchant-store.ts";
import { ServiceError } from "../service-error.ts";
import { requestWithdrawal } from "../withdrawals/request.ts";
import { backHref } from "./back.ts";
import { findCurrent, keyAfter } from "./current.ts";
import type { Opened } from "./opened.ts";
import { amountPage } from "./pages/amount.ts";
import { problemText, validateAmountInput } from "./pages/amount-rules.ts";
import { messagePage } from "./pages/message.ts";
import type { Pages } from "./serve-page.ts";

/** A bank usually answers at once; when it does not, the page of the waiting withdrawal is the better place to wait. */
const answerPatienceMs = 2_500;
const typedCharactersMax = 13;
/** Part of a shop's name, in the page's query. */
const searchName = "shop";

/** What to show again after a refusal. */
export interface Attempt {
  readonly typed: string;
  readonly shop: Shop | null;
  readonly problem: string;
}

const afterOf = ({ current }: Opened): string => current?.row.id ?? "";

/** The page that asks for amount and shop. @param attempt what was sent before and why it was refused; null at first. */
export const showAmount = async ({ app }: Pages, opened: Opened, attempt: Attempt | null): Promise<Response> => {
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
    balanceMinor: checkin.balanceMinor,
    currency: checkin.currency,
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

/** A shop that was found by name stays on the page when the amount was refused. */
const withChosen = (shops: readonly Shop[], chosen: Shop | undefined): readonly Shop[] =>
  chosen === undefined || shops.some(({ id }) => id === chosen.id) ? shops : [chosen, ...shops];

/** Asks for the withdrawal and goes on to its page; a refusal shows the form again. */
export const submitAmount = async (pages: Pages, opened: Opened, form: URLSearchParams): Promise<Response> => {
  const { visit, checkin, current } = opened;
  const page = pagePath(checkin.id);
  const stale = form.get("after") !== afterOf(opened) || (current !== null && !isClosed(current.row.status));
  if (stale) return visit.seeOther(page);

  const { texts } = visit;
  const typed = (form.get("amount") ?? "").slice(0, typedCharactersMax);
  const shop = await findShop(pages.app.service, checkin, form.get("store") ?? "");
  if (shop === null) return showAmount(pages, opened, { typed, shop, problem: texts.storeMissing });
  const validated = validateAmountInput(typed, shop, checkin.balanceMinor);
  if ("problem" in validated) {
    const problem = problemText(validated.problem, shop, checkin.balanceMinor, texts);
    return showAmount(pages, opened, { typed, shop, problem });
  }
  const outcome = await start(pages, opened, shop, validated.minor);
  if (outcome === "started") return visit.seeOther(page);
  const problem = outcome === "limit_reached" ? texts.limitReached : texts.busy;
  return showAmount(pages, opened, { typed, shop, problem });
};

type Outcome = "started" | "busy" | "limit_reached";

/** Waits a little for the bank. What fails after that shows on the page of the withdrawal, which is in the store. */
const start = async ({ app }: Pages, opened: Opened, shop: Shop, minor: number): Promise<Outcome> => {
  const { checkin } = opened;
  const { service } = app;
  const body = {
    user_id: checkin.userId,
    amount: formatAmount(minor, checkin.currency),
    currency: checkin.currency,
    store: shop.id,
    partner_reference: partnerReferenceSchema.safeParse(checkin.referenceId).data,
  };
  const asked = requestWithdrawal(
    service,
    { partnerId: checkin.partnerId },
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
 * What is said after a failure is what the store knows: a withdrawal that was begun is shown, whatever went wrong after that
 * (its bank may hold the funds); only where there is none may the page say that nothing was begun.
 */
const afterFailure = async (app: App, opened: Opened, error: unknown): Promise<Outcome> => {
  const { service } = app;
  service.log.warn({ err: error }, "a withdrawal could not be started from the phone page");
  const now = await findCurrent(service, opened.checkin);
  if ((now?.row.id ?? "") !== afterOf(opened)) return "started";
  return error instanceof ServiceError && error.code === "limit_reached" ? "limit_reached" : "busy";
};
