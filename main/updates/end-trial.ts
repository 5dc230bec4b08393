import type { Bridge } from "../../preload/contract.ts";
import type { Clock } from "../terminal/ports.ts";
import { withTrialPassed } from "./first-starts.ts";
import { screenUse } from "./screen-use.ts";
import type { UpdateFile, UpdateRecord } from "./update-file.ts";

/** A new version that shows its usual screens for this long counts as working. */
export const healthyAfterMs = 20_000;

/**
 * Watches the screens of a new version until its trial has passed. A journal that it cannot open does not count as working,
 * since the previous version may open it. Nor does a page that never opens, or one that crashes and reloads again and again.
 * @param ended is given the record as it was saved.
 * @returns to be called whenever the page has opened and follows the screens.
 */
export const endTrialWhenHealthy = (
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
    const use = screenUse[screen.kind];
    const isUsual = use === "free" || use === "in_use";
    sinceMs = isUsual ? (sinceMs ?? clock.monotonicMs()) : null;
  });
  const isHealthy = (): boolean =>
    sinceMs !== null && openedMs !== null && clock.monotonicMs() - Math.max(sinceMs, openedMs) >= healthyAfterMs;
  const check = (): void => {
    if (!isHealthy()) return void clock.after(healthyAfterMs, check);
    stop();
    const record = withTrialPassed(file.load());
    file.save(record);
    ended(record);
  };
  clock.after(healthyAfterMs, check);
  return pageOpened;
};
