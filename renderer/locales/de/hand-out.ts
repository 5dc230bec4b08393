import type { handOut as english } from "../en/hand-out.ts";
import type { Texts } from "../texts.ts";

/** German texts: handing out paid cash, and the drawer. */
export const handOut: Texts<typeof english> = {
  payable: {
    title: "Diesen Betrag auszahlen",
    recoveredTitle: "Von der Bank bezahlt, noch nicht ausgezahlt",
    plainNext: "Öffnen Sie die Lade. Der Betrag bleibt beim Zählen auf dem Bildschirm.",
    atOnceNext: "Öffnen Sie die Lade und geben Sie das Geld heraus. Mit der offenen Lade gilt es als ausgezahlt.",
    byHandNext:
      "Öffnen Sie die Lade mit dem Schlüssel und zählen Sie das Geld. Drücken Sie die Taste, dann geben Sie es heraus.",
    recoveredNext:
      "Ist dieser Kunde da und noch ohne Geld? Dann zahlen Sie aus. „Nicht ausgezahlt“ wählen Sie nur, wenn kein Geld die Lade verlassen hat.",
    begunTitle: "Das Terminal fiel bei dieser Auszahlung aus",
    begunNext: "Fragen Sie zuerst den Kunden. Öffnen Sie die Lade nur, wenn er noch kein Geld hat.",
    begunByHandNext:
      "Fragen Sie zuerst den Kunden. Hat er noch kein Geld, zahlen Sie jetzt aus. Drücken Sie die Taste, wenn er es hat.",
    hasCash: "Der Kunde hat das Geld",
    openAndGive: "Lade öffnen",
    ok: "Lade öffnen",
    okByHand: "Jetzt übergeben",
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
    checkingTitle: "Der Dienst wird gefragt",
    checkingNext:
      "Geben Sie noch nichts heraus. Das Terminal fragt, ob schon ausgezahlt wurde, und macht von selbst weiter.",
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
};
