/** The first starts of a new version: it has to get going, or the one before is offered. */
import { app, dialog, shell } from "electron";
import type { Language } from "../../../preload/contract.ts";
import type { Log } from "../../host/log-file.ts";
import { atStart, wentBack } from "../../updates/first-starts.ts";
import type { UpdateFile } from "../../updates/update-file.ts";
import { goBack, wayBack } from "./go-back.ts";
import { goBackTexts } from "./go-back-texts.ts";

import { thisInstallation } from "./this-installation.ts";

/** What the person chose; `none`: this version is no trial, so nothing was asked. */
export type TrialChoice = "start" | "back" | "none";

/**
 * Asks whether to go back, and does it.
 * @returns `back`: this program has to end now.
 */
const offerPrevious = async (
  file: UpdateFile,
  language: Language,
  otherwise: "start" | "close",
  log: Log,
): Promise<TrialChoice> => {
  const { attempt } = file.load();
  if (attempt === null || attempt.to !== app.getVersion()) return "none";
  const { from, previous } = attempt;
  const texts = goBackTexts[language];
  const way = wayBack(thisInstallation(), previous, process.env.APPIMAGE ?? null);
  const byHand = way.kind === "none" ? texts.how.none(from) : way.kind === "show" ? texts.how[way.how](way.file) : "";
  const { response } = await dialog.showMessageBox({
    type: "error",
    message: texts.question(attempt.to),
    detail: `${texts.detail(from)}\n\n${byHand}`.trim(),
    buttons: [texts.back(from), texts[otherwise]],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  });
  if (response !== 0) return "start";
  log("warn", "back to the version before", { from: attempt.to, to: from, way: way.kind });
  const before = file.load();
  try {
    // The version that comes back is the only one that may hold the folder.
    app.releaseSingleInstanceLock();
    // Before it starts, since it reads this file then.
    file.save(wentBack(before));
    if (previous !== null) await goBack(way, previous, (kept) => shell.showItemInFolder(kept));
  } catch (error) {
    log("error", "the version before could not be brought back", { error: String(error) });
    file.save(before);
    dialog.showErrorBox("Tillcash", texts.failed(from));
  }
  return "back";
};

/** To be called with the folder in hand, before anything of it is opened. @returns whether to go on. */
export const mayStart = async (file: UpdateFile, language: () => Language, log: Log): Promise<boolean> => {
  const { kind, record } = atStart(file.load(), app.getVersion());
  if (kind === "usual" && record === file.load()) return true;
  file.save(record);
  log("info", "a start after an update", { kind, version: app.getVersion() });
  return kind !== "ask" || (await offerPrevious(file, language(), "start", log)) !== "back";
};

/** A start that ended with an error. @returns false: it was no trial, so that the error itself is to be shown. */
export const offerAfterFailure = async (file: UpdateFile, language: Language, log: Log): Promise<boolean> =>
  (await offerPrevious(file, language, "close", log)) !== "none";
