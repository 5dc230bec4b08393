/** A page with a message and nothing to fill in: a used link, a finished session, an outage. */
import { html } from "hono/html";
import type { StatusMessage } from "../texts/texts.ts";
import type { Markup } from "../theme/document.ts";
import { icons } from "../theme/icons.ts";

/** A button below a message. */
export interface MessageAction {
  readonly href: string;
  readonly text: string;
}

/** A page that says one thing. */
export const messagePage = (message: StatusMessage, action: MessageAction | null): Markup => html`<main>
<section class="card notice bad">
<span class="sign">${icons.cross}</span>
<h1 tabindex="-1">${message.title}</h1>
<p>${message.detail}</p>
</section>
${action === null ? "" : html`<div class="actions"><a class="button second" href="${action.href}">${action.text}</a></div>`}
</main>`;
