import type { CustomerTexts } from "./customer-texts.ts";

/** The display's words in Italian. */
export const it: CustomerTexts = {
  moments: {
    closed: { title: "Qui al momento nessun prelievo", next: "Si rivolga alla cassa." },
    offline: { title: "Al momento nessun prelievo", next: "Non c’è connessione. Si rivolga alla cassa." },
    welcome: {
      title: "Qui può prelevare contanti",
      next: "Chieda l’importo nell’app della banca e mostri il codice a barre.",
    },
    looking_up: { title: "Un momento, per favore", next: "Stiamo cercando il suo codice a barre." },
    review: { title: "È questo il suo importo?", next: "Se non lo è, lo dica alla cassa." },
    confirming: { title: "Un momento, per favore", next: "Tenga pronta l’app della banca." },
    approve: { title: "Approvi nell’app della banca", next: "Controlli lì importo e negozio, poi approvi." },
    paying: { title: "Approvato", next: "La sua banca sta pagando. Attenda i contanti, per favore." },
    closing: { title: "Un momento, per favore", next: "Questo prelievo viene annullato." },
    cash: { title: "I suoi contanti arrivano", next: "Li conti insieme a chi è alla cassa." },
    cashier_asks: { title: "Un momento, per favore", next: "Alla cassa le daranno indicazioni." },
    unclear: {
      title: "Attenda, per favore",
      next: "Stiamo verificando se è stato pagato. Non inizi un nuovo prelievo.",
    },
    done: { title: "Contanti consegnati", next: "Grazie e arrivederci." },
  },
  ended: {
    handed_out: { title: "Contanti consegnati", next: "Grazie e arrivederci." },
    not_handed_out: { title: "Nessun contante consegnato", next: "Parli con la cassa." },
    rejected: { title: "Prelievo annullato", next: "Nessun contante per questo codice a barre." },
    rejected_before: { title: "Questo prelievo è stato annullato", next: "Ne inizi uno nuovo nell’app della banca." },
    given_up: { title: "Prelievo annullato", next: "La connessione è caduta. Parli con la cassa." },
    sca_timeout: { title: "Tempo scaduto", next: "Non è stato approvato in tempo. Inizi un nuovo prelievo nell’app." },
    sca_denied: { title: "Rifiutato nell’app della banca", next: "Inizi lì un nuovo prelievo se vuole contanti." },
    user_canceled: { title: "Annullato da lei", next: "Inizi un nuovo prelievo nell’app se vuole contanti." },
    canceled: {
      title: "Questo prelievo è stato annullato",
      next: "Inizi un nuovo prelievo nell’app se vuole contanti.",
    },
    order_expired: { title: "Questo codice a barre è scaduto", next: "Inizi un nuovo prelievo nell’app della banca." },
    declined: { title: "Rifiutato dalla sua banca", next: "Si rivolga alla sua banca." },
    settle_declined: {
      title: "La sua banca non ha pagato",
      next: "Si rivolga alla banca. Non si può consegnare nulla.",
    },
    already_used: { title: "Questo codice a barre è già stato usato", next: "Parli con la cassa." },
    handed_out_before: { title: "Questo codice a barre è già stato usato", next: "Parli con la cassa." },
    in_use_elsewhere: { title: "In corso a un’altra cassa", next: "Non inizi un nuovo prelievo. Parli con la cassa." },
    unknown_barcode: { title: "Questo codice a barre è sconosciuto", next: "Mostri quello dell’app della banca." },
    no_network: { title: "Ora non si può cercare", next: "Parli con la cassa." },
    service_down: { title: "Ora non si può cercare", next: "Parli con la cassa." },
    service_refused: { title: "Qui non è possibile", next: "Parli con la cassa." },
    limit_reached: { title: "Qui ora non è possibile", next: "Parli con la cassa." },
    unclear: { title: "Non è chiaro se sia stato pagato", next: "Non inizi un nuovo prelievo. Parli con la cassa." },
  },
  timeOver: { title: "Tempo scaduto", next: "Stiamo verificando come è finito. Attenda, per favore." },
  disconnected: { title: "Un momento, per favore", next: "Questo schermo non ha connessione. Si rivolga alla cassa." },
  training: "Esercitazione: nessun denaro vero",
  noConnection: "Al momento nessuna connessione. Ciò che vede può non essere aggiornato.",
};
