/** The loopback bridge of a browser host as its own page works it: commands out, the latest snapshot in. */
import type { Command, Reply, Snapshot } from "../../../preload/contract.ts";

/** What a page keeps of its entry: its session, and the key by which it knows the host again. */
interface Entered {
  readonly session: string;
  readonly hostKey: string;
}

/** Spends a one-time address as the page's script does. @returns null where the address is spent. */
export const signIn = async (entry: string): Promise<Entered | null> => {
  const { origin, hash } = new URL(entry);
  const answer = await fetch(`${origin}/enter`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: hash.replace("#enter=", "") }),
  });
  return answer.ok ? ((await answer.json()) as Entered) : null;
};

/** As `signIn`. @returns the session; empty where the address is spent. */
export const enterTill = async (entry: string): Promise<string> => (await signIn(entry))?.session ?? "";

/** Sends a command as a page of this session would. @param origin of the host. */
export const dispatchTo = async (origin: string, session: string, command: object): Promise<Reply> => {
  const answer = await fetch(`${origin}/bridge/dispatch`, {
    method: "POST",
    headers: { authorization: `Bearer ${session}`, origin, "content-type": "application/json" },
    body: JSON.stringify(command),
  });
  return (await answer.json()) as Reply;
};

/** One open page. */
export interface BridgeClient {
  /** A command for the screen that is in front gets its step by itself. */
  press(command: Omit<Command, "step"> & { readonly type: Command["type"] }): Promise<Reply>;
  snapshot(): Snapshot | null;
  close(): void;
}

/** Follows what the host sends to one page. @returns the latest of it, null before the first. */
export const followSnapshots = ({ body }: Pick<Response, "body">): (() => Snapshot | null) => {
  let latest: Snapshot | null = null;
  const listen = async (): Promise<void> => {
    let text = "";
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = `${text}${chunk}`.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const line = part.split("\n").find((each) => each.startsWith("data: "));
        if (line !== undefined) latest = JSON.parse(line.slice("data: ".length)) as Snapshot;
      }
    }
  };
  listen().catch(() => undefined);
  return () => latest;
};

/** @param entry works once. */
export const openBridge = async (entry: string): Promise<BridgeClient> => {
  const { origin } = new URL(entry);
  const session = await enterTill(entry);
  const leaving = new AbortController();
  const events = await fetch(`${origin}/bridge/events`, {
    headers: { authorization: `Bearer ${session}` },
    signal: leaving.signal,
  });
  const snapshot = followSnapshots(events);
  return {
    press: (command) => dispatchTo(origin, session, { step: snapshot()?.screen.step, ...command }),
    snapshot,
    close: () => leaving.abort(),
  };
};
