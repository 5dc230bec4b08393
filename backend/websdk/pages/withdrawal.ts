/** The page of a running or ended withdrawal. Each status has one thing to look at and at most one thing to do. */
import type { DrawingContext, RenderOptions } from "bwip-js/generic";
import { html, raw } from "hono/html";
import { groupId } from "../../contract/ids.ts";
import type { Reason } from "../../contract/reasons.ts";
import { toTime } from "../../contract/times.ts";
import { isFinal, type Status } from "../../contract/transaction.ts";
import type { ShownRow } from "../../withdrawals/store.ts";
import type { StatusMessage, Texts } from "../texts/en.ts";
import { approvalRing, icons, type Markup, moneyText, timeLeft } from "./document.ts";

/** Barcode, QR code and the id as text, for the cashier. */
const codesCard = (id: string, texts: Texts): Markup => html`<section class="codes" aria-label="${texts.codeLabel}">
<div class="linear">${code128Image(id, texts.barcodeAlt)}</div>
<p class="code-text" data-code="${id}">${groupId(id)}</p>
<div class="matrix">${qrImage(id, texts.qrAlt)}</div>
<button class="enlarge" type="button" data-open="big" data-script hidden>${icons.grow}${texts.enlarge}</button>
</section>
<dialog class="big" id="big" aria-label="${texts.codeLabel}"><div class="big-inside">
<div class="big-codes"><div data-kind="qr">${qrImage(id, texts.qrAlt)}</div><div class="turned" data-kind="barcode" hidden>${code128Image(id, texts.barcodeAlt)}</div></div>
<div class="big-bar">
<button type="button" data-show="qr" aria-pressed="true">QR</button>
<button type="button" data-show="barcode" aria-pressed="false">Code 128</button>
<button type="button" data-close autofocus>${texts.close}</button>
</div></div></dialog>`;

/** A button to share or save the receipt; the phone fills `{time}` in, as it knows its time zone. */
const receiptOf = ({ texts, row, shopName }: WithdrawalView, amount: string): Markup | string => {
  const { id, status, linked_at } = row;
  if (status !== "linked" || linked_at === null) return "";
  const { title } = texts.linked(amount);
  const words = [title, texts.atStore(shopName), "{time}", `${texts.code} ${groupId(id)}`];
  return html`<button class="button second" type="button" data-script hidden data-receipt="${words.join("\n")}" data-title="${title}" data-at="${toTime(linked_at)}" data-file="receipt-${id}.txt">${texts.saveReceipt}</button>`;
};

type Times = "expires_at" | "sca_expires_at" | "confirmed_at" | "linked_at";
interface WithdrawalView {
  readonly texts: Texts;
  readonly row: Pick<ShownRow, "id" | "status" | "reason" | "amount" | "currency" | Times>;
  /** Whether it ended as not paid, and the bank may have paid all the same. */
  readonly isInDoubt: boolean;
  readonly shopName: string;
  readonly nowMs: number;
  readonly brand: string;
  /** Answers when the status is no longer `seen`. */
  readonly liveHref: string;
  readonly cancelAction: string;
  readonly againHref: string | null;
  readonly backHref: string | null;
  /** The bank's SCA page; null when only the bank app itself can be used. */
  readonly scaHref: string | null;
}

/** A withdrawal's page: its codes, later its outcome. */
export const withdrawalPage = (view: WithdrawalView): Markup => {
  const { texts, row } = view;
  const { status } = row;
  const amount = moneyText(row.amount, row.currency, texts.language);
  const message = messageOf(view, amount);
  const follow = isFinal(status) ? "" : html` data-live="${view.liveHref}"`;
  const awake = status === "ready" || status === "awaiting_sca" || status === "settling" ? html` data-awake` : "";
  const urgent = status === "awaiting_sca" ? html` data-urgent` : "";
  return html`<main data-status="${status}" data-say="${message.title}. ${message.detail}"${follow}${awake}${urgent}>
${status === "ready" ? ready(view, amount) : statusCard(view, amount)}
<div class="actions">${receiptOf(view, amount)}${actions(view)}</div>
</main>`;
};

const sum = (view: WithdrawalView, amount: string): Markup =>
  html`<div class="sum"><p class="amount">${amount}</p><p class="store">${view.texts.atStore(view.shopName)}</p></div>`;

const ready = (view: WithdrawalView, amount: string): Markup => html`${sum(view, amount)}
<div class="lead"><h1 tabindex="-1">${view.texts.ready.title}</h1></div>
${codesCard(view.row.id, view.texts)}
${timeLeft(view.texts.validFor, view.row.expires_at - view.nowMs)}
<p class="advice">${icons.sun}<span>${view.texts.brightness}</span></p>`;

const statusCard = (view: WithdrawalView, amount: string): Markup => {
  const { texts, row } = view;
  const { status } = row;
  const message = messageOf(view, amount);
  const pulse = status === "awaiting_sca" ? " pulse" : "";
  return html`<section class="card outcome ${tones[status]}${pulse}">
<span class="sign">${signOf(status)}</span>
<h1 tabindex="-1">${message.title}</h1>
<p>${message.detail}</p>
${status === "awaiting_sca" ? scaClock(view) : ""}
<p class="amount">${amount}</p>
<p class="store">${texts.atStore(view.shopName)}</p>
<p>${texts.code} ${groupId(row.id)}</p>
</section>`;
};

const scaClock = ({ texts, row, nowMs }: WithdrawalView): Markup | string =>
  row.sca_expires_at === null ? "" : approvalRing(texts.timeLeft, row.confirmed_at ?? nowMs, row.sca_expires_at, nowMs);

