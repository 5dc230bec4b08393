/** The frame around every phone page. Everything but our own text is escaped by `html`. */
import { html, raw } from "hono/html";
import { amountFormat, formatAmount, minorDigits } from "../../contract/money.ts";
import { scaLastSeconds, scaShownMarginMs } from "../../contract/sca.ts";
import type { StatusMessage, Texts } from "../texts/en.ts";
import { type Language, languageNames } from "../texts/languages.ts";

/** Escaped markup; hono's `html` may return it synchronously or not. */
export type Markup = ReturnType<typeof html>;

/** Content shared by all pages. */
export interface Frame {
  readonly texts: Texts;
  /** The path of PUBLIC_URL without a trailing slash, for proxies that strip a prefix. */
  readonly basePath: string;
  /** This page in each of the other languages. */
  readonly otherLanguages: readonly { readonly code: Language; readonly href: string }[];
  readonly assets: { readonly style: string; readonly script: string };
  /** Null outside the sandbox. */
  readonly sandboxHref: string | null;
}

/** What a bank's brand adds to a page; null: the page's own. */
interface BrandTheme {
  /** Path below the pages' path. */
  readonly style: string | null;
  readonly logo: string | null;
}

/** A page's title and body. */
export interface Content {
  readonly title: string;
  /** The bank's brand, shown above the page's own name. */
  readonly brand: string;
  readonly theme?: BrandTheme | null;
  readonly main: Markup;
  /** Seconds after which a browser without scripts reloads; null when nothing changes by itself. */
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

const drawing = (inside: string) =>
  raw(`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">${inside}</svg>`);

/** Icons as inline SVG. */
export const icons = {
  tick: drawing('<path d="M5 12.5l4.5 4.5L19 7.5"/>'),
  cross: drawing('<path d="M6 6l12 12M18 6L6 18"/>'),
  clock: drawing('<circle cx="12" cy="12" r="8.5"/><path d="M12 7v5l3 2"/>'),
  phone: drawing('<rect x="7" y="2.5" width="10" height="19" rx="2.5"/><path d="M11 18.5h2"/>'),
  back: drawing('<path d="M10 12H3.5M7 8l-4 4 4 4"/><path d="M10 5h10v14H10"/>'),
  erase: drawing('<path d="M8.5 5H21v14H8.5L3 12z"/><path d="M12 9.5l5 5M17 9.5l-5 5"/>'),
  store: drawing('<path d="M4 10v10h16V10M3 10l2-6h14l2 6zM10 20v-6h4v6"/>'),
  sun: drawing(
    '<circle cx="12" cy="12" r="4"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/>',
  ),
  grow: drawing('<path d="M9 4H4v5M15 4h5v5M9 20H4v-5M15 20h5v-5"/>'),
  cash: drawing('<rect x="2.5" y="6" width="19" height="12" rx="2"/><circle cx="12" cy="12" r="3"/>'),
} as const;

/** 124000, EUR, en → `€1,240.00`; the decimal text is passed to Intl as it is, never as a float. */
export const moneyText = (minor: number, currency: string, language: Language): string => {
  const amount = formatAmount(minor, currency);
  return amountFormat(amount, currency, language).format(amount as Intl.StringNumericLiteral);
};

/** As `moneyText`, without zero decimals: `€50`, but `€50.08`. For keys and limits. */
export const shortMoneyText = (minor: number, currency: string, language: Language): string => {
  const whole = minor % 10 ** minorDigits(currency) === 0;
  if (!whole) return moneyText(minor, currency, language);
  return new Intl.NumberFormat(language, { style: "currency", currency, maximumFractionDigits: 0 }).format(
    String(minor / 10 ** minorDigits(currency)) as Intl.StringNumericLiteral,
  );
};

/** The language's decimal separator, for the keypad. */
export const decimalSign = (language: Language): string =>
  new Intl.NumberFormat(language).formatToParts(1.5).find(({ type }) => type === "decimal")?.value ?? ".";

/** A page with a single message, and a link below it. */
export const messagePage = (
  message: StatusMessage,
  link: { readonly href: string; readonly text: string } | null = null,
): Markup => html`<main>
<section class="card notice bad">
<span class="sign">${icons.cross}</span>
<h1 tabindex="-1">${message.title}</h1>
<p>${message.detail}</p>
</section>
${link === null ? "" : html`<div class="actions"><a class="button second" href="${link.href}">${link.text}</a></div>`}
</main>`;

const soonMs = scaLastSeconds * 1000;
const whole = (ms: number): number => Math.max(0, Math.round(ms));

const minutes = (ms: number): string => {
  const seconds = Math.ceil(whole(ms) / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
};

/** A countdown that the script continues. @param leftMs milliseconds left now. */
export const timeLeft = (label: string, leftMs: number): Markup =>
  html`<p class="left" role="timer" data-left-ms="${whole(leftMs)}" data-soon-ms="${soonMs}"><span>${label}</span> <b>${minutes(leftMs)}</b></p>`;

const timeRing = (label: string, leftMs: number, wholeMs: number): Markup =>
  html`<div class="ring" role="timer" aria-label="${label}" data-style="seconds" data-left-ms="${whole(leftMs)}" data-soon-ms="${soonMs}" data-whole-ms="${Math.max(1, whole(wholeMs))}">
<svg viewBox="0 0 100 100" aria-hidden="true"><circle class="track" cx="50" cy="50" r="45"/><circle class="run" cx="50" cy="50" r="45" pathLength="100"/></svg>
<b>${Math.ceil(whole(leftMs) / 1000)}</b></div>`;

/** The time left for the approval, ending at the same instant as on the terminal. Epoch milliseconds. */
export const approvalRing = (label: string, confirmedAtMs: number, scaExpiresAtMs: number, nowMs: number): Markup => {
  const endsAtMs = scaExpiresAtMs - scaShownMarginMs;
  return timeRing(label, endsAtMs - nowMs, endsAtMs - confirmedAtMs);
};
