/** The bank's approval page: exactly the amount and the shop that were secured (dynamic linking), Approve or Deny. */
import { html } from "hono/html";
import { assertNever } from "../contract/assert-never.ts";
import type { Reason } from "../contract/reasons.ts";
import { isFinal, type Transaction } from "../contract/transaction.ts";
import { approvalRing } from "../websdk/pages/time-left.ts";
import type { StatusMessage, Texts } from "../websdk/texts/texts.ts";
import type { Markup } from "../websdk/theme/document.ts";
import { icons } from "../websdk/theme/icons.ts";
import { moneyText } from "../websdk/theme/money-text.ts";
import type { Hold } from "./ledger.ts";
import type { SandboxTexts } from "./texts.ts";

/** What the sandbox bank's approval page shows. */
export interface ScaView {
  readonly texts: Texts;
  readonly own: SandboxTexts;
  readonly transaction: Transaction;
  /** What the bank secured: the page shows this, not what the service says today. */
  readonly hold: Hold;
  readonly nowMs: number;
  readonly action: string;
  readonly liveHref: string;
  /** The phone page to go back to; null when the customer did not come from there. */
  readonly backHref: string | null;
}

/** The page on which a person approves or denies: exactly amount and shop. */
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

const statusMessageOf = ({ transaction, own }: ScaView): StatusMessage => {
  switch (transaction.status) {
    case "requested":
    case "ready":
    case "awaiting_sca":
      return own.notYet;
    case "settling":
    case "settled":
    case "linked":
    case "undelivered":
    case "failed":
      return own.approved;
    case "canceled":
      return canceled(transaction.reason, own);
    case "declined":
    case "rejected":
    case "expired":
      return own.closed;
    default:
      return assertNever(transaction.status);
  }
};

const canceledTexts: Readonly<Record<Reason, "denied" | "tooLate" | "closed">> = {
  sca_denied: "denied",
  sca_timeout: "tooLate",
  user_canceled: "closed",
  order_expired: "closed",
  partner_declined: "closed",
  partner_unreachable: "closed",
  cashier_rejected: "closed",
  settle_declined: "closed",
  restored: "closed",
};
const canceled = (reason: Transaction["reason"], own: SandboxTexts): StatusMessage =>
  own[canceledTexts[reason as Reason] ?? "closed"];
