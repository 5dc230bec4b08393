/** What the journal knows of people, whatever their file says: the highest code, and whether there was a life before. */
import type { RecordedEvent } from "./events.ts";
import type { State } from "./state.ts";

/** Whether it names a person, and not the terminal itself or whoever stands at the counter. */
export const isPersonCode = (code: string | null): code is string => numberOf(code) > 0;

const numberOf = (code: string | null | undefined): number => {
  const [, digits] = /^[MC]([1-9]\d{0,4})$/.exec(code ?? "") ?? [];
  return digits === undefined ? 0 : Number(digits);
};

/** Who did it, or to whom it was done. */
const seenAfter = (seen: number, event: RecordedEvent): number => {
  const about = event.type === "act" ? numberOf(event.about) : 0;
  const kept = event.type === "checkpoint" ? event.peopleSeen : 0;
  return Math.max(seen, numberOf(event.actor), about, kept);
};

/** Until the service has taken a withdrawal from this terminal, its first manager is whoever came first. */
const unprovenAfter = (before: boolean, event: RecordedEvent): boolean => {
  if (event.type === "checkpoint") return event.isManagerUnproven;
  if (event.type === "act" && event.act === "manager_pin_set") return true;
  const isProof = event.type === "confirm_accepted" || (event.type === "act" && event.act === "manager_pin_reset");
  return before && !isProof;
};

/** After one entry. */
export const peopleAfter = (state: State, event: RecordedEvent) => {
  const isEvidence =
    event.type === "journal_missing" ||
    event.type === "journal_forked" ||
    (event.type === "checkpoint" && event.hadEarlierLife);
  return {
    peopleSeen: seenAfter(state.peopleSeen, event),
    hadEarlierLife: state.hadEarlierLife || isEvidence,
    isManagerUnproven: unprovenAfter(state.isManagerUnproven, event),
  };
};

/** A first PIN is for a terminal whose journal is whole, its first, and names nobody; else the operator's code counts. */
export const needsOperatorCode = (
  { hadEarlierLife, damagedEntries, device, peopleSeen }: State,
  hasOtherBooks: () => boolean,
): boolean => hadEarlierLife || damagedEntries > 0 || (device !== null && peopleSeen > 0) || hasOtherBooks();

/** Whether the list of people was begun before the service named a life of this terminal that they may know nothing of. */
export const arePeopleStrangers = ({ hadEarlierLife, isManagerUnproven }: State): boolean =>
  hadEarlierLife && isManagerUnproven;
