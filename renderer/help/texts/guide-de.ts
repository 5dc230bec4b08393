import { scaTimeoutSeconds } from "../../../backend/contract/sca.ts";
import type { Guide } from "../guide.ts";

/** The guide in German. */
export const de: Guide = {
  scan: {
    title: "Barcode scannen",
    steps: [
      "Der Kunde fordert in der Bank‑App einen Betrag an und zeigt einen Barcode. Vor die Kamera halten oder mit dem Handscanner lesen.",
      "Er lässt sich nicht lesen? Die Helligkeit des Telefons erhöhen, oder {{ready.type}} (F2) drücken und die 16 Zeichen unter dem Barcode tippen.",
      "Das Terminal zeigt den Betrag. Bezahlt ist noch nichts.",
    ],
  },
  amount: {
    title: "Betrag prüfen",
    steps: [
      "Den Betrag laut nennen. Stimmt er, und ist der Kunde da? Dann {{review.confirm}} drücken.",
      "Sonst {{review.reject}}. Es wird nichts bezahlt, und der Kunde kann neu beginnen.",
      "Liegt zu wenig in der Lade, sagt das Terminal es hier: erst Wechselgeld holen.",
    ],
  },
  approval: {
    title: "Der Kunde gibt frei",
    steps: [
      `Der Kunde hat ${scaTimeoutSeconds} Sekunden, um Betrag und Geschäft in der Bank‑App freizugeben. Der Ring zeigt, wie lange noch.`,
      "Warten. Vor dem grünen Bildschirm kein Bargeld geben und keine Lade öffnen.",
      "Dauert es nach der Freigabe länger, {{waiting.nextCustomer}} drücken: Das Terminal macht allein weiter und sagt, wenn bezahlt ist.",
    ],
  },
  hand_out: {
    title: "Bargeld auszahlen",
    steps: [
      "Grün heißt: Die Bank hat bezahlt. {{payable.ok}} drücken, den Betrag vor dem Kunden abzählen und übergeben.",
      "Hat die Auszahlung eine Weile gewartet, fragt das Terminal erst den Dienst: höchstens drei Sekunden, dann geht die Lade von selbst auf.",
      "Danach {{opening.handedOut}} drücken. Erst das sagt dem Dienst, dass der Kunde das Geld hat.",
      "Zu wenig in der Lade, oder der Kunde ist weg? {{payable.notHandedOut}} drücken und sagen, warum. Der Kunde bekommt sein Geld zurück.",
      "Nichts drücken, was nicht stimmt: Was Sie hier sagen, steht in den Büchern.",
    ],
  },
  drawer: {
    title: "Die Lade geht nicht auf",
    steps: [
      "{{opening.again}} drücken oder die Lade mit dem Schlüssel öffnen. An der Zahlung ändert das nichts.",
      "Das Geld nur einmal geben. Wenn unklar ist, ob der Kunde es hat: fragen.",
      "Dann {{opening.handedOut}} drücken.",
    ],
  },
  ends: {
    title: "Zu Ende ohne Bargeld",
    steps: [
      "Gelb heißt: Es wurde nichts bezahlt. Tun, was auf dem Bildschirm steht; meist beginnt der Kunde in der Bank‑App neu.",
      "Rot heißt: kein Bargeld geben. Es kann bezahlt, schon benutzt oder an einer anderen Kasse offen sein. Vor einer neuen Auszahlung die Leitung rufen.",
      "Mit {{ended.nextCustomer}} geht es weiter.",
    ],
  },
  unclear: {
    title: "Zahlung unklar",
    steps: [
      "Der Dienst antwortet nicht. Das Terminal fragt allein weiter; es geht nichts verloren.",
      "Den Kunden bitten zu warten und keine zweite Auszahlung zu beginnen. Kein Bargeld geben.",
      "Mit {{unknown.nextCustomer}} können andere bedient werden. Sie bleibt oben in der Liste; steht es fest, sagt eine Meldung mit Betrag und Code, wie sie endete. Lesen und {{ended.nextCustomer}} drücken.",
    ],
  },
  offline: {
    title: "Keine Verbindung",
    steps: [
      "Es lässt sich nichts nachschlagen. Netzwerkkabel und Router prüfen; weiter geht es, sobald oben {{header.online}} steht.",
      "Was schon läuft, geht von allein weiter. Das Terminal eingeschaltet lassen.",
    ],
  },
  sign_in: {
    title: "Anmelden und wechseln",
    steps: [
      "Den eigenen Namen wählen und die PIN eingeben. Jede Auszahlung trägt dann Ihr Kürzel.",
      "Weg von der Kasse? Oben auf den eigenen Namen drücken: Die nächste Person meldet sich an.",
      "PIN mehrmals falsch: so lange warten, wie der Bildschirm sagt, oder die Leitung fragen.",
    ],
  },
  day: {
    title: "Der Tag der Lade",
    steps: [
      "Oben {{day.title}} drücken, vor dem ersten Kunden Scheine und Münzen zählen, dann {{day.begin}}.",
      "Geld, das sonst hinein- oder hinausgeht: {{day.cashIn}} oder {{day.cashOut}}, mit Grund.",
      "Am Ende {{day.countAndClose}} drücken und zählen, ohne nachzusehen. Das Soll sieht nur die Filialleitung.",
    ],
  },
  set_up: {
    title: "Installieren und verbinden",
    steps: [
      "Die Installation für diesen Rechner starten, dann das Programm. Es führt durch Sprache, Verbindung, Geräte und eine Auszahlung zur Übung.",
      "Vom Anbieter kommt ein Code (gilt einmal und einen Tag) oder ein Zugangsschlüssel. Den QR-Code scannen, oder Code und Adresse tippen.",
      "Klappt die Verbindung nicht, nennt der Bildschirm die Ursache und bleibt stehen: Adresse, Netz, Zertifikat, Uhr oder ein verbrauchter Code.",
      "Jeder Teil lässt sich unter {{manager.settings}}, {{settings.terminal}} wiederholen.",
    ],
  },
  devices: {
    title: "Kamera, Scanner, Drucker, Lade",
    steps: [
      "{{manager.scanner}} zeigt alles, was gelesen wird, und lernt Ihren Handscanner kennen.",
      "Drucker und Lade stehen unter {{manager.settings}}. Eine Lade am Bondrucker geht über ihn auf; ohne öffnet man sie mit dem Schlüssel.",
      "Ein Drucker, der aus oder leer ist, hält keine Auszahlung auf: Er druckt später.",
      "Die Anzeige für die Kundschaft wird unter {{customerDisplay.title}} eingeschaltet.",
    ],
  },
  people: {
    title: "Personen und PINs",
    steps: [
      "Zuerst die PIN der Leitung setzen: Einstellungen, Probleme und Geräte fragen von da an danach.",
      "Unter {{people.tab}} Personen hinzufügen und {{people.cashiersSignIn}} einschalten, wenn jede Auszahlung jemanden nennen soll.",
      "Die PIN einer zweiten Person ist nötig, wo eine allein Geld nehmen könnte: beim dritten Öffnen der Lade und bei {{payable.notHandedOut}}, nachdem sie offen war.",
    ],
  },
  settings: {
    title: "Einstellungen",
    steps: [
      "Änderungen gelten sofort. Ein markiertes Feld gilt erst, wenn es stimmt.",
      "{{settings.confirmHandOver}}: eingeschaltet lassen. Sonst zählt die offene Lade als ausgezahlt.",
      "{{settings.scaTimeout}} muss unter dem bleiben, was der Dienst erlaubt.",
      "Nur die Arten von Barcodes einschalten, die Ihr Netz benutzt.",
      "{{updates.title}}: Eine neue Version wird installiert, wenn der Tag abgeschlossen ist; {{updates.installNow}} tut es sofort, wenn nichts offen ist.",
    ],
  },
  end_of_day: {
    title: "Tagesabschluss",
    steps: [
      "{{day.title}}, {{day.countAndClose}}: zählen und entnehmen, was das Terminal vorschlägt. Die Filialleitung sieht die Differenz und begründet sie; was bei der Zählung einer Kassenkraft abwich, steht unter {{problems.tab}}.",
      "Offene Auszahlungen werden genannt. Sie kommen aus der Lade des nächsten Tages.",
      "Der Bericht wird gedruckt und bleibt unter {{day.reports}}, auch als Datei.",
    ],
  },
  history: {
    title: "Verlauf und Belege",
    steps: [
      "Jede bestätigte Auszahlung, die neueste zuerst. Grenzen Sie die Liste nach Tag, Ergebnis, Kasse oder einem Teil des Codes ein.",
      "{{history.story}} erzählt eine Schritt für Schritt: dieses Terminal neben dem Dienst. Dort lässt sich ein Beleg noch einmal drucken; er ist als Kopie gekennzeichnet.",
      "{{figures.title}} zeigt Summen, Anzahlen und Zeiten; {{books.title}} vergleicht mit dem Dienst und sagt, was bei jedem Unterschied zu tun ist. Beides braucht die Filialleitung.",
      "Was zu klären ist, ist markiert; entscheiden Sie es unter {{problems.tab}}.",
    ],
  },
  problems: {
    title: "Probleme klären",
    steps: [
      "Hier steht, was die Bücher nicht von allein erklären. Erst herausfinden: an der Kasse fragen, die Lade zählen, beim Support fragen.",
      "Bei einer offenen sagen, was geschah: {{problems.handed_out}}, {{problems.not_handed_out}} oder {{problems.leave_to_books}}. Nur entscheiden, wenn der Dienst nicht mehr gefragt werden kann.",
      "Geld in der Lade, das nicht stimmte, oder eine Lade, die ohne dieses Terminal offen stand: die genannte Person fragen und prüfen, was den Drucker sonst erreicht.",
      "Eine Notiz schreiben und {{problems.acknowledge}} drücken. Beides bleibt mit Ihrem Kürzel erhalten, und {{books.title}} führt es als geklärt auf.",
    ],
  },
  journal: {
    title: "Das Journal",
    steps: [
      "Es ist das Buch des Terminals über laufendes Geld, Eintrag für Eintrag versiegelt. Die Prüfung zeigt, ob es heil ist.",
      "Beschädigte Einträge werden beiseitegelegt, nie gelöscht: dem Support ihre Nummern nennen.",
      "{{supportReport.save}} macht eine Datei ohne Schlüssel, PINs und Kunden.",
    ],
  },
  practice: {
    title: "Üben ohne Geld",
    steps: [
      "{{practice.start}} unter {{manager.settings}} beginnt die Übung: oben gestreift, mit einem Telefon neben dem Terminal.",
      "Eine Person kann Kasse und Kundschaft spielen. Nichts davon kommt in die Bücher.",
      "{{phone.real.start}}: Ein Handy im Netz dieses Computers spielt eine Stunde lang den Kunden; die Filialleitung öffnet das mit ihrer PIN.",
      "{{setup.again.live}} führt zurück zum echten Geld.",
    ],
  },
  trouble: {
    title: "Was tun, wenn …",
    steps: [
      "… das Journal sich nicht schreiben lässt (rotes Band): kein Bargeld geben. Platz auf der Platte schaffen; es geht von allein weiter.",
      "… die Seite ihr Programm verloren hat: das Programm neu starten. Alles, was es weiß, bleibt.",
      "… die Uhr falsch geht: Datum, Uhrzeit und Zeitzone dieses Rechners stellen.",
      "… ein anderes Terminal diesen Namen benutzt: Jedes braucht einen eigenen Schlüssel; beim Anbieter einen Code holen.",
      "… dieser Rechner ersetzt wird: Offenes beenden, dann den neuen mit einem neuen Code einrichten. Den Ordner nie kopieren.",
      "… nichts hilft: Support anrufen. Nummer, Terminal und Version stehen unter {{help.about}}.",
    ],
  },
};
