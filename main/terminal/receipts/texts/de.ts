import type { ReceiptTexts, ReportTexts } from "./en.ts";

/** What stands on German receipts. */
export const de: ReceiptTexts = {
  title: "Bargeldauszahlung",
  customerCopy: "Beleg für die Kundschaft",
  shopCopy: "Beleg für die Filiale",
  reprint: "KOPIE",
  training: "ÜBUNG",
  trainingNext: "Es wurde kein echtes Geld bewegt",
  time: "Zeit",
  terminal: "Terminal",
  cashier: "Bedient von",
  withdrawal: "Code der Auszahlung",
  terminalId: "Referenz des Terminals",
  keep: "Bitte diesen Beleg aufbewahren.",
  file: "Für die Bücher der Filiale.",
};

/** What stands on German day reports. */
export const deReport: ReportTexts = {
  reprint: "KOPIE",
  training: "ÜBUNG",
  terminal: "Terminal",
  title: "Tagesbericht Z",
  opened: "Eröffnet",
  openedBy: "von",
  closed: "Abgeschlossen",
  closedBy: "von",
  float: "Wechselgeld",
  in: "Einlagen",
  out: "Entnahmen",
  handedOut: "Auszahlungen",
  expected: "Soll",
  counted: "Gezählt",
  difference: "Differenz",
  reason: "Grund",
  counts: "Zählungen, die erste von",
  otherCurrency: "In anderer Währung",
  before: "Vor der Eröffnung",
  takenOut: "Entnommen",
  left: "Bleibt in der Lade",
  over: "Beim Abschluss offen",
  other: "Nicht stückweise",
  signature: "Unterschrift",
  reasons: {
    change: "Wechselgeld",
    takings: "Einnahmen",
    bank: "Bank",
    expense: "Ausgabe",
    correction: "Korrektur",
    other: "Sonstiges",
  },
};
