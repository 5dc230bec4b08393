/** The machine's clock for devices that answer: pauses are as long as they are, and nobody is given up because the machine is busy. */
import { createClock } from "../../../main/terminal/adapters.ts";
import type { Clock } from "../../../main/terminal/ports.ts";

/** The shortest time after which the devices' code gives somebody up; its pauses are shorter. */
const givingUpMs = 1_000;

/** Gives up thirty times later. */
export const createPatientClock = (): Clock => {
  const clock = createClock();
  return { ...clock, after: (delayMs, run) => clock.after(delayMs < givingUpMs ? delayMs : delayMs * 30, run) };
};
