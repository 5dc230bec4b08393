/** A journal's entry read back as an event. */
import type { JournalEntry } from "../ports.ts";
import { durableEventSchema, type RecordedEvent } from "./events.ts";
import { upgradeEntry } from "./upgrade-entry.ts";

/** One entry as an event, with who did it; `json` or `schema` when it cannot be read, by what is wrong with it. */
export const readEvent = (entry: JournalEntry): RecordedEvent | "json" | "schema" => {
  try {
    const body = JSON.parse(entry.body) as { readonly actor?: unknown };
    const parsed = durableEventSchema.safeParse(upgradeEntry(body));
    if (!parsed.success) return "schema";
    return typeof body.actor === "string" ? { ...parsed.data, actor: body.actor } : parsed.data;
  } catch {
    return "json";
  }
};

/** As `readEvent`; null for an entry that cannot be read. */
export const readRecorded = (entry: JournalEntry): RecordedEvent | null => {
  const event = readEvent(entry);
  return typeof event === "string" ? null : event;
};
