import type { practice as english } from "../en/practice.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: the practice withdrawal and the customer’s phone beside it. */
export const practice: Texts<typeof english> = {
  practice: {
    title: "Provi un prelievo",
    next: "Faccia una volta cassiere e cliente prima del primo cliente.",
    start: "Prova senza denaro",
    finish: "Fine configurazione",
  },
  phone: {
    title: "Telefono del cliente",
    close: "Chiudi il telefono",
    open: "Faccia il cliente",
    openHint: "Il telefono del cliente sta accanto al terminale.",
    tourStart: "Inizia il giro",
    tourHint: "Sei passi, senza denaro vero.",
    step: "{{number}} di {{total}}",
    tour: {
      step0: "Questo è finito senza denaro. Ne chieda un altro.",
      step1: "Sul telefono: scelga l’importo.",
      step2: "Sul telefono: mostri il codice al terminale.",
      step3: "Al terminale: confronti l’importo e confermi.",
      step4: "Sul telefono: approvi.",
      step5: "Al terminale: apra il cassetto, conti, consegni.",
      step6:
        "Fatto: il cliente ha il denaro e i conti tornano. Per tornare al denaro vero: Responsabile, Impostazioni.",
    },
    ask: "Quanti contanti?",
    show: "Mostra il codice",
    approve: "Approva",
    deny: "Rifiuta",
    paying: "Approvato. La banca paga.",
    paid: "Pagato. Attenda il suo denaro.",
    again: "Nuovo prelievo",
    real: {
      start: "Usare un telefono vero",
      title: "Lo scansioni con il telefono",
      next: "Il telefono deve essere nella rete di questo computer. Se non si apre nulla, forse lo blocca il firewall.",
      until: "Aperto fino alle {{time}}",
      other: "Altra rete: {{card}}, {{address}}",
      end: "Non accettare più telefoni",
    },
  },
};
