import type { CustomerTexts } from "./customer-texts.ts";

/** The display's words in German. */
export const de: CustomerTexts = {
  moments: {
    closed: { title: "Hier gerade keine Auszahlung", next: "Bitte fragen Sie an der Kasse." },
    offline: {
      title: "Gerade keine Auszahlung",
      next: "Es gibt zurzeit keine Verbindung. Bitte fragen Sie an der Kasse.",
    },
    welcome: { title: "Hier Bargeld abheben", next: "Betrag in der Bank‑App anfordern und den Barcode zeigen." },
    looking_up: { title: "Einen Moment bitte", next: "Ihr Barcode wird nachgeschlagen." },
    review: { title: "Ist das Ihr Betrag?", next: "Wenn nicht, sagen Sie es bitte an der Kasse." },
    confirming: { title: "Einen Moment bitte", next: "Halten Sie Ihre Bank‑App bereit." },
    approve: { title: "In der Bank‑App freigeben", next: "Betrag und Geschäft dort prüfen, dann freigeben." },
    paying: { title: "Freigegeben", next: "Ihre Bank zahlt gerade. Bitte warten Sie auf Ihr Bargeld." },
    closing: { title: "Einen Moment bitte", next: "Diese Auszahlung wird abgebrochen." },
    cash: { title: "Ihr Bargeld kommt", next: "Bitte zählen Sie es gemeinsam mit der Kasse nach." },
    cashier_asks: { title: "Einen Moment bitte", next: "Man spricht Sie an der Kasse gleich an." },
    unclear: { title: "Bitte warten", next: "Wir klären, ob bezahlt wurde. Bitte beginnen Sie keine neue Auszahlung." },
    done: { title: "Bargeld ausgezahlt", next: "Vielen Dank. Auf Wiedersehen." },
  },
  ended: {
    handed_out: { title: "Bargeld ausgezahlt", next: "Vielen Dank. Auf Wiedersehen." },
    not_handed_out: { title: "Kein Bargeld ausgezahlt", next: "Bitte sprechen Sie mit der Kasse." },
    rejected: { title: "Auszahlung abgebrochen", next: "Zu diesem Barcode gibt es kein Bargeld." },
    rejected_before: {
      title: "Diese Auszahlung wurde abgebrochen",
      next: "Beginnen Sie in der Bank‑App eine neue.",
    },
    given_up: { title: "Auszahlung abgebrochen", next: "Die Verbindung brach ab. Bitte sprechen Sie mit der Kasse." },
    sca_timeout: {
      title: "Die Zeit ist abgelaufen",
      next: "Nicht rechtzeitig freigegeben. Beginnen Sie in der Bank‑App eine neue.",
    },
    sca_denied: {
      title: "In der Bank‑App abgelehnt",
      next: "Beginnen Sie dort eine neue, wenn Sie Bargeld möchten.",
    },
    user_canceled: {
      title: "Von Ihnen abgebrochen",
      next: "Beginnen Sie in der Bank‑App eine neue, wenn Sie Bargeld möchten.",
    },
    canceled: {
      title: "Diese Auszahlung wurde abgebrochen",
      next: "Beginnen Sie in der Bank‑App eine neue, wenn Sie Bargeld möchten.",
    },
    order_expired: {
      title: "Dieser Barcode ist zu alt",
      next: "Beginnen Sie in der Bank‑App eine neue Auszahlung.",
    },
    declined: { title: "Von Ihrer Bank abgelehnt", next: "Bitte fragen Sie Ihre Bank." },
    settle_declined: {
      title: "Ihre Bank hat nicht bezahlt",
      next: "Bitte fragen Sie Ihre Bank. Es kann nichts ausgezahlt werden.",
    },
    already_used: { title: "Dieser Barcode wurde schon benutzt", next: "Bitte sprechen Sie mit der Kasse." },
    handed_out_before: { title: "Dieser Barcode wurde schon benutzt", next: "Bitte sprechen Sie mit der Kasse." },
    in_use_elsewhere: {
      title: "An einer anderen Kasse in Arbeit",
      next: "Bitte beginnen Sie keine neue. Sprechen Sie mit der Kasse.",
    },
    unknown_barcode: { title: "Dieser Barcode ist nicht bekannt", next: "Zeigen Sie den Barcode Ihrer Bank‑App." },
    no_network: { title: "Das lässt sich gerade nicht nachschlagen", next: "Bitte sprechen Sie mit der Kasse." },
    service_down: { title: "Das lässt sich gerade nicht nachschlagen", next: "Bitte sprechen Sie mit der Kasse." },
    service_refused: { title: "Das ist hier nicht möglich", next: "Bitte sprechen Sie mit der Kasse." },
    limit_reached: { title: "Das ist hier gerade nicht möglich", next: "Bitte sprechen Sie mit der Kasse." },
    unclear: {
      title: "Es ist unklar, ob bezahlt wurde",
      next: "Bitte beginnen Sie keine neue. Sprechen Sie mit der Kasse.",
    },
  },
  timeOver: { title: "Die Zeit ist um", next: "Wir klären, wie es ausging. Bitte warten Sie." },
  disconnected: {
    title: "Einen Moment bitte",
    next: "Diese Anzeige hat keine Verbindung. Bitte fragen Sie an der Kasse.",
  },
  training: "Übung: kein echtes Geld",
  noConnection: "Zurzeit keine Verbindung. Die Anzeige kann veraltet sein.",
};
