import type { printing as english } from "../en/printing.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: receipts and the printer. */
export const printing: Texts<typeof english> = {
  printing: {
    why: {
      unreachable: "la stampante non risponde",
      busy: "nel frattempo il cassetto è stato aperto",
      no_paper: "la stampante è senza carta",
      cover_open: "il coperchio della stampante è aperto",
      fault: "la stampante segnala un errore",
      offline: "la stampante non è pronta",
    },
    notPrinted: "Ricevuta non stampata: {{why}}.",
    unclear: "Non è certo che la ricevuta sia stata stampata: {{why}}.",
    retried: "Il terminale riprova.",
    retry: "Stampa di nuovo",
    drop: "Lascia stare",
    waiting_one: "{{count}} ricevuta in attesa",
    waiting_other: "{{count}} ricevute in attesa",
    paperLow: "La carta delle ricevute sta finendo",
    customer: "Stampa ricevuta",
    shop: "Copia del negozio",
  },
};
