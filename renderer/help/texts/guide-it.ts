import { scaTimeoutSeconds } from "../../../backend/contract/sca.ts";
import type { Guide } from "../guide.ts";

/** The guide in Italian. */
export const it: Guide = {
  scan: {
    title: "Leggere il codice a barre",
    steps: [
      "Il cliente chiede un importo nell’app della banca e mostra un codice a barre. Lo tenga davanti alla fotocamera o usi il lettore.",
      "Non si legge? Faccia aumentare la luminosità del telefono, oppure prema {{ready.type}} (F2) e digiti i 16 caratteri sotto il codice.",
      "Il terminale mostra l’importo. Non è ancora pagato nulla.",
    ],
  },
  amount: {
    title: "Controllare l’importo",
    steps: [
      "Dica l’importo ad alta voce. È quello chiesto, e il cliente è presente? Allora prema {{review.confirm}}.",
      "Altrimenti {{review.reject}}. Non si paga nulla e il cliente può ricominciare.",
      "Se nel cassetto c’è troppo poco, il terminale lo dice qui: prenda prima il resto.",
    ],
  },
  approval: {
    title: "Il cliente approva",
    steps: [
      `Il cliente ha ${scaTimeoutSeconds} secondi per approvare importo e negozio nell’app. L’anello mostra il tempo che resta.`,
      "Attenda. Niente contanti e niente cassetto prima dello schermo verde.",
      "Se dopo l’approvazione dura di più, prema {{waiting.nextCustomer}}: il terminale continua da solo e dice quando è pagato.",
    ],
  },
  hand_out: {
    title: "Consegnare i contanti",
    steps: [
      "Verde vuol dire: la banca ha pagato. Prema {{payable.ok}}, conti l’importo davanti al cliente e lo consegni.",
      "Se ha aspettato un po’, il terminale chiede prima al servizio: tre secondi al massimo, poi il cassetto si apre da solo.",
      "Poi prema {{opening.handedOut}}. Solo questo dice al servizio che il cliente ha il denaro.",
      "Troppo poco nel cassetto, o il cliente è andato via? Prema {{payable.notHandedOut}} e dica perché. Il cliente viene rimborsato.",
      "Non prema nulla che non sia vero: ciò che dice qui sta nei libri.",
    ],
  },
  drawer: {
    title: "Il cassetto non si apre",
    steps: [
      "Prema {{opening.again}} o apra il cassetto con la chiave. Il pagamento resta com’è.",
      "Dia il denaro una sola volta. Se non è sicuro che il cliente lo abbia, chieda.",
      "Poi prema {{opening.handedOut}}.",
    ],
  },
  ends: {
    title: "Finito senza contanti",
    steps: [
      "Giallo vuol dire: non è stato pagato nulla. Segua lo schermo; di solito il cliente ricomincia nell’app.",
      "Rosso vuol dire: nessun contante. Può essere pagato, già usato o aperto a un’altra cassa. Chiami il responsabile prima di un nuovo prelievo.",
      "Con {{ended.nextCustomer}} si continua.",
    ],
  },
  unclear: {
    title: "Pagamento incerto",
    steps: [
      "Il servizio non risponde. Il terminale continua a chiedere da solo; non si perde nulla.",
      "Chieda al cliente di attendere e di non iniziare un secondo prelievo. Nessun contante.",
      "Con {{unknown.nextCustomer}} può servire altri. Resta nell’elenco in alto; appena si sa, un messaggio con importo e codice dice come è finito. Lo legga e prema {{ended.nextCustomer}}.",
    ],
  },
  offline: {
    title: "Nessuna connessione",
    steps: [
      "Non si può cercare nulla. Controlli cavo di rete e router; si riprende quando il terminale mostra {{header.online}}.",
      "Ciò che è in corso continua da solo. Lasci acceso il terminale.",
    ],
  },
  sign_in: {
    title: "Accedere e darsi il cambio",
    steps: [
      "Scelga il suo nome e inserisca il PIN. Ogni prelievo porta allora il suo codice.",
      "Lascia la cassa? Prema il suo nome in alto: accede la persona seguente.",
      "PIN sbagliato più volte: attenda quanto indicato, o chieda a un responsabile.",
    ],
  },
  day: {
    title: "La giornata del cassetto",
    steps: [
      "Prema in alto {{day.title}}, conti banconote e monete prima del primo cliente, poi {{day.begin}}.",
      "Denaro che entra o esce per altri motivi: {{day.cashIn}} o {{day.cashOut}}, con il motivo.",
      "Alla fine {{day.countAndClose}} e conti senza guardare nulla. L’atteso lo vede solo un responsabile.",
    ],
  },
  set_up: {
    title: "Installare e collegare",
    steps: [
      "Avvii l’installazione per questo computer, poi il programma. Guida attraverso lingua, connessione, dispositivi e un prelievo di prova.",
      "Il fornitore dà un codice (vale una volta, per un giorno) o una chiave d’accesso. Legga il codice QR, o digiti codice e indirizzo.",
      "Se non si collega, lo schermo dice la causa e resta: indirizzo, rete, certificato, orologio o un codice già usato.",
      "Ogni parte si può ripetere in {{manager.settings}}, {{settings.terminal}}.",
    ],
  },
  devices: {
    title: "Fotocamera, lettore, stampante, cassetto",
    steps: [
      "{{manager.scanner}} mostra tutto ciò che viene letto e impara a conoscere il suo lettore.",
      "Stampante e cassetto sono in {{manager.settings}}. Un cassetto sulla stampante si apre tramite essa; altrimenti con la chiave.",
      "Una stampante spenta o senza carta non ferma mai un prelievo: stampa più tardi.",
      "Lo schermo per il cliente si attiva in {{customerDisplay.title}}.",
    ],
  },
  people: {
    title: "Persone e PIN",
    steps: [
      "Imposti prima il PIN del responsabile: da allora lo chiedono impostazioni, problemi e dispositivi.",
      "Aggiunga persone in {{people.tab}} e attivi {{people.cashiersSignIn}} se ogni prelievo deve nominarne una.",
      "Il PIN di una seconda persona serve dove una sola potrebbe prendere denaro: alla terza apertura del cassetto, e con {{payable.notHandedOut}} dopo che era aperto.",
    ],
  },
  settings: {
    title: "Impostazioni",
    steps: [
      "Le modifiche valgono subito. Un campo segnato non vale finché non è giusto.",
      "{{settings.confirmHandOver}}: lo lasci attivo. Altrimenti il cassetto aperto vale come consegna.",
      "{{settings.scaTimeout}} deve restare sotto ciò che il servizio permette.",
      "Lasci attivi solo i tipi di codici a barre della sua rete.",
      "{{updates.title}}: una nuova versione viene installata quando la giornata è chiusa; {{updates.installNow}} lo fa subito, se nulla è aperto.",
    ],
  },
  end_of_day: {
    title: "Fine giornata",
    steps: [
      "{{day.title}}, {{day.countAndClose}}: conti, prelevi ciò che il terminale propone. Un responsabile vede la differenza e la spiega; quella del conteggio di un cassiere sta sotto {{problems.tab}}.",
      "I prelievi ancora aperti vengono nominati. Escono dal cassetto del giorno dopo.",
      "Il rapporto viene stampato e resta in {{day.reports}}, anche come file.",
    ],
  },
  history: {
    title: "Cronologia e ricevute",
    steps: [
      "Ogni prelievo confermato, il più recente per primo. Restringere l’elenco per giorno, esito, cassiere o parte del codice.",
      "{{history.story}} racconta un prelievo passo per passo: questo terminale accanto al servizio. Da lì si ristampa una ricevuta; è segnata come copia.",
      "{{figures.title}} mostra somme, numeri e tempi; {{books.title}} confronta con il servizio e dice che cosa fare per ogni differenza. Per entrambe serve un responsabile.",
      "Ciò che è da chiarire è segnato; decidere sotto {{problems.tab}}.",
    ],
  },
  problems: {
    title: "Chiarire i problemi",
    steps: [
      "Qui sta ciò che i libri non spiegano da soli. Prima si informi: alla cassa, nel cassetto, dall’assistenza.",
      "Per uno aperto dica che cosa è successo: {{problems.handed_out}}, {{problems.not_handed_out}} o {{problems.leave_to_books}}. Solo quando il servizio non si può più interrogare.",
      "Il denaro del cassetto che non tornava, o un cassetto aperto senza questo terminale: chieda alla persona indicata e controlli che cosa raggiunge la stampante.",
      "Scriva una nota e prema {{problems.acknowledge}}. Entrambe restano con il suo codice, e {{books.title}} lo mostra come chiarito.",
    ],
  },
  journal: {
    title: "Il registro",
    steps: [
      "È il libro del terminale sul denaro in corso, sigillato voce per voce. Il controllo mostra se è intatto.",
      "Le voci danneggiate vengono messe da parte, mai cancellate: dica i loro numeri all’assistenza.",
      "{{supportReport.save}} crea un file senza chiavi, PIN e clienti.",
    ],
  },
  practice: {
    title: "Esercitarsi senza denaro",
    steps: [
      "{{practice.start}} in {{manager.settings}} avvia l’esercitazione: a strisce in alto, con un telefono accanto al terminale.",
      "Una persona può fare cassa e cliente. Nulla entra nei libri.",
      "{{phone.real.start}}: un telefono nella rete di questo computer fa il cliente per un’ora; lo apre il responsabile con il suo PIN.",
      "{{setup.again.live}} riporta al denaro vero.",
    ],
  },
  trouble: {
    title: "Che fare quando …",
    steps: [
      "… il registro non si può scrivere (fascia rossa): nessun contante. Liberi spazio sul disco; riprende da solo.",
      "… la pagina ha perso il programma: riavvii il programma. Tutto ciò che sa resta.",
      "… l’orologio è sbagliato: imposti data, ora e fuso di questo computer.",
      "… un altro terminale usa questo nome: ognuno ha bisogno di una chiave propria; chieda un codice al fornitore.",
      "… questo computer viene sostituito: finisca ciò che è aperto, poi configuri il nuovo con un nuovo codice. Non copi mai la cartella.",
      "… non sa più come fare: chiami l’assistenza. Numero, terminale e versione sono in {{help.about}}.",
    ],
  },
};
