/** Mirrors the terminal's latest snapshot. Written by the bridge's subscription alone; screens only read. */
import { create } from "zustand";
import type { Snapshot } from "../../preload/contract.ts";
import type { ScreenBridge } from "./bridge.ts";

interface SnapshotStore {
  readonly snapshot: Snapshot | null;
  /** When the snapshot arrived, on this page's monotonic clock: countdowns run from here. */
  readonly receivedAtMs: number;
  readonly connected: boolean;
}

/** The latest snapshot, for screens to read; null before the first one came. */
export const useSnapshotStore = create<SnapshotStore>(() => ({ snapshot: null, receivedAtMs: 0, connected: true }));

/** Starts mirroring; the result stops it. */
export const mirrorSnapshots = (bridge: ScreenBridge): (() => void) => {
  const unwatch = bridge.watchConnection((connected) => useSnapshotStore.setState({ connected }));
  const unsubscribe = bridge.subscribe((snapshot) =>
    useSnapshotStore.setState({ snapshot, receivedAtMs: performance.now() }),
  );
  return () => {
    unsubscribe();
    unwatch();
  };
};
