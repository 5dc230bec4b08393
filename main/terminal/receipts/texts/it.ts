import type { ReceiptTexts, ReportTexts } from "./en.ts";

/** What stands on Italian receipts. */
export const it: ReceiptTexts = {
  title: "Prelievo di contanti",
  customerCopy: "Copia per il cliente",
  shopCopy: "Copia per il negozio",
  reprint: "COPIA",
  training: "ESERCITAZIONE",
  trainingNext: "Nessun denaro vero è stato mosso",
  time: "Data e ora",
  terminal: "Terminale",
  cashier: "Cassiere",
  withdrawal: "Codice del prelievo",
  terminalId: "Riferimento del terminale",
  keep: "Conservare questa ricevuta.",
  file: "Per la contabilità del negozio.",
};

/** What stands on Italian day reports. */
export const itReport: ReportTexts = {
  reprint: "COPIA",
  training: "ESERCITAZIONE",
  terminal: "Terminale",
  title: "Rapporto giornaliero Z",
  opened: "Apertura",
  openedBy: "di",
  closed: "Chiusura",
  closedBy: "di",
  float: "Fondo cassa",
  in: "Entrate",
  out: "Uscite",
  handedOut: "Prelievi",
  expected: "Atteso",
  counted: "Contato",
  difference: "Differenza",
  reason: "Motivo",
  counts: "Conteggi, il primo di",
  otherCurrency: "In un’altra valuta",
  before: "Prima dell’apertura",
  takenOut: "Prelevato",
  left: "Resta nel cassetto",
  over: "Aperti alla chiusura",
  other: "Non per pezzi",
  signature: "Firma",
  reasons: {
    change: "Resto",
    takings: "Incassi",
    bank: "Banca",
    expense: "Spesa",
    correction: "Correzione",
    other: "Altro",
  },
};
