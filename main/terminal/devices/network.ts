/**
 * A drawer behind a receipt printer on the network (ESC/POS over TCP, usually port 9100): `ESC p` kicks it, `DLE EOT 1`
 * asks for the level of its connector's pin 3. Which level means open differs by make, so only a level that changes with
 * the kick counts as opened. Once the kick may have left this machine, a failure is `unknown`.
 */
import type { Clock, Drawer, DrawerState } from "../ports.ts";
import { connectLine, type Line } from "./tcp-line.ts";

const connectTimeoutMs = 2_000;
const answerTimeoutMs = 1_000;
/** Between the kick and the question: the drawer needs this long to move. */
const moveMs = 400;

/** ESC p 0: connector pin 2, 50 ms on, 250 ms off (in units of 2 ms). */
const kick = Buffer.from([0x1b, 0x70, 0x00, 25, 125]);
/** DLE EOT 1: answered in real time, even while the printer is busy or out of paper. */
const statusRequest = Buffer.from([0x10, 0x04, 0x01]);

/** The voltage on the connector's pin 3. */
export type Level = "low" | "high";

/** A status byte has bits 1 and 4 set and bits 0 and 7 clear; bit 2 is pin 3. Anything else is no status. */
export const readLevel = (byte: number): Level | null => {
  if ((byte & 0b1001_0011) !== 0b0001_0010) return null;
  return (byte & 0b100) === 0 ? "low" : "high";
};

const queryLevel = async (line: Line): Promise<Level | null> => {
  const byte = await line.query(statusRequest, answerTimeoutMs);
  return byte === null ? null : readLevel(byte);
};

/** Where the printer listens, and whether its drawer has a sensor. */
export interface NetworkDrawerSettings {
  readonly host: string;
  readonly port: number;
  /** False for a drawer without a switch: it counts as open when the printer is alive behind the kick. */
  readonly sensor: boolean;
}

/** A drawer that is opened over the network. Each call connects anew and is over within about five seconds. */
export const createNetworkDrawer = (at: NetworkDrawerSettings, clock: Clock): Drawer => {
  /** Learnt from a kick that changed the level. */
  let openLevel: Level | null = null;

  const stateOf = (level: Level | null): DrawerState => {
    if (level === null || openLevel === null) return "unknown";
    return level === openLevel ? "open" : "closed";
  };

  return {
    async open() {
      const line = await connectLine(at, clock, connectTimeoutMs);
      if (line === null) return "failed";
      try {
        const before = await queryLevel(line);
        const sent = await line.send(kick);
        if (sent === "not_sent") return "failed";
        await line.pause(moveMs);
        const after = await queryLevel(line);
        if (after === null) return "unknown";
        if (before !== null && before !== after) openLevel = after;
        return stateOf(after) === "open" || !at.sensor ? "opened" : "unknown";
      } finally {
        line.close();
      }
    },
    async state() {
      const line = await connectLine(at, clock, connectTimeoutMs);
      if (line === null) return "unknown";
      try {
        return stateOf(await queryLevel(line));
      } finally {
        line.close();
      }
    },
  };
};
