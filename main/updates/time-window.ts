/** The time of day in which a version may be installed by itself. */
import type { UpdateSettings } from "../../preload/contract.ts";

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return hours * 60 + minutes;
};

/**
 * Whether a minute of the day lies in a window; it ends before `to`, and spans midnight where `to` is not after `from`.
 * @param minuteOfDay 0 to 1439, by the terminal's wall clock.
 */
export const isInWindow = (window: NonNullable<UpdateSettings["window"]>, minuteOfDay: number): boolean => {
  const [from, to] = [minutesOf(window.from), minutesOf(window.to)];
  return from < to ? minuteOfDay >= from && minuteOfDay < to : minuteOfDay >= from || minuteOfDay < to;
};
