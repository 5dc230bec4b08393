/**
 * Finds the way to the terminal: `window.till` under Electron, else the loopback host that served this page
 * (`POST /bridge/dispatch` takes a command and answers with a reply; `GET /bridge/events` streams snapshots).
 */
import type { Bridge, Command, Reply, Snapshot } from "../../preload/contract.ts";

const prefix = "data: ";
/** The host's answer while it changes between training and real money. */
const startingStatus = 503;

const lookEveryMs = 5_000;
/** The host sends at least a comment every 15 s: one that hangs has sent nothing in so many looks. Time that the machine sleeps is one look. */
const silentLooksMax = 9;

/** @param heard called with each part that arrives. @returns the status of the answer, once it has ended. */
const readAll = async (
  path: string,
  signal: AbortSignal,
  take: (data: string) => void,
  heard: () => void,
): Promise<number> => {
  const { ok, status, body } = await askHost(path, { signal });
  if (!ok || body === null) return status;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return status;
    heard();
    const events = (text + value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) if (event.startsWith(prefix)) take(event.slice(prefix.length));
  }
};

/**
 * @param ended runs once when the stream ends, fails or falls silent; `isStarting`: this page's program answered that it is between
 * two terminals. @returns how to leave it.
 */
export const readEvents = (
  path: string,
  take: (data: string) => void,
  ended: (isStarting: boolean) => void,
): (() => void) => {
  const reading = new AbortController();
  let hasLeft = false;
  let silentLooks = 0;
  const watch = window.setInterval(() => {
    silentLooks += 1;
    if (silentLooks === silentLooksMax) reading.abort();
  }, lookEveryMs);
  const heard = (): void => {
    silentLooks = 0;
  };
  void readAll(path, reading.signal, take, heard)
    .catch(() => 0)
    .then((status) => {
      window.clearInterval(watch);
      if (!hasLeft) ended(status === startingStatus);
    });
  return () => {
    hasLeft = true;
    reading.abort();
  };
};

const sessionItem = "till-session";
const hostKeyItem = "till-host-key";
const entryHash = /^#enter=([\w-]{1,100})$/;
/** The host's page that says how to open the terminal. */
const entryPath = "/enter";
const challengeHeader = "till-challenge";
const proofHeader = "till-proof";

/** Used where storage is forbidden: the session then lasts as long as the page. */
const inMemory = new Map<string, string>();

const read = (item: string): string => {
  try {
    return localStorage.getItem(item) ?? inMemory.get(item) ?? "";
  } catch {
    return inMemory.get(item) ?? "";
  }
};

const keep = (item: string, value: string): void => {
  inMemory.set(item, value);
  try {
    localStorage.setItem(item, value);
  } catch {
    // Full or forbidden: see above.
  }
};

/** Exchanges the one-time token in the address for a session; a page without one keeps the stored session. */
const signIn = async (): Promise<void> => {
  const token = entryHash.exec(location.hash)?.[1];
  if (token === undefined) return;
  const answer = await fetch(entryPath, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  history.replaceState(null, "", location.pathname);
  if (!answer.ok) return;
  const { session, hostKey } = (await answer.json()) as { session?: unknown; hostKey?: unknown };
  if (typeof session !== "string" || typeof hostKey !== "string") return;
  keep(sessionItem, session);
  keep(hostKeyItem, hostKey);
};

let signingIn: Promise<void> | null = null;

const hex = (bytes: Iterable<number>): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const proofFor = async (challenge: string, hostKey: string): Promise<string> => {
  const text = new TextEncoder();
  const way = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", text.encode(hostKey), way, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, text.encode(`${challenge} ${location.host}`));
  return hex(new Uint8Array(signed));
};

/**
 * Sends a request with this page's session. A page without one, and one whose session the host no longer knows, goes to the host's
 * entry page. Rejects when another program answered.
 */
const askHost = async (path: string, init: RequestInit = {}): Promise<Response> => {
  signingIn ??= signIn().catch((error: unknown) => {
    signingIn = null;
    throw error;
  });
  await signingIn;
  const hostKey = read(hostKeyItem);
  if (hostKey === "") {
    location.replace(entryPath);
    throw new Error("this page did not come in");
  }
  const challenge = hex(crypto.getRandomValues(new Uint8Array(16)));
  const own = { authorization: `Bearer ${read(sessionItem)}`, [challengeHeader]: challenge };
  const answer = await fetch(path, { ...init, headers: { ...init.headers, ...own } });
  if (answer.headers.get(proofHeader) !== (await proofFor(challenge, hostKey)))
    throw new Error("another program answers in the terminal's place");
  if (answer.status === 401) location.replace(entryPath);
  return answer;
};

type ConnectionState = "connected" | "restarting" | "lost";

/** A bridge that also says whether the terminal can be reached. */
export interface ScreenBridge extends Bridge {
  /** Calls on every change of the connection; the result stops it. `restarting`: the program said that it ends and comes back. */
  watchConnection(listener: (state: ConnectionState) => void): () => void;
}

declare global {
  interface Window {
    readonly till?: Bridge;
  }
}

const reconnectMs = 1000;
/** A program that changes between training and real money is back within this time, or answers meanwhile that it starts. */
const restartMaxMs = 20_000;
/** An open page renews its session this often: the host ends one that was not used for days. */
const keepAliveMs = 60 * 60_000;

const isReply = (value: unknown): value is Reply =>
  typeof value === "object" && value !== null && typeof (value as { ok?: unknown }).ok === "boolean";

/** The bridge over HTTP to the host that served the page; reconnects while the page is open. */
const loopbackBridge = (): ScreenBridge => {
  const watchers = new Set<(state: ConnectionState) => void>();
  let state: ConnectionState = "connected";
  let backBeforeMs = 0;
  const notifyWatchers = (now: ConnectionState): void => {
    if (state === "restarting" && now === "connected") backBeforeMs = 0;
    state = now;
    for (const watcher of watchers) watcher(now);
  };
  const dispatch = async (command: Command): Promise<Reply> => {
    // From here, not from the reply: the program may end before the page has read it.
    if (command.type === "switch_purpose") backBeforeMs = performance.now() + restartMaxMs;
    try {
      const answer = await askHost("/bridge/dispatch", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(command),
      });
      const reply: unknown = await answer.json();
      if (!isReply(reply)) return { ok: false, code: "failed" };
      if (command.type === "switch_purpose" && !reply.ok) backBeforeMs = 0;
      return reply;
    } catch {
      return { ok: false, code: "failed" };
    }
  };
  let lastScan: Promise<unknown> = Promise.resolve();
  return {
    // Scans come faster than an answer, and two requests may overtake each other: each waits until the one before has arrived.
    dispatch: (command) => {
      if (command.type !== "scan") return dispatch(command);
      const reply = lastScan.then(() => dispatch(command));
      lastScan = reply;
      return reply;
    },
    subscribe: (listener) => {
      let stopReading = (): void => undefined;
      let timer = 0;
      const open = (): void => {
        stopReading = readEvents(
          "/bridge/events",
          (data) => {
            notifyWatchers("connected");
            listener(JSON.parse(data) as Snapshot);
          },
          (isStarting) => {
            if (isStarting) backBeforeMs = performance.now() + restartMaxMs;
            notifyWatchers(performance.now() < backBeforeMs ? "restarting" : "lost");
            timer = window.setTimeout(open, reconnectMs);
          },
        );
      };
      // A one-time address that is opened in this tab changes its hash alone, which loads nothing.
      window.addEventListener("hashchange", () => entryHash.test(location.hash) && location.reload());
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
