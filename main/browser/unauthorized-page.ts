/** What a person sees who opens the terminal with an address that is spent, or without one. */
import type { Context } from "hono";
import { textPage, textPageHeaders } from "../host/text-page.ts";

const command = "<code>npm start</code>";
const page = textPage("This address no longer opens the terminal", {
  en: `Each address works once. Run ${command} again: it prints a new one and opens it. A terminal that runs goes on running.`,
  de: `Jede Adresse gilt einmal. Führen Sie noch einmal ${command} aus: Es nennt und öffnet eine neue. Ein laufendes Terminal läuft weiter.`,
  fr: `Chaque adresse ne sert qu’une fois. Relancez ${command} : une nouvelle s’affiche et s’ouvre. Un terminal en marche continue.`,
  it: `Ogni indirizzo vale una volta. Eseguite di nuovo ${command}: ne mostra e ne apre uno nuovo. Un terminale in funzione continua.`,
});

/** 401: a page for people, one line for programs. */
export const unauthorizedPage = (context: Context): Response => {
  if ((context.req.header("accept") ?? "").includes("text/html")) return context.body(page, 401, textPageHeaders);
  context.header("cache-control", "no-store");
  return context.text("This address no longer opens the terminal. Run npm start again for a new one.\n", 401);
};
