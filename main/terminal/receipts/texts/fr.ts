import type { ReceiptTexts, ReportTexts } from "./en.ts";

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

/** What stands on French day reports. */
export const frReport: ReportTexts = {
  reprint: "DUPLICATA",
  training: "FORMATION",
  terminal: "Terminal",
  title: "Rapport du jour Z",
  opened: "Ouverture",
  openedBy: "par",
  closed: "Clôture",
  closedBy: "par",
  float: "Fonds de caisse",
  in: "Entrées",
  out: "Sorties",
  handedOut: "Retraits",
  expected: "Attendu",
  counted: "Compté",
  difference: "Écart",
  reason: "Motif",
  counts: "Comptages, le premier sur",
  otherCurrency: "Dans une autre devise",
  before: "Avant l’ouverture",
  takenOut: "Prélevé",
  left: "Reste dans le tiroir",
  over: "En cours à la clôture",
  other: "Non détaillé",
  signature: "Signature",
  reasons: {
    change: "Monnaie",
    takings: "Recettes",
    bank: "Banque",
    expense: "Dépense",
    correction: "Correction",
    other: "Autre",
  },
};
