/** The code for the cashier: both symbols and the characters on the page, one symbol at a time over the whole screen. */
import { html } from "hono/html";
import { groupId } from "../../contract/ids.ts";
import type { Texts } from "../texts/texts.ts";
import { code128Image, qrImage } from "../theme/barcodes.ts";
import type { Markup } from "../theme/document.ts";
import { icons } from "../theme/icons.ts";

/** The barcode and the QR code that the cashier scans, and the id in letters. */
export const codesCard = (
  id: string,
  texts: Texts,
): Markup => html`<section class="codes" aria-label="${texts.codeLabel}">
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