/** What is disputed says nothing of the money; what a restore has ended is worded so. */
const messageOf = ({ row, isInDoubt, texts }: WithdrawalView, amount: string): StatusMessage =>
  isInDoubt ? texts.restored : statusMessageOf(row.status, row.reason, amount, texts);

const signOf = (status: Status) => {
  if (status === "requested" || status === "settling") return html`<span class="spinner"></span>`;
  if (status === "awaiting_sca") return icons.phone;
  if (status === "settled") return icons.cash;
  if (status === "linked") return icons.tick;
  return status === "expired" ? icons.clock : icons.cross;
};

const actions = (view: WithdrawalView): Markup | string => {
  const { texts, row } = view;
  const { status } = row;
  const back = (kind: string) => html`<a class="button ${kind}" href="${view.backHref}">${texts.back(view.brand)}</a>`;
  if (status === "ready") return cancelForm(view);
  if (status === "awaiting_sca") {
    return view.scaHref === null ? "" : html`<a class="button" href="${view.scaHref}">${texts.approve}</a>`;
  }
  if (!isFinal(status)) return "";
  if (view.againHref === null) return back("");
  return html`<a class="button" href="${view.againHref}">${texts.again}</a>${back("second")}`;
};

/** Without scripts the button cancels at once; with them a question comes first. */
const cancelForm = ({ texts, cancelAction, row }: WithdrawalView): Markup => html`
<form method="post" action="${cancelAction}" id="cancel"><input type="hidden" name="transaction_id" value="${row.id}">
<button class="button bare" type="submit" data-open="cancel-question">${texts.cancel}</button></form>
<dialog class="confirm" id="cancel-question" aria-labelledby="cancel-text"><p id="cancel-text">${texts.cancelQuestion}</p>
<div class="actions"><button class="button" type="button" data-close autofocus>${texts.keep}</button>
<button class="button danger" type="submit" form="cancel">${texts.cancel}</button></div></dialog>`;

const tones: Readonly<Record<Status, "good" | "bad" | "wait">> = {
  requested: "wait",
  ready: "wait",
  awaiting_sca: "wait",
  settling: "wait",
  settled: "good",
  linked: "good",
  undelivered: "bad",
  declined: "bad",
  rejected: "bad",
  canceled: "bad",
  expired: "bad",
  failed: "bad",
};

/** Reasons of `canceled` with their own texts. */
const canceledTexts = {
  sca_timeout: "scaTimeout",
  sca_denied: "scaDenied",
  user_canceled: "userCanceled",
  restored: "restored",
} as const satisfies Partial<Record<Reason, keyof Texts>>;

/** The customer's text for a status. */
export const statusMessageOf = (status: Status, reason: Reason | null, amount: string, texts: Texts): StatusMessage => {
  const messages: Readonly<Record<Status, StatusMessage>> = {
    requested: texts.requested,
    ready: texts.ready,
    awaiting_sca: texts.awaitingSca,
    settling: texts.settling,
    settled: texts.settled(amount),
    linked: texts.linked(amount),
    undelivered: texts.undelivered(amount),
    declined: reason === "partner_unreachable" ? texts.unreachable : texts.declined,
    rejected: reason === "sca_timeout" ? texts.scaTimeout : texts.rejected,
    canceled: texts[canceledTexts[reason as keyof typeof canceledTexts] ?? "canceled"],
    expired: texts.expired,
    failed: texts.failed,
  };
  return messages[status];
};

type Draw = (options: RenderOptions, drawing: DrawingContext<string>) => string;
/** bwip-js's types lack the error correction level. */
type DrawQr = (options: RenderOptions & { readonly eclevel: "Q" }, drawing: DrawingContext<string>) => string;

/** Loaded for the first code; a service without customer pages does not need it. */
const loadDrawing = () => import("bwip-js/generic");

/** Quiet zones: 10 modules for Code 128 (ISO/IEC 15417), 4 for QR codes (ISO/IEC 18004). */
const code128QuietModules = 10;
const qrQuietModules = 4;
/** Size of a module at bwip-js's default scale. */
const code128UnitsPerModule = 2;
const qrUnitsPerModule = 4;
const code128HeightMm = 14;

/** Adds the number of modules, with which the script makes each a whole number of device pixels. */
const asImage = (svg: string, label: string, unitsPerModule: number) => {
  const widthUnits = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1] ?? 0);
  const attributes = `class="code" role="img" aria-label="${label}" shape-rendering="crispEdges" data-modules="${widthUnits / unitsPerModule}"`;
  return raw(svg.replace("<svg ", `<svg ${attributes} `));
};

const blackOnWhite = { barcolor: "000000", backgroundcolor: "FFFFFF" } as const;

/** `label` is one of our own texts, never input. */
const code128Image = async (text: string, label: string) => {
  const { code128, drawingSVG } = await loadDrawing();
  const draw: Draw = code128;
  const quiet = { paddingwidth: code128QuietModules, paddingheight: 2 };
  const options = { bcid: "code128", text, height: code128HeightMm, ...quiet, ...blackOnWhite };
  return asImage(draw(options, drawingSVG()), label, code128UnitsPerModule);
};

/** `label` is one of our own texts, never input. */
const qrImage = async (text: string, label: string) => {
  const { qrcode, drawingSVG } = await loadDrawing();
  const draw: DrawQr = qrcode;
  const options = { bcid: "qrcode", text, eclevel: "Q", padding: qrQuietModules * 2, ...blackOnWhite } as const;
  return asImage(draw(options, drawingSVG()), label, qrUnitsPerModule);
};
