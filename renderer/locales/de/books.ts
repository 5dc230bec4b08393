import type { books as english } from "../en/books.ts";
import type { Texts } from "../texts.ts";

/** German texts: the figures and the books. */
export const books: Texts<typeof english> = {
  figures: {
    title: "Zahlen",
    day: "Tag",
    week: "Woche",
    month: "Monat",
    year: "Jahr",
    period: "Zeitraum",
    date: "Datum",
    earlier: "Früher",
    later: "Später",
    today: "Heute",
    none: "Keine Auszahlungen in dieser Zeit.",
    sum: "Ausgezahltes Bargeld",
    count: "Ausgezahlt",
    average: "Durchschnitt",
    all: "Alle Auszahlungen",
    byHour: "Bargeld nach Stunde",
    countByHour: "Auszahlungen nach Stunde",
    byDay: "Bargeld nach Tag",
    countByDay: "Auszahlungen nach Tag",
    byMonth: "Bargeld nach Monat",
    countByMonth: "Auszahlungen nach Monat",
    ends: "Wie sie endeten",
    end: "Ende",
    number: "Anzahl",
    scanToCash: "Vom Scan bis zum Bargeld",
    approval: "Vom Bestätigen bis zur Freigabe",
    half: "Die Hälfte in {{time}}",
    most: "neun von zehn in {{time}}",
    notMeasured: "In dieser Zeit nicht gemessen.",
    hour: "Stunde",
    below: "unter {{time}}",
    longer: "länger",
    scope: "Eine Auszahlung zählt zu der Zeit, zu der sie bestätigt oder abgelehnt wurde, in der Zeitzone {{zone}}.",
  },
  books: {
    title: "Bücher",
    offline:
      "Der Dienst ist jetzt nicht erreichbar: Nur die Hälfte dieses Terminals wird gezeigt. Öffnen Sie die Seite später noch einmal, um zu vergleichen.",
    not_offered: "Dieser Dienst gibt keinen Bericht: Nur die Hälfte dieses Terminals wird gezeigt.",
    agree_one: "{{count}} Auszahlung stimmt überein.",
    agree_other: "{{count}} Auszahlungen stimmen überein.",
    clean: "Nichts anzusehen: Beide Seiten stimmen überein.",
    cleanHere: "An diesem Terminal ist nichts anzusehen.",
    allCleared: "Nichts mehr anzusehen: Den Rest hat die Filialleitung geklärt.",
    cleared: "Von der Filialleitung geklärt",
    noted: "Dieses Terminal vermerkte: {{what}}.",
    handedOut: "Ausgezahltes Bargeld",
    here: "Dieses Terminal",
    there: "Dienst",
    difference: "Unterschied",
    what: "Was es ist und was zu tun ist",
    unknownHere: "hier nicht bekannt",
    unknownThere: "dort nicht bekannt",
    leftOut_one: "{{count}} weitere wird nicht gezeigt. Wählen Sie eine kürzere Zeit.",
    leftOut_other: "{{count}} weitere werden nicht gezeigt. Wählen Sie eine kürzere Zeit.",
    elsewhere_one: "Die anderen Terminals des Geschäfts: {{count}} Auszahlung, {{open}} davon dort anzusehen.",
    elsewhere_other: "Die anderen Terminals des Geschäfts: {{count}} Auszahlungen, {{open}} davon dort anzusehen.",
    findings: {
      matched: "ausgezahlt",
      not_linked: "bezahlt, nichts über das Bargeld",
      undelivered: "bezahlt, nicht ausgezahlt",
      settle_unknown: "noch keine Antwort der Bank",
      restored: "der Dienst wurde auf eine Kopie zurückgesetzt",
      disputed: "von der Bank bestritten",
      closed: "ohne Bargeld beendet",
    },
    explain: {
      amount_differs:
        "Die Beträge sind verschieden. Zahlen Sie nichts mehr aus; senden Sie beide Codes an den Support.",
      other_terminal:
        "Hier wurde Bargeld ausgezahlt, und der Dienst hat sie als die eines anderen Terminals: Vielleicht wurde zweimal ausgezahlt. Zählen Sie beide Schubladen und rufen Sie jetzt den Support an, mit beiden Codes.",
      paid_without_money:
        "Hier wurde Bargeld ausgezahlt, und der Dienst hat keine Zahlung dafür. Rufen Sie jetzt den Support an, mit beiden Codes.",
      forgotten_there:
        "Dieses Terminal hatte sie gemeldet; der Dienst wurde auf eine Kopie zurückgesetzt und hat sie vergessen. Sie wird von selbst noch einmal gemeldet: Sehen Sie in einer Stunde wieder nach. Bleibt es dabei, senden Sie beide Codes an den Support.",
      link_on_its_way:
        "Die Meldung der Auszahlung ist unterwegs; das Terminal wiederholt sie von selbst. Sehen Sie in einer Stunde wieder nach.",
      link_refused:
        "Der Dienst hat die Meldung der Auszahlung abgelehnt. Senden Sie beide Codes an den Support, damit sie von Hand gebucht wird.",
      cash_not_said:
        "Sie ist bezahlt, und niemand hat gesagt, ob Bargeld gegeben wurde. Zählen Sie die Schublade, dann entscheiden Sie unter Probleme.",
      linked_not_here:
        "Der Dienst hat sie als ausgezahlt, dieses Terminal nicht. Zählen Sie die Schublade und senden Sie beide Codes an den Support.",
      undelivered:
        "Sie ist bezahlt, und kein Bargeld wurde gegeben: Die Bank zahlt sie dem Kunden zurück. Hier ist nichts zu tun.",
      undelivered_on_its_way:
        "Die Meldung, dass kein Bargeld gegeben wurde, ist unterwegs; das Terminal wiederholt sie von selbst. Sehen Sie in einer Stunde wieder nach.",
      undelivered_refused:
        "Der Dienst hat die Meldung abgelehnt, dass kein Bargeld gegeben wurde. Senden Sie beide Codes an den Support, damit der Kunde sein Geld zurückbekommt.",
      undelivered_not_here:
        "Dem Dienst wurde gesagt, dass kein Bargeld gegeben wurde, und hier wurde es gegeben. Rufen Sie den Support an, bevor das Geld zurückgeht.",
      settle_unknown:
        "Die Bank hat noch nicht geantwortet. Geben Sie kein Bargeld; der Dienst fragt weiter. Sehen Sie später wieder nach.",
      restored:
        "Der Dienst wurde auf eine Kopie zurückgesetzt, und was Terminals und Bank dazu sagen, stimmt noch nicht überein. Zahlen Sie dafür nichts mehr aus. Steht sie morgen noch hier, rufen Sie den Support an, mit beiden Codes.",
      disputed:
        "Die Bank widerspricht ihrer ersten Antwort. Der Betreiber klärt es mit der Bank; behalten Sie beide Codes.",
      unclear_here: "Dieses Terminal kennt ihr Ende noch nicht. Bleibt es dabei, entscheiden Sie unter Probleme.",
      noted_here:
        "Beide Seiten stimmen über das Geld überein. Dieses Terminal hatte ein Problem damit: Klären Sie es unter Probleme.",
      known_here_only:
        "Im Bericht des Dienstes steht sie nicht. Prüfen Sie das Datum, dann senden Sie beide Codes an den Support.",
      known_there_only:
        "Im Journal dieses Terminals steht sie nicht. Prüfen Sie das Journal, und ob ein anderes Terminal denselben Namen benutzt.",
    },
  },
};
