/** A start that failed or is refused: what is wrong, what to do, and where to get help. */
import { app, dialog } from "electron";
import type { Log } from "../host/log-file.ts";
import { KeyStoreUnusable } from "../host/secrets.ts";
import { startAgain } from "./quit.ts";

/** A start that is refused with a sentence for the person who starts the program. */
export class StartRefused extends Error {
  readonly exitCode: number;
  constructor(why: string, exitCode = 1) {
    super(why);
    this.exitCode = exitCode;
  }
}

const help =
  "No withdrawal is lost: the terminal's journal is kept. Start Tillcash again. If it fails again, install the version that worked " +
  "before from where you got this one, or ask whoever supports this terminal, with the file till.log of its data folder.";

/** Resolves to whether the person wants to try again. */
const asksAgain = async ({ message }: KeyStoreUnusable): Promise<boolean> => {
  const { response } = await dialog.showMessageBox({
    type: "warning",
    message,
    detail: "Nothing is lost: what this terminal knows stays sealed until the key store opens it.",
    buttons: ["Try again", "Close"],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  });
  return response === 0;
};

/** Says why in a dialog and ends the program. Before there is a page, and so in English; the log has the same. */
export const endStart = async (error: unknown, openTheLog: () => Log): Promise<void> => {
  // Before it is ready, Linux shows no dialog.
  await app.whenReady();
  const why = error instanceof Error ? error.message : String(error);
  if (error instanceof StartRefused) {
    dialog.showErrorBox("Tillcash cannot start", why);
    return app.exit(error.exitCode);
  }
  try {
    openTheLog()("error", "the program did not start", { why });
  } catch (refused) {
    if (refused instanceof StartRefused) return endStart(refused, openTheLog);
    throw refused;
  }
  if (!(error instanceof KeyStoreUnusable)) dialog.showErrorBox("Tillcash cannot start", `${why}\n\n${help}`);
  // Another process: the engine asks the key store once.
  else if (await asksAgain(error)) startAgain(process.argv.slice(1));
  app.exit(1);
};
