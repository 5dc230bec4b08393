import type { Bridge } from "../../preload/contract.ts";
import type { Clock } from "../terminal/ports.ts";
import { gotGoing } from "./first-starts.ts";
import type { UpdateFile, UpdateRecord } from "./update-file.ts";

/** A terminal that shows its usual screens for so long works. */
export const goingAfterMs = 20_000;

/**
 * Watches the screens of a new version until it is a trial no more. A journal that it cannot open is not going: the version
 * before may. Nor is a page that never opens, or one that crashes and is loaded again and again.
 * @param ended is given the record as it was kept.
 * @returns to be called whenever the page has opened and follows the screens.
 */
export const endTrialWhenGoing = (
  file: UpdateFile,
  bridge: Pick<Bridge, "subscribe">,
  clock: Clock,
  ended: (record: UpdateRecord) => void,
): (() => void) => {
  let openedMs: number | null = null;
  const pageOpened = (): void => {
    openedMs = clock.monotonicMs();
  };
  if (file.load().attempt === null) return pageOpened;
  let sinceMs: number | null = null;
  const stop = bridge.subscribe(({ screen }) => {
    const isGoing = screen.kind !== "starting" && screen.kind !== "blocked";
    sinceMs = isGoing ? (sinceMs ?? clock.monotonicMs()) : null;
  });
  const isGoing = (): boolean =>
    sinceMs !== null && openedMs !== null && clock.monotonicMs() - Math.max(sinceMs, openedMs) >= goingAfterMs;
  const look = (): void => {
    if (!isGoing()) return void clock.after(goingAfterMs, look);
    stop();
    const record = gotGoing(file.load());
    file.save(record);
    ended(record);
  };
  clock.after(goingAfterMs, look);
  return pageOpened;
};
