/** The terminal with the commands about a real phone answered: opened on a manager's press, in training alone. */
import { networkInterfaces } from "node:os";
import pLimit from "p-limit";
import type { Reply } from "../../../preload/contract.ts";
import { withAnswers } from "../../host/host-answers.ts";
import type { Log } from "../../host/log-file.ts";
import { type LanAddress, lanAddresses } from "../../terminal/devices/lan-addresses.ts";
import type { Clock } from "../../terminal/ports.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { type Actor, terminalActor } from "../../terminal/withdrawal/inputs.ts";
import type { ServiceChannel } from "../service-channel.ts";
import { openPhoneListener, type PhoneListener } from "./phone-proxy.ts";

const quietModules = 4;

/** A square drawing in modules: `size` with the quiet zone on each side, and its dark modules as the `d` of an SVG path. */
interface QrPath {
  readonly size: number;
  readonly path: string;
}

/** Level M. Loaded for the first code: a terminal starts without it. */
export const qrPath = async (text: string): Promise<QrPath> => {
  const { default: bwipjs } = await import("bwip-js/node");
  const [symbol] = bwipjs.raw("qrcode", text, { eclevel: "M" } as object);
  if (symbol === undefined || !("pixs" in symbol)) throw new Error("no QR code was made");
  const { pixs, pixx } = symbol;
  const rows = Array.from({ length: pixs.length / pixx }, (_, y) => pixs.slice(y * pixx, (y + 1) * pixx).join(""));
  const path = rows
    .flatMap((row, y) =>
      [...row.matchAll(/1+/g)].map(
        ({ index, 0: run }) => `M${index + quietModules} ${y + quietModules}h${run.length}v1h-${run.length}z`,
      ),
    )
    .join("");
  return { size: pixx + 2 * quietModules, path };
};

type Played = Pick<Terminal, "dispatch" | "show" | "record">;

/** What the phone's pages need from the host. */
export interface PhoneHost {
  /** Null: real money. No listener is ever opened then. */
  readonly training: { readonly address: string; channel(): Pick<ServiceChannel, "fetch"> | null } | null;
  readonly clock: Clock;
  readonly log: Log;
  /** Ports that others of this machine need. */
  readonly reserved: readonly number[];
  /** This machine's addresses now. Default: what the system says. */
  readonly addresses?: () => readonly LanAddress[];
}

const systemAddresses = (): readonly LanAddress[] => lanAddresses(networkInterfaces());

/** What is played with, and the end of what is open. Answers `open_phone_access` and `close_phone_access`; outside of training they reach the core, which refuses them. */
export const withPhoneAccess = <T extends Played>(
  terminal: T,
  { training, clock, log, reserved, addresses = systemAddresses }: PhoneHost,
): { readonly terminal: T; stop(): void } => {
  if (training === null) return { terminal, stop() {} };
  let listener: PhoneListener | null = null;
  let isStopped = false;

  const close = (actor: Actor): void => {
    if (listener === null) return;
    listener.close();
    listener = null;
    terminal.record("phone_access_closed", null, actor);
    terminal.show({ phoneAccess: null });
  };

  const open = async (wanted: string | null, actor: Actor): Promise<Reply> => {
    const found = addresses();
    if (found.length === 0) return { ok: false, code: "no_private_network" };
    const chosen = found.find(({ address }) => wanted === null || address === wanted);
    if (chosen === undefined) return { ok: false, code: "stale" };
    // A press that came twice: the code that is shown goes on working.
    if (listener !== null && (wanted === null || wanted === listener.address)) return { ok: true };
    close(actor);
    terminal.record("phone_access_opened", chosen.address, actor);
    const opened = await openPhoneListener({
      address: chosen.address,
      service() {
        const channel = training.channel();
        return channel && { address: training.address, fetch: channel.fetch };
      },
      clock,
      reserved,
      ended: () => close(terminalActor),
    }).catch((error: unknown) => {
      log("warn", "the pages for a phone could not be opened", { error: String(error) });
      return null;
    });
    if (opened === null) return { ok: false, code: "failed" };
    // The program ended meanwhile.
    if (isStopped) {
      opened.close();
      return { ok: false, code: "failed" };
    }
    listener = opened;
    const { url, untilMs } = opened;
    const others = found.filter(({ address }) => address !== chosen.address);
    terminal.show({ phoneAccess: { url, qr: await qrPath(url), untilMs, others } });
    return { ok: true };
  };

  /** Two presses at once would leave a listener that nobody knows. */
  const inTurn = pLimit(1);
  return {
    terminal: withAnswers<"phone", T>(terminal, {
      open_phone_access: (command, actor) => inTurn(() => open(command.address, actor)),
      close_phone_access: (_, actor) =>
        inTurn(() => {
          close(actor);
          return { ok: true } as const;
        }),
    }),
    stop() {
      isStopped = true;
      listener?.close();
      listener = null;
    },
  };
};
