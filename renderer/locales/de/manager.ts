import type { manager as english } from "../en/manager.ts";
import type { Texts } from "../texts.ts";

/** German texts: the manager’s area. */
export const manager: Texts<typeof english> = {
  manager: {
    title: "Filialleitung",
    close: "Schließen",
    history: "Verlauf",
    settings: "Einstellungen",
    journal: "Journal",
    scanner: "Scannertest",
    scanning: "Schließen Sie vor dem Scannen diesen Bereich.",
    loading: "Einen Moment",
    failed: "Das konnte nicht geladen werden.",
    again: "Erneut versuchen",
  },
  discrepancies: {
    link_refused: "Der Dienst nahm die Meldung der Auszahlung nicht an",
    undelivered_refused: "Der Dienst nahm die Meldung nicht an, dass nichts ausgezahlt wurde",
    not_found: "Der Dienst kennt sie nicht mehr",
    confirm_conflict: "Der Dienst hatte eine andere Bestätigung",
    confirm_unclear: "Ob die Bestätigung ankam, ist unklar",
    status_unclear: "Die Antwort des Dienstes ist unverständlich",
    not_settled_any_more: "Sie war bezahlt, und der Dienst sagt nun etwas anderes",
    amount_changed: "Der Betrag hat sich geändert",
    linked_by_another: "Sie wurde schon ausgezahlt, von einem anderen Terminal oder Programm",
    by_another: "Ein anderes Terminal hat daran gearbeitet",
    unclear: "unklar, ob bezahlt wurde",
    left_to_books: "den Büchern überlassen",
    forgotten: "Der Dienst wurde auf eine Kopie zurückgesetzt und nimmt die Meldung nicht wieder an",
    in_other_journal: "in einem anderen Journal nicht abgeschlossen",
    unreadable_entry: "ein Eintrag dazu ist nicht lesbar",
  },
  problems: {
    tab: "Probleme",
    none: "Keine Probleme an diesem Terminal.",
    open: "Offen: Sagen Sie nur dann, was daraus wurde, wenn der Dienst nicht mehr gefragt werden kann.",
    otherShop: "Journal von {{shop}}",
    note: "Notiz für das Journal",
    acknowledge: "Geklärt",
    handed_out: "Bargeld wurde ausgezahlt",
    not_handed_out: "Kein Bargeld ausgezahlt",
    leave_to_books: "Den Büchern überlassen",
    refused: "Das lässt sich jetzt nicht entscheiden. Sehen Sie die Liste noch einmal an.",
    drawer: "Lade",
    day: "Tag {{day}}",
    about: {
      night_differs:
        "Der Tag begann mit einer anderen Summe, als der letzte Bericht darin ließ. Gezählt von {{who}}. Nachfragen und aufschreiben, was es war.",
      count_differs:
        "Der Tag wurde mit einer Differenz abgeschlossen, gezählt von {{who}}. Nachfragen und aufschreiben, was es war.",
      drawer_opened:
        "Die Lade stand offen, und dieses Terminal hatte sie nicht geöffnet. Angemeldet: {{who}}. Nachfragen, wer sie geöffnet hat, und prüfen, was sonst den Belegdrucker erreicht.",
    },
    journalForked: "Das Journal ist nicht das, das der Dienst kennt",
    journalForkedNext:
      "Es wurde gekürzt, umgeschrieben oder aus einer Kopie zurückgeholt. Vergleichen Sie es mit dem Bericht des Dienstes, sagen Sie dem Support Bescheid, dann klären Sie es.",
  },
  supportReport: {
    save: "Bericht für den Support sichern",
    saved:
      "Gesichert: {{file}}. Senden Sie diese Datei an den Support; sie enthält keinen Schlüssel, keine PIN und keine Kundendaten.",
    failed: "Der Bericht konnte nicht gesichert werden. Ist die Festplatte voll?",
  },
  journal: {
    sound: "Journal in Ordnung",
    damaged: "Das Journal hat beschädigte Einträge",
    progress: "{{checked}} von {{total}} Einträgen geprüft",
    entries_one: "{{count}} Eintrag geprüft",
    entries_other: "{{count}} Einträge geprüft",
    next: "Beschädigte Einträge werden beiseitegelegt, nie gelöscht. Nennen Sie der Hotline ihre Nummern und lassen Sie das Terminal, wie es ist.",
    entry: "Eintrag {{sequence}}",
    check: "Erneut prüfen",
    why: {
      hash: "passt nicht zu seinem Siegel",
      missing: "fehlt hier; der Dienst hat sein Siegel",
      different: "ist nicht, was dem Dienst gesagt wurde",
      key: "ist unter einem Schlüssel, den dieses Terminal nicht kennt",
      json: "ist nicht als Text lesbar",
      gap: "fehlt",
      schema: "hat eine unbekannte Form",
      unreadable: "ist auf dem Datenträger nicht lesbar",
    },
    notCompared: "Zurzeit nicht mit den Kopien des Dienstes verglichen",
    compared_one: "{{count}} Siegel mit der Kopie des Dienstes verglichen",
    compared_other: "{{count}} Siegel mit den Kopien des Dienstes verglichen",
  },
};
