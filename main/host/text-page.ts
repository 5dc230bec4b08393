/** A page of a few sentences in every language, for who opens an address that shows nothing else: nothing says which one this person reads. */
import { createHash } from "node:crypto";
import { type Language, languages } from "../../preload/languages.ts";

const style = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-content:center;padding:32px;box-sizing:border-box;
font:20px/1.45 system-ui,sans-serif;background:#f4f5f7;color:#16202a}
main{max-width:34em;padding:36px 40px;border:2px solid #c3cad2;border-radius:16px;background:#fff}
h1{margin:0 0 12px;font-size:30px;line-height:1.2}p{margin:0 0 12px}p:last-child{margin:0}
code{padding:2px 8px;border-radius:6px;background:#e6e9ed;font-size:18px}
@media(prefers-color-scheme:dark){body{background:#10161c;color:#eef2f5}main{background:#1a222a;border-color:#47535f}code{background:#2b3641}}`;

const styleHash = createHash("sha256").update(style).digest("base64");

/** The headers of such a page: it loads and asks for nothing. */
export const textPageHeaders = {
  "cache-control": "no-store",
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
  "content-type": "text/html; charset=utf-8",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** @param title in English. @param texts markup of our own; leaving a language out is a type error. */
export const textPage = (title: string, texts: Readonly<Record<Language, string>>): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tillcash</title><style>${style}</style></head><body><main><h1>${title}</h1>
${languages.map((language) => `<p lang="${language}">${texts[language]}</p>`).join("\n")}
</main></body></html>`;
