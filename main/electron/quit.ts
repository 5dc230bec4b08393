/** How the desktop program ends: in order, or to begin again for the other purpose. */
import { app } from "electron";

/** Ends this program and starts it again, in training or with real money, with its other flags as they are. */
export const relaunch = (training: boolean): void => {
  const args = process.argv.slice(1).filter((arg) => arg !== "--training");
  app.relaunch({ args: training ? [...args, "--training"] : args });
  app.quit();
};

/** Whoever asks to quit, the program ends once `stop` has. */
export const quitAfter = (stop: () => Promise<void>): void => {
  let stopping = false;
  app.on("will-quit", (event) => {
    if (stopping) return;
    event.preventDefault();
    stopping = true;
    void stop().then(() => app.exit(0));
  });
};
