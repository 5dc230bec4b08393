/** Which PINs are good enough, for the screens and for the host. */
import type { roles } from "./choices.ts";

/** Minimum digits of a PIN by role, and the maximum for all. */
export const pinLengths = { cashier: 4, manager: 6, max: 12 } as const;

/** Whether it is among the first that people try: repeated digits or pairs, or a row up or down. */
const isEasy = (pin: string): boolean => {
  const steps = new Set([...pin].slice(1).map((digit, at) => (Number(digit) - Number(pin[at]) + 10) % 10));
  const isRow = steps.size === 1;
  const half = pin.slice(0, pin.length / 2);
  return isRow || new Set(pin).size < 3 || (half.length < 4 && pin === half + half);
};

/** Whether a PIN is long enough for the role and not too easy to guess. */
export const isGoodPin = (pin: string, role: (typeof roles)[number]): boolean =>
  pin.length >= pinLengths[role] && !isEasy(pin);
