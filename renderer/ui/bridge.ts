/**
 * Finds the way to the terminal: `window.till` under Electron, else the loopback host that served this page
 * (`POST /bridge/dispatch` takes a command and answers with a reply; `GET /bridge/events` streams snapshots).
 */
import type { Bridge, Command, Reply, Snapshot } from "../../preload/contract.ts";
import { askHost, watchForEntry } from "./host-session.ts";
import { readEvents } from "./read-events.ts";

/** A bridge that also says whether the terminal can be reached. */
export interface ScreenBridge extends Bridge {
  /** Calls on every change of the connection; the result stops it. */
  watchConnection(listener: (connected: boolean) => void): () => void;
}

declare global {
  interface Window {
    readonly till?: Bridge;
  }
}

const reconnectMs = 1000;
/** An open page renews its session this often: the host ends one that was not used for days. */
const keepAliveMs = 60 * 60_000;

const isReply = (value: unknown): value is Reply =>
  typeof value === "object" && value !== null && typeof (value as { ok?: unknown }).ok === "boolean";

/** The bridge over HTTP to the host that served the page; reconnects while the page is open. */
export const loopbackBridge = (): ScreenBridge => {
  const watchers = new Set<(connected: boolean) => void>();
  const notifyWatchers = (connected: boolean): void => {
    for (const watcher of watchers) watcher(connected);
  };
  return {
    dispatch: async (command: Command): Promise<Reply> => {
      try {
        const answer = await askHost("/bridge/dispatch", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(command),
        });
        const reply: unknown = await answer.json();
        return isReply(reply) ? reply : { ok: false, code: "failed" };
      } catch {
        return { ok: false, code: "failed" };
      }
    },
    subscribe: (listener) => {
      let stopReading = (): void => undefined;
      let timer = 0;
      const open = (): void => {
        stopReading = readEvents(
          "/bridge/events",
          (data) => {
            notifyWatchers(true);
            listener(JSON.parse(data) as Snapshot);
          },
          () => {
            notifyWatchers(false);
            timer = window.setTimeout(open, reconnectMs);
          },
        );
      };
      watchForEntry();
      open();
      const keepAlive = window.setInterval(() => {
        void askHost("/bridge/stay", { method: "POST" }).catch(() => undefined);
      }, keepAliveMs);
      return () => {
        window.clearTimeout(timer);
        window.clearInterval(keepAlive);
        stopReading();
      };
    },
    watchConnection: (listener) => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
  };
};

/** In the desktop program the window ends with the terminal, so the connection is never lost. */
const inProgram = (till: Bridge): ScreenBridge => ({
  dispatch: async (command) => {
    try {
      return await till.dispatch(command);
    } catch {
      return { ok: false, code: "failed" };
    }
  },
  subscribe: (listener) => till.subscribe(listener),
  watchConnection: () => () => undefined,
});

/** Whether the page is a window of the desktop program, not one of a browser. */
export const isInProgram = (): boolean => window.till !== undefined;

/** The bridge of this page. Its calls never reject: a terminal that cannot be reached replies `failed`. */
export const findBridge = (): ScreenBridge => (window.till ? inProgram(window.till) : loopbackBridge());
