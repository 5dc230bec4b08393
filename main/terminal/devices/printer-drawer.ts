/**
 * A drawer behind a receipt printer (ESC/POS): `ESC p` kicks it, the printer reports the level of the drawer connector's
 * pin 3. Which level means open differs by make, so only a level that changes with the kick counts as opened. Once the
 * kick may have left this machine, a failure is `unknown`.
 */
import type { Settings } from "../../../preload/contract.ts";
import type { Drawer, DrawerState } from "../ports.ts";
import type { Connection } from "./line.ts";
import { type Level, queryDrawer } from "./status.ts";

/** Between the kick and the question: the drawer needs this long to move. */
const moveMs = 400;
const sendTimeoutMs = 1_000;
const unitMs = 2;

/** Which pin of the drawer connector is pulsed; see `drawerSchema` in the settings. */
export type Pulse = Extract<Settings["drawer"], { kind: "network" }>["pulse"];

/** `ESC p`: connector pin 2 or 5, on and off in units of 2 ms. */
export const kickOf = ({ pin, onMs, offMs }: Pulse): Uint8Array =>
  Uint8Array.of(0x1b, 0x70, pin === 2 ? 0 : 1, Math.round(onMs / unitMs), Math.round(offMs / unitMs));

/**
 * `DLE DC4 1`: the same at once, on and off alike in units of 100 ms. A printer that prints nothing keeps `ESC p` in its buffer,
 * and would open the drawer when somebody puts in paper.
 */
export const kickAtOnceOf = ({ pin, onMs }: Pulse): Uint8Array =>
  Uint8Array.of(0x10, 0x14, 1, pin === 2 ? 0 : 1, Math.min(8, Math.max(1, Math.round(onMs / 100))));

/** A drawer that is opened by the receipt printer. */
export interface PrinterDrawerSettings {
  /** False for a drawer without a switch: it counts as open when the printer is alive behind the kick. */
  readonly sensor: boolean;
  readonly pulse: Pulse;
}

/**
 * With `sensor`, the answer is `opened` only when the reported level changed with the kick; without, a kick that was
 * sent is `unknown`.
 */
export const createPrinterDrawer = ({ sensor, pulse }: PrinterDrawerSettings, connection: Connection): Drawer => {
  /** Learnt from a kick that changed the level. */
  let openLevel: Level | null = null;

  const stateOf = (level: Level | null): DrawerState => {
    if (level === null || openLevel === null) return "unknown";
    return level === openLevel ? "open" : "closed";
  };

  return {
    open: () =>
      connection.use("kick", async (line) => {
        if (line === null) return "failed";
        const before = await queryDrawer(line, !sensor);
        const isOffline = (before?.trouble ?? null) !== null;
        const sent = await line.send(isOffline ? kickAtOnceOf(pulse) : kickOf(pulse), sendTimeoutMs);
        if (sent === "not_sent") return "failed";
        await line.pause(moveMs);
        const after = (await queryDrawer(line))?.level ?? null;
        if (after === null) return "unknown";
        // A drawer that stood open may have been pushed shut meanwhile: what it then contradicts is learnt anew. The first kick of a
        // program's life cannot tell: the level before it has no meaning yet, however long it has been so, and both ways it changes
        // once and stays. The next kick shows which it was; until then whoever stands before the drawer sees it.
        if (sensor && before !== null && before.level !== null && before.level !== after)
          openLevel = openLevel === null || openLevel === after ? after : null;
        // Without a sensor nobody knows whether a printer that is offline obeyed.
        if (!sensor) return isOffline ? "unknown" : "opened";
        return stateOf(after) === "open" ? "opened" : "unknown";
      }),
    state: () =>
      connection.use("print", async (line) =>
        line === null ? "unknown" : stateOf((await queryDrawer(line))?.level ?? null),
      ),
  };
};
