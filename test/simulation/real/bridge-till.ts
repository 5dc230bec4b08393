/** The built terminal under the browser host, worked through its loopback bridge as its own page works it. */
import type { Command, Reply, Snapshot } from "../../../preload/contract.ts";
import { enterTill } from "../../e2e/stage/bridge-client.ts";
import { startTillHost, type TillHost } from "../../e2e/stage/programs.ts";
import { freePort } from "../../free-port.ts";
import type { TillMachine } from "../till.ts";

/** A till of the simulation that is a real process. */
export type BridgeTill = Pick<TillMachine, "index" | "snapshot" | "powered" | "dispatch" | "unplug"> & {
  /** Its data folder. */
  readonly data: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<number | null>;
};

const dispatchTimeoutMs = 10_000;

/** `data` is its data folder; it does not run before `start`. */
export const createBridgeTill = (data: string, onSnapshot: (snapshot: Snapshot) => void): BridgeTill => {
  let host: TillHost | null = null;
  let port: number | null = null;
  let origin = "";
  let session = "";
  let snapshot: Snapshot | null = null;

  const authorization = (): string => `Bearer ${session}`;

  const listen = async (from: TillHost): Promise<void> => {
    const answer = await fetch(`${origin}/bridge/events`, { headers: { authorization: authorization() } });
    if (!answer.body) throw new Error("no events");
    let text = "";
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const events = text.split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const line = event.split("\n").find((each) => each.startsWith("data: "));
        if (!line || host !== from) continue;
        snapshot = JSON.parse(line.slice("data: ".length)) as Snapshot;
        onSnapshot(snapshot);
      }
    }
  };

  return {
    index: 0,
    data,
    get snapshot() {
      return snapshot;
    },
    get powered() {
      return host !== null;
    },
    unplug() {},
    async start() {
      port ??= await freePort();
      const started = await startTillHost({ data, live: true, port });
      host = started;
      origin = new URL(started.entry).origin;
      session = await enterTill(started.entry);
      if (session === "") throw new Error(`no session from ${started.entry}`);
      // Ends when the process is killed.
      void listen(started).catch(() => {});
    },
    async kill() {
      const killed = host;
      host = null;
      snapshot = null;
      await killed?.child.kill();
    },
    async stop() {
      const stopped = host;
      host = null;
      return stopped ? stopped.child.stop() : null;
    },
    async dispatch(command: Command): Promise<Reply | null> {
      try {
        const answer = await fetch(`${origin}/bridge/dispatch`, {
          method: "POST",
          headers: { authorization: authorization(), origin, "content-type": "application/json" },
          body: JSON.stringify(command),
          signal: AbortSignal.timeout(dispatchTimeoutMs),
        });
        return (await answer.json()) as Reply;
      } catch {
        return null;
      }
    },
  };
};
