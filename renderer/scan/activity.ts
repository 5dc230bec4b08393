import { create } from "zustand";
import type { ScanSource, Symbology } from "../../preload/contract.ts";
import type { Engine } from "./decode/frame-reader.ts";
import type { Fault } from "./scan.ts";

/** One thing that a scanner or the camera said, as the test screen shows it. */
export interface Activity {
  readonly id: number;
  /** ISO 8601, for the export. */
  readonly at: string;
  readonly source: ScanSource;
  readonly text: string;
  /** As it was received, before anything was stripped or interpreted. */
  readonly raw: string;
  readonly bytes: readonly number[];
  readonly symbology: Symbology | null;
  /** Null when the text is an id. */
  readonly fault: Fault | null;
  /** A keyboard scanner's pauses, or the time that one frame took to decode. */
  readonly timing: { readonly meanMs: number; readonly maxMs: number } | null;
  /** Which decoder, how a scan ended, which layout it was read by, which device. */
  readonly detail: string;
}

/** How a scanner that is not a keyboard is connected: WebHID or Web Serial. */
export type DeviceKind = "hid" | "serial";
/** Whether a browser can talk to such scanners, and whether one is connected. */
type DeviceState = "unsupported" | "absent" | "connected";

interface ScannerState {
  readonly activities: readonly Activity[];
  /** The decoders that run; empty until a camera was on. */
  readonly engines: readonly Engine[];
  readonly devices: Readonly<Record<DeviceKind, DeviceState>>;
}

const activitiesMax = 200;
let lastId = 0;

/** What the test screen shows: what was scanned, which decoders run, which scanners are connected. */
export const useScannerState = create<ScannerState>(() => ({
  activities: [],
  engines: [],
  devices: { hid: "unsupported", serial: "unsupported" },
}));

/** Keeps the latest, newest first; nothing of it leaves the page unless the manager exports it. */
export const noteActivity = (activity: Omit<Activity, "id" | "at" | "bytes"> & { bytes?: readonly number[] }): void => {
  lastId += 1;
  const bytes = activity.bytes ?? [...new TextEncoder().encode(activity.raw)];
  const noted = { ...activity, bytes, id: lastId, at: new Date().toISOString() };
  useScannerState.setState(({ activities }) => ({ activities: [noted, ...activities].slice(0, activitiesMax) }));
};

/** Says which decoders run, once the camera was on. */
export const noteEngines = (engines: readonly Engine[]): void => useScannerState.setState({ engines });

/** Says whether a scanner of this kind is connected. */
export const noteDevice = (kind: DeviceKind, state: DeviceState): void =>
  useScannerState.setState(({ devices }) => ({ devices: { ...devices, [kind]: state } }));
