import type { program as english } from "../en/program.ts";
import type { Texts } from "../texts.ts";

/** German texts: the program itself: it starts, has lost its page, or cannot open its journal. */
export const program: Texts<typeof english> = {
  starting: { title: "Das Terminal startet", next: "Es prüft, was zuletzt offen war." },
  disconnected: {
    title: "Keine Verbindung zum Terminalprogramm",
    next: "Diese Seite verbindet sich von selbst wieder. Wenn nicht, starten Sie das Terminalprogramm neu und öffnen im Browser die neue Adresse, die es nennt.",
  },
  broken: {
    title: "Diese Seite ist gestört",
    next: "Nichts ist verloren: Das Terminalprogramm kennt jede Auszahlung. Laden Sie die Seite neu.",
    reload: "Neu laden",
  },
  blocked: {
    journalTitle: "Das Journal lässt sich nicht öffnen",
    journalNext:
      "Kein Bargeld auszahlen. Schließen Sie andere Programme, die den Ordner dieses Terminals benutzen, und prüfen Sie, ob die Festplatte voll ist. Das Terminal versucht es von selbst wieder.",
    newerTitle: "Dieses Journal stammt von einem neueren Programm",
    newerNext:
      "Kein Bargeld auszahlen. Starten Sie wieder die neuere Version des Programms. Es wurde nichts verändert.",
    otherTitle: "Wem gehört dieses Journal?",
    otherNext:
      "Das Journal auf diesem Rechner nennt ein anderes Geschäft oder ein anderes Terminal. Für die Filialleitung: Legen Sie es beiseite und beginnen Sie ein neues, oder führen Sie es weiter. Bis dahin wird nichts gesendet.",
    setAside: "Neues Journal beginnen",
    adopt: "Es gehört zu diesem Geschäft",
    open: "Offene Auszahlungen",
  },
};
