import type { scan as english } from "../en/scan.ts";
import type { Texts } from "../texts.ts";

/** German texts: cameras and scanners. */
export const scan: Texts<typeof english> = {
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
      remedy: "Schließen Sie das andere Programm, etwa einen Videoanruf. Das Terminal versucht es von selbst wieder.",
    },
    denied: {
      title: "Die Kamera ist nicht erlaubt",
      remedy:
        "Erlauben Sie die Kamera für diese Seite im Browser oder in den Datenschutz-Einstellungen des Systems und versuchen Sie es noch einmal.",
    },
    denied_windows: {
      title: "Die Kamera ist in Windows ausgeschaltet",
      remedy:
        "Öffnen Sie in Windows Einstellungen, Datenschutz und Sicherheit, Kamera. Schalten Sie den Kamerazugriff ein, auch den für Desktop-Apps. Dann noch einmal versuchen.",
    },
    denied_mac: {
      title: "Die Kamera ist in macOS ausgeschaltet",
      remedy:
        "Öffnen Sie in macOS Systemeinstellungen, Datenschutz & Sicherheit, Kamera, und schalten Sie Tillcash ein. Dann Tillcash neu starten.",
    },
    denied_linux: {
      title: "Dieser Benutzer darf die Kamera nicht verwenden",
      remedy:
        "Fragen Sie, wer den Computer betreut: Der Benutzer braucht das Recht auf die Kamera (oft die Gruppe „video“). Dann neu anmelden.",
    },
    insecure: {
      title: "Unter dieser Adresse ist keine Kamera möglich",
      remedy: "Öffnen Sie das Terminal auf diesem Gerät selbst oder über https.",
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
  test: {
    keyboard: "Scanner als Tastatur",
    learnWhy:
      "Wird ein Scanner nicht erkannt, ist er langsam oder sendet er Zeichen um den Code, kann das Terminal ihn aus einem Scan lernen.",
    learnTooShort: "Das war zu kurz für einen Scan. Versuchen Sie es mit einem Barcode von mindestens sechs Zeichen.",
    learn: "Diesen Scanner lernen",
    learnNow: "Scannen Sie jetzt einen Auszahlungscode. Die Tastatur nicht berühren.",
    learnAgain: "Noch einmal scannen",
    learntSpeed:
      "Pause zwischen den Tasten: im Mittel {{mean}} ms, höchstens {{max}} ms. Das Terminal erlaubt {{gap}} ms.",
    learntWrap: "Tastaturbelegung: {{layout}}. Vor dem Code: {{prefix}}. Danach: {{suffix}}.",
    learntNoId:
      "Das war kein Auszahlungscode, bekannt ist nur das Tempo. Scannen Sie einen, um auch Belegung, Präfix und Suffix zu lernen.",
    save: "So verwenden",
    cancel: "Abbrechen",
    devices: "Scanner im HID-POS- oder seriellen Modus",
    choose: { hid: "HID-Scanner auswählen", serial: "Seriellen Scanner auswählen" },
    deviceStates: {
      unsupported: "In diesem Browser nicht verfügbar",
      absent: "Nicht verbunden",
      connected: "Verbunden",
    },
    cameraOff: "Die Kamera ist in den Einstellungen ausgeschaltet.",
    engineAlone: "WebAssembly ist hier nicht verfügbar: Bei schlechtem Licht werden weniger Codes gelesen.",
    activities: "Gelesenes",
    empty: "Noch nichts. Scannen Sie etwas: Es wird hier gezeigt und löst nichts aus.",
    source: "Von",
    text: "Text und Bytes",
    symbology: "Codeart",
    timing: "Zeit",
    result: "Ergebnis",
    millis: "{{mean}} ms, höchstens {{max}} ms",
    isId: "Auszahlungscode",
    faults: {
      symbology_off: "Diese Codeart ist ausgeschaltet",
      length: "Kein Auszahlungscode: falsche Länge",
      alphabet: "Kein Auszahlungscode: falsche Zeichen",
      check: "Kein Auszahlungscode: falsches Prüfzeichen",
    },
    sources: {
      camera: "Kamera",
      keyboard: "Tastatur-Scanner",
      hid: "HID-Scanner",
      serial: "Serieller Scanner",
      typed: "Getippt",
      pasted: "Eingefügt",
    },
    clear: "Leeren",
    export: "Exportieren",
  },
};
