/** Changing between training and real money from the page: the host ends this terminal and starts the other one. */
import { existsSync } from "node:fs";
import type { Settings } from "../../preload/contract.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { purposeFolder } from "./data-folder.ts";
import { withAnswers } from "./host-answers.ts";
import type { Log } from "./log-file.ts";
import { openSettingsFile, settingsPath } from "./settings-file.ts";

/** What the switch needs from its host. */
export interface PurposeHost {
  readonly data: string;
  readonly training: boolean;
  readonly log: Log;
  /** False: real money needs a start that allows it in a browser. Default: true. */
  readonly mayGoLive?: boolean;
  /** Ends this terminal and starts the other one, some time after the answer. */
  readonly restart: (training: boolean) => void;
}

/**
 * The other terminal speaks this one's language from its first start on. Training learns whether it is the set-up's practice, and
 * the set-up of the terminal that comes back from one is over.
 */
const prepareOther = (
  { data, log }: PurposeHost,
  { training, practice }: { readonly training: boolean; readonly practice?: true | undefined },
  { language, colorScheme }: Settings,
): void => {
  const folder = purposeFolder(data, training);
  const isNew = !existsSync(settingsPath(folder));
  const file = openSettingsFile(folder, log);
  const before = file.load();
  const isOver = training || before.setUp === "practice";
  const setUp = practice ? "practice" : isOver ? "done" : before.setUp;
  if (!isNew && setUp === before.setUp) return;
  try {
    file.save({ ...before, setUp, ...(isNew && { language, colorScheme }) });
  } catch (error) {
    log("warn", "the settings of the other purpose could not be kept", { error: String(error) });
  }
};

type Switchable = Pick<Terminal, "dispatch" | "snapshot">;

/** The terminal with `switch_purpose` answered: refused as `busy` while real money may be in a withdrawal. */
export const withPurposeSwitch = <T extends Switchable>(terminal: T, host: PurposeHost): T =>
  withAnswers<"purpose", T>(terminal, {
    switch_purpose(command) {
      const { header, settings } = terminal.snapshot();
      if (command.training === host.training) return { ok: true };
      if (!command.training && host.mayGoLive === false) return { ok: false, code: "not_in_browser" };
      if (!host.training && header.unfinished > 0) return { ok: false, code: "busy" };
      prepareOther(host, command, settings);
      host.restart(command.training);
      return { ok: true };
    },
  });
