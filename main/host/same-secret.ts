/** How a secret that came in is held against the one that is wanted. */
import { timingSafeEqual } from "node:crypto";

/** Compares in constant time; texts of any alphabet and length. */
export const isSame = (given: string, wanted: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
};
