/** The journal read back into a state: parsed, applied in order, what does not parse is told and left out. */

import { type DurableEvent, durableEventSchema } from "./events.ts";
import { evolve } from "./evolve.ts";
import type { History } from "./history.ts";
import type { DamagedEntry, Journal, JournalEntry } from "./ports.ts";
import type { Moment, State } from "./state.ts";

export interface Replayed {
  readonly state: State;
  readonly damaged: readonly DamagedEntry[];
}

const parse = (entry: JournalEntry): DurableEvent | DamagedEntry => {
  try {
    const parsed = durableEventSchema.safeParse(JSON.parse(entry.body));
    return parsed.success ? parsed.data : { sequence: entry.sequence, why: "schema" };
  } catch {
    return { sequence: entry.sequence, why: "json" };
  }
};

const readAll = (journal: Journal): ReturnType<Journal["read"]> => {
  try {
    return journal.read();
  } catch {
    return { entries: [], damaged: [{ sequence: 0, why: "unreadable" }] };
  }
};

/** An entry's age by the wall clock becomes a place on the monotonic one; a clock that went back makes it new. */
const momentOf = (entry: JournalEntry, now: Moment): Moment => ({
  wallMs: entry.at,
  monotonicMs: now.monotonicMs - Math.max(0, now.wallMs - entry.at),
});

export const replay = (initial: State, journal: Journal, history: History, now: Moment): Replayed => {
  const { entries, damaged: found } = readAll(journal);
  const damaged: DamagedEntry[] = [...found];
  let state = initial;
  for (const entry of entries) {
    const event = parse(entry);
    if ("why" in event && "sequence" in event) {
      damaged.push(event);
      continue;
    }
    state = evolve(state, event, momentOf(entry, now));
    history.take(event, entry.at);
  }
  return { state, damaged };
};
