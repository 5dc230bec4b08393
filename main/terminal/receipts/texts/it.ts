import type { ReceiptTexts } from "./en.ts";

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
