import type { header as english } from "../en/header.ts";
import type { Texts } from "../texts.ts";

/** German texts: the header, the band above each screen, and what they open. */
export const header: Texts<typeof english> = {
  cash: {
    none: "Bereit",
    entry: "Code eingeben",
    starting: "Einen Moment",
    setup: "Terminal einrichten",
    notYet: "Noch kein Bargeld",
    never: "Kein Bargeld auszahlen",
    nothing: "Hier kein Bargeld",
    offline: "Keine Verbindung",
    give: "Bargeld auszahlen",
    given: "Fertig",
    givenBefore: "Bargeld wurde ausgezahlt",
    opening: "Die Lade öffnet sich",
    counting: "Geld zählen",
    drawer: "Die Lade ist nicht aufgegangen",
    drawerUnknown: "Lade prüfen",
    ask: "Schon ausgezahlt?",
    confirmCustomer: "Ist dieser Kunde da?",
    locked: "Gesperrt",
  },
  journalFailing: {
    banner: "Dieses Terminal kann sein Journal nicht schreiben (Festplatte voll?). Filialleitung rufen.",
    ready: {
      title: "Jetzt kann nichts begonnen werden",
      next: "Das Terminal kann nicht festhalten, was geschieht. Filialleitung rufen; es macht von selbst weiter, sobald es kann.",
    },
    title: "Von der Bank bezahlt, aber jetzt nicht auszahlen",
    next: "Lassen Sie das Geld in der Lade, auch wenn sie offen ist, bis diese rote Warnung verschwindet.",
  },
  header: {
    training: "Training",
    trainingLong: "Training: Es fließt kein echtes Geld",
    online: "Verbunden",
    offline: "Keine Verbindung",
    starting: "Verbindet",
    pendingReports_one: "{{count}} Meldung wartet",
    pendingReports_other: "{{count}} Meldungen warten",
    since: "seit {{time}}",
    open_one: "{{count}} offen",
    open_other: "{{count}} offen",
    clock: "Die Uhr geht um {{time}} falsch",
    sameDevice: "Noch ein Terminal mit diesem Namen",
    damaged_one: "{{count}} beschädigter Eintrag",
    damaged_other: "{{count}} beschädigte Einträge",
    warnings_one: "{{count}} Warnung",
    warnings_other: "{{count}} Warnungen",
    manager: "Filialleitung",
    journal: "Das Journal lässt sich nicht schreiben",
    problems_one: "{{count}} zu klären",
    problems_other: "{{count}} zu klären",
    settings: "Einstellungen prüfen",
    noManager: "Die Filialleitung hat noch keine PIN",
    peopleLost: "Die Liste der Personen ist verloren",
  },
  warnings: {
    title: "Probleme an diesem Terminal",
    close: "Schließen",
    clockNext:
      "Bitte der Filialleitung sagen: „Uhrzeit automatisch festlegen“ am Computer einschalten. Countdowns stimmen trotzdem.",
    journalNext:
      "Kein Bargeld auszahlen. Bitte der Filialleitung sagen: Die Festplatte dieses Terminals ist vielleicht voll oder beschädigt. Es macht von selbst weiter, sobald es wieder schreiben kann.",
    sameDeviceNext:
      "Zwei Terminals arbeiten mit demselben Zugangsschlüssel. Bitte der Filialleitung sagen: Jedes braucht einen eigenen.",
    damagedNext:
      "Teile des Journals dieses Terminals sind nicht lesbar. Es läuft weiter. Bitte der Filialleitung sagen.",
    pendingReportsNext:
      "Diese Meldungen gehen von selbst an den Dienst, sobald er erreichbar ist. Lassen Sie das Terminal an.",
    problemsNext:
      "Zahlungen oder Geld der Lade, die geklärt werden müssen. Die Filialleitung klärt jedes unter Filialleitung, Probleme.",
    offlineNext: "Prüfen Sie Netzwerkkabel und Router. Neue Auszahlungen brauchen die Verbindung.",
    settingsNext:
      "Einige Einstellungen waren nicht lesbar oder wurden außerhalb des Programms geändert. Bitte unter Filialleitung, Einstellungen prüfen.",
    paperLowNext: "Neue Rolle bereitlegen. Auszahlungen gehen auch ohne Papier weiter.",
    dayLongNext: "Zählen Sie die Lade und schließen Sie den Tag unter Lade ab. Inzwischen geht nichts verloren.",
    noManagerNext:
      "Drücken Sie Filialleitung und legen Sie eine fest. Bis dahin zahlt das Terminal aus, und sonst lässt sich nichts ändern.",
    peopleLostNext:
      "Drücken Sie Filialleitung und geben Sie den Einmalcode Ihres Anbieters ein. Bis dahin gilt keine PIN: Bezahltes kann ausgezahlt werden, die Schublade öffnet je Zahlung einmal.",
  },
  open: {
    title: "Offene Auszahlungen",
    unknown: "Unbekannt, ob bezahlt. Kein Bargeld auszahlen.",
    payable: "Bezahlt, nicht ausgezahlt",
    closing: "Wird geschlossen. Kein Bargeld auszahlen.",
    since: "seit {{time}}",
    close: "Schließen",
    busy: "Schließen Sie zuerst die Auszahlung ab, die gerade läuft.",
  },
  help: {
    title: "Hilfe",
    keys: "Hilfe (F1)",
    close: "Schließen",
    sections: "Alle Abschnitte",
    cashier: "Für die Kasse",
    manager: "Für die Leitung",
    about: "Über dieses Terminal",
    version: "Version",
    service: "Dienst",
    noSupport: "Der Dienst nennt niemanden. Fragen Sie die Leitung.",
    licences: "Lizenzen",
    licencesNext:
      "Drücken Sie auf einen Eintrag, um seine Lizenz zu lesen. Die Teile von Electron stehen in der Datei LICENSES.chromium.html des installierten Programms.",
    licenceWithoutText: "Das Paket bringt keinen eigenen Text mit: Der Name der Lizenz sagt, welche es ist.",
    loading: "Einen Moment",
    failed: "Die Anleitung ließ sich nicht laden. Versuchen Sie es wieder, wenn das Programm des Terminals läuft.",
  },
};
