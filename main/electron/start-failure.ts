/** A start that failed: what is wrong, and where to get help. */
import { dialog } from "electron";
import type { Log } from "../host/log-file.ts";

const help =
  "No withdrawal is lost: the terminal's journal is kept. Start Tillcash again. If it fails again, install the version that worked " +
  "before from where you got this one, or ask whoever supports this terminal, with the file till.log of its data folder.";

/** Before there is a page, and so in English; the log has the same. */
export const showStartFailure = (error: unknown, log: Log): void => {
  const why = error instanceof Error ? error.message : String(error);
  log("error", "the program did not start", { why });
  dialog.showErrorBox("Tillcash cannot start", `${why}\n\n${help}`);
};
