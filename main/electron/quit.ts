/** How the desktop program ends: in order, or to begin again for the other purpose. */
import { app } from "electron";

/** This program again once it has ended, from where it lies: an AppImage runs out of a folder that goes when it ends. */
export const startAgain = (args: string[]): void => {
  const { APPIMAGE } = process.env;
  app.relaunch(APPIMAGE === undefined ? { args } : { args, execPath: APPIMAGE });
};

/** Ends this program and starts it again, in training or with real money, with its other flags as they are. */
export const relaunch = (training: boolean): void => {
  const args = process.argv.slice(1).filter((arg) => arg !== "--training");
  startAgain(training ? [...args, "--training"] : args);
  app.quit();
};

/**
 * Whoever asks to quit, the program ends once `stop` has. @param end ends it.
 * @returns what to call when the system ends: nobody is asked, and it waits for no more than what `stop` does before its first
 * wait. The services are cut off, as a power failure would.
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
