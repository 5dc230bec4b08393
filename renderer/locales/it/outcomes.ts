import type { outcomes as english } from "../en/outcomes.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: how a withdrawal ended: the screen, and its name in the history. */
export const outcomes: Texts<typeof english> = {
  ended: {
    earlier: "Prelievo precedente",
    nextCustomer: "Prossimo cliente",
    retry: "Riprovare",
    handed_out: { title: "Questo prelievo è concluso", next: "Non c’è altro da fare." },
    not_handed_out: {
      title: "Annotato come non consegnato",
      next: "È annotato che il denaro è dovuto al cliente. Chiudere il cassetto.",
    },
    rejected: {
      title: "Prelievo rifiutato qui",
      next: "Non è stato pagato nulla. Il cliente può chiederne uno nuovo.",
    },
    rejected_before: {
      title: "Questo prelievo era già stato rifiutato",
      next: "Non è stato pagato nulla. Il cliente può chiederne uno nuovo.",
    },
    given_up: {
      title: "Il terminale ha chiuso questo prelievo",
      next: "La conferma non è arrivata in tempo. Non è stato pagato nulla. Il cliente può chiederne uno nuovo.",
    },
    sca_timeout: {
      title: "Tempo scaduto",
      next: "Non approvato in tempo, non è stato pagato nulla. Il cliente può chiedere un nuovo prelievo nell’app.",
    },
    sca_denied: {
      title: "Il cliente ha rifiutato nell’app della banca",
      next: "Non è stato pagato nulla. Se era un errore, il cliente chiede un nuovo prelievo.",
    },
    user_canceled: {
      title: "Il cliente ha annullato questo prelievo",
      next: "Non è stato pagato nulla. Il cliente può chiederne uno nuovo nell’app.",
    },
    canceled: {
      title: "Questo prelievo è stato annullato",
      next: "Non è stato pagato nulla. Il cliente può chiederne uno nuovo nell’app.",
    },
    order_expired: {
      title: "Questo codice a barre è scaduto",
      next: "Non è stato pagato nulla. Il cliente chiede un nuovo prelievo e mostra il nuovo codice.",
    },
    declined: {
      title: "La banca ha rifiutato questo prelievo",
      next: "Non è stato pagato nulla. Il cliente trova il motivo nell’app della banca.",
    },
    settle_declined: {
      title: "La banca non ha pagato",
      next: "La banca ha rifiutato il pagamento all’ultimo passo. Il cliente può chiederle il motivo.",
    },
    already_used: {
      title: "Questo codice è già stato usato",
      next: "Forse è già stato pagato. Chiedere al cliente un nuovo codice a barre.",
    },
    handed_out_before: {
      title: "Questo pagamento è già stato consegnato",
      next: "Non dare contanti. Un altro terminale o programma lo ha consegnato. Annotare il codice e avvisare il responsabile.",
    },
    in_use_elsewhere: {
      title: "In corso su un altro terminale",
      next: "Non iniziarne uno nuovo: il cliente potrebbe pagare due volte. Lo conclude l’altro terminale.",
    },
    unknown_barcode: {
      title: "Nessun prelievo per questo codice",
      next: "Non è per questo negozio, o è vecchio. Chiedere il codice a barre di questo negozio.",
    },
    no_network: {
      title: "Il servizio non è raggiungibile",
      next: "Controllare il cavo di rete o il router, poi riprovare. Questo terminale non ha pagato nulla.",
    },
    service_down: {
      title: "Il servizio non risponde bene",
      next: "Aspettare un minuto e riprovare. Se resta così, chiamare l’assistenza. Questo terminale non ha pagato nulla.",
    },
    service_refused: {
      title: "Il servizio ha rifiutato la richiesta",
      next: "Servire il prossimo cliente. Se si ripete, chiamare l’assistenza.",
    },
    limit_reached: {
      title: "Questo terminale ha raggiunto il limite",
      next: "Nulla è stato pagato. Può pagare un altro terminale, o questo più tardi: allora leggere di nuovo il codice, o avvisare il responsabile.",
    },
    unclear: {
      title: "Forse è stato pagato",
      next: "Non dare contanti. Annotare il codice e avvisare il responsabile.",
    },
  },
  outcomes: {
    handed_out: "Consegnato",
    not_handed_out: "Non consegnato",
    rejected: "Rifiutato",
    rejected_before: "Rifiutato prima",
    given_up: "Chiuso dal terminale",
    sca_timeout: "Tempo scaduto",
    sca_denied: "Rifiutato dal cliente",
    user_canceled: "Annullato dal cliente",
    canceled: "Annullato",
    order_expired: "Scaduto",
    declined: "Rifiutato dalla banca",
    settle_declined: "Non pagato dalla banca",
    already_used: "Già usato",
    handed_out_before: "Già consegnato",
    in_use_elsewhere: "Su un altro terminale",
    unknown_barcode: "Codice sconosciuto",
    no_network: "Nessuna connessione",
    service_down: "Servizio guasto",
    service_refused: "Rifiutato dal servizio",
    limit_reached: "Limite del terminale raggiunto",
    unclear: "Pagamento non chiaro",
  },
};
