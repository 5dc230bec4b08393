/** Quits the desktop program cleanly, or restarts it for training or live mode. */
import { app } from "electron";

/** Relaunches this program after it exits. An AppImage must be started from its own file, as it runs from a temporary folder. */
export const startAgain = (args: string[]): void => {
  const { APPIMAGE } = process.env;
  app.relaunch(APPIMAGE === undefined ? { args } : { args, execPath: APPIMAGE });
};

/** Restarts the program in training or live mode, with its other flags unchanged. */
export const relaunch = (training: boolean): void => {
  const args = process.argv.slice(1).filter((arg) => arg !== "--training");
  startAgain(training ? [...args, "--training"] : args);
  app.quit();
};

/**
 * Exits only after `stop` has finished, whoever asks to quit.
 * @param end exits the program.
 * @returns a function for a system shutdown: runs only the synchronous part of `stop` and then exits. Services are cut
 * off as in a power failure.
 */
export const quitAfter = (stop: () => Promise<void>, end: () => void): (() => void) => {
  let stopping = false;
  app.on("will-quit", (event) => {
    if (stopping) return;
    event.preventDefault();
    stopping = true;
    void stop().then(end);
  });
  return () => {
    if (!stopping) void stop();
    stopping = true;
    setImmediate(() => app.exit(0));
  };
};
