/** The customer's pages opened to the shop's network as a host opens them, on loopback in the place of the network, before a real sandbox. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { type PhoneHost, withPhoneAccess } from "../../main/service/phone-proxy.ts";
import type { LanAddress } from "../../main/terminal/devices/find-printers.ts";
import { type Actor, counterActor } from "../../main/terminal/withdrawal/inputs.ts";
import type { PhoneAccess, Reply, TerminalCommand } from "../../preload/contract.ts";
import { type Stage, startStage } from "../service/sandbox-stage.ts";
import { createPlace } from "../service/stores.ts";
import { VirtualClock } from "../unit/terminal/virtual-clock.ts";

/** Stands for the card of the shop's network. */
export const lan: LanAddress = { address: "127.0.0.1", card: "wlan0" };
/** The manager of these tests. */
export const manager: Actor = { ...counterActor, code: "M1" };

/** What is played with. */
export interface PhoneStage {
  readonly service: Stage;
  readonly clock: VirtualClock;
  /** What the terminal wrote down. */
  readonly acts: readonly string[];
  /** The cookies of each request that the training service was sent. */
  readonly passed: readonly string[];
  /** What this machine's cards say; may be changed. */
  addresses: readonly LanAddress[];
  /** Whether the training service's process runs. */
  isRunning: boolean;
  /** What the screens are shown. */
  shown(): PhoneAccess | null;
  press(command: TerminalCommand): Promise<Reply>;
  /** Opens it and says where. */
  open(): Promise<{ readonly origin: string; readonly port: number; readonly code: string }>;
  stop(): Promise<void>;
  /** Ends the listener alone, as a host that ends. */
  end(): void;
}

/** A host in training, before a service with the sandbox. */
export const openPhoneStage = async (live = false): Promise<PhoneStage> => {
  const place = await createPlace("sqlite");
  const service = await startStage(await place.open());
  const clock = new VirtualClock();
  const acts: string[] = [];
  const passed: string[] = [];
  const send = (sent: Request): Promise<Response> => {
    passed.push(sent.headers.get("cookie") ?? "");
    return fetch(sent);
  };
  let shown: PhoneAccess | null = null;
  const training: PhoneHost["training"] = {
    address: service.url,
    channel: () => (stage.isRunning ? { fetch: send } : null),
  };
  const { terminal, stop: end } = withPhoneAccess(
    {
      async dispatch(_command: TerminalCommand, _actor: Actor): Promise<Reply> {
        return { ok: false, code: "invalid" };
      },
      show({ phoneAccess = null }) {
        shown = phoneAccess;
      },
      record: (act, about, actor) => void acts.push([act, about, actor.code].filter(Boolean).join(" ")),
    },
    { training: live ? null : training, clock, log() {}, reserved: [], addresses: () => stage.addresses },
  );
  const stage: PhoneStage = {
    service,
    clock,
    acts,
    passed,
    addresses: [lan],
    isRunning: true,
    shown: () => shown,
    press: (command) => terminal.dispatch(command, manager),
    async open() {
      const reply = await terminal.dispatch({ type: "open_phone_access", address: null }, manager);
      if (!reply.ok || shown === null) throw new Error(`not opened: ${JSON.stringify(reply)}`);
      const { origin, port, pathname } = new URL(shown.url);
      return { origin, port: Number(port), code: pathname.slice(1) };
    },
    end,
    async stop() {
      end();
      await service.stop();
      await place.dispose();
    },
  };
  return stage;
};

/** A request with whatever headers; its answer with the body read. */
export const ask = async (
  port: number,
  { method = "GET", path, headers = [] }: { method?: string; path: string; headers?: readonly [string, string][] },
  body = "",
): Promise<{ readonly status: number; readonly text: string; readonly headers: IncomingMessage["headers"] }> => {
  const sent = request({
    host: "127.0.0.1",
    port,
    method,
    path,
    setHost: false,
    headers: headers.flat(),
    agent: false,
  });
  sent.end(body);
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of answer) text += String(chunk);
  return { status: answer.statusCode ?? 0, text, headers: answer.headers };
};
