/** The highest number of a person's code that the journal has named: it knows that people were here, whatever their file says. */
import type { RecordedEvent } from "./events.ts";

/** Whether it names a person, and not the terminal itself or whoever stands at the counter. */
export const isPersonCode = (code: string | null): code is string => numberOf(code) > 0;

const numberOf = (code: string | null | undefined): number => {
  const [, digits] = /^[MC]([1-9]\d{0,4})$/.exec(code ?? "") ?? [];
  return digits === undefined ? 0 : Number(digits);
};

/** After one entry: who did it, or to whom it was done. */
export const peopleSeenAfter = (seen: number, event: RecordedEvent): number => {
  const about = event.type === "act" ? numberOf(event.about) : 0;
  const kept = event.type === "checkpoint" ? event.peopleSeen : 0;
  return Math.max(seen, numberOf(event.actor), about, kept);
};
