import type { outcomes as english } from "../en/outcomes.ts";
import type { Texts } from "../texts.ts";

/** German texts: how a withdrawal ended: the screen, and its name in the history. */
export const outcomes: Texts<typeof english> = {
  ended: {
    earlier: "Frühere Auszahlung",
    nextCustomer: "Nächster Kunde",
    retry: "Erneut versuchen",
    handed_out: { title: "Diese Auszahlung ist abgeschlossen", next: "Es ist nichts mehr zu tun." },
    not_handed_out: {
      title: "Als nicht ausgezahlt vermerkt",
      next: "Es ist vermerkt, dass dem Kunden das Geld zurückzugeben ist. Schließen Sie die Lade.",
    },
    rejected: {
      title: "Sie haben diese Auszahlung abgelehnt",
      next: "Es wurde nichts bezahlt. Der Kunde kann eine neue anfordern.",
    },
    rejected_before: {
      title: "Diese Auszahlung wurde zuvor abgelehnt",
      next: "Es wurde nichts bezahlt. Der Kunde kann eine neue anfordern.",
    },
    given_up: {
      title: "Das Terminal hat diese Auszahlung geschlossen",
      next: "Die Bestätigung kam nicht rechtzeitig an. Es wurde nichts bezahlt. Der Kunde kann eine neue anfordern.",
    },
    sca_timeout: {
      title: "Die Zeit ist abgelaufen",
      next: "Es wurde nicht rechtzeitig freigegeben und nichts bezahlt. Der Kunde kann in der App eine neue Auszahlung anfordern.",
    },
    sca_denied: {
      title: "Der Kunde hat in der Bank‑App abgelehnt",
      next: "Es wurde nichts bezahlt. War es ein Versehen, fordert der Kunde eine neue Auszahlung an.",
    },
    user_canceled: {
      title: "Der Kunde hat diese Auszahlung storniert",
      next: "Es wurde nichts bezahlt. Der Kunde kann in der App eine neue anfordern.",
    },
    canceled: {
      title: "Diese Auszahlung wurde storniert",
      next: "Es wurde nichts bezahlt. Der Kunde kann in der App eine neue anfordern.",
    },
    order_expired: {
      title: "Dieser Barcode ist abgelaufen",
      next: "Es wurde nichts bezahlt. Der Kunde fordert eine neue Auszahlung an und zeigt den neuen Barcode.",
    },
    declined: {
      title: "Die Bank hat diese Auszahlung abgelehnt",
      next: "Es wurde nichts bezahlt. Den Grund findet der Kunde in seiner Bank‑App.",
    },
    settle_declined: {
      title: "Die Bank hat nicht bezahlt",
      next: "Die Bank hat die Zahlung im letzten Schritt abgelehnt. Den Grund kann der Kunde bei ihr erfragen.",
    },
    already_used: {
      title: "Dieser Barcode wurde schon benutzt",
      next: "Vielleicht ist er schon ausgezahlt. Bitten Sie den Kunden um einen neuen Barcode.",
    },
    handed_out_before: {
      title: "Diese Zahlung wurde schon ausgezahlt",
      next: "Zahlen Sie dafür nichts aus. Ein anderes Terminal oder Programm hat ausgezahlt. Notieren Sie den Code und sagen Sie der Filialleitung Bescheid.",
    },
    in_use_elsewhere: {
      title: "An einem anderen Terminal in Arbeit",
      next: "Keine neue Auszahlung beginnen: Der Kunde könnte doppelt belastet werden. Das andere Terminal schließt sie ab.",
    },
    unknown_barcode: {
      title: "Zu diesem Barcode gibt es keine Auszahlung",
      next: "Er gilt nicht für dieses Geschäft oder ist alt. Bitten Sie um den Barcode für dieses Geschäft.",
    },
    no_network: {
      title: "Der Dienst ist nicht erreichbar",
      next: "Prüfen Sie Netzwerkkabel und Router, dann versuchen Sie es erneut. Dieses Terminal hat nichts ausgezahlt.",
    },
    service_down: {
      title: "Der Dienst antwortet nicht richtig",
      next: "Warten Sie eine Minute und versuchen Sie es erneut. Bleibt es so, rufen Sie die Hotline an. Dieses Terminal hat nichts ausgezahlt.",
    },
    service_refused: {
      title: "Der Dienst hat die Anfrage abgelehnt",
      next: "Bedienen Sie den nächsten Kunden. Kommt es wieder vor, rufen Sie die Hotline an.",
    },
    limit_reached: {
      title: "Das Limit dieses Terminals ist erreicht",
      next: "Nichts wurde bezahlt. Ein anderes Terminal kann auszahlen, oder dieses später: Dann neu scannen, oder sagen Sie der Filialleitung Bescheid.",
    },
    unclear: {
      title: "Vielleicht wurde bezahlt",
      next: "Zahlen Sie nicht aus. Notieren Sie den Code und sagen Sie der Filialleitung Bescheid.",
    },
  },
  outcomes: {
    handed_out: "Ausgezahlt",
    not_handed_out: "Nicht ausgezahlt",
    rejected: "Abgelehnt",
    rejected_before: "Zuvor abgelehnt",
    given_up: "Vom Terminal geschlossen",
    sca_timeout: "Nicht rechtzeitig freigegeben",
    sca_denied: "Vom Kunden abgelehnt",
    user_canceled: "Vom Kunden storniert",
    canceled: "Storniert",
    order_expired: "Abgelaufen",
    declined: "Von der Bank abgelehnt",
    settle_declined: "Von der Bank nicht bezahlt",
    already_used: "Schon benutzt",
    handed_out_before: "Schon ausgezahlt",
    in_use_elsewhere: "An einem anderen Terminal",
    unknown_barcode: "Unbekannter Barcode",
    no_network: "Keine Verbindung",
    service_down: "Dienst gestört",
    service_refused: "Vom Dienst abgelehnt",
    limit_reached: "Limit des Terminals erreicht",
    unclear: "Unklar, ob bezahlt",
  },
};
