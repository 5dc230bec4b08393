/** The receipt of a withdrawal whose cash was handed over, for the customer to keep. */
import { html } from "hono/html";
import { groupId } from "../../contract/ids.ts";
import type { Texts } from "../texts/texts.ts";
import type { Markup } from "../theme/document.ts";

/** What the receipt says. */
export interface PhoneReceipt {
  readonly texts: Texts;
  readonly id: string;
  readonly amount: string;
  readonly shopName: string;
  /** When the terminal said that the cash was handed over. */
  readonly linkedAtMs: number;
}

/** A button that shares or saves it; `{time}` is filled in by the phone, which knows where its clock hangs. */
export const receiptButton = ({ texts, id, amount, shopName, linkedAtMs }: PhoneReceipt): Markup => {
  const { title } = texts.linked(amount);
  const words = [title, texts.atStore(shopName), "{time}", `${texts.code} ${groupId(id)}`];
  return html`<button class="button second" type="button" data-script hidden data-receipt="${words.join("\n")}" data-title="${title}" data-at="${new Date(linkedAtMs).toISOString()}" data-file="receipt-${id}.txt">${texts.saveReceipt}</button>`;
};
