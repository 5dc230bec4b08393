import type { ReceiptTexts } from "./en.ts";

/** What stands on French receipts. */
export const fr: ReceiptTexts = {
  title: "Retrait d’espèces",
  customerCopy: "Exemplaire client",
  shopCopy: "Exemplaire du magasin",
  reprint: "DUPLICATA",
  training: "FORMATION",
  trainingNext: "Aucun argent réel n’a été versé",
  time: "Date et heure",
  terminal: "Terminal",
  cashier: "Caissier",
  withdrawal: "Code du retrait",
  terminalId: "Référence du terminal",
  keep: "Merci de conserver ce reçu.",
  file: "Pour la comptabilité du magasin.",
};
