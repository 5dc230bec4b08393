/** Runs the browser host in this process: prints the address, opens the browser, and stops cleanly on a signal. */
import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import open from "open";
import { endOnUncaughtErrors, uncaughtText } from "../host/crashes.ts";
import { callHolder, claimInstance, takenText, waitingText, writeEntryFile } from "../host/instance.ts";
import { openLog } from "../host/log-file.ts";
import { type StartFlags, whenShellEnds } from "../launch/start.ts";
import { type BrowserHost, type Listener, openBrowserHost } from "./host.ts";

/**
 * Ends all sessions of a running host; without one there are none. Rejects when the host refuses or does not answer.
 * @param data the terminal's data folder.
 */
export const endSessions = async (data: string): Promise<void> => {
  if (!existsSync(data)) return;
  const idle = claimInstance(data);
  try {
    const answer = idle === null ? await callHolder(data, "/end-sessions") : null;
    if (answer !== null && !answer.ok) throw new Error(`it answers ${answer.status}`);
  } catch (error) {
    throw new Error("The running terminal did not end its sessions. Stop it, and say --end-sessions again.", {
      cause: error,
    });
  } finally {
    idle?.release();
  }
};

/** Whether this machine can show a browser to whoever started the program. */
export const hasDisplay = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): boolean =>
  platform === "win32" || platform === "darwin"
    ? env.SSH_CONNECTION === undefined
    : Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);

const show = async (address: string, { open: wanted, data }: StartFlags): Promise<void> => {
  if (!wanted || !hasDisplay(process.env, process.platform)) return;
  try {
    await open(writeEntryFile(data, address));
  } catch {
    // The address is printed as well, so a missing browser is no error.
  }
};

/** Lets the answer to the requesting page go out first. */
const answerMs = 200;

/** Refusal: an ordinary browser shares its profile, extensions and cookies with other pages. */
const liveInBrowserText =
  "With real money the terminal is a program of its own: install it, or start in Electron. To take an ordinary browser all the same, add --allow-browser.";

/** `built` is the folder of the built programs. Resolves when the host runs, or has handed over to the running one. */
export async function runBrowserHost(flags: StartFlags, built: string): Promise<void> {
  endOnUncaughtErrors(openLog(flags.data), () => {
    console.error(uncaughtText);
    process.exit(1);
  });
  if (flags.endSessions) {
    await endSessions(flags.data);
    return console.log("Every open page has to come in again: start the terminal once more for a new address.");
  }
  if (!flags.training && !flags.allowBrowser) throw new Error(liveInBrowserText);
  const openHost = (training: boolean, listener?: Listener): Promise<BrowserHost> =>
    openBrowserHost({
      built,
      data: flags.data,
      port: flags.port,
      listener,
      training,
      takes: { takesSandbox: flags.allowSandbox, takesPlainHttp: flags.allowPlainHttp },
      mayGoLive: flags.allowBrowser,
      waiting: () => console.log(waitingText(flags.data)),
      restart: (next) => void restart(next),
      entered: () => console.log("The terminal was asked for again; its page was opened there."),
    });
  const first = await openHost(flags.training);
  if (first.kind === "running_already") {
    if (first.address === null) throw new Error(takenText(flags.data, first.isWindow));
    console.log(`The terminal is running already: ${first.address}`);
    return show(first.address, flags);
  }
  let host = first;

  console.log(`The terminal is at ${host.address}`);
  console.log("  (this address works once; the same command again gives another)");
  void host.phone?.then((address) => console.log(`  the customer's phone, in training: ${address}`));

  let warned = false;
  let stopping = false;
  const stop = (confirmFirst: boolean): void => {
    const unfinished = host.unfinished();
    if (confirmFirst && unfinished > 0 && !warned) {
      warned = true;
      console.log(
        `${unfinished} withdrawal(s) are not finished. The terminal keeps them and goes on at the next start.`,
      );
      console.log("Press Ctrl+C again to stop now.");
      return;
    }
    if (stopping) return;
    stopping = true;
    host.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  let restarting = false;
  /** The requesting page continues at the same address with its session. */
  const restart = async (training: boolean): Promise<void> => {
    // Pressed twice, it ends once.
    if (stopping || restarting) return;
    restarting = true;
    await delay(answerMs);
    await host.stop(true);
    const next = await openHost(training, host.listener);
    if (next.kind === "running_already") throw new Error(takenText(flags.data, next.isWindow));
    host = next;
    restarting = false;
    console.log(training ? "The terminal goes on in training." : "The terminal goes on with real money.");
  };

  process.on("SIGINT", () => stop(process.stdin.isTTY === true));
  process.on("SIGTERM", () => stop(false));
  process.on("SIGHUP", () => stop(false));
  whenShellEnds(() => stop(false));
  await show(host.address, flags);
}
