/** German texts, in the polite form that shop staff are used to. */
import { managerArea } from "./de-manager.ts";
import { scan } from "./de-scan.ts";
import type { Texts } from "./en.ts";

/** The texts in German. */
export const de: Texts = {
  product: "Tillcash",
  scan,
  ...managerArea,
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
  starting: { title: "Das Terminal startet", next: "Es prüft, was zuletzt offen war." },
  disconnected: {
    title: "Keine Verbindung zum Terminalprogramm",
    next: "Diese Seite verbindet sich von selbst wieder. Wenn nicht, starten Sie das Terminalprogramm neu.",
  },
  broken: {
    title: "Diese Seite ist gestört",
    next: "Nichts ist verloren: Das Terminalprogramm kennt jede Auszahlung. Laden Sie die Seite neu.",
    reload: "Neu laden",
  },
  ready: {
    title: "Barcode des Kunden scannen",
    next: "Handy vor die Kamera halten oder den Handscanner benutzen.",
    type: "Code eintippen",
    offline: {
      title: "Jetzt kann nichts nachgesehen werden",
      next: "Prüfen Sie Netzwerkkabel und Router. Das Terminal versucht es von selbst wieder.",
    },
    cameraOff: "Die Kamera ist aus",
    cameraOffNext:
      "Benutzen Sie den Handscanner oder tippen Sie den Code ein. Die Filialleitung kann die Kamera einschalten.",
    training: "Training: Auf dieser Seite spielen Sie den Kunden",
    trainingOpen: "Übungshandy öffnen",
  },
  entry: {
    title: "Code eintippen",
    next: "Der Code steht unter dem Barcode: 16 Buchstaben und Ziffern in Vierergruppen.",
    field: "Code der Auszahlung",
    lookUp: "Nachsehen",
    back: "Zurück zum Scannen",
    erase: "Löschen",
    keypad: "Tastenfeld",
    left_one: "Noch {{count}} Zeichen",
    left_other: "Noch {{count}} Zeichen",
    right: "Der Code ist vollständig",
    wrong: "Dieser Code stimmt nicht. Vergleichen Sie ihn Gruppe für Gruppe mit dem Handy.",
    foreign: "Vergleichen Sie den Code mit dem Handy, dann sehen Sie nach.",
    character: "„{{character}}“ kommt in Codes nicht vor. Sehen Sie noch einmal hin.",
  },
  lookingUp: {
    title: "Der Code wird nachgesehen",
    next: "Der Dienst wird nach dem Betrag gefragt.",
    cancel: "Abbrechen",
  },
  review: {
    title: "Ist das der Betrag, den der Kunde möchte?",
    next: "Bestätigen Sie nur, solange der Kunde hier ist.",
    confirm: "Bestätigen",
    reject: "Ablehnen",
    expires: "Der Code läuft in {{time}} ab.",
    expired: "Der Code ist gerade abgelaufen.",
  },
  confirming: { title: "Wird bestätigt", next: "Der Kunde wird gleich um Freigabe gebeten." },
  waiting: {
    approvalTitle: "Der Kunde muss jetzt freigeben",
    approvalNext: "Bitten Sie den Kunden, den Betrag in seiner Bank‑App freizugeben.",
    paymentTitle: "Freigegeben, die Bank zahlt gerade",
    paymentNext: "Warten Sie auf den grünen Bildschirm. Greifen Sie vorher nicht zum Geld.",
    reject: "Ablehnen",
    left_one: "Noch {{count}} Sekunde",
    left_other: "Noch {{count}} Sekunden",
    nextCustomer: "Nächster Kunde",
    over: "Die Zeit ist um",
  },
  closing: {
    cashierTitle: "Die Auszahlung wird geschlossen",
    cashierNext: "Sie haben abgelehnt. Der Dienst erfährt es gerade.",
    timeOutTitle: "Zeit abgelaufen: Auszahlung wird geschlossen",
    timeOutNext: "Das Terminal schließt sie beim Dienst ab.",
  },
  payable: {
    title: "Diesen Betrag auszahlen",
    recoveredTitle: "Von der Bank bezahlt, noch nicht ausgezahlt",
    plainNext: "Öffnen Sie die Lade. Der Betrag bleibt beim Zählen auf dem Bildschirm.",
    atOnceNext: "Öffnen Sie die Lade und geben Sie das Geld heraus. Mit der offenen Lade gilt es als ausgezahlt.",
    byHandNext:
      "Öffnen Sie die Lade mit dem Schlüssel, zählen Sie das Geld und geben Sie es heraus. Dann drücken Sie die Taste.",
    recoveredNext:
      "Ist dieser Kunde da und noch ohne Geld? Dann zahlen Sie aus. „Nicht ausgezahlt“ wählen Sie nur, wenn kein Geld die Lade verlassen hat.",
    begunTitle: "Das Terminal fiel bei dieser Auszahlung aus",
    begunNext: "Fragen Sie zuerst den Kunden. Öffnen Sie die Lade nur, wenn er noch kein Geld hat.",
    begunByHandNext:
      "Fragen Sie zuerst den Kunden. Hat er noch kein Geld, zahlen Sie jetzt aus. Drücken Sie die Taste, wenn er es hat.",
    hasCash: "Der Kunde hat das Geld",
    openAndGive: "Lade öffnen",
    ok: "Lade öffnen",
    okByHand: "Geld übergeben",
    notHandedOut: "Nicht ausgezahlt",
  },
  notHandedOut: {
    title: "Warum wurde nicht ausgezahlt?",
    next: "Die Zahlung wird als zurückzugeben vermerkt. Nur wählen, wenn kein Geld die Lade verlassen hat.",
    till_short: "Nicht genug Geld in der Lade",
    customer_left: "Der Kunde ist gegangen",
    drawer_failed: "Die Lade geht nicht auf",
    other: "Anderer Grund",
    back: "Zurück",
  },
  opening: {
    openingTitle: "Die Lade öffnet sich",
    openingNext: "Zahlen Sie genau diesen Betrag aus.",
    failedTitle: "Öffnen Sie die Lade mit dem Schlüssel",
    failedNext:
      "Die Auszahlung ist bezahlt. Öffnen Sie die Lade von Hand und zahlen Sie aus, oder versuchen Sie es erneut.",
    unknownTitle: "Ist die Lade offen?",
    unknownNext: "Die Lade meldet nicht, ob sie aufging. Ist sie zu, nehmen Sie den Schlüssel. Dann zahlen Sie aus.",
    openingAgainNext: "Zahlen Sie genau diesen Betrag aus, und nur, wenn der Kunde ihn noch nicht hat.",
    failedAgainNext:
      "Hat der Kunde noch kein Geld, öffnen Sie die Lade von Hand und zahlen Sie aus, oder versuchen Sie es erneut.",
    unknownAgainNext:
      "Die Lade meldet nicht, ob sie aufging. Zahlen Sie nur aus, wenn der Kunde das Geld noch nicht hat.",
    again: "Erneut öffnen",
    handedOut: "Geld übergeben",
    notHandedOut: "Nicht ausgezahlt",
  },
  counting: {
    title: "Diesen Betrag zählen und übergeben",
    againTitle: "Nur zählen, wenn der Kunde das Geld noch nicht hat",
    next: "Drücken Sie „Geld übergeben“, sobald der Kunde es hat. Ist zu wenig in der Lade, drücken Sie „Nicht ausgezahlt“.",
    close: "Schließen Sie die Lade.",
    closed: "Die Lade ist geschlossen.",
  },
  pieces: { title: "Scheine und Münzen für diesen Betrag" },
  done: { title: "Ausgezahlt", next: "Der nächste Kunde kann kommen.", nextCustomer: "Nächster Kunde" },
  ended: {
    nextCustomer: "Nächster Kunde",
    retry: "Erneut versuchen",
    handed_out: { title: "Diese Auszahlung ist abgeschlossen", next: "Es ist nichts mehr zu tun." },
    not_handed_out: {
      title: "Als nicht ausgezahlt vermerkt",
      next: "Es ist vermerkt, dass dem Kunden das Geld zurückzugeben ist. Schließen Sie die Lade.",
    },
    rejected: {
      title: "Sie haben diese Auszahlung abgelehnt",
      next: "Es wurde nichts bezahlt. Der Kunde kann eine neue anfordern.",
    },
    rejected_before: {
      title: "Diese Auszahlung wurde zuvor abgelehnt",
      next: "Es wurde nichts bezahlt. Der Kunde kann eine neue anfordern.",
    },
    given_up: {
      title: "Das Terminal hat diese Auszahlung geschlossen",
      next: "Die Bestätigung kam nicht rechtzeitig an. Es wurde nichts bezahlt. Der Kunde kann eine neue anfordern.",
    },
    sca_timeout: {
      title: "Die Zeit ist abgelaufen",
      next: "Es wurde nicht rechtzeitig freigegeben und nichts bezahlt. Der Kunde kann in der App eine neue Auszahlung anfordern.",
    },
    sca_denied: {
      title: "Der Kunde hat in der Bank‑App abgelehnt",
      next: "Es wurde nichts bezahlt. War es ein Versehen, fordert der Kunde eine neue Auszahlung an.",
    },
    user_canceled: {
      title: "Der Kunde hat diese Auszahlung storniert",
      next: "Es wurde nichts bezahlt. Der Kunde kann in der App eine neue anfordern.",
    },
    order_expired: {
      title: "Dieser Barcode ist abgelaufen",
      next: "Es wurde nichts bezahlt. Der Kunde fordert eine neue Auszahlung an und zeigt den neuen Barcode.",
    },
    declined: {
      title: "Die Bank hat diese Auszahlung abgelehnt",
      next: "Es wurde nichts bezahlt. Den Grund findet der Kunde in seiner Bank‑App.",
    },
    settle_declined: {
      title: "Die Bank hat nicht bezahlt",
      next: "Der Kunde hat freigegeben, aber die Bank hat die Zahlung abgelehnt. Die Bank‑App nennt den Grund.",
    },
    already_used: {
      title: "Dieser Barcode wurde schon benutzt",
      next: "Vielleicht ist er schon ausgezahlt. Bitten Sie den Kunden um einen neuen Barcode.",
    },
    in_use_elsewhere: {
      title: "An einem anderen Terminal in Arbeit",
      next: "Keine neue Auszahlung beginnen: Der Kunde könnte doppelt belastet werden. Das andere Terminal schließt sie ab.",
    },
    unknown_barcode: {
      title: "Zu diesem Barcode gibt es keine Auszahlung",
      next: "Er gilt nicht für dieses Geschäft oder ist alt. Bitten Sie um den Barcode für dieses Geschäft.",
    },
    no_network: {
      title: "Der Dienst ist nicht erreichbar",
      next: "Prüfen Sie Netzwerkkabel und Router, dann versuchen Sie es erneut. Dieses Terminal hat nichts ausgezahlt.",
    },
    service_down: {
      title: "Der Dienst antwortet nicht richtig",
      next: "Warten Sie eine Minute und versuchen Sie es erneut. Bleibt es so, rufen Sie die Hotline an. Dieses Terminal hat nichts ausgezahlt.",
    },
    service_refused: {
      title: "Der Dienst hat die Anfrage abgelehnt",
      next: "Bedienen Sie den nächsten Kunden. Kommt es wieder vor, rufen Sie die Hotline an.",
    },
    unclear: {
      title: "Vielleicht wurde bezahlt",
      next: "Zahlen Sie nicht aus. Notieren Sie den Code und sagen Sie der Filialleitung Bescheid.",
    },
  },
  unknown: {
    title: "Zahlung unklar",
    asking: "Das Terminal prüft weiter und meldet sich von selbst, sobald es Bescheid weiß.",
    repeating:
      "Das Terminal wiederholt seine letzte Anfrage gefahrlos und meldet sich von selbst, sobald es Bescheid weiß.",
    since: "Ohne Antwort seit {{time}}",
    attempts_one: "{{count}} Mal gefragt",
    attempts_other: "{{count}} Mal gefragt",
    next: "Bitten Sie den Kunden zu warten. Sie können inzwischen den nächsten bedienen.",
    retry: "Jetzt fragen",
    nextCustomer: "Nächster Kunde",
  },
  setup: {
    title: "Dieses Terminal mit dem Dienst verbinden",
    refusedTitle: "Der Dienst nimmt dieses Terminal nicht mehr an",
    next: "Die Angaben bekommen Sie von Ihrem Anbieter.",
    serviceUrl: "Adresse des Dienstes",
    merchantId: "Geschäft",
    deviceId: "Terminal",
    secret: "Zugangsschlüssel",
    enroll: "Verbinden",
    url: "Geben Sie eine vollständige Adresse ein, die mit https:// beginnt",
    missing: "Bitte ausfüllen",
  },
  facts: {
    amount: "Betrag",
    shop: "Geschäft",
    ordered: "Angefordert",
    ago: "vor {{time}}",
    code: "Code",
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
      "Das Journal auf diesem Rechner nennt einen anderen Laden oder ein anderes Terminal. Für die Filialleitung: Legen Sie es beiseite und beginnen Sie ein neues, oder führen Sie es weiter. Bis dahin wird nichts gesendet.",
    setAside: "Neues Journal beginnen",
    adopt: "Es gehört zu diesem Laden",
    open: "Offene Auszahlungen",
  },
  warnings: {
    title: "Probleme an diesem Terminal",
    close: "Schließen",
    clockNext:
      "Bitte der Filialleitung sagen: Datum, Uhrzeit und Zeitzone des Terminals stellen. Countdowns stimmen trotzdem.",
    journalNext:
      "Kein Bargeld auszahlen. Bitte der Filialleitung sagen: Die Festplatte dieses Terminals ist vielleicht voll oder beschädigt. Es macht von selbst weiter, sobald es wieder schreiben kann.",
    sameDeviceNext:
      "Zwei Terminals arbeiten mit demselben Zugangsschlüssel. Bitte der Filialleitung sagen: Jedes braucht einen eigenen.",
    damagedNext:
      "Teile des Journals dieses Terminals sind nicht lesbar. Es läuft weiter. Bitte der Filialleitung sagen.",
    pendingReportsNext:
      "Diese Meldungen gehen von selbst an den Dienst, sobald er erreichbar ist. Lassen Sie das Terminal an.",
    problemsNext:
      "Zahlungen, die in den Büchern geklärt werden müssen. Die Filialleitung klärt jede unter Filialleitung, Probleme.",
    offlineNext: "Prüfen Sie Netzwerkkabel und Router. Neue Auszahlungen brauchen die Verbindung.",
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
  toasts: {
    not_an_id: "Das war kein Auszahlungscode. Scannen Sie den Barcode in der App des Kunden.",
    duplicate_scan: "Dieser Barcode wurde gerade eben gescannt.",
    busy_review: "Schließen Sie zuerst diese Auszahlung ab.",
    busy_money: "Schließen Sie zuerst diese Auszahlung ab.",
    busy_lookup: "Der letzte Barcode wird noch nachgesehen.",
  },
  refusals: {
    stale: "Der Bildschirm hat inzwischen gewechselt. Sehen Sie noch einmal hin.",
    busy: "Schließen Sie zuerst diese Auszahlung ab.",
    not_an_id: "Das war kein Auszahlungscode.",
    duplicate_scan: "Dieser Barcode wurde gerade eben gescannt.",
    not_enrolled: "Dieses Terminal ist noch nicht eingerichtet.",
    invalid: "Damit kann das Terminal nichts anfangen. Prüfen Sie die Eingabe.",
    denied: "Der Dienst hat diese Angaben nicht angenommen. Prüfen Sie sie.",
    unreachable: "Der Dienst antwortet nicht. Prüfen Sie Adresse und Netzwerk und versuchen Sie es noch einmal.",
    failed: "Das hat nicht geklappt. Versuchen Sie es noch einmal.",
    undecided:
      "Es sind Auszahlungen offen. Entscheiden Sie jede unter Filialleitung, Probleme; dann verbinden Sie noch einmal.",
  },
};
