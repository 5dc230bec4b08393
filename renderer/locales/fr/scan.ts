import type { scan as english } from "../en/scan.ts";
import type { Texts } from "../texts.ts";

/** French texts: cameras and scanners. */
export const scan: Texts<typeof english> = {
  camera: "Caméra",
  chooseCamera: "Caméra",
  cameraNumber: "Caméra {{number}}",
  starting: "La caméra démarre",
  tryAgain: "Réessayer",
  light: "Lumière",
  zoom: "Zoom",
  focus: "Refaire la mise au point",
  sight: {
    nothing: "Tenez le code-barres dans le cadre",
    once_more: "Lecture. Ne bougez pas",
    accepted: "Lu",
    again: "Déjà lu. Éloignez le téléphone et montrez-le de nouveau",
    foreign: "Ce n’est pas un code de retrait",
    dark: "Trop sombre. Augmentez la luminosité du téléphone ou allumez une lampe",
    glaring: "Trop de reflets. Inclinez un peu le téléphone",
    blurred: "Pas net. Tenez le téléphone immobile, à environ 15 cm",
    near: "Trop près. Reculez un peu le téléphone",
    far: "Trop loin. Rapprochez le téléphone",
  },
  problem: {
    none: {
      title: "Aucune caméra trouvée",
      remedy:
        "Branchez une caméra ; elle est utilisée aussitôt. D’ici là, utilisez le lecteur à main ou saisissez le code.",
    },
    taken: {
      title: "Un autre programme utilise la caméra",
      remedy: "Fermez l’autre programme, par exemple un appel vidéo. Le terminal réessaie seul.",
    },
    denied: {
      title: "La caméra n’est pas autorisée",
      remedy: "Autorisez la caméra pour cette page dans le navigateur ou dans les réglages du système, puis réessayez.",
    },
    denied_windows: {
      title: "La caméra est désactivée dans Windows",
      remedy:
        "Dans Windows, ouvrez Paramètres, Confidentialité et sécurité, Caméra. Activez l’accès à la caméra, et celui des applications de bureau. Puis réessayez.",
    },
    denied_mac: {
      title: "La caméra est désactivée dans macOS",
      remedy:
        "Dans macOS, ouvrez Réglages Système, Confidentialité et sécurité, Appareil photo, et activez Tillcash. Puis redémarrez Tillcash.",
    },
    denied_linux: {
      title: "Cet utilisateur n’a pas droit à la caméra",
      remedy:
        "Demandez à qui gère l’ordinateur : l’utilisateur a besoin du droit à la caméra (souvent le groupe « video »). Puis rouvrez la session.",
    },
    insecure: {
      title: "La caméra est impossible à cette adresse",
      remedy: "Ouvrez le terminal sur cette machine même, ou par https.",
    },
    unplugged: {
      title: "La caméra a été débranchée",
      remedy: "Rebranchez-la ; elle est utilisée aussitôt. D’ici là, utilisez le lecteur à main ou saisissez le code.",
    },
    failed: {
      title: "La caméra ne démarre pas",
      remedy: "Débranchez-la et rebranchez-la. D’ici là, utilisez le lecteur à main ou saisissez le code.",
    },
  },
  test: {
    keyboard: "Lecteur en mode clavier",
    learnWhy:
      "Si un lecteur n’est pas reconnu, est lent ou envoie des caractères autour du code, le terminal peut l’apprendre d’un seul scan.",
    learnTooShort: "C’était trop court pour un scan. Réessayez avec un code d’au moins six caractères.",
    learn: "Apprendre ce lecteur",
    learnNow: "Scannez maintenant un code de retrait. Ne touchez pas au clavier.",
    learnAgain: "Scanner encore",
    learntSpeed:
      "Pause entre les touches : {{mean}} ms en moyenne, {{max}} ms au plus. Le terminal acceptera {{gap}} ms.",
    learntWrap: "Clavier : {{layout}}. Avant le code : {{prefix}}. Après : {{suffix}}.",
    learntNoId:
      "Ce n’était pas un code de retrait, seule la vitesse est connue. Scannez-en un pour apprendre clavier, préfixe et suffixe.",
    save: "Utiliser cela",
    cancel: "Annuler",
    devices: "Lecteur en mode HID POS ou série",
    choose: { hid: "Choisir un lecteur HID", serial: "Choisir un lecteur série" },
    deviceStates: {
      unsupported: "Pas disponible dans ce navigateur",
      absent: "Pas connecté",
      connected: "Connecté",
    },
    cameraOff: "La caméra est désactivée dans les réglages.",
    engineAlone: "WebAssembly manque ici : moins de codes sont lus quand la lumière est mauvaise.",
    activities: "Ce qui a été lu",
    empty: "Rien encore. Scannez quelque chose : c’est montré ici et ne déclenche rien.",
    source: "De",
    text: "Texte et octets",
    symbology: "Type de code",
    timing: "Temps",
    result: "Résultat",
    millis: "{{mean}} ms, au plus {{max}} ms",
    isId: "Code de retrait",
    faults: {
      symbology_off: "Ce type de code est désactivé",
      length: "Pas un code de retrait : mauvaise longueur",
      alphabet: "Pas un code de retrait : mauvais caractères",
      check: "Pas un code de retrait : mauvais caractère de contrôle",
    },
    sources: {
      camera: "Caméra",
      keyboard: "Lecteur clavier",
      hid: "Lecteur HID",
      serial: "Lecteur série",
      typed: "Saisi",
      pasted: "Collé",
    },
    clear: "Vider",
    export: "Exporter",
  },
};
