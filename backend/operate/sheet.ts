/** A sheet to print for new terminals: a page per shop with a one-time code for each terminal, as text and as a QR code. */
import { html, raw } from "hono/html";
import { qrPath } from "../contract/qr-code.ts";

/** One terminal on the sheet. */
export interface SheetLine {
  readonly shop: string;
  readonly shopName: string;
  readonly terminal: string;
  /** The code as it is typed. */
  readonly code: string;
  readonly link: string;
}

/** Texts by language, with the words of the setup screens (`renderer/texts`). */
const texts = {
  en: {
    terminal: "Terminal",
    until: "Good once, until",
    steps: [
      "Start Tillcash on the terminal and choose “Scan QR code”.",
      "Hold this one in front of the camera, or type address and code, then “Connect”.",
    ],
    keep: "Whoever has this code can connect a terminal in this shop’s name: destroy the sheet afterwards.",
  },
  de: {
    terminal: "Terminal",
    until: "Gilt einmal, bis",
    steps: [
      "Tillcash am Terminal starten und „QR-Code scannen“ wählen.",
      "Diesen vor die Kamera halten, oder Adresse und Code eintippen, dann „Verbinden“.",
    ],
    keep: "Wer diesen Code hat, kann im Namen dieser Filiale ein Terminal verbinden: Blatt danach vernichten.",
  },
  fr: {
    terminal: "Terminal",
    until: "Valable une fois, jusqu’au",
    steps: [
      "Démarrez Tillcash sur le terminal et choisissez « Scanner le QR code ».",
      "Présentez celui-ci à la caméra, ou tapez l’adresse et le code, puis « Connecter ».",
    ],
    keep: "Qui a ce code peut connecter un terminal au nom de ce magasin : détruisez ensuite la feuille.",
  },
  it: {
    terminal: "Terminale",
    until: "Vale una volta, fino al",
    steps: [
      "Avvii Tillcash sul terminale e scelga «Leggi il QR code».",
      "Mostri questo alla fotocamera, o digiti indirizzo e codice, poi «Collegare».",
    ],
    keep: "Chi ha questo codice può collegare un terminale a nome di questo negozio: poi distrugga il foglio.",
  },
};

type SheetLanguage = keyof typeof texts;
/** All languages; the first is the default. */
export const sheetLanguages = Object.keys(texts) as [SheetLanguage, ...SheetLanguage[]];

const style = `body{font:12pt/1.4 system-ui,sans-serif;margin:0 auto;max-width:180mm;color:#000;background:#fff}
section{break-after:page;padding:8mm 0}section:last-child{break-after:auto}
h1{font-size:18pt;margin:0}h2{font-size:14pt;margin:0}p,ol{margin:2mm 0}ol{padding-left:6mm}
article{display:flex;gap:8mm;align-items:center;break-inside:avoid;border-top:1px solid #888;padding:6mm 0}
svg{flex:none;width:52mm;height:52mm}.code{font:700 20pt/1.2 ui-monospace,monospace;letter-spacing:.05em}.url{overflow-wrap:anywhere}
@media print{@page{margin:12mm}}`;

/** The sheet as one self-contained HTML file. @param expiresAt epoch milliseconds. */
export const sheetHtml = (
  lines: readonly SheetLine[],
  {
    serviceUrl,
    expiresAt,
    language,
  }: { readonly serviceUrl: string; readonly expiresAt: number; readonly language: SheetLanguage },
): string => {
  const { terminal, until, steps, keep } = texts[language];
  // Plain "en" means month first and 12 hours; day first and 24 hours is unambiguous.
  const format = new Intl.DateTimeFormat(language === "en" ? "en-GB" : language, {
    dateStyle: "long",
    timeStyle: "short",
    timeZone: "UTC",
  });
  const untilWhen = `${until} ${format.format(expiresAt)} UTC`;
  const article = (line: SheetLine) => {
    const { path, size } = qrPath(line.link);
    return html`<article><svg viewBox="0 0 ${size} ${size}" role="img" aria-label="QR" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>
<div><h2>${terminal} ${line.terminal}</h2><p class="code">${line.code}</p><p class="url">${serviceUrl}</p><p>${untilWhen}</p></div></article>`;
  };
  const sections = [...Map.groupBy(lines, ({ shop }) => shop)].map(
    ([
      shop,
      ofShop,
    ]) => html`<section><h1>${ofShop[0]?.shopName ?? shop}</h1><p>${shop}</p><ol>${steps.map((step) => html`<li>${step}</li>`)}</ol><p>${keep}</p>
${ofShop.map(article)}</section>`,
  );
  return `<!doctype html>\n${html`<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tillcash</title><style>${raw(style)}</style></head><body>
${sections}</body></html>`}\n`;
};
