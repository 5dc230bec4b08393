/** The first starts of a new version: one that does not start properly offers the rollback. */
import { app, dialog, shell } from "electron";
import type { Language } from "../../../preload/contract.ts";
import type { Log } from "../../host/log-file.ts";
import { atStart, withRolledBack } from "../../updates/first-starts.ts";
import type { UpdateFile } from "../../updates/update-file.ts";
import { rollBack, rollbackOf } from "./rollback.ts";
import { rollbackTexts } from "./rollback-texts.ts";

import { thisInstallation } from "./this-installation.ts";

/** What the person chose; `none`: this version is not on trial, so nothing was asked. */
export type TrialChoice = "start" | "back" | "none";

/**
 * Asks whether to roll back, and does it.
 * @returns `back`: this program has to exit now.
 */
const offerRollback = async (
  file: UpdateFile,
  language: Language,
  otherwise: "start" | "close",
  log: Log,
): Promise<TrialChoice> => {
  const { attempt } = file.load();
  if (attempt === null || attempt.to !== app.getVersion()) return "none";
  const { from, previous } = attempt;
  const texts = rollbackTexts[language];
  const way = rollbackOf(thisInstallation(), previous, process.env.APPIMAGE ?? null);
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
  log("warn", "rollback to the previous version", { from: attempt.to, to: from, way: way.kind });
  const before = file.load();
  try {
    // The previous version needs the lock on the data folder.
    app.releaseSingleInstanceLock();
    // Before it starts, since it reads this file then.
    file.save(withRolledBack(before));
    if (previous !== null) await rollBack(way, previous, (kept) => shell.showItemInFolder(kept));
  } catch (error) {
    log("error", "the rollback failed", { error: String(error) });
    file.save(before);
    dialog.showErrorBox("Tillcash", texts.failed(from));
  }
  return "back";
};

/** Call it with the data folder locked, before anything in it is opened. @returns whether to continue the start. */
export const mayStart = async (file: UpdateFile, language: () => Language, log: Log): Promise<boolean> => {
  const { kind, record } = atStart(file.load(), app.getVersion());
  if (kind === "usual" && record === file.load()) return true;
  file.save(record);
  log("info", "a start after an update", { kind, version: app.getVersion() });
  return kind !== "ask" || (await offerRollback(file, language(), "start", log)) !== "back";
};

/** Offers the rollback after a start that failed. @returns false: this version is not on trial, so show the error itself. */
export const offerRollbackAfterFailure = async (file: UpdateFile, language: Language, log: Log): Promise<boolean> =>
  (await offerRollback(file, language, "close", log)) !== "none";
