/** The first page: amount and shop. Works as a plain form; the script adds the keypad and immediate validation. */
import { html } from "hono/html";
import type { Checkin } from "../../checkin/check-in.ts";
import { formatAmount, minorDigits } from "../../contract/money.ts";
import type { Shop } from "../../merchants/merchants.ts";
import { type AmountProblem, type AmountRules, readAmount } from "../browser.ts";
import type { Texts } from "../texts/en.ts";
import { decimalSign, icons, type Markup, moneyText, shortMoneyText } from "./document.ts";

/** The search for a shop, if there are more than the list shows. */
interface ShopSearch {
  readonly text: string;
  readonly action: string;
  /** Whether there was a withdrawal before, whose page would be shown otherwise. */
  readonly again: boolean;
}

interface AmountView {
  readonly texts: Texts;
  readonly action: string;
  readonly backHref: string | null;
  readonly checkin: Pick<Checkin, "balance" | "currency">;
  /** Empty when a search found none. */
  readonly shops: readonly Shop[];
  readonly chosen: Shop | null;
  readonly search: ShopSearch | null;
  readonly typed: string;
  readonly problem: string | null;
  /** The previous withdrawal of this check-in; makes the form valid for one withdrawal only. */
  readonly after: string;
}

/** What may be asked for in a shop. @param balance in minor units. */
export const amountRules = (shop: Shop, balance: number): AmountRules => ({
  digits: minorDigits(shop.currency),
  min: shop.amount_min,
  max: shop.amount_max,
  step: shop.amount_step,
  balance,
});

/** For the script. */
const rulesOf = (shop: Shop, { checkin: { balance }, texts }: AmountView) =>
  JSON.stringify({
    ...amountRules(shop, balance),
    range: rangeText(shop, balance, texts),
    problems: problemTexts(shop, balance, texts),
  });

/** The amount page. */
export const amountPage = (view: AmountView): Markup => {
  const { texts, chosen } = view;
  const problem = view.problem;
  return html`<main>
<div class="amount-head">
<h1 tabindex="-1">${texts.amountTitle}</h1>
<p class="quiet">${texts.available(moneyText(view.checkin.balance, view.checkin.currency, texts.language))}</p>
</div>
<form class="amount-form" method="post" action="${view.action}" data-amount-form novalidate>
<input type="hidden" name="after" value="${view.after}">
<div class="amount-box">
<label class="visually-hidden" for="amount">${texts.amountLabel} (${view.checkin.currency})</label>
<div class="amount-field"><input id="amount" name="amount" inputmode="decimal" autocomplete="off" maxlength="13" required
 placeholder="0" value="${view.typed}" aria-describedby="limits"${problem === null ? "" : html` aria-invalid="true"`}><span class="currency" aria-hidden="true">${view.checkin.currency}</span></div>
<p class="limits${problem === null ? "" : " problem"}" id="limits" role="status">${problem ?? (chosen === null ? "" : rangeText(chosen, view.checkin.balance, texts))}</p>
</div>
${chips(view)}
${keys(view)}
${searchField(view)}
${shopField(view)}
<div class="actions">
<button class="button" type="submit" data-busy="${texts.gettingCode}"${chosen === null ? html` disabled` : ""}>${texts.getCode}</button>
${view.backHref === null ? "" : html`<a class="button bare" href="${view.backHref}">${texts.leave}</a>`}
</div>
</form>
${searchForm(view)}
</main>`;
};

const searchFormId = "shop-search";

/** A separate form, since forms do not nest; its field is beside the shop selection. The script passes the amount along. */
const searchForm = ({ search, typed }: AmountView): Markup | string => {
  if (search === null) return "";
  return html`<form id="${searchFormId}" method="get" action="${search.action}">
<input type="hidden" name="amount" value="${typed}" data-typed>${search.again ? html`<input type="hidden" name="again" value="1">` : ""}</form>`;
};

const searchField = ({ texts, search, shops }: AmountView): Markup | string => {
  if (search === null) return "";
  return html`<div class="store-field"><label for="shop">${texts.shopSearch}</label>
<div class="store-search"><input id="shop" name="shop" form="${searchFormId}" type="search" maxlength="100" autocomplete="off" value="${search.text}"><button class="chip" type="submit" form="${searchFormId}">${texts.shopSearchAction}</button></div>
${shops.length === 0 ? html`<p class="limits problem" role="status">${texts.shopNotFound}</p>` : ""}</div>`;
};

