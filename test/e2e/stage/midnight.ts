/** For tests whose whole story is to be of one day. */
import { setTimeout as sleep } from "node:timers/promises";

/** Waits for the next day of this machine's zone where the present one ends within that time. */
export const sleepOverMidnight = async (withinMs: number): Promise<void> => {
  const nextDay = new Date().setHours(24, 0, 0, 0);
  const leftMs = nextDay - Date.now();
  if (leftMs < withinMs) await sleep(leftMs);
};
