/** German texts about cameras and scanners. */
import type { Texts } from "./en.ts";

export const scan: Texts["scan"] = {
  camera: "Kamera",
  chooseCamera: "Kamera",
  cameraNumber: "Kamera {{number}}",
  starting: "Die Kamera startet",
  tryAgain: "Noch einmal versuchen",
  light: "Licht",
  zoom: "Zoom",
  focus: "Neu scharf stellen",
  sight: {
    nothing: "Barcode in den Rahmen halten",
    once_more: "Wird gelesen. Bitte still halten",
    accepted: "Gelesen",
    again: "Schon gelesen. Handy wegnehmen und noch einmal zeigen",
    foreign: "Das ist kein Auszahlungscode",
    dark: "Zu dunkel. Das Handy heller stellen oder Licht einschalten",
    glaring: "Zu viel Spiegelung. Das Handy etwas kippen",
    blurred: "Unscharf. Das Handy still halten, etwa 15 cm entfernt",
    near: "Zu nah. Das Handy etwas zurücknehmen",
    far: "Zu weit weg. Das Handy näher heranhalten",
  },
  problem: {
    none: {
      title: "Keine Kamera gefunden",
      remedy:
        "Schließen Sie eine Kamera an; sie wird sofort verwendet. Bis dahin den Handscanner benutzen oder den Code eintippen.",
    },
    taken: {
      title: "Ein anderes Programm verwendet die Kamera",
      remedy: "Schließen Sie das andere Programm, etwa einen Videoanruf. Die Kasse versucht es von selbst wieder.",
    },
    denied: {
      title: "Die Kamera ist nicht erlaubt",
      remedy:
        "Erlauben Sie die Kamera für diese Seite im Browser oder in den Datenschutz-Einstellungen des Systems und versuchen Sie es noch einmal.",
    },
    insecure: {
      title: "Unter dieser Adresse ist keine Kamera möglich",
      remedy: "Öffnen Sie die Kasse auf diesem Gerät selbst oder über https.",
    },
    unplugged: {
      title: "Die Kamera wurde abgezogen",
      remedy:
        "Stecken Sie sie wieder ein; sie wird sofort verwendet. Bis dahin den Handscanner benutzen oder den Code eintippen.",
    },
    failed: {
      title: "Die Kamera startet nicht",
      remedy:
        "Ziehen Sie sie ab und stecken Sie sie wieder ein. Bis dahin den Handscanner benutzen oder den Code eintippen.",
    },
  },
};
