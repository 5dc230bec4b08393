/** A journal's entry read back as an event. */
import type { JournalEntry } from "../ports.ts";
import { durableEventSchema, type RecordedEvent } from "./events.ts";
import { upgradeEntry } from "./upgrade-entry.ts";

const actorOf = (body: unknown): string | undefined => {
  const actor = typeof body === "object" && body !== null && "actor" in body ? body.actor : undefined;
  return typeof actor === "string" ? actor : undefined;
};

/** One entry as an event, with who did it; `json` or `schema` when it cannot be read, by what is wrong with it. */
export const readEvent = (entry: JournalEntry): RecordedEvent | "json" | "schema" => {
  try {
    const body: unknown = JSON.parse(entry.body);
    const parsed = durableEventSchema.safeParse(upgradeEntry(body));
    if (!parsed.success) return "schema";
    const actor = actorOf(body);
    return actor === undefined ? parsed.data : { ...parsed.data, actor };
  } catch {
    return "json";
  }
};

/** As `readEvent`; null for an entry that cannot be read. */
export const readRecorded = (entry: JournalEntry): RecordedEvent | null => {
  const event = readEvent(entry);
  return typeof event === "string" ? null : event;
};
