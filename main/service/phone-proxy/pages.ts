/** What a phone is shown that was not let in, or for which nobody answers. */
import { textPage, textPageHeaders } from "../../host/text-page.ts";

const unauthorized = textPage("This phone is not let in yet", {
  en: "Scan the code that the terminal shows beside the customer’s phone, or type the address under it.",
  de: "Scannen Sie den Code, den das Terminal beim Handy des Kunden zeigt, oder tippen Sie die Adresse darunter.",
  fr: "Scannez le code que le terminal affiche près du téléphone du client, ou tapez l’adresse au-dessous.",
  it: "Scansionate il codice che il terminale mostra accanto al telefono del cliente, o digitate l’indirizzo sotto.",
});
const noService = textPage("Nobody answers", {
  en: "The terminal’s training service does not answer now. Load this page again in a moment.",
  de: "Der Übungsdienst des Terminals antwortet gerade nicht. Laden Sie diese Seite gleich noch einmal.",
  fr: "Le service d’entraînement du terminal ne répond pas. Rechargez cette page dans un instant.",
  it: "Il servizio di prova del terminale ora non risponde. Ricaricate la pagina fra un momento.",
});

/** 403: without the code nothing is said about what is here. */
export const unauthorizedPhonePage = (): Response =>
  new Response(unauthorized, { status: 403, headers: textPageHeaders });
/** 503: the training service does not run, or was silent. */
export const noServicePage = (): Response => new Response(noService, { status: 503, headers: textPageHeaders });
/** One line for what no page of ours asks for. */
export const refusal = (status: 400 | 403 | 404 | 405 | 413 | 421): Response =>
  new Response("Refused.\n", {
    status,
    headers: { "cache-control": "no-store", "content-type": "text/plain", "x-content-type-options": "nosniff" },
  });
