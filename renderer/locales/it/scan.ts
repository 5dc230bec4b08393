import type { scan as english } from "../en/scan.ts";
import type { Texts } from "../texts.ts";

/** Italian texts: cameras and scanners. */
export const scan: Texts<typeof english> = {
  camera: "Fotocamera",
  chooseCamera: "Fotocamera",
  cameraNumber: "Fotocamera {{number}}",
  starting: "La fotocamera si avvia",
  tryAgain: "Riprovare",
  light: "Luce",
  zoom: "Zoom",
  focus: "Rimettere a fuoco",
  sight: {
    nothing: "Tenere il codice nel riquadro",
    once_more: "Lettura. Tenere fermo",
    accepted: "Letto",
    again: "Già letto. Allontanare il telefono e mostrarlo di nuovo",
    foreign: "Non è un codice di prelievo",
    dark: "Troppo buio. Aumentare la luminosità del telefono o accendere una luce",
    glaring: "Troppi riflessi. Inclinare un po’ il telefono",
    blurred: "Non nitido. Tenere fermo il telefono, a circa 15 cm",
    near: "Troppo vicino. Allontanare un po’ il telefono",
    far: "Troppo lontano. Avvicinare il telefono",
  },
  problem: {
    none: {
      title: "Nessuna fotocamera trovata",
      remedy: "Collegare una fotocamera; si usa subito. Intanto usare il lettore manuale o digitare il codice.",
    },
    taken: {
      title: "Un altro programma usa la fotocamera",
      remedy: "Chiudere l’altro programma, per esempio una videochiamata. Il terminale riprova da solo.",
    },
    denied: {
      title: "La fotocamera non è permessa",
      remedy: "Permettere la fotocamera per questa pagina nel browser o nelle impostazioni del sistema, poi riprovare.",
    },
    denied_windows: {
      title: "La fotocamera è disattivata in Windows",
      remedy:
        "In Windows aprire Impostazioni, Privacy e sicurezza, Fotocamera. Attivare l’accesso alla fotocamera, e quello delle app desktop. Poi riprovare.",
    },
    denied_mac: {
      title: "La fotocamera è disattivata in macOS",
      remedy:
        "In macOS aprire Impostazioni di Sistema, Privacy e sicurezza, Fotocamera, e attivare Tillcash. Poi riavviare Tillcash.",
    },
    denied_linux: {
      title: "Questo utente non può usare la fotocamera",
      remedy:
        "Chiedere a chi gestisce il computer: l’utente ha bisogno del diritto alla fotocamera (spesso il gruppo “video”). Poi accedere di nuovo.",
    },
    insecure: {
      title: "A questo indirizzo la fotocamera non si può usare",
      remedy: "Aprire il terminale su questa stessa macchina, o via https.",
    },
    unplugged: {
      title: "La fotocamera è stata scollegata",
      remedy: "Ricollegarla; si usa subito. Intanto usare il lettore manuale o digitare il codice.",
    },
    failed: {
      title: "La fotocamera non si avvia",
      remedy: "Scollegarla e ricollegarla. Intanto usare il lettore manuale o digitare il codice.",
    },
  },
  test: {
    keyboard: "Lettore come tastiera",
    learnWhy:
      "Se un lettore non viene riconosciuto, è lento o invia caratteri attorno al codice, il terminale può impararlo da una scansione.",
    learnTooShort: "Era troppo corto per una scansione. Riprovare con un codice di almeno sei caratteri.",
    learn: "Imparare questo lettore",
    learnNow: "Scansionare ora un codice di prelievo. Non toccare la tastiera.",
    learnAgain: "Scansionare di nuovo",
    learntSpeed: "Pausa tra i tasti: {{mean}} ms in media, {{max}} ms al massimo. Il terminale accetterà {{gap}} ms.",
    learntWrap: "Tastiera: {{layout}}. Prima del codice: {{prefix}}. Dopo: {{suffix}}.",
    learntNoId:
      "Non era un codice di prelievo, si conosce solo la velocità. Scansionarne uno per imparare tastiera, prefisso e suffisso.",
    save: "Usare così",
    cancel: "Annullare",
    devices: "Lettore in modalità HID POS o seriale",
    choose: { hid: "Scegliere un lettore HID", serial: "Scegliere un lettore seriale" },
    deviceStates: {
      unsupported: "Non disponibile in questo browser",
      absent: "Non collegato",
      connected: "Collegato",
    },
    cameraOff: "La fotocamera è spenta nelle impostazioni.",
    engineAlone: "Qui manca WebAssembly: con poca luce si leggono meno codici.",
    activities: "Che cosa è stato letto",
    empty: "Ancora nulla. Scansionare qualcosa: si vede qui e non avvia nulla.",
    source: "Da",
    text: "Testo e byte",
    symbology: "Tipo di codice",
    timing: "Tempo",
    result: "Risultato",
    millis: "{{mean}} ms, al massimo {{max}} ms",
    isId: "Codice di prelievo",
    faults: {
      symbology_off: "Questo tipo di codice è spento",
      length: "Non è un codice di prelievo: lunghezza sbagliata",
      alphabet: "Non è un codice di prelievo: caratteri sbagliati",
      check: "Non è un codice di prelievo: carattere di controllo sbagliato",
    },
    sources: {
      camera: "Fotocamera",
      keyboard: "Lettore a tastiera",
      hid: "Lettore HID",
      serial: "Lettore seriale",
      typed: "Digitato",
      pasted: "Incollato",
    },
    clear: "Svuotare",
    export: "Esportare",
  },
};
