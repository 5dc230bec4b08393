import type { ReceiptTexts } from "./en.ts";

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
