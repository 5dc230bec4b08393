/** How long nobody has used the terminal: an update is installed by itself only after a while. */
import type { Snapshot } from "../../preload/contract.ts";
import type { Clock } from "../terminal/ports.ts";

/** Notices use, by what is done and by what the screens show. */
export interface UseWatch {
  /** Somebody did something. */
  touched(): void;
  /** Compares what the screens show with the last time: while it changes, the terminal is in use. */
  look(): void;
  quietForMs(): number;
}

/** @param snapshot the latest of what the screens show; null before the first. */
export const createUseWatch = (clock: Clock, snapshot: () => Snapshot | null): UseWatch => {
  let touchedMs = clock.monotonicMs();
  let scene = "";
  const touched = (): void => {
    touchedMs = clock.monotonicMs();
  };
  return {
    touched,
    look() {
      const now = snapshot();
      const next = JSON.stringify([now?.screen, now?.header.day?.kind, now?.header.unfinished]);
      if (next !== scene) touched();
      scene = next;
    },
    quietForMs: () => clock.monotonicMs() - touchedMs,
  };
};
