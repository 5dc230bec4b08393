import type { header as english } from "../en/header.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: the header, the band above each screen, and what they open. */
export const header: Texts<typeof english> = {
  cash: {
    none: "Pronto",
    entry: "Inserire il codice",
    starting: "Un momento",
    setup: "Configurare il terminale",
    notYet: "Ancora niente contanti",
    never: "Non dare contanti",
    nothing: "Qui niente contanti",
    offline: "Nessuna connessione",
    give: "Consegnare i contanti",
    given: "Fatto",
    givenBefore: "I contanti sono stati consegnati",
    opening: "Il cassetto si apre",
    counting: "Contare i contanti",
    drawer: "Il cassetto non si è aperto",
    drawerUnknown: "Controllare il cassetto",
    ask: "Già consegnati?",
    confirmCustomer: "Questo cliente è qui?",
    locked: "Bloccato",
  },
  journalFailing: {
    banner: "Questo terminale non può scrivere il giornale (disco pieno?). Chiamare il responsabile.",
    ready: {
      title: "Ora non si può iniziare nulla",
      next: "Il terminale non può annotare ciò che accade. Chiamare il responsabile; riprende da solo appena può.",
    },
    title: "Pagato dalla banca, ma da non consegnare ora",
    next: "Lasciare i contanti nel cassetto, anche se è aperto, finché questo avviso rosso non scompare.",
  },
  header: {
    training: "Formazione",
    trainingLong: "Formazione: non si muove denaro vero",
    online: "Collegato",
    offline: "Nessuna connessione",
    starting: "Connessione",
    pendingReports_one: "{{count}} avviso in attesa",
    pendingReports_other: "{{count}} avvisi in attesa",
    since: "da {{time}}",
    open_one: "{{count}} aperto",
    open_other: "{{count}} aperti",
    clock: "L’orologio è sfasato di {{time}}",
    sameDevice: "Un altro terminale ha questo nome",
    damaged_one: "{{count}} voce danneggiata",
    damaged_other: "{{count}} voci danneggiate",
    warnings_one: "{{count}} problema",
    warnings_other: "{{count}} problemi",
    manager: "Responsabile",
    journal: "Il giornale non si può scrivere",
    problems_one: "{{count}} da chiarire",
    problems_other: "{{count}} da chiarire",
    settings: "Impostazioni da controllare",
    noManager: "Nessun responsabile ha ancora un PIN",
    peopleLost: "L’elenco delle persone è perso",
  },
  warnings: {
    title: "Problemi di questo terminale",
    close: "Chiudere",
    clockNext:
      "Dire al responsabile di attivare “Imposta ora automaticamente” sul computer. I conti alla rovescia restano giusti.",
    journalNext:
      "Non dare contanti. Dire al responsabile: il disco di questo terminale è forse pieno o danneggiato. Riprende da solo appena può scrivere.",
    sameDeviceNext:
      "Due terminali usano la stessa chiave di accesso. Dirlo al responsabile: ognuno deve avere la propria.",
    damagedNext: "Parti del giornale non si leggono. Il terminale continua. Dirlo al responsabile.",
    pendingReportsNext:
      "Questi avvisi partono da soli appena il servizio è raggiungibile. Lasciare acceso il terminale.",
    problemsNext:
      "Pagamenti o denaro del cassetto da chiarire. Il responsabile li chiarisce sotto Responsabile, Problemi.",
    offlineNext: "Controllare il cavo di rete o il router. I nuovi prelievi hanno bisogno della connessione.",
    settingsNext:
      "Alcune impostazioni non si leggevano o sono state modificate fuori dal programma. Apri Responsabile, Impostazioni e controllale.",
    paperLowNext: "Tenga pronto un nuovo rotolo. I prelievi continuano anche senza carta.",
    dayLongNext: "Conti il cassetto e chiuda la giornata sotto Cassetto. Nel frattempo nulla va perso.",
    noManagerNext:
      "Prema Responsabile e ne imposti uno. Fino ad allora il terminale paga, e nient’altro si può cambiare.",
    peopleLostNext:
      "Prema Responsabile e inserisca il codice monouso del fornitore. Fino ad allora nessun PIN vale: il contante pagato si può consegnare e il cassetto si apre una volta per pagamento.",
  },
  open: {
    title: "Prelievi aperti",
    unknown: "Pagamento non chiaro. Non dare contanti.",
    payable: "Pagato, non consegnato",
    closing: "In chiusura. Non dare contanti.",
    since: "da {{time}}",
    close: "Chiudere",
    busy: "Concludere prima il prelievo in corso.",
  },
  help: {
    title: "Aiuto",
    keys: "Aiuto (F1)",
    close: "Chiudi",
    sections: "Tutte le sezioni",
    cashier: "Per la cassa",
    manager: "Per i responsabili",
    about: "Su questo terminale",
    version: "Versione",
    service: "Servizio",
    noSupport: "Il servizio non nomina nessuno. Chieda al responsabile.",
    licences: "Licenze",
    licencesNext:
      "Prema una riga per leggere la sua licenza. Le parti di Electron sono nel file LICENSES.chromium.html del programma installato.",
    licenceWithoutText: "Il pacchetto non porta un testo proprio: il nome della licenza dice quale è.",
    loading: "Un momento",
    failed: "La guida non si è potuta caricare. Riprovi quando il programma del terminale è in funzione.",
  },
};
