/** Several users of one computer: each has a terminal of their own, and a second one is not started by mistake. */
import { existsSync } from "node:fs";
import path from "node:path";
import { app, dialog } from "electron";
import { languages } from "../../preload/choices.ts";
import type { Bridge } from "../../preload/contract.ts";
import { leaveNote, machineFolder, notesOfOthers, ownUser } from "../host/other-user-terminals.ts";
import { dialogTexts } from "./texts.ts";

const shared = (): string => machineFolder(process.platform, process.env);

/** Asks the user if another user of this computer has a terminal and this one has none. False: exit. */
export const mayBegin = async (data: string): Promise<boolean> => {
  const [other] = existsSync(path.join(data, "journal.db")) ? [] : notesOfOthers(shared(), ownUser());
  if (other === undefined) return true;
  // In the system's language.
  const texts = dialogTexts[languages.find((one) => app.getLocale().startsWith(one)) ?? "en"].secondUser;
  const { response } = await dialog.showMessageBox({
    type: "question",
    message: texts.question.replace("{{user}}", () => other.user).replace("{{device}}", () => other.device),
    detail: texts.detail,
    buttons: [texts.close, texts.begin],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  return response === 1;
};

/** Writes the note once this terminal is enrolled, and at each start. */
export const noteTerminal = (bridge: Pick<Bridge, "subscribe">): void => {
  let noted: string | null = null;
  bridge.subscribe(({ header }) => {
    const device = header.identity?.deviceId ?? null;
    if (device === noted) return;
    noted = device;
    if (device !== null) setImmediate(() => leaveNote(shared(), { user: ownUser(), device }));
  });
};
