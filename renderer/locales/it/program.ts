import type { program as english } from "../en/program.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: the program itself: it starts, has lost its page, or cannot open its journal. */
export const program: Texts<typeof english> = {
  starting: { title: "Il terminale si avvia", next: "Controlla che cosa era aperto." },
  disconnected: {
    title: "Connessione al programma del terminale persa",
    next: "Questa pagina si ricollega da sola. Altrimenti riavviare il programma del terminale e, in un browser, aprire il nuovo indirizzo che mostra.",
  },
  broken: {
    title: "Questa pagina si è bloccata",
    next: "Nulla è perso: il programma del terminale conserva ogni prelievo. Ricaricare la pagina.",
    reload: "Ricaricare",
  },
  blocked: {
    journalTitle: "Il giornale non si può aprire",
    journalNext:
      "Non dare contanti. Chiudere gli altri programmi che usano la cartella del terminale e controllare se il disco è pieno. Il terminale riprova da solo.",
    newerTitle: "Questo giornale è di un programma più nuovo",
    newerNext: "Non dare contanti. Riavviare la versione più nuova. Nulla è stato cambiato.",
    otherTitle: "Di chi è questo giornale?",
    otherNext:
      "Il giornale di questo computer indica un altro negozio o terminale. Per il responsabile: metterlo da parte e iniziarne uno nuovo, o continuare con esso. Nulla viene inviato prima di questa decisione.",
    setAside: "Iniziare un nuovo giornale",
    adopt: "È di questo negozio",
    open: "Prelievi aperti",
  },
};