const chips = ({ texts, chosen, checkin }: AmountView): Markup | string => {
  if (chosen === null) return "";
  const amounts = quickAmounts(chosen, checkin.balance);
  if (amounts.length === 0) return "";
  return html`<div class="chips" role="group" aria-label="${texts.quickAmounts}" data-script hidden>
${amounts.map((minor) => {
  const typed = formatAmount(minor, chosen.currency).replace(/\.0+$/, "");
  return html`<button class="chip" type="button" data-amount="${typed}">${shortMoneyText(minor, chosen.currency, texts.language)}</button>`;
})}
</div>`;
};

const keys = ({ texts, checkin, shops }: AmountView): Markup => {
  const minorPerWhole = 10 ** minorDigits(checkin.currency);
  const decimals = minorPerWhole > 1 && shops.some((shop) => takesDecimals(shop, minorPerWhole));
  const sign = decimalSign(texts.language);
  return html`<div class="keys" role="group" aria-label="${texts.keypad}" data-script hidden>
${[1, 2, 3, 4, 5, 6, 7, 8, 9].map((digit) => html`<button class="key" type="button" data-key="${digit}">${digit}</button>`)}
<button class="key" type="button" data-key="${decimals ? sign : "00"}">${decimals ? sign : "00"}</button>
<button class="key" type="button" data-key="0">0</button>
<button class="key" type="button" data-key="erase" aria-label="${texts.deleteDigit}">${icons.erase}</button>
</div>`;
};

const shopField = (view: AmountView): Markup | string => {
  const { texts, shops, chosen } = view;
  if (chosen === null) return "";
  if (shops.length === 1) {
    return html`<div class="store-field"><span class="label">${texts.storeLabel}</span>
<div class="store-one">${icons.store}<span>${chosen.name}</span></div>
<input type="hidden" name="store" value="${chosen.id}" data-rules="${rulesOf(chosen, view)}"></div>`;
  }
  return html`<div class="store-field"><label for="store">${texts.storeLabel}</label>
<select id="store" name="store">${shops.map(
    (shop) =>
      html`<option value="${shop.id}" data-rules="${rulesOf(shop, view)}"${shop.id === chosen.id ? html` selected` : ""}>${shop.name}</option>`,
  )}</select></div>`;
};

/** Each problem as a sentence with the limits; `balanceMinor` in minor units. */
export const problemTexts = (
  shop: Shop,
  balanceMinor: number,
  texts: Texts,
): Readonly<Record<AmountProblem, string>> => {
  const short = (minor: number) => shortMoneyText(minor, shop.currency, texts.language);
  return {
    missing: texts.amountMissing,
    unreadable: texts.amountUnreadable(short(shop.amount_min).replace(/[^\d.,]/g, "")),
    too_small: texts.amountTooSmall(short(shop.amount_min)),
    too_large: texts.amountTooLarge(short(shop.amount_max)),
    over_balance: texts.amountOverBalance(moneyText(balanceMinor, shop.currency, texts.language)),
    off_step: texts.amountOffStep(short(shop.amount_step)),
  };
};

/** The line under the amount. A step of one minor unit is not mentioned. */
const rangeText = (shop: Shop, balanceMinor: number, texts: Texts): string => {
  const short = (minor: number) => shortMoneyText(minor, shop.currency, texts.language);
  const range = texts.range(short(shop.amount_min), short(largest(shop, balanceMinor)));
  return shop.amount_step === 1 ? range : `${range}, ${texts.step(short(shop.amount_step))}`;
};

/** The largest amount that can be requested; below the smallest when the balance is too low. */
const largest = (shop: Shop, balanceMinor: number): number => {
  const cap = Math.min(shop.amount_max, balanceMinor);
  return cap - (cap % shop.amount_step);
};

const quickAmountsMax = 4;
/** Multiples of the shop's smallest amount, in order of preference. */
const quickMultiples = [2, 5, 10, 20, 1, 50];

/** Suggested amounts in minor units, all valid. */
const quickAmounts = (shop: Shop, balanceMinor: number): readonly number[] =>
  quickMultiples
    .map((multiple) => shop.amount_min * multiple)
    .filter(
      (minor) => typeof readAmount(formatAmount(minor, shop.currency), amountRules(shop, balanceMinor)) === "number",
    )
    .slice(0, quickAmountsMax)
    .sort((a, b) => a - b);

const takesDecimals = (shop: Shop, minorPerWhole: number): boolean => shop.amount_step % minorPerWhole !== 0;
