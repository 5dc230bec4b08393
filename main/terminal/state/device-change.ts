/** The same shop's book under another device's name or the service's new address: what that means, to be written at once. */
import { type Book, isSameDevice } from "./book.ts";
import type { DurableEvent } from "./events.ts";
import { factsOf } from "./facts.ts";
import { isUndecided } from "./manager-problems.ts";
import type { State } from "./state.ts";

/**
 * Empty when nothing changes. What the device before confirmed, another one cannot report: it is left to the books. These
 * events belong into one write: a crash between two of them would send the rest under the new name.
 */
export const deviceChange = ({ book, open }: Pick<State, "book" | "open">, next: Book): readonly DurableEvent[] => {
  if (book === null) return [];
  const sameDevice = isSameDevice(book, next);
  if (sameDevice && book.serviceUrl === next.serviceUrl) return [];
  const behind = sameDevice ? [] : [...open.values()].filter((one) => one.decided || isUndecided(one));
  return [
    { type: "device_changed", book: next },
    ...behind.map(
      (one): DurableEvent => ({
        type: "decided",
        of: factsOf(one),
        decision: "leave_to_books",
        actor: "terminal",
        note: "another device was enrolled",
      }),
    ),
  ];
};
