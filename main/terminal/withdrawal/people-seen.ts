/** What the journal knows about people, independent of their file: the highest code, and whether there was an earlier installation. */
import type { PeopleView } from "../../../preload/contract.ts";
import type { RecordedEvent } from "./events.ts";
import type { Moment, State } from "./state.ts";

/** Whether it is a person's code, not the terminal's or the counter's. */
export const isPersonCode = (code: string | null | undefined): code is string => numberOf(code) > 0;

const numberOf = (code: string | null | undefined): number =>
  Number(/^[MC]([1-9]\d{0,4})$/.exec(String(code))?.[1] ?? 0);

/** Highest code number, including an event's actor and the person it is about. */
const seenAfter = (seen: number, event: RecordedEvent): number => {
  const about = event.type === "act" ? numberOf(event.about) : 0;
  const kept = event.type === "checkpoint" ? event.peopleSeen : 0;
  return Math.max(seen, numberOf(event.actor), about, kept);
};

/** Until the service has accepted a confirm from this terminal, its first manager may be anybody. */
const unprovenAfter = (before: boolean, event: RecordedEvent): boolean => {
  if (event.type === "checkpoint") return event.isManagerUnproven;
  if (event.type === "act" && event.act === "manager_pin_set") return true;
  const isProof = event.type === "confirm_accepted" || (event.type === "act" && event.act === "manager_pin_reset");
  return before && !isProof;
};

/** Acts that change who may do what. */
const authorityActs: ReadonlySet<string> = new Set([
  "manager_pin_set",
  "manager_pin_reset",
  "pin_changed",
  "person_added",
  "person_changed",
  "person_removed",
  "settings_changed",
]);
/** Also once a service that was put back has all again, since it may have forgotten what it was told of the journal. */
const isToldAtOnce = (event: RecordedEvent): boolean =>
  event.type === "restore_answered" || (event.type === "act" && authorityActs.has(event.act));

/** The head is due at once: put back to a copy of before the change, the journal has to show as another one. */
export const headDue = ({ headReport }: State, { monotonicMs }: Moment): State["headReport"] => ({
  ...headReport,
  changes: headReport.changes + 1,
  dueMs: Math.min(headReport.dueMs, monotonicMs),
});

/** The fields about people after one entry. */
export const peopleAfter = (state: State, event: RecordedEvent, moment: Moment) => {
  const isEvidence =
    event.type === "journal_missing" ||
    event.type === "journal_forked" ||
    (event.type === "checkpoint" && event.hadEarlierLife);
  return {
    peopleSeen: seenAfter(state.peopleSeen, event),
    hadEarlierLife: state.hadEarlierLife || isEvidence,
    isManagerUnproven: unprovenAfter(state.isManagerUnproven, event),
    headReport: isToldAtOnce(event) ? headDue(state, moment) : state.headReport,
  };
};

/** A first PIN needs no code only if the journal is undamaged, the first one, and names nobody; else the operator's code is required. */
export const needsOperatorCode = (
  { hadEarlierLife, damagedEntries, device, peopleSeen }: State,
  hasOtherBooks: () => boolean,
): boolean => hadEarlierLife || damagedEntries > 0 || (device !== null && peopleSeen > 0) || hasOtherBooks();

/** Whether the list of people was started before the service reported an earlier installation, so that its manager is unproven. */
export const arePeopleStrangers = ({ hadEarlierLife, isManagerUnproven }: State): boolean =>
  hadEarlierLife && isManagerUnproven;

/** Whether whoever has scanned or pressed stands there no more: the counter was locked, or the cashier has signed out or was relieved, which need no lock. */
export const isSomebodyElse = (before: PeopleView, after: PeopleView | undefined): boolean =>
  after !== undefined &&
  ((after.locked && !before.locked) || (before.cashier != null && before.cashier.code !== after.cashier?.code));
