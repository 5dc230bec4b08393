/** What a second user of a computer reads before a terminal of their own begins: a dialog of the system, before there is a page. */
import type { Language } from "../../preload/contract.ts";

/** Of one language. */
export interface SecondUserTexts {
  readonly question: (user: string, device: string) => string;
  readonly detail: string;
  readonly close: string;
  readonly begin: string;
}

/** In the language of the system. */
export const secondUserTexts: Readonly<Record<Language, SecondUserTexts>> = {
  en: {
    question: (user, device) => `This computer has a terminal already: ${device}, of the user ${user}.`,
    detail:
      "It belongs to that user of the computer. Sign in to the computer as that user to work with it; what is open there cannot be seen from here. Set up a second terminal only if this shop wants two.",
    close: "Close",
    begin: "Set up a second terminal",
  },
  de: {
    question: (user, device) => `Dieser Computer hat schon ein Terminal: ${device}, vom Benutzer ${user}.`,
    detail:
      "Es gehört diesem Benutzer des Computers. Melden Sie sich am Computer als dieser Benutzer an, um damit zu arbeiten; was dort offen ist, ist von hier nicht zu sehen. Richten Sie nur dann ein zweites Terminal ein, wenn dieses Geschäft zwei will.",
    close: "Schließen",
    begin: "Zweites Terminal einrichten",
  },
  fr: {
    question: (user, device) => `Cet ordinateur a déjà un terminal : ${device}, de l’utilisateur ${user}.`,
    detail:
      "Il appartient à cet utilisateur de l’ordinateur. Ouvrez une session sous son nom pour y travailler ; ce qui y est ouvert n’est pas visible d’ici. N’installez un second terminal que si ce commerce en veut deux.",
    close: "Fermer",
    begin: "Installer un second terminal",
  },
  it: {
    question: (user, device) => `Questo computer ha già un terminale: ${device}, dell’utente ${user}.`,
    detail:
      "Appartiene a quell’utente del computer. Acceda al computer come quell’utente per lavorarci; ciò che lì è aperto da qui non si vede. Configuri un secondo terminale solo se questo negozio ne vuole due.",
    close: "Chiudere",
    begin: "Configurare un secondo terminale",
  },
};
