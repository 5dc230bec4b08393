/** Shows why a start failed or was refused, what to do, and where to get help. */
import { app, dialog } from "electron";
import type { Log } from "../host/log-file.ts";
import { KeyStoreUnusable } from "../host/secrets.ts";
import { startAgain } from "./quit.ts";

/** A refused start, with a message for the user. */
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

/** Shows the reason in a dialog and exits. In English, as there is no page yet; also logged. */
export const endStart = async (error: unknown, openTheLog: () => Log): Promise<void> => {
  // Linux shows no dialogs before Electron is ready.
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
  // In a new process, as the engine asks the key store only once.
  else if (await asksAgain(error)) startAgain(process.argv.slice(1));
  app.exit(1);
};
