/** What people and machines did, in order: as lines for whoever wants to read them, and as one hash to compare two runs by. */
import { createHash } from "node:crypto";

/** The story as it happens. */
export interface EventLog {
  note(text: string): void;
  /** Empty unless lines were asked for. */
  readonly lines: readonly string[];
  /** Of all that was noted; what is noted later (machines are switched off at the end) does not count. Call it once. */
  hash(): string;
}

/** Characters; a call of the hash for each line would cost more than the line. */
const hashedAtOnce = 65_536;

/** Each line begins with the virtual time of `now`; without `keepsLines` only the hash is kept. */
export const createEventLog = (now: () => number, keepsLines: boolean): EventLog => {
  const lines: string[] = [];
  const hash = createHash("sha256");
  let unhashed = "";
  let isOver = false;
  return {
    lines,
    note: (text) => {
      if (isOver) return;
      unhashed += `${now()} ${text}\n`;
      if (unhashed.length > hashedAtOnce) {
        hash.update(unhashed);
        unhashed = "";
      }
      if (keepsLines) lines.push(`${(now() / 1_000).toFixed(3).padStart(10)} s  ${text}`);
    },
    hash: () => {
      isOver = true;
      return hash.update(unhashed).digest("hex");
    },
  };
};
