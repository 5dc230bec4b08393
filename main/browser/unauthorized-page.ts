/** What a person sees who opens the terminal with an address that is spent, or without one. */
import { createHash } from "node:crypto";
import type { Context } from "hono";
import { type Language, languages } from "../../preload/languages.ts";

const style = `:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-content:center;padding:32px;box-sizing:border-box;
font:20px/1.45 system-ui,sans-serif;background:#f4f5f7;color:#16202a}
main{max-width:34em;padding:36px 40px;border:2px solid #c3cad2;border-radius:16px;background:#fff}
h1{margin:0 0 12px;font-size:30px;line-height:1.2}p{margin:0 0 12px}p:last-child{margin:0}
code{padding:2px 8px;border-radius:6px;background:#e6e9ed;font-size:18px}
@media(prefers-color-scheme:dark){body{background:#10161c;color:#eef2f5}main{background:#1a222a;border-color:#47535f}code{background:#2b3641}}`;

const styleHash = createHash("sha256").update(style).digest("base64");

const command = "<code>npm start</code>";
/** In each language: nothing says which one this person reads. Leaving one out is a type error. */
const texts: Readonly<Record<Language, string>> = {
  en: `Each address works once. Run ${command} again: it prints a new one and opens it. A terminal that runs goes on running.`,
  de: `Jede Adresse gilt einmal. Führen Sie noch einmal ${command} aus: Es nennt und öffnet eine neue. Ein laufendes Terminal läuft weiter.`,
  fr: `Chaque adresse ne sert qu’une fois. Relancez ${command} : une nouvelle s’affiche et s’ouvre. Un terminal en marche continue.`,
  it: `Ogni indirizzo vale una volta. Eseguite di nuovo ${command}: ne mostra e ne apre uno nuovo. Un terminale in funzione continua.`,
};
const paragraphs = languages.map((language) => `<p lang="${language}">${texts[language]}</p>`).join("\n");

const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tillcash</title><style>${style}</style></head><body><main><h1>This address no longer opens the terminal</h1>
${paragraphs}
</main></body></html>`;

/** 401: a page for people, one line for programs. */
export const unauthorizedPage = (context: Context): Response => {
  context.header("cache-control", "no-store");
  if (!(context.req.header("accept") ?? "").includes("text/html"))
    return context.text("This address no longer opens the terminal. Run npm start again for a new one.\n", 401);
  context.header(
    "content-security-policy",
    `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`,
  );
  context.header("x-content-type-options", "nosniff");
  return context.html(page, 401);
};
