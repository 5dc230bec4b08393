import type { withdrawal as english } from "../en/withdrawal.ts";
import type { Texts } from "../texts.ts";

/** German texts: a withdrawal, from the scan until the payment is known. */
export const withdrawal: Texts<typeof english> = {
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
    trainingOpen: "Kundenseiten in neuem Tab",
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
  steps: {
    title: "Danach",
    approve: "Der Kunde gibt in der Bank-App frei.",
    count: "Bei Grün das Geld zählen.",
    handOver: "Das Geld übergeben und es hier bestätigen.",
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
  unknown: {
    title: "Zahlung unklar",
    asking: "Das Terminal prüft weiter und meldet sich von selbst.",
    repeating:
      "Das Terminal wiederholt seine letzte Anfrage gefahrlos und meldet sich von selbst, sobald es Bescheid weiß.",
    since: "Ohne Antwort seit {{time}}",
    attempts_one: "{{count}} Mal gefragt",
    attempts_other: "{{count}} Mal gefragt",
    next: "Bitten Sie den Kunden zu warten. Sie können inzwischen den nächsten bedienen.",
    retry: "Jetzt fragen",
    nextCustomer: "Nächster Kunde",
  },
  facts: {
    began: "Begonnen",
    amount: "Betrag",
    shop: "Geschäft",
    ordered: "Angefordert",
    ago: "vor {{time}}",
    code: "Code",
    support: "Hilfe",
  },
};
