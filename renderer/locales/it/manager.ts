import type { manager as english } from "../en/manager.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: the manager’s area. */
export const manager: Texts<typeof english> = {
  manager: {
    title: "Responsabile",
    close: "Chiudere",
    history: "Cronologia",
    settings: "Impostazioni",
    journal: "Giornale",
    scanner: "Prova del lettore",
    scanning: "Chiudere questa pagina prima di scansionare.",
    loading: "Un momento",
    failed: "Non si è potuto caricare.",
    again: "Riprovare",
  },
  discrepancies: {
    link_refused: "il servizio ha rifiutato l’avviso della consegna",
    undelivered_refused: "il servizio ha rifiutato l’avviso che nulla è stato consegnato",
    not_found: "il servizio non lo conosce più",
    confirm_conflict: "il servizio aveva un’altra conferma",
    confirm_unclear: "non si sa se la conferma è arrivata",
    status_unclear: "la risposta del servizio non si capisce",
    not_settled_any_more: "era pagato, e ora il servizio dice altro",
    amount_changed: "l’importo è cambiato",
    linked_by_another: "è già stato consegnato, da un altro terminale o programma",
    by_another: "ci ha lavorato un altro terminale",
    unclear: "non si sa se è stato pagato",
    left_to_books: "lasciato alla contabilità",
    forgotten: "il servizio è tornato a una copia e non accetta di nuovo l’avviso",
    in_other_journal: "non concluso in un altro giornale",
    unreadable_entry: "una voce che lo riguarda non si legge",
  },
  problems: {
    tab: "Problemi",
    none: "Nessun problema su questo terminale.",
    open: "Aperto: dire che ne è stato solo se non si può più chiedere al servizio.",
    otherShop: "giornale di {{shop}}",
    note: "Nota per il giornale",
    acknowledge: "Chiarito",
    handed_out: "I contanti sono stati consegnati",
    not_handed_out: "Nessun contante è stato consegnato",
    leave_to_books: "Lasciare alla contabilità",
    refused: "Ora non si può decidere. Guardare di nuovo l’elenco.",
    drawer: "Cassetto",
    day: "Giornata {{day}}",
    about: {
      night_differs:
        "La giornata è stata aperta con una somma diversa da quella lasciata dall’ultimo rapporto. Contata da {{who}}. Chiedere e annotare il motivo.",
      count_differs:
        "La giornata è stata chiusa con una differenza, contata da {{who}}. Chiedere e annotare il motivo.",
      drawer_opened:
        "Il cassetto era aperto e questo terminale non l’aveva aperto. Collegato: {{who}}. Chiedere chi l’ha aperto e verificare che cos’altro raggiunge la stampante.",
    },
    journalForked: "Il giornale non è quello che il servizio conosce",
    journalForkedNext:
      "È stato tagliato, riscritto o ripreso da una copia. Confrontalo con il rapporto del servizio, avvisa l’assistenza, poi chiariscilo.",
  },
  supportReport: {
    save: "Salva un rapporto per l’assistenza",
    saved: "Salvato: {{file}}. Invii questo file all’assistenza; non contiene chiavi, PIN né clienti.",
    failed: "Non è stato possibile salvare il rapporto. Il disco è pieno?",
  },
  journal: {
    sound: "Giornale in ordine",
    damaged: "Il giornale ha voci danneggiate",
    progress: "{{checked}} voci su {{total}} controllate",
    entries_one: "{{count}} voce controllata",
    entries_other: "{{count}} voci controllate",
    next: "Le voci danneggiate sono messe da parte, mai cancellate. Dare i numeri all’assistenza e lasciare il terminale com’è.",
    entry: "Voce {{sequence}}",
    check: "Controllare di nuovo",
    why: {
      hash: "non corrisponde al suo sigillo",
      missing: "manca qui; il servizio ha il suo sigillo",
      different: "non è ciò che è stato detto al servizio",
      key: "è sotto una chiave che questo terminale non conosce",
      json: "non si legge come testo",
      gap: "manca",
      schema: "ha una forma sconosciuta",
      unreadable: "non si legge dal disco",
    },
    notCompared: "Per ora non confrontato con le copie del servizio",
    compared_one: "{{count}} sigillo confrontato con la copia del servizio",
    compared_other: "{{count}} sigilli confrontati con le copie del servizio",
  },
};
