/** Several users of one computer: each one's terminal is their own, and a second one is never begun by mistake. */
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import path from "node:path";
import { app, dialog } from "electron";
import type { Bridge, Language } from "../../preload/contract.ts";
import { languages } from "../../preload/languages.ts";
import { leaveNote, machineFolder, notesOfOthers } from "../host/other-user-terminals.ts";

interface SecondUserTexts {
  readonly question: (user: string, device: string) => string;
  readonly detail: string;
  readonly close: string;
  readonly begin: string;
}

/** In the language of the system. */
const secondUserTexts: Readonly<Record<Language, SecondUserTexts>> = {
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

const ownUser = (): string => userInfo().username;
const shared = (): string => machineFolder(process.platform, process.env);

/**
 * Asks where this user has no journal yet and another one has a terminal.
 * @param data this user's folder.
 * @returns false: this program has to end now.
 */
export const mayBegin = async (data: string): Promise<boolean> => {
  const [other] = existsSync(path.join(data, "journal.db")) ? [] : notesOfOthers(shared(), ownUser());
  if (other === undefined) return true;
  const texts = secondUserTexts[languages.find((one) => app.getLocale().startsWith(one)) ?? "en"];
  const { response } = await dialog.showMessageBox({
    type: "question",
    message: texts.question(other.user, other.device),
    detail: texts.detail,
    buttons: [texts.close, texts.begin],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  return response === 1;
};

/** Leaves the note as soon as this terminal is enrolled, and again at each start. */
export const noteTerminal = (bridge: Pick<Bridge, "subscribe">): void => {
  let noted: string | null = null;
  bridge.subscribe(({ header }) => {
    const device = header.identity?.deviceId ?? null;
    if (device === noted) return;
    noted = device;
    if (device !== null) setImmediate(() => leaveNote(shared(), { user: ownUser(), device }));
  });
};
