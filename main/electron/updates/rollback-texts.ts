/** Texts of the rollback's system dialogs, shown when a new version does not start, before there is a page. */
import type { Language } from "../../../preload/contract.ts";

/** The texts in one language. */
export interface RollbackTexts {
  readonly question: (version: string) => string;
  /** Why, and what each button does. */
  readonly detail: (previous: string) => string;
  readonly back: (previous: string) => string;
  readonly start: string;
  readonly close: string;
  /** Instructions by kind of installation, where a person has to do it. */
  readonly how: {
    readonly deb: (file: string) => string;
    readonly mac: (file: string) => string;
    readonly none: (previous: string) => string;
  };
  readonly failed: (previous: string) => string;
}

/** The texts by language. */
export const rollbackTexts: Readonly<Record<Language, RollbackTexts>> = {
  en: {
    question: (version) => `Tillcash ${version} did not start properly.`,
    detail: (previous) =>
      `It was installed as an update. Version ${previous} can come back: open withdrawals go on there. If version ${previous} says that a newer program used its data, call support and hand out no cash.`,
    back: (previous) => `Go back to ${previous}`,
    start: "Try again",
    close: "Close",
    how: {
      deb: (file) => `An administrator installs the version before by: sudo apt install --allow-downgrades ${file}`,
      mac: (file) => `Open ${file} and drag Tillcash into Applications. Then start it.`,
      none: (previous) =>
        `The version before was not kept on this machine. Get the installer of version ${previous} and start it; what this terminal knows stays.`,
    },
    failed: (previous) =>
      `Version ${previous} could not be brought back. Get its installer and start it; what this terminal knows stays.`,
  },
  de: {
    question: (version) => `Tillcash ${version} ist nicht richtig gestartet.`,
    detail: (previous) =>
      `Diese Version kam als Aktualisierung. Version ${previous} kann zurückkommen: Offene Auszahlungen gehen dort weiter. Sagt Version ${previous}, dass ein neueres Programm ihre Daten benutzt hat, rufen Sie den Support und geben Sie kein Bargeld aus.`,
    back: (previous) => `Zurück zu ${previous}`,
    start: "Noch einmal versuchen",
    close: "Schließen",
    how: {
      deb: (file) =>
        `Ein Administrator installiert die vorige Version mit: sudo apt install --allow-downgrades ${file}`,
      mac: (file) => `Öffnen Sie ${file} und ziehen Sie Tillcash in „Programme“. Starten Sie es dann.`,
      none: (previous) =>
        `Die vorige Version wurde auf diesem Gerät nicht aufbewahrt. Besorgen Sie das Installationsprogramm der Version ${previous} und starten Sie es; was dieses Terminal weiß, bleibt.`,
    },
    failed: (previous) =>
      `Version ${previous} konnte nicht zurückgeholt werden. Besorgen Sie ihr Installationsprogramm und starten Sie es; was dieses Terminal weiß, bleibt.`,
  },
  fr: {
    question: (version) => `Tillcash ${version} n’a pas démarré correctement.`,
    detail: (previous) =>
      `Cette version est arrivée par une mise à jour. La version ${previous} peut revenir : les retraits ouverts y continuent. Si la version ${previous} dit qu’un programme plus récent a utilisé ses données, appelez l’assistance et ne remettez pas d’espèces.`,
    back: (previous) => `Revenir à ${previous}`,
    start: "Réessayer",
    close: "Fermer",
    how: {
      deb: (file) =>
        `Un administrateur installe la version précédente par : sudo apt install --allow-downgrades ${file}`,
      mac: (file) => `Ouvrez ${file} et glissez Tillcash dans Applications. Puis démarrez-le.`,
      none: (previous) =>
        `La version précédente n’a pas été conservée sur cet appareil. Procurez-vous l’installateur de la version ${previous} et lancez-le ; ce que ce terminal sait reste.`,
    },
    failed: (previous) =>
      `La version ${previous} n’a pas pu revenir. Procurez-vous son installateur et lancez-le ; ce que ce terminal sait reste.`,
  },
  it: {
    question: (version) => `Tillcash ${version} non si è avviato correttamente.`,
    detail: (previous) =>
      `Questa versione è arrivata con un aggiornamento. La versione ${previous} può tornare: i prelievi aperti vi continuano. Se la versione ${previous} dice che un programma più recente ha usato i suoi dati, chiami l’assistenza e non consegni contanti.`,
    back: (previous) => `Tornare a ${previous}`,
    start: "Riprovare",
    close: "Chiudere",
    how: {
      deb: (file) =>
        `Un amministratore installa la versione precedente con: sudo apt install --allow-downgrades ${file}`,
      mac: (file) => `Apra ${file} e trascini Tillcash in Applicazioni. Poi lo avvii.`,
      none: (previous) =>
        `La versione precedente non è stata conservata su questo computer. Si procuri il programma di installazione della versione ${previous} e lo avvii; ciò che questo terminale sa resta.`,
    },
    failed: (previous) =>
      `Non è stato possibile tornare alla versione ${previous}. Si procuri il suo programma di installazione e lo avvii; ciò che questo terminale sa resta.`,
  },
};
