/** Code that stands on the way of every call for speed alone, against the plain line it replaces: one that saves too little is to go. */
import { randomBytes } from "node:crypto";
import { randomId } from "../../../backend/http/request-id.ts";
import { median } from "./load.ts";

const idsOfRound = 20_000;

const cpuMicros = (work: () => unknown): number => {
  const before = process.cpuUsage();
  for (let count = 0; count < idsOfRound; count += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / idsOfRound;
};

/** Microseconds of CPU for a request's id from the pool, and from random bytes of its own. Medians of `rounds` rounds in turn. */
export const measureRequestIds = (rounds: number): { readonly pooled: number; readonly plain: number } => {
  const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)), fraction: Math.random };
  const both = Array.from({ length: rounds }, () => ({
    plain: cpuMicros(() => Buffer.from(random.bytes(16)).toString("hex")),
    pooled: cpuMicros(() => randomId(random)),
  }));
  return { plain: median(both.map(({ plain }) => plain)), pooled: median(both.map(({ pooled }) => pooled)) };
};
