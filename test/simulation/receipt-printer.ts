/**
 * A till's receipt printer with the drawer behind it, as the real drivers find them on their line: out of paper, open, gone, mute,
 * talking nonsense or late, a job that breaks off, a sensor that is stuck, a drawer that stays shut, moves twice, or stands open.
 */
import { createListener, type Line, type OpenLine } from "../../main/terminal/devices/line.ts";
import type { Clock } from "../../main/terminal/ports.ts";
import type { FaultStream } from "./fault-injector.ts";
import { type Power, PowerCut } from "./power.ts";
import type { Scheduler } from "./scheduler.ts";

/** What is wrong with it for a while. */
export const troubles = [
  "no_paper",
  "cover_open",
  "gone",
  "mute",
  "garbage",
  "late",
  "breaks",
  "stuck",
  "left_open",
] as const;

/** The device; it outlives the power of its till. */
export interface ReceiptPrinter {
  /** A line to it for a program that runs with this power and clock. */
  line(own: Power, clock: Clock): OpenLine;
  /** How much of all jobs is on paper, in bytes. */
  readonly onPaper: number;
  /** How often the drawer has moved, and whether it stands open now. */
  readonly moves: number;
  readonly isOpen: boolean;
  /** Nothing is wrong with it now. */
  readonly isSound: boolean;
}

const wireMs = 4;
const movesMs = 120;
const connectTimeoutMs = 2_000;
const troubleMs = { min: 5_000, max: 240_000 } as const;
const closedAfterMs = { min: 2_000, max: 20_000 } as const;
const lateMs = { min: 700, max: 4_000 } as const;

/** Drivers expect that nothing here rejects: a program without power gets no answer at all. */
const isDead = (own: Power): boolean => {
  try {
    own.touch();
    return false;
  } catch (problem) {
    if (!(problem instanceof PowerCut)) throw problem;
    return true;
  }
};
const never = (): Promise<never> => new Promise(() => {});

const startsWith = (bytes: Uint8Array, ...start: number[]): boolean => start.every((byte, at) => bytes[at] === byte);

/**
 * @param onKick an order to open has arrived. @param onMoved the drawer jumps open.
 * @param index whose it is: which level of its pin means open differs by make.
 */
export const createReceiptPrinter = (options: {
  readonly index: number;
  readonly scheduler: Pick<Scheduler, "now" | "after">;
  readonly faults: FaultStream;
  readonly onKick: () => void;
  readonly onMoved: () => void;
}): ReceiptPrinter => {
  const { scheduler, faults } = options;
  let trouble: (typeof troubles)[number] | null = null;
  let isOpen = false;
  let frozenLevel = false;
  let onPaper = 0;
  let moves = 0;
  /** What waits in the printer until it prints again. */
  const held: (() => void)[] = [];

  const isOffline = (): boolean => trouble === "no_paper" || trouble === "cover_open";
  const level = (): boolean => (trouble === "stuck" ? frozenLevel : isOpen === (options.index % 2 === 0));

  const recover = (): void => {
    if (trouble === "left_open") isOpen = false;
    trouble = null;
    for (const done of held.splice(0)) done();
  };
  const mayFail = (): void => {
    if (trouble !== null || !faults.occurs("printerFails")) return;
    trouble = troubles[faults.between(0, troubles.length - 1)] ?? null;
    frozenLevel = isOpen === (options.index % 2 === 0);
    if (trouble === "left_open") isOpen = true;
    scheduler.after(faults.between(troubleMs.min, troubleMs.max), recover);
  };

  const jump = (): void => {
    isOpen = true;
    moves += 1;
    options.onMoved();
    const closes = faults.between(closedAfterMs.min, closedAfterMs.max);
    scheduler.after(closes, () => {
      if (trouble !== "left_open") isOpen = false;
    });
  };
  const kick = (): void => {
    options.onKick();
    const how = faults.occurs("drawerFails") ? faults.between(0, 2) : null;
    // Stays shut; moves and says nothing any more; moves twice.
    if (how !== 0) scheduler.after(movesMs, jump);
    if (how === 1 && trouble === null) {
      trouble = "mute";
      scheduler.after(troubleMs.min, recover);
    }
    if (how === 2) scheduler.after(2 * movesMs, jump);
  };

  const statusOf = (topic: number): number => {
    if (topic === 2) return 0x12 | (trouble === "cover_open" ? 0x04 : 0) | (trouble === "no_paper" ? 0x20 : 0);
    if (topic === 4) return 0x12 | (trouble === "no_paper" ? 0x60 : 0);
    return 0x12 | (level() ? 0x04 : 0) | (isOffline() ? 0x08 : 0);
  };
  const wholeStatus = (): readonly number[] => [
    0x10 | (level() ? 0x04 : 0) | (isOffline() ? 0x08 : 0) | (trouble === "cover_open" ? 0x20 : 0),
    0,
    trouble === "no_paper" ? 0x0c : 0,
    0,
  ];

  /** Takes what a program sent; `answer` says what goes back. */
  const take = (bytes: Uint8Array, answer: (reply: readonly number[]) => void): void => {
    const whenOnline = (work: () => void): void => {
      if (isOffline()) held.push(work);
      else work();
    };
    if (startsWith(bytes, 0x10, 0x04)) answer([statusOf(bytes[2] ?? 0)]);
    else if (startsWith(bytes, 0x10, 0x14)) kick();
    else if (startsWith(bytes, 0x1b, 0x70)) whenOnline(kick);
    else if (startsWith(bytes, 0x1d, 0x61, 0xff)) answer(wholeStatus());
    else if (startsWith(bytes, 0x1d, 0x72)) whenOnline(() => answer([0]));
    else if (!startsWith(bytes, 0x1d, 0x61))
      whenOnline(() => {
        onPaper += bytes.length;
      });
  };

  const openLine = (own: Power, clock: Clock): Line => {
    const { listen, deliver, end } = createListener(clock);
    let isClosed = false;
    const answer = (reply: readonly number[]): void => {
      if (trouble === "mute") return;
      const said = trouble === "garbage" ? reply.map(() => faults.between(0, 255)) : reply;
      own.after(trouble === "late" ? faults.between(lateMs.min, lateMs.max) : wireMs, () => {
        if (!isClosed) deliver(Uint8Array.from(said));
      });
    };
    const close = (): void => {
      isClosed = true;
      end();
    };
    return {
      silenceMeansAbsent: false,
      listen,
      pause: (ms) => new Promise((resolve) => own.after(ms, resolve)),
      drop: close,
      close,
      async send(bytes) {
        if (isDead(own)) return never();
        if (isClosed || trouble === "gone") return "not_sent";
        const isJob = ![0x10, 0x1d].includes(bytes[0] ?? 0) && !startsWith(bytes, 0x1b, 0x70);
        if (isJob && trouble === "breaks") {
          onPaper += bytes.length >> 1;
          close();
          return "maybe_sent";
        }
        take(bytes, answer);
        return isDead(own) ? never() : "sent";
      },
    };
  };

  return {
    get onPaper() {
      return onPaper;
    },
    get moves() {
      return moves;
    },
    get isOpen() {
      return isOpen;
    },
    get isSound() {
      return trouble === null;
    },
    line: (own, clock) => () => {
      if (isDead(own)) return never();
      mayFail();
      return new Promise((resolve) => {
        if (trouble === "gone") own.after(connectTimeoutMs, () => resolve(null));
        else own.after(wireMs, () => resolve(openLine(own, clock)));
      });
    },
  };
};
