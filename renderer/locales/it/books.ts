import type { books as english } from "../en/books.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: the figures and the books. */
export const books: Texts<typeof english> = {
  figures: {
    title: "Cifre",
    day: "Giorno",
    week: "Settimana",
    month: "Mese",
    year: "Anno",
    period: "Periodo",
    date: "Data",
    earlier: "Prima",
    later: "Dopo",
    today: "Oggi",
    none: "Nessun prelievo in questo periodo.",
    sum: "Contante consegnato",
    count: "Prelievi consegnati",
    average: "Media",
    all: "Tutti i prelievi",
    byHour: "Contante per ora",
    countByHour: "Prelievi per ora",
    byDay: "Contante per giorno",
    countByDay: "Prelievi per giorno",
    byMonth: "Contante per mese",
    countByMonth: "Prelievi per mese",
    ends: "Come sono finiti",
    end: "Fine",
    number: "Numero",
    scanToCash: "Dalla lettura al contante",
    approval: "Dalla conferma all’approvazione",
    half: "La metà entro {{time}}",
    most: "nove su dieci entro {{time}}",
    notMeasured: "Non misurato in questo periodo.",
    hour: "Ora",
    below: "meno di {{time}}",
    longer: "di più",
    scope: "Un prelievo conta all’ora in cui è stato confermato o rifiutato, nel fuso orario {{zone}}.",
  },
  books: {
    title: "Conti",
    offline:
      "Il servizio non è raggiungibile: si vede solo la metà di questo terminale. Riaprire la pagina più tardi per confrontare.",
    not_offered: "Questo servizio non dà un rapporto: si vede solo la metà di questo terminale.",
    agree_one: "{{count}} prelievo concorda.",
    agree_other: "{{count}} prelievi concordano.",
    clean: "Niente da guardare: le due parti concordano.",
    cleanHere: "Niente da guardare a questo terminale.",
    allCleared: "Niente più da guardare: un responsabile ha chiarito il resto.",
    cleared: "Chiarito da un responsabile",
    noted: "Questo terminale ha annotato: {{what}}.",
    handedOut: "Contante consegnato",
    here: "Questo terminale",
    there: "Servizio",
    difference: "Differenza",
    what: "Che cos’è e che cosa fare",
    unknownHere: "qui non noto",
    unknownThere: "là non noto",
    leftOut_one: "{{count}} altro non è mostrato. Scegliere un periodo più breve.",
    leftOut_other: "{{count}} altri non sono mostrati. Scegliere un periodo più breve.",
    elsewhere_one: "Gli altri terminali del negozio: {{count}} prelievo, {{open}} da guardare là.",
    elsewhere_other: "Gli altri terminali del negozio: {{count}} prelievi, {{open}} da guardare là.",
    findings: {
      matched: "consegnato",
      not_linked: "pagato, nulla sul contante",
      undelivered: "pagato, non consegnato",
      settle_unknown: "la banca non ha ancora risposto",
      restored: "il servizio è tornato a una copia",
      disputed: "contestato dalla banca",
      closed: "finito senza contante",
    },
    explain: {
      amount_differs: "Gli importi sono diversi. Non consegnare altro; inviare i due codici all’assistenza.",
      other_terminal:
        "Qui il contante è stato consegnato e il servizio lo ha come prelievo di un altro terminale: forse è stato dato due volte. Contare i due cassetti e chiamare subito l’assistenza con i due codici.",
      paid_without_money:
        "Qui il contante è stato consegnato e il servizio non ha un pagamento. Chiamare subito l’assistenza con i due codici.",
      forgotten_there:
        "Questo terminale lo aveva segnalato; il servizio è tornato a una copia e lo ha dimenticato. Viene segnalato di nuovo da solo: riguardare tra un’ora. Se resta così, inviare i due codici all’assistenza.",
      link_on_its_way: "L’avviso di consegna è in viaggio; il terminale lo ripete da solo. Riguardare tra un’ora.",
      link_refused:
        "Il servizio ha rifiutato l’avviso di consegna. Inviare i due codici all’assistenza, perché sia registrato a mano.",
      cash_not_said:
        "È pagato e nessuno ha detto se il contante è stato dato. Contare il cassetto, poi decidere sotto Problemi.",
      linked_not_here:
        "Il servizio lo ha come consegnato, questo terminale no. Contare il cassetto e inviare i due codici all’assistenza.",
      undelivered: "È pagato e nulla è stato dato: la banca lo rende al cliente. Qui non c’è niente da fare.",
      undelivered_on_its_way:
        "L’avviso che nulla è stato dato è in viaggio; il terminale lo ripete da solo. Riguardare tra un’ora.",
      undelivered_refused:
        "Il servizio ha rifiutato l’avviso che nulla è stato dato. Inviare i due codici all’assistenza, perché il cliente riabbia il denaro.",
      undelivered_not_here:
        "Al servizio è stato detto che nulla è stato dato, e qui lo è stato. Chiamare l’assistenza prima che il denaro torni indietro.",
      settle_unknown:
        "La banca non ha ancora risposto. Non dare contante; il servizio continua a chiedere. Riguardare più tardi.",
      restored:
        "Il servizio è tornato a una copia, e ciò che dicono terminali e banca non concorda ancora. Non consegnare altro per questo prelievo. Se domani è ancora qui, chiamare l’assistenza con i due codici.",
      disputed:
        "La banca contraddice la prima risposta. L’operatore lo chiarisce con la banca; conservare i due codici.",
      unclear_here: "Questo terminale non ne conosce ancora la fine. Se resta così, decidere sotto Problemi.",
      noted_here:
        "Le due parti concordano sul denaro. Questo terminale ha avuto un problema: chiarirlo sotto Problemi.",
      known_here_only:
        "Il rapporto del servizio non lo ha. Controllare la data, poi inviare i due codici all’assistenza.",
      known_there_only:
        "Il giornale di questo terminale non lo ha. Controllare il giornale, e se un altro terminale ha lo stesso nome.",
    },
  },
};
