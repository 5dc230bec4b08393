/** Quits the desktop program cleanly, or restarts it for training or live mode. */
import { app } from "electron";

/** Relaunches this program after it exits. An AppImage must be started from its own file, as it runs from a temporary folder. */
export const startAgain = (args: string[]): void => {
  const { APPIMAGE } = process.env;
  app.relaunch(APPIMAGE === undefined ? { args } : { args, execPath: APPIMAGE });
};

/** The change between training and live mode: a new start of the program, once it has ended. */
export const createRestart = () => {
  let next: boolean | null = null;
  return {
    /** Quits, to start again in training or live mode with the other flags unchanged. */
    begin(training: boolean): void {
      next = training;
      app.quit();
    },
    /** Whoever was asked stays: a later exit is the last one. */
    cancel(): void {
      next = null;
    },
    /** Call it when nothing can refuse the exit any more: Electron takes no relaunch back. */
    register(): void {
      if (next === null) return;
      const args = process.argv.slice(1).filter((arg) => arg !== "--training");
      startAgain(next ? [...args, "--training"] : args);
    },
  };
};

/** Longer than a service is waited for (`stopTimeoutMs`). */
const stopMaxMs = 20_000;

/**
 * Exits only after `stop` has finished, or took too long, whoever asks to quit; then it starts again, where that was asked for.
 * @param end exits the program.
 * @returns a function for a system shutdown: runs only the synchronous part of `stop` and then exits. Services are cut
 * off as in a power failure.
 */
export const quitAfter = (
  stop: () => Promise<void>,
  restart: Pick<ReturnType<typeof createRestart>, "register">,
  end: () => void,
): (() => void) => {
  let stopping = false;
  app.on("will-quit", (event) => {
    if (stopping) return;
    event.preventDefault();
    stopping = true;
    // Whatever hangs: a program without a window that does not end would keep the next start from the folder.
    const late = new Promise<void>((resolve) => setTimeout(resolve, stopMaxMs));
    void Promise.race([stop(), late]).then(() => {
      restart.register();
      end();
    });
  });
  return () => {
    if (!stopping) void stop();
    stopping = true;
    setImmediate(() => app.exit(0));
  };
};
