import type { messages as english } from "../en/messages.ts";
import type { Texts } from "../texts.ts";

/** German texts: toasts, and why a command was refused. */
export const messages: Texts<typeof english> = {
  toasts: {
    not_an_id: "Das war kein Auszahlungscode. Scannen Sie den Barcode in der App des Kunden.",
    duplicate_scan: "Dieser Barcode wurde gerade eben gescannt.",
    busy_review: "Schließen Sie zuerst diese Auszahlung ab.",
    busy_money: "Schließen Sie zuerst diese Auszahlung ab.",
    busy_lookup: "Der letzte Barcode wird noch nachgesehen.",
    no_day: "Eröffnen Sie zuerst den Tag der Lade.",
  },
  refusals: {
    stale: "Der Bildschirm hat inzwischen gewechselt. Sehen Sie noch einmal hin.",
    busy: "Schließen Sie zuerst diese Auszahlung ab.",
    not_an_id: "Das war kein Auszahlungscode.",
    duplicate_scan: "Dieser Barcode wurde gerade eben gescannt.",
    not_enrolled: "Dieses Terminal ist noch nicht eingerichtet.",
    invalid: "Damit kann das Terminal nichts anfangen. Prüfen Sie die Eingabe.",
    denied: "Der Dienst hat diese Angaben nicht angenommen. Prüfen Sie sie.",
    unreachable: "Der Dienst antwortet nicht. Prüfen Sie Adresse und Netzwerk und versuchen Sie es noch einmal.",
    unsafe_service:
      "Hinter diesem Dienst steht keine Bank, oder seine Adresse ist nicht verschlüsselt. Fragen Sie Ihren Anbieter nach der richtigen Adresse; zum Üben wechseln Sie ins Training.",
    failed: "Das hat nicht geklappt. Versuchen Sie es noch einmal.",
    undecided:
      "Es sind Auszahlungen offen. Entscheiden Sie jede unter Filialleitung, Probleme; dann verbinden Sie noch einmal.",
    locked: "Hier ist niemand angemeldet. Geben Sie zuerst Ihre PIN ein.",
    manager_needed: "Das darf nur die Filialleitung. Geben Sie deren PIN ein.",
    no_manager: "Die Filialleitung hat noch keine PIN. Legen Sie zuerst eine fest.",
    approval_needed: "Das muss eine zweite Person mit ihrer PIN bestätigen.",
    people_lost:
      "Die Liste der Personen ist hier verloren. Drücken Sie Filialleitung und geben Sie einen Code Ihres Anbieters ein.",
    wrong_pin: "Diese PIN stimmt nicht.",
    wait: "Zu viele falsche Versuche. Warten Sie, bis die Zeit um ist.",
    weak_pin: "Diese PIN ist zu kurz oder zu leicht zu erraten. Wählen Sie eine andere.",
    drawer_short:
      "In der Lade ist zu wenig für diesen Betrag. Lehnen Sie ab; nach einer Einlage kann neu angefragt werden.",
    no_screen: "An diesem Computer ist kein anderer Bildschirm. Schließen Sie einen an.",
    not_in_browser:
      "Für echtes Geld braucht es das installierte Programm. Fragen Sie, wer dieses Terminal eingerichtet hat.",
    no_printer: "In den Einstellungen ist kein Belegdrucker.",
    no_private_network:
      "Dieser Computer ist in keinem privaten Netz. Verbinden Sie ihn mit dem Netz des Geschäfts, dann noch einmal.",
    no_day: "Eröffnen Sie zuerst den Tag: Zählen Sie, was in der Lade ist.",
    count_empty: "Es wurde nichts gezählt. Zählen Sie die Lade, oder geben Sie an, dass sie leer ist.",
    reason_needed: "Die Zählung weicht ab. Schreiben Sie auf, warum.",
  },
};
