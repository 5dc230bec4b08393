/** What the parts of the reference are written with. Everything that is not our own text goes through `html` and is escaped there. */
import { html, raw } from "hono/html";
import { marked } from "marked";

/** HTML that is safe to insert as it is. */
export type Markup = ReturnType<typeof html>;

/** A text of ours; never input. */
export const paragraphs = (text: string): Markup => raw(marked.parse(text, { async: false }));
/** Markdown of our own without block elements, as HTML. */
export const line = (text: string): Markup => raw(marked.parseInline(text, { async: false }));

/** A block of code; the text is escaped. */
export const code = (text: string): Markup => html`<pre><code>${text}</code></pre>`;
/** A value as indented JSON in a block of code. */
export const json = (value: unknown): Markup => code(JSON.stringify(value, null, 2));

/** An entry of the page: found by the search, linked from the contents. */
export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
  /** Beside the title in the contents, as `POST`. */
  readonly badge?: string;
}

/** A part of the reference with an entry of its own in the contents; `id` is the anchor. */
export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly intro?: Markup;
  readonly entries: readonly Entry[];
}
