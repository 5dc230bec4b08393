/** The sandbox's pages: the start page and the bank's approval page. */
import { Hono } from "hono";
import { html } from "hono/html";
import { isCheckinId, pagePath } from "../checkin/check-in.ts";
import { isTransactionId } from "../contract/ids.ts";
import { formatAmount } from "../contract/money.ts";
import { isFinal, type Status, statuses, type Transaction } from "../contract/transaction.ts";
import type { App } from "../http/app-context.ts";
import type { Bindings } from "../http/request.ts";
import { ServiceError } from "../service-error.ts";
import { approvalRing, icons, type Markup, messagePage, moneyText } from "../websdk/pages/document.ts";
import { sandboxBankPath, sandboxHomePath, scaPathBase, scaPathOf } from "../websdk/sandbox-links.ts";
import { type Pages, pageHeaders, readOwnForm, serveOn, type Visit } from "../websdk/serve-page.ts";
import type { StatusMessage, Texts } from "../websdk/texts/en.ts";
import type { Language } from "../websdk/texts/languages.ts";
import type { BankClient, Fetch } from "./bank.ts";
import { demoBank, demoShop, demoTill } from "./demo.ts";
import { behaviours, findHold, type Hold } from "./ledger.ts";
import type { SandboxTexts } from "./texts/en.ts";
import { sandboxTexts } from "./texts.ts";

const scaRoute = `${scaPathBase}/:reference`;
const refreshWithoutScriptsSeconds = 3;
const bankBrand = "Demo Bank";

/** Routes of the sandbox's pages, for a person who plays the customer. */
export const sandboxPageRoutes = (app: App, bank: BankClient, fetch: Fetch): Hono<{ Bindings: Bindings }> => {
  const hono = new Hono<{ Bindings: Bindings }>();
  const pages: Pages = { app, hasSandbox: true };
  const freshLink = () =>
    checkInDemo(bank, app.publicUrl(), `demo-${Buffer.from(app.service.random.bytes(6)).toString("hex")}`);

  const serve = serveOn(hono, pages);

  serve("GET", sandboxHomePath, (visit) => showHome(app, visit));
  serve("POST", checkinPath, async (visit) => {
    await readOwnForm(app, visit.c);
    return visit.seeOther(await freshLink());
  });
  serve("POST", startPath, async (visit) => {
    const form = await readOwnForm(app, visit.c);
    const started = await startDemo(fetch, app.publicUrl(), await freshLink(), form.get("amount") ?? "");
    const response = visit.seeOther(started.location);
    for (const cookie of started.cookies) response.headers.append("Set-Cookie", cookie);
    return response;
  });
  serve("GET", scaRoute, (visit) => showSca(pages, bank, visit));
  serve("POST", scaRoute, async (visit) => {
    const form = await readOwnForm(app, visit.c);
    await answerSca(bank, referenceOf(visit), form.get("outcome"));
    return visit.seeOther(scaPathOf(referenceOf(visit), fromOf(visit)));
  });
  serve("GET", `${scaRoute}/live`, (visit) => answerLive(pages, bank, visit));
  return hono;
};

/** The withdrawal's id in the path; empty if invalid. */
const referenceOf = (visit: Visit): string => {
  const reference = visit.c.req.param("reference") ?? "";
  return isTransactionId(reference) ? reference : "";
};
/** The check-in that the customer came from; empty unless it is a valid id. */
const fromOf = (visit: Visit): string => {
  const from = visit.c.req.query("from") ?? "";
  return isCheckinId(from) ? from : "";
};

const showHome = (app: App, visit: Visit): Promise<Response> => {
  const { language } = visit.texts;
  const own = sandboxTexts[language];
  const query = (name: string) => (visit.c.req.query(name) ?? "").slice(0, 64);
  const returnedWith = query("outcome") === "" ? null : { outcome: query("outcome"), reference: query("reference") };
  const main = homePage({
    own,
    language,
    basePath: visit.basePath,
    returnedWith,
    scaSeconds: app.service.options.scaTimeoutMs / 1000,
  });
  return visit.show({ title: own.homeName, brand: "Tillcash", main });
};

const showSca = async ({ app }: Pages, bank: BankClient, visit: Visit): Promise<Response> => {
  const own = sandboxTexts[visit.texts.language];
  const { service } = app;
  const reference = referenceOf(visit);
  const hold = await findHold(service.store, reference);
  const transaction = hold === undefined ? null : await bank.withdrawal(reference);
  if (hold === undefined || transaction === null) {
    return visit.show({ title: own.unknown.title, brand: bankBrand, main: messagePage(own.unknown) }, 404);
  }
  const from = fromOf(visit);
  const path = `${visit.basePath}${scaPathBase}/${reference}`;
  const main = scaPage({
    texts: visit.texts,
    own,
    transaction,
    hold,
    nowMs: service.clock.now(),
    action: visit.basePath + scaPathOf(reference, from),
    liveHref: `${path}/live?seen=${transaction.status}`,
    backHref: from === "" ? null : visit.basePath + pagePath(from),
  });
  return visit.show({ title: own.scaName, brand: bankBrand, main, refreshSeconds: refreshWithoutScriptsSeconds });
};

