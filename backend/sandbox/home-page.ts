/** `/sandbox`: starts a demo withdrawal with one click and says how to go on. */
import { html } from "hono/html";
import { formatAmount } from "../contract/money.ts";
import { sandboxHomePath } from "../websdk/sandbox-links.ts";
import type { Language } from "../websdk/texts/languages.ts";
import type { Markup } from "../websdk/theme/document.ts";
import { moneyText } from "../websdk/theme/money-text.ts";
import { bankPath } from "./bank-routes.ts";
import { demoBank, demoShop, demoTill } from "./demo.ts";
import { endings } from "./steering.ts";
import type { SandboxTexts } from "./texts.ts";

/** Where the page's form begins a withdrawal. */
export const startPath = `${sandboxHomePath}/withdrawals`;
/** Where the page's form checks a customer in. */
export const checkinPath = `${sandboxHomePath}/checkins`;

/** The amounts of the buttons: 50.00 to 50.08. */
const baseMinor = 5_000;

/** What the sandbox's page shows. */
export interface HomeView {
  /** What a customer has for the approval. */
  readonly scaSeconds: number;
  readonly own: SandboxTexts;
  readonly language: Language;
  readonly basePath: string;
  /** What the phone page came back with. */
  readonly returnedWith: { readonly outcome: string; readonly reference: string } | null;
}

/** The sandbox's page: a demo withdrawal with one click. */
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
<li><a href="${basePath}${bankPath}/ledger">${own.ledger}</a></li><li><a href="${basePath}/docs">${own.docs}</a></li>
<li><a href="${basePath}/openapi.json">OpenAPI</a></li></ul></nav>
</div></div>
</main>`;
};

const quickStarts = ({
  own,
  language,
  basePath,
}: HomeView): Markup => html`<form method="post" action="${basePath}${startPath}"><ul class="starts">
${endings.map(({ ending, behaviour }) => {
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
