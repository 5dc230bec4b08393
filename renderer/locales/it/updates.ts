/** Italian texts: updates of the program. */
const refused =
  "La risposta del server degli aggiornamenti non è autentica ed è stata rifiutata. Se continua, salvi un rapporto per l’assistenza sotto «Giornale».";

/** By key, as English has them. */
export const updates = {
  updates: {
    title: "Aggiornamenti",
    on: "Cercare nuove versioni",
    onHint: "Arrivano in sottofondo. Disattivato, non si chiede e non si installa nulla.",
    channel: "Versioni",
    channels: { latest: "Per tutti", beta: "Anche quelle ancora in prova" },
    time: "Installare da sé",
    anyTime: "Quando la giornata è chiusa",
    between: "Solo tra due orari",
    from: "Dalle",
    to: "Alle",
    noDays:
      "Questo terminale non conta le giornate, quindi nessuno dice quando il negozio è chiuso: scelga due orari, oppure installa un responsabile.",
    admin: "Questo computer chiede la password di un amministratore, quindi un responsabile installa ogni versione.",
    newest: "Questa è la versione più recente.",
    never: "Nessuna nuova versione è ancora stata cercata.",
    off: "Gli aggiornamenti sono disattivati.",
    checking: "Si cerca una nuova versione",
    downloading: "La versione {{version}} sta arrivando: {{percent}} %",
    installing: "La versione {{version}} viene installata. Il terminale si riavvia da solo.",
    ready: "La versione {{version}} è pronta.",
    failedBefore: "La sua installazione è già fallita una volta.",
    waits: {
      withdrawal: "Viene installata quando nessun prelievo è aperto.",
      report: "Viene installata quando il servizio ha ricevuto tutti gli avvisi.",
      printing: "Viene installata quando tutte le ricevute sono stampate.",
      day: "Viene installata quando la giornata è chiusa.",
      window: "Viene installata tra le {{from}} e le {{to}}.",
      quiet: "Viene installata quando nessuno usa il terminale per cinque minuti.",
      manager: "La installa un responsabile.",
    },
    troubles: {
      unreachable: "Il server degli aggiornamenti non risponde. Verrà interrogato più tardi.",
      unsigned: refused,
      wrong_signature: refused,
      malformed: refused,
      other_feed: refused,
      replayed: refused,
      expired:
        "Il server degli aggiornamenti non dice nulla di nuovo da tre mesi. Controlli data e ora; se sono giuste, lo dica all’assistenza.",
      download: "La nuova versione non è arrivata intera. Verrà richiesta più tardi.",
      no_disk_space:
        "Sul disco di questo computer non c’è posto per la nuova versione. Chieda all’assistenza di liberare spazio.",
    },
    checkNow: "Cercare ora",
    installNow: "Installare ora",
    away: "Il terminale manca per circa un minuto.",
    busy: "Non ora: un prelievo, un avviso o una ricevuta è aperto. Riprovi dopo.",
    failed: "Non è riuscito. Cerchi di nuovo la versione.",
  },
};