/** Sends the customer's decision to the service; the page shows if it was too late. */
const answerSca = async (bank: BankClient, reference: string, outcome: string | null): Promise<void> => {
  if (outcome !== "approved" && outcome !== "denied") throw new ServiceError("validation_failed");
  const reply = await bank.post(`/ext/v1/withdrawals/${encodeURIComponent(reference)}/sca`, { outcome });
  if (reply.status >= 500) throw new ServiceError("unavailable");
};

const answerLive = async ({ app }: Pages, bank: BankClient, visit: Visit): Promise<Response> => {
  const seen = statuses.find((status) => status === visit.c.req.query("seen"));
  const signal = AbortSignal.any([visit.c.req.raw.signal, app.stopping]);
  const known = await bank.withdrawal(referenceOf(visit), seen && { status: seen, signal });
  if (known === null) throw new ServiceError("transaction_not_found");
  const headers = { ...pageHeaders, "Content-Type": "application/json" };
  return new Response(JSON.stringify({ status: known.status }), { headers });
};

/** Path that starts a withdrawal. */
export const startPath = `${sandboxHomePath}/withdrawals`;
const checkinPath = `${sandboxHomePath}/checkins`;

/** Base of the buttons' amounts, 50.00 to 50.08. */
const baseMinor = 5_000;

interface HomeView {
  /** Seconds to approve. */
  readonly scaSeconds: number;
  readonly own: SandboxTexts;
  readonly language: Language;
  readonly basePath: string;
  /** Result passed back by the phone page. */
  readonly returnedWith: { readonly outcome: string; readonly reference: string } | null;
}

/** The start page: a demo withdrawal with one click. */
export const homePage = (view: HomeView): Markup => {
  const { own, basePath } = view;
  return html`<main class="wide">
${view.returnedWith === null ? "" : html`<p class="card returned" role="status">${own.returnedWith(view.returnedWith.outcome, view.returnedWith.reference)}</p>`}
<div class="home-head"><h1 tabindex="-1">${own.homeTitle}</h1><p class="quiet">${own.homeIntro}</p></div>
<div class="home">
<section class="card" aria-labelledby="start"><h2 id="start">${own.startTitle}</h2><p class="quiet">${own.startHint}</p>
${quickStarts(view)}</section>
<div class="home-side">
<section class="card" aria-labelledby="steps"><h2 id="steps">${own.stepsTitle}</h2>
<ol class="steps">${own.steps(view.scaSeconds).map((step) => html`<li>${step}</li>`)}</ol></section>
<section class="card" aria-labelledby="free"><h2 id="free">${own.freeTitle}</h2><p class="quiet">${own.freeHint}</p>
<form method="post" action="${basePath}${checkinPath}"><button class="button second" type="submit">${own.free}</button></form></section>
<section class="card" aria-labelledby="access"><h2 id="access">${own.accessTitle}</h2><p class="quiet">${own.accessHint}</p>
${credentials(own)}</section>
<nav class="card" aria-labelledby="more"><h2 id="more">${own.moreTitle}</h2><ul class="links">
<li><a href="${basePath}${sandboxBankPath}/ledger">${own.ledger}</a></li><li><a href="${basePath}/docs">${own.docs}</a></li>
<li><a href="${basePath}/openapi.json">OpenAPI</a></li></ul></nav>
</div></div>
</main>`;
};

const quickStarts = ({
  own,
  language,
  basePath,
}: HomeView) => html`<form method="post" action="${basePath}${startPath}"><ul class="starts">
${behaviours.map((behaviour, ending) => {
  const minor = baseMinor + ending;
  const money = moneyText(minor, demoShop.currency, language);
  return html`<li><button class="start" type="submit" name="amount" value="${formatAmount(minor, demoShop.currency)}" aria-label="${own.start(money)}" aria-describedby="does-${ending}">${money}</button><span id="does-${ending}">${own.behaviours[behaviour]}</span></li>`;
})}
</ul></form>`;

const credentials = (own: SandboxTexts): Markup => html`<dl class="facts small">
<div><dt>${own.shop}</dt><dd><code>${demoShop.id}</code></dd></div>
<div><dt>${own.till}</dt><dd><code>${demoTill.key.deviceId}</code></dd></div>
<div><dt>${own.secret}</dt><dd><code>${demoTill.secret}</code></dd></div>
<div><dt>${own.bank}</dt><dd><code>${demoBank.key.ownerId}</code> <code>${demoBank.key.deviceId}</code></dd></div>
<div><dt>${own.secret}</dt><dd><code>${demoBank.secret}</code></dd></div>
</dl>`;

interface ScaView {
  readonly texts: Texts;
  readonly own: SandboxTexts;
  readonly transaction: Transaction;
  /** What the bank has secured, which the page shows rather than the service's current data. */
  readonly hold: Hold;
  readonly nowMs: number;
  readonly action: string;
  readonly liveHref: string;
  /** The phone page to return to; null if the customer did not come from there. */
  readonly backHref: string | null;
}

