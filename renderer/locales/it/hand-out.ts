import type { handOut as english } from "../en/hand-out.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: handing out paid cash, and the drawer. */
export const handOut: Texts<typeof english> = {
  payable: {
    title: "Consegnare questo importo",
    recoveredTitle: "Pagato dalla banca, non ancora consegnato",
    plainNext: "Aprire il cassetto. L’importo resta sullo schermo mentre si conta.",
    atOnceNext: "Aprire il cassetto e consegnare i contanti. Con il cassetto aperto risultano consegnati.",
    byHandNext: "Aprire il cassetto con la chiave e contare i contanti. Premere il pulsante, poi consegnarli.",
    recoveredNext:
      "Il cliente è qui, ancora senza contanti? Allora consegnarli. «Non consegnato» solo se nulla è uscito dal cassetto.",
    begunTitle: "Il terminale si è fermato durante la consegna",
    begunNext: "Chiedere prima al cliente. Aprire il cassetto solo se non ha ancora i contanti.",
    begunByHandNext: "Chiedere prima al cliente. Se non li ha, consegnarli. Premere il pulsante quando li ha.",
    hasCash: "Il cliente ha i contanti",
    openAndGive: "Aprire il cassetto",
    ok: "Aprire il cassetto",
    okByHand: "Consegnare ora",
    notHandedOut: "Non consegnato",
  },
  notHandedOut: {
    title: "Perché non è stato consegnato nulla?",
    next: "Il pagamento è annotato come dovuto al cliente. Solo se nessun contante è uscito dal cassetto.",
    till_short: "Contanti insufficienti nel cassetto",
    customer_left: "Il cliente se n’è andato",
    drawer_failed: "Il cassetto non si apre",
    other: "Altro motivo",
    back: "Indietro",
  },
  opening: {
    checkingTitle: "Si chiede al servizio",
    checkingNext: "Non consegnare ancora nulla. Il terminale chiede se è già stato consegnato e continua da solo.",
    openingTitle: "Il cassetto si apre",
    openingNext: "Consegnare esattamente questo importo.",
    failedTitle: "Aprire il cassetto con la chiave",
    failedNext: "Il prelievo è pagato. Aprire il cassetto a mano e consegnare i contanti, oppure riprovare.",
    unknownTitle: "Il cassetto è aperto?",
    unknownNext: "Il cassetto non dice se si è aperto. Se è chiuso, usare la chiave, poi consegnare i contanti.",
    openingAgainNext: "Consegnare esattamente questo importo, e solo se il cliente non l’ha ancora.",
    failedAgainNext:
      "Se il cliente non ha ancora i contanti, aprire il cassetto a mano e consegnarli, oppure riprovare.",
    unknownAgainNext: "Il cassetto non dice se si è aperto. Consegnare i contanti solo se il cliente non li ha ancora.",
    again: "Riaprire",
    handedOut: "Contanti consegnati",
    notHandedOut: "Non consegnato",
  },
  counting: {
    title: "Contare questo importo e consegnarlo",
    againTitle: "Contare solo se il cliente non l’ha ancora",
    next: "Premere «Contanti consegnati» quando il cliente li ha. Se nel cassetto mancano, «Non consegnato».",
    close: "Chiudere il cassetto.",
    closed: "Il cassetto è chiuso.",
  },
  pieces: { title: "Banconote e monete per questo importo" },
  done: { title: "Consegnato", next: "Può venire il prossimo cliente.", nextCustomer: "Prossimo cliente" },
};
