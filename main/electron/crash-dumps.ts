/** Crashes of this program's processes: a dump on this machine, a line in the log, nothing sent. */
import { app, crashReporter } from "electron";
import { crashFolder, pruneCrashes } from "../host/crash-files.ts";
import type { Log } from "../host/log-file.ts";

/** To be called before Electron is ready, so that no process begins without it. @param data the terminal's folder. */
export const keepCrashDumps = (data: string): void => {
  app.setPath("crashDumps", crashFolder(data));
  crashReporter.start({ uploadToServer: false });
  pruneCrashes(data);
};

/** Logs the end of a process that has no window to say so (the graphics process, a helper), and keeps the dumps few. */
export const logProcessEnds = (log: Log, data: string): void => {
  app.on("child-process-gone", (_event, { type, reason, exitCode }) => {
    if (reason !== "clean-exit") log("error", "a process of the program ended", { type, reason, exitCode });
    pruneCrashes(data);
  });
  app.on("render-process-gone", () => pruneCrashes(data));
};
