/** Whether a PIN is right: each try is counted on disk before it is looked at, so that pulling the plug gives none back. */
import { type Done, done, refused } from "./done.ts";
import type { openKeptPeople } from "./kept-people.ts";
import type { Person } from "./people-file.ts";
import { isPinOf, type PinHashing } from "./pin-hash.ts";
import type { Now } from "./sessions.ts";
import { noTries, remainingMs, reserveTry } from "./tries.ts";

/** Looks at PINs, and makes whoever mistypes them wait. */
export interface PinCheck {
  /** How long no PIN of this person is looked at. */
  waitMs(person: Person): number;
  /** The person whose PIN it is. Refused as `wrong_pin`, `wait`, or `failed` when the try cannot be written down. */
  check(code: string, pin: string): Promise<Done<Person>>;
  /** Ends the wait for a PIN that was reset. */
  endWait(code: string): void;
}

/** @param now both clocks: a wait holds by each of them. */
export const createPinCheck = (
  { find, replace }: Pick<ReturnType<typeof openKeptPeople>, "find" | "replace">,
  now: () => Now,
  hashing?: PinHashing,
): PinCheck => {
  /** Until when, monotonic, by person: once a wait is known, a clock that is put forward or set back changes nothing about it. */
  const waits = new Map<string, number>();
  const waitMs = ({ code, tries }: Person): number => {
    const { wallMs, monotonicMs } = now();
    const untilMs = waits.get(code) ?? monotonicMs + remainingMs(tries, wallMs);
    waits.set(code, untilMs);
    return Math.max(0, untilMs - monotonicMs);
  };
  return {
    waitMs,
    async check(code, pin) {
      const person = find(code);
      if (person === null) return refused("wrong_pin");
      if (waitMs(person) > 0) return refused("wait");
      const tries = reserveTry(person.tries, now().wallMs);
      if (!replace({ ...person, tries })) return refused("failed");
      waits.set(code, now().monotonicMs + (tries.waitUntilMs - now().wallMs));
      if (!(await isPinOf(person.pin, pin, hashing))) return refused("wrong_pin");
      const still = find(code);
      if (still === null) return refused("wrong_pin");
      const right = { ...still, tries: noTries };
      waits.delete(code);
      return replace(right) ? done(right) : refused("failed");
    },
    endWait: (code) => void waits.delete(code),
  };
};
