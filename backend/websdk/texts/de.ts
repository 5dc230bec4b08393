import type { Texts } from "./en.ts";

/** German texts of the customer's pages. */
export const de: Texts = {
  language: "de",
  languagesLabel: "Andere Sprachen",
  appName: "Bargeld an der Kasse",
  sandboxStrip: "Sandbox: kein echtes Geld",
  sandboxHome: "Sandbox-Startseite",

  amountTitle: "Wie viel Bargeld?",
  available: (balance) => `Verfügbar: ${balance}`,
  amountLabel: "Betrag",
  range: (least, most) => `Von ${least} bis ${most}`,
  step: (step) => `in Schritten von ${step}`,
  quickAmounts: "Häufige Beträge",
  keypad: "Zifferntasten",
  deleteDigit: "Letzte Ziffer löschen",
  storeLabel: "Geschäft",
  shopSearch: "Geschäft nach Namen suchen",
  shopSearchAction: "Suchen",
  shopNotFound: "Kein Geschäft heißt so. Versuchen Sie einen anderen Namen.",
  noStore: {
    title: "Noch kein Geschäft zahlt diese Währung aus",
    detail: "Es wurde nichts begonnen und kein Geld bewegt.",
  },
  getCode: "Code anzeigen",
  gettingCode: "Ihre Bank wird gefragt …",
  leave: "Jetzt nicht",

  amountMissing: "Geben Sie einen Betrag ein.",
  amountUnreadable: (example) => `Geben Sie den Betrag als Zahl ein, zum Beispiel ${example}.`,
  amountTooSmall: (least) => `Der kleinste Betrag ist ${least}.`,
  amountTooLarge: (most) => `Der größte Betrag ist ${most}.`,
  amountOverBalance: (balance) => `Ihr verfügbarer Betrag ist ${balance}.`,
  amountOffStep: (step) => `Wählen Sie einen Betrag in Schritten von ${step}.`,
  storeMissing: "Wählen Sie ein Geschäft aus der Liste.",
  limitReached: "Das wäre mehr, als Sie oder dieses Geschäft zurzeit bekommen können. Es wurde nichts abgebucht.",
  busy: "Die Auszahlung konnte gerade nicht begonnen werden. Es wurde nichts abgebucht. Bitte gleich noch einmal versuchen.",

  atStore: (store) => `bei ${store}`,
  codeLabel: "Code für die Kasse",
  barcodeAlt: "Strichcode (Code 128) mit dem Auszahlungscode",
  qrAlt: "QR-Code mit dem Auszahlungscode",
  enlarge: "Bildschirmfüllend zeigen",
  close: "Schließen",
  brightness: "Liest der Scanner nicht? Bildschirm auf volle Helligkeit stellen und das Telefon ruhig halten.",
  validFor: "Gültig noch",
  timeLeft: "Verbleibende Zeit",
  approve: "Bank-App öffnen",
  cancel: "Auszahlung abbrechen",
  cancelQuestion: "Diese Auszahlung abbrechen? Der Code gilt dann sofort nicht mehr.",
  keep: "Behalten",
  again: "Neue Auszahlung beginnen",
  back: (brand) => `Zurück zu ${brand}`,
  offline: "Keine Verbindung. Diese Seite aktualisiert sich von selbst, sobald Sie wieder online sind.",
  reload: "Neu laden",
  code: "Code",
  saveReceipt: "Beleg teilen oder speichern",

  requested: { title: "Ihre Bank wird gefragt", detail: "Ihr Code erscheint hier in wenigen Sekunden." },
  ready: {
    title: "Code an der Kasse zeigen",
    detail: "Er wird dort gescannt und der Betrag mit Ihnen geprüft.",
  },
  awaitingSca: {
    title: "Jetzt in der Bank‑App freigeben",
    detail: "Prüfen Sie dort Betrag und Geschäft und geben Sie frei. Die Kasse wartet darauf.",
  },
  settling: {
    title: "Freigegeben. Ihre Bank bezahlt das Geschäft",
    detail: "Bitte bleiben Sie noch einen Moment an der Kasse.",
  },
  settled: (amount) => ({
    title: `Bezahlt. Sie erhalten ${amount}`,
    detail: "Die Kasse wird geöffnet. Zählen Sie das Geld, bevor Sie gehen.",
  }),
  linked: (amount) => ({
    title: `${amount} ausgezahlt`,
    detail: "Alles erledigt. Ihre Bank zeigt die Auszahlung in Ihrem Konto.",
  }),
  undelivered: (amount) => ({
    title: "Es wurde kein Bargeld ausgezahlt",
    detail: `Das Geschäft hat gemeldet, dass Sie die ${amount} nicht erhalten haben. Ihre Zahlung ist als zu erstatten vermerkt. Fragen Sie Ihre Bank, wenn sie nach einigen Tagen nicht zurück ist.`,
  }),
  declined: { title: "Ihre Bank hat abgelehnt", detail: "Es wurde kein Geld bewegt. Den Grund nennt Ihnen Ihre Bank." },
  unreachable: {
    title: "Ihre Bank hat nicht geantwortet",
    detail: "Es wurde keine Auszahlung begonnen und kein Geld bewegt. Bitte in ein paar Minuten noch einmal versuchen.",
  },
  rejected: {
    title: "Die Kasse hat die Auszahlung beendet",
    detail: "Es wurde kein Geld bewegt. Einen reservierten Betrag gibt Ihre Bank wieder frei.",
  },
  scaTimeout: {
    title: "Die Zeit für die Freigabe ist um",
    detail: "Sie wurde nicht rechtzeitig erteilt, die Auszahlung ist abgebrochen. Es wurde kein Geld bewegt.",
  },
  scaDenied: {
    title: "In der Bank‑App abgelehnt",
    detail: "Die Auszahlung ist abgebrochen. Es wurde kein Geld bewegt.",
  },
  userCanceled: {
    title: "Auszahlung abgebrochen",
    detail:
      "Der Code gilt nicht mehr. Es wurde kein Geld bewegt; einen reservierten Betrag gibt Ihre Bank wieder frei.",
  },
  restored: {
    title: "Auszahlung beendet",
    detail:
      "Ob Geld bewegt wurde, ist hier nicht bekannt. Sehen Sie auf Ihrem Konto nach, bevor Sie eine neue anfordern.",
  },
  canceled: { title: "Auszahlung abgebrochen", detail: "Es wurde kein Geld bewegt." },
  expired: {
    title: "Der Code ist abgelaufen",
    detail:
      "Er wurde nicht rechtzeitig benutzt. Es wurde kein Geld bewegt; einen reservierten Betrag gibt Ihre Bank wieder frei.",
  },
  failed: {
    title: "Ihre Bank hat nicht gezahlt",
    detail: "Es kann kein Bargeld ausgegeben werden. Es wurde kein Geld bewegt.",
  },

  linkUnknown: {
    title: "Dieser Link ist nicht gültig",
    detail: "Prüfen Sie, ob er vollständig ist, oder beginnen Sie in Ihrer Bank-App neu.",
  },
  linkUsed: {
    title: "Dieser Link wurde schon benutzt",
    detail:
      "Zu Ihrer Sicherheit öffnet jeder Link einmal, auf einem Gerät. Waren Sie das nicht, sagen Sie es Ihrer Bank. Um hier weiterzumachen, beginnen Sie in Ihrer Bank-App neu.",
  },
  linkExpired: {
    title: "Dieser Link ist abgelaufen",
    detail: "Links gelten 10 Minuten. Beginnen Sie in Ihrer Bank-App neu.",
  },
  sessionGone: {
    title: "Diese Seite ist hier nicht mehr offen",
    detail:
      "Sie wurde auf einem anderen Gerät geöffnet oder ist beendet. Wie eine Auszahlung ausging, zeigt Ihre Bank-App; dort beginnen Sie auch eine neue.",
  },
  foreignRequest: {
    title: "Diese Anfrage kam nicht von dieser Seite",
    detail: "Es wurde nichts geändert. Gehen Sie zurück und versuchen Sie es noch einmal.",
  },
  unavailable: {
    title: "Wir können gerade nicht antworten",
    detail: "Was Sie begonnen haben, läuft ohne diese Seite weiter. Laden Sie sie gleich neu, um den Stand zu sehen.",
  },
};
