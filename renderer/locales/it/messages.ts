import type { messages as english } from "../en/messages.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: toasts, and why a command was refused. */
export const messages: Texts<typeof english> = {
  toasts: {
    not_an_id: "Non era un codice di prelievo. Scansionare il codice nell’app del cliente.",
    duplicate_scan: "Questo codice è stato appena scansionato.",
    busy_review: "Concludere prima questo prelievo.",
    busy_money: "Concludere prima questo prelievo.",
    busy_lookup: "L’ultimo codice è ancora in ricerca.",
    no_day: "Apra prima la giornata del cassetto.",
  },
  refusals: {
    stale: "La schermata è cambiata nel frattempo. Guardare di nuovo.",
    busy: "Concludere prima questo prelievo.",
    not_an_id: "Non era un codice di prelievo.",
    duplicate_scan: "Questo codice è stato appena scansionato.",
    not_enrolled: "Questo terminale non è ancora configurato.",
    invalid: "Il terminale non può usarlo. Controllare i dati inseriti.",
    denied: "Il servizio non ha accettato questi dati. Controllarli.",
    unreachable: "Il servizio non risponde. Controllare l’indirizzo e la rete, poi riprovare.",
    unsafe_service:
      "Questo servizio non ha una banca alle spalle, o il suo indirizzo non è cifrato. Chieda l’indirizzo giusto al fornitore; per fare pratica passi alla formazione.",
    failed: "Non ha funzionato. Riprovare.",
    undecided: "Ci sono prelievi aperti. Deciderli uno per uno sotto Responsabile, Problemi; poi collegare di nuovo.",
    locked: "Qui nessuno ha effettuato l’accesso. Inserisca prima il suo PIN.",
    manager_needed: "Può farlo solo il responsabile. Inserisca il suo PIN.",
    no_manager: "Nessun responsabile ha ancora un PIN. Ne imposti prima uno.",
    approval_needed: "Una seconda persona deve confermarlo con il suo PIN.",
    people_lost: "L’elenco delle persone qui è perso. Prema Responsabile e inserisca un codice del fornitore.",
    wrong_pin: "Questo PIN non è giusto.",
    wait: "Troppi tentativi errati. Aspetti la fine del tempo.",
    weak_pin: "Questo PIN è troppo corto o troppo facile da indovinare. Ne scelga un altro.",
    drawer_short:
      "Nel cassetto c’è troppo poco per questo importo. Rifiuti; dopo un’entrata il cliente può chiedere di nuovo.",
    no_screen: "Questo computer non ha un altro schermo. Ne colleghi uno.",
    not_in_browser: "Per il denaro vero serve il programma installato. Chieda a chi ha configurato questo terminale.",
    no_printer: "Nelle impostazioni non c’è una stampante di ricevute.",
    no_private_network: "Questo computer non è in nessuna rete privata. Lo colleghi alla rete del negozio e riprovi.",
    no_day: "Apra prima la giornata: conti che cosa c’è nel cassetto.",
    count_empty: "Non è stato contato nulla. Conti il cassetto, o indichi che è vuoto.",
    reason_needed: "Il conteggio differisce. Scriva perché.",
  },
};
