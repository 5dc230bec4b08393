/**
 * A receipt printer on a real TCP port: interprets what it is sent, draws the paper, counts the pulses, and fails as printers do.
 * Its bytes are Epson's: `DLE EOT` (p. 71), `DLE DC4` (p. 75) and `ESC p` (p. 105) after the TM-T88III Specification, `GS a` after
 * the ESC/POS Application Programming Guide 10.01 (p. 319), `GS r` after the TM-T81 Specification.
 */
import { createServer, type Socket } from "node:net";
import { freePort } from "../free-port.ts";
import { Interpreter, type Pulse } from "./interpreter.ts";

/** How the printer behaves now; a test changes it while it runs. */
export interface Mood {
  /** Answers `DLE EOT`; false for printers that never say a word. */
  answersRealTime: boolean;
  /** Obeys `DLE DC4 1`: kicks at once, also while it prints nothing. */
  kicksRealTime: boolean;
  /** Answers `GS a` and `GS r`. */
  answersQueued: boolean;
  paper: "full" | "low" | "out";
  coverOpen: boolean;
  /** The drawer's switch: whether pin 3 is high while it is open; null for a drawer without one. */
  openIsHigh: boolean | null;
  /** Whether a pulse moves the drawer. */
  drawerMoves: boolean;
  /** Breaks the connection after so many bytes of what is to be printed; null never. */
  diesAfterBytes: number | null;
  /** The paper ends after so many lines; null never. */
  paperLinesLeft: number | null;
  /** Sent instead of every answer. */
  nonsense: Uint8Array | null;
  /** Takes one connection at a time and lets the others wait, as most printers do. */
  oneAtATime: boolean;
}

const mood: Mood = {
  answersRealTime: true,
  kicksRealTime: true,
  answersQueued: true,
  paper: "full",
  coverOpen: false,
  openIsHigh: true,
  drawerMoves: true,
  diesAfterBytes: null,
  paperLinesLeft: null,
  nonsense: null,
  oneAtATime: false,
};

/** The printer with all it was sent; disposing it closes the port. */
export interface VirtualPrinter extends AsyncDisposable {
  readonly port: number;
  readonly mood: Mood;
  readonly pulses: Pulse[];
  drawerOpen: boolean;
  readonly interpreter: Interpreter;
  /** Puts bytes into its buffer as another program would. */
  otherJob(bytes: Uint8Array): void;
  /** New paper, cover shut: goes on with what is in the buffer. */
  repair(): void;
  /** Off: connections break and new ones are refused. */
  switchOff(): Promise<void>;
  switchOn(): Promise<void>;
}

const listen = (server: ReturnType<typeof createServer>, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => resolve());
  });

/** Listens on a free port of this machine, the same again after it was off; `columns` is the paper's width in characters. */
export const startVirtualPrinter = async (
  changes: Partial<Mood> = {},
  columns: 32 | 42 | 48 = 48,
): Promise<VirtualPrinter> => {
  const sockets = new Set<Socket>();
  const now: Mood = { ...mood, ...changes };
  const pulses: Pulse[] = [];
  let talking: Socket | null = null;
  let received = 0;
  let drawerOpen = false;

  const pinHigh = (): boolean => (now.openIsHigh === null ? true : drawerOpen === now.openIsHigh);
  const noPaper = (): boolean => now.paper === "out";
  const offline = (): boolean => noPaper() || now.coverOpen;
  const bit = (is: boolean, at: number): number => (is ? 1 << at : 0);

  const send = (bytes: Uint8Array): void => void talking?.write(now.nonsense ?? bytes);
  const realTime = (topic: number): number => {
    const base = 0b0001_0010;
    if (topic === 1) return base | bit(pinHigh(), 2) | bit(offline(), 3);
    if (topic === 2) return base | bit(now.coverOpen, 2) | bit(noPaper(), 5);
    if (topic === 4) return base | (now.paper === "full" ? 0 : 0b1100) | (noPaper() ? 0b110_0000 : 0);
    return base;
  };

  const onPulse = (pulse: Pulse): void => {
    pulses.push(pulse);
    if (now.drawerMoves) drawerOpen = true;
  };

  const interpreter = new Interpreter(columns * 12, {
    paperSensor: () => (now.paper === "full" ? 0 : 0b11) | (noPaper() ? 0b1100 : 0),
    automaticStatus: () =>
      now.answersQueued
        ? Uint8Array.of(
            0b0001_0000 | bit(pinHigh(), 2) | bit(offline(), 3) | bit(now.coverOpen, 5),
            0,
            (now.paper === "full" ? 0 : 0b11) | (noPaper() ? 0b1100 : 0),
            0x0f,
          )
        : new Uint8Array(),
    send: (bytes) => {
      if (now.answersQueued && bytes.length > 0) send(bytes);
    },
    onPulse,
  });

  const work = (): void => {
    if (offline()) return;
    const before = interpreter.lines.length;
    interpreter.run(now.paperLinesLeft ?? undefined);
    if (now.paperLinesLeft === null) return;
    now.paperLinesLeft -= interpreter.lines.length - before;
    if (now.paperLinesLeft > 0) return;
    now.paperLinesLeft = null;
    now.paper = "out";
  };

  const onData = (socket: Socket, data: Buffer): void => {
    talking = socket;
    const rest: number[] = [];
    for (let at = 0; at < data.length; at++) {
      if (data[at] === 0x10 && data[at + 1] === 0x04) {
        if (now.answersRealTime) send(Uint8Array.of(realTime(data[at + 2] ?? 0)));
        at += 2;
        continue;
      }
      if (data[at] === 0x10 && data[at + 1] === 0x14 && data[at + 2] === 1) {
        const [pin = 0, hundreds = 0] = data.subarray(at + 3, at + 5);
        if (now.kicksRealTime) onPulse({ pin: pin === 0 ? 2 : 5, onMs: hundreds * 100, offMs: hundreds * 100 });
        at += 4;
        continue;
      }
      rest.push(data[at] ?? 0);
    }
    received += rest.length;
    if (now.diesAfterBytes !== null && received > now.diesAfterBytes) {
      interpreter.take(Uint8Array.from(rest.slice(0, Math.max(0, rest.length - (received - now.diesAfterBytes)))));
      work();
      for (const one of sockets) one.destroy();
      return;
    }
    interpreter.take(Uint8Array.from(rest));
    work();
  };

  const accept = (socket: Socket): void => {
    if (now.oneAtATime && sockets.size > 0) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (data) => onData(socket, data));
  };
  let server = createServer(accept);
  const port = await freePort();
  await listen(server, port);
  const switchOff = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    port,
    mood: now,
    pulses,
    interpreter,
    get drawerOpen() {
      return drawerOpen;
    },
    set drawerOpen(open) {
      drawerOpen = open;
    },
    otherJob(bytes) {
      interpreter.take(bytes);
      work();
    },
    repair() {
      now.paper = "full";
      now.coverOpen = false;
      work();
    },
    switchOff,
    async switchOn() {
      received = 0;
      server = createServer(accept);
      await listen(server, port);
    },
    [Symbol.asyncDispose]: switchOff,
  };
};
