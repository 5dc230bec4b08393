/** A journal's entry read back as an event. */
import type { JournalEntry } from "../ports.ts";
import { type DurableEvent, durableEventSchema, type RecordedEvent } from "./events.ts";
import { upgradeEntry } from "./upgrade-entry.ts";

/** One entry as an event; `json` or `schema` when it cannot be read, by what is wrong with it. */
export const readEvent = (entry: JournalEntry): DurableEvent | "json" | "schema" => {
  try {
    const parsed = durableEventSchema.safeParse(upgradeEntry(JSON.parse(entry.body)));
    return parsed.success ? parsed.data : "schema";
  } catch {
    return "json";
  }
};

/** As `readEvent`, with who did it; null for an entry that cannot be read. */
export const readRecorded = (entry: JournalEntry): RecordedEvent | null => {
  const event = readEvent(entry);
  if (typeof event === "string") return null;
  const { actor } = JSON.parse(entry.body) as { readonly actor?: unknown };
  return typeof actor === "string" ? { ...event, actor } : event;
};
