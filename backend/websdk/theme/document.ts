/** The frame around every phone page. Everything that is not our own text goes through `html` and is escaped there. */
import { html } from "hono/html";
import { type Language, languageNames } from "../texts/languages.ts";
import type { Texts } from "../texts/texts.ts";

/** Escaped markup; `html` of hono may hand it out at once or later. */
export type Markup = ReturnType<typeof html>;

/** What all pages of one answer share. */
export interface Frame {
  readonly texts: Texts;
  /** The path of PUBLIC_URL, without a slash at its end: pages also work behind a proxy that cuts a prefix off. */
  readonly basePath: string;
  /** This page in each of the other languages. */
  readonly otherLanguages: readonly { readonly code: Language; readonly href: string }[];
  readonly assets: { readonly style: string; readonly script: string };
  /** Null outside the sandbox. */
  readonly sandboxHref: string | null;
}

/** What a bank's brand adds to a page; null: the page's own. */
export interface BrandTheme {
  /** Below the pages' path. */
  readonly style: string | null;
  readonly logo: string | null;
}

/** A page's title and body. */
export interface Content {
  readonly title: string;
  /** The bank's brand, above the page's own name. */
  readonly brand: string;
  readonly theme?: BrandTheme | null;
  readonly main: Markup;
  /** Small print at the end. */
  readonly foot?: string;
  /** Seconds until a browser without scripts loads the page again; null when nothing changes by itself. */
  readonly refreshSeconds?: number | null;
}

/** A whole HTML document. */
export const page = (frame: Frame, content: Content): Markup => {
  const { texts } = frame;
  const refresh = content.refreshSeconds ?? null;
  return html`<!doctype html>
<html lang="${texts.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="theme-color" content="#eef2f1" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0c1412" media="(prefers-color-scheme: dark)">
<meta name="robots" content="noindex">
<title>${content.title} · ${content.brand}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${frame.basePath}${frame.assets.style}">
${content.theme?.style ? html`<link rel="stylesheet" href="${frame.basePath}${content.theme.style}">` : ""}
<script defer src="${frame.basePath}${frame.assets.script}"></script>
${refresh === null ? "" : html`<noscript><meta http-equiv="refresh" content="${refresh}"></noscript>`}
</head>
<body>
${sandboxStrip(frame)}
<header class="top">
${mark(frame, content)}
<div class="brand"><b>${content.brand}</b><span>${texts.appName}</span></div>
<nav class="languages" aria-label="${texts.languagesLabel}">${frame.otherLanguages.map(
    ({ code, href }) =>
      html`<a class="language" href="${href}" lang="${code}" hreflang="${code}"><span aria-hidden="true">${code.toUpperCase()}</span><span class="visually-hidden">${languageNames[code]}</span></a>`,
  )}</nav>
</header>
${content.main}
${content.foot === undefined ? "" : html`<footer class="foot">${content.foot}</footer>`}
<p class="visually-hidden" role="status" id="announcement"></p>
<p class="offline" role="status" id="offline" data-text="${texts.offline}" hidden></p>
</body>
</html>`;
};

/** The bank's logo, or the first letter of its name. */
const mark = ({ basePath }: Frame, { brand, theme }: Content): Markup =>
  theme?.logo
    ? html`<img class="logo" src="${basePath}${theme.logo}" alt="">`
    : html`<span class="mark" aria-hidden="true">${[...brand][0] ?? "·"}</span>`;

const sandboxStrip = ({ texts, sandboxHref }: Frame): Markup | string =>
  sandboxHref === null
    ? ""
    : html`<aside class="strip"><span>${texts.sandboxStrip}</span><a href="${sandboxHref}">${texts.sandboxHome}</a></aside>`;