/** The page to approve or deny, with exactly amount and shop. */
export const scaPage = (view: ScaView): Markup => {
  const { own, transaction } = view;
  const follow = isFinal(transaction.status) ? "" : html` data-live="${view.liveHref}"`;
  const asking = transaction.status === "awaiting_sca";
  const message = statusMessageOf(view);
  const say = asking ? `${own.scaTitle} ${amountOf(view)}, ${view.hold.shop}` : `${message.title}. ${message.detail}`;
  return html`<main data-status="${transaction.status}" data-say="${say}"${follow}${asking ? html` data-urgent data-awake` : ""}>
${asking ? question(view) : result(view, message)}
</main>`;
};

const amountOf = ({ hold, texts }: ScaView): string => moneyText(hold.amount, hold.currency, texts.language);

const facts = (view: ScaView): Markup => html`<dl class="facts">
<div class="large"><dt>${view.own.amount}</dt><dd>${amountOf(view)}</dd></div>
<div><dt>${view.own.payee}</dt><dd>${view.hold.shop}</dd></div>
</dl>`;

const question = (view: ScaView): Markup => {
  const { own, transaction, texts, nowMs } = view;
  const timeOf = (text: string | null) => (text === null ? nowMs : Date.parse(text));
  return html`<h1 tabindex="-1">${own.scaTitle}</h1>
<p class="quiet">${own.scaDetail}</p>
<section class="card">${facts(view)}</section>
${approvalRing(texts.timeLeft, timeOf(transaction.confirmed_at), timeOf(transaction.sca_expires_at), nowMs)}
<form class="actions" method="post" action="${view.action}">
<button class="button" type="submit" name="outcome" value="approved">${own.approve}</button>
<button class="button danger" type="submit" name="outcome" value="denied">${own.deny}</button>
</form>`;
};

const result = (view: ScaView, message: StatusMessage): Markup => {
  const tone = message === view.own.approved ? "good" : message === view.own.notYet ? "wait" : "bad";
  const sign = { good: icons.tick, wait: html`<span class="spinner"></span>`, bad: icons.cross }[tone];
  return html`<section class="card outcome ${tone}"><span class="sign">${sign}</span>
<h1 tabindex="-1">${message.title}</h1><p>${message.detail}</p>${facts(view)}</section>
${view.backHref === null ? "" : html`<div class="actions"><a class="button" href="${view.backHref}">${view.own.backToWithdrawal}</a></div>`}`;
};

const messageNames: Readonly<Record<Status, "notYet" | "approved" | "closed">> = {
  requested: "notYet",
  ready: "notYet",
  awaiting_sca: "notYet",
  settling: "approved",
  settled: "approved",
  linked: "approved",
  undelivered: "approved",
  failed: "approved",
  canceled: "closed",
  declined: "closed",
  rejected: "closed",
  expired: "closed",
};

const statusMessageOf = ({ transaction, own }: ScaView): StatusMessage => {
  const { status, reason } = transaction;
  if (status === "canceled" && reason === "sca_denied") return own.denied;
  return status === "canceled" && reason === "sca_timeout" ? own.tooLate : own[messageNames[status]];
};

const demoCustomer = "demo-customer";
const demoBalance = "1250.00";
/** Fallback return address for a service that is neither https nor on loopback. */
const nowhere = "https://bank.example/";

/** Checks the demo customer in; returns path and query of the `destination_url`. */
const checkInDemo = async (bank: BankClient, publicUrl: string, referenceId: string): Promise<string> => {
  const checkIn = (urlBack: string) =>
    bank.post("/api/v7/partnerCheckin", {
      referenceId,
      additionalData: {
        brand: bankBrand,
        userId: demoCustomer,
        balance: demoBalance,
        currency: demoShop.currency,
        urlBack,
      },
    });
  const first = await checkIn(publicUrl + sandboxHomePath);
  const reply = first.status === 400 ? await checkIn(nowhere) : first;
  if (reply.status !== 200) throw new Error(`${demoBank.key.ownerId} could not check a customer in: ${reply.status}`);
  const { destination_url } = (await reply.json()) as { destination_url: string };
  return destination_url.slice(publicUrl.length);
};

/** Opens the link and requests the amount, as a browser would; the cookies are passed on to the real one. */
const startDemo = async (fetch: Fetch, publicUrl: string, link: string, amount: string) => {
  const { origin, pathname } = new URL(publicUrl);
  const opened = await fetch(new Request(origin + link));
  if (opened.status !== 303) throw new Error(`a fresh link did not open: ${opened.status}`);
  const cookies = opened.headers.getSetCookie();
  const location = (opened.headers.get("location") ?? "").slice(pathname.replace(/\/+$/, "").length);
  const cookie = cookies.map((each) => each.split(";")[0]).join("; ");
  await fetch(
    new Request(`${origin}${location}/withdrawal`, {
      method: "POST",
      headers: { origin, cookie, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ after: "", amount, store: demoShop.id }),
    }),
  );
  return { location, cookies };
};
