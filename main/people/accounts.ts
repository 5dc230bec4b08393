/** The people who may sign in, and their PINs, which are checked and changed one at a time. */
import pLimit from "p-limit";
import type { Language, PeopleCommand, Refusal, Role } from "../../preload/contract.ts";
import { isGoodPin } from "../../preload/pin-rules.ts";
import type { PeopleKnown } from "../terminal/terminal.ts";
import { type KeptPeople, nextCode, type People, type PeopleFile, type Person } from "./people-file.ts";
import { hashPin, isPinOf, noTries, type PinHashing, remainingMs, reserveTry } from "./pins.ts";
import type { Now } from "./sessions.ts";

/** The value of a change that was made, or why it was refused. */
type Done<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: Refusal };

/** It was not made. */
const refused = (code: Refusal): { readonly ok: false; readonly code: Refusal } => ({ ok: false, code });

/** It was made, and is on disk. */
const done = <T>(value: T): { readonly ok: true; readonly value: T } => ({ ok: true, value });

const none: People = { nextNumber: 1, people: [] };

/** Reads the file once; from then on this is what counts. @param areStrangers whether a list that is there does not count. */
const openKeptPeople = (file: PeopleFile, areStrangers: () => boolean) => {
  let kept = file.load();
  const kind = (): KeptPeople["kind"] => (areStrangers() ? "none" : kept.kind);
  const people = (): People => (kept.kind === "kept" && !areStrangers() ? kept.people : none);
  /** False when it cannot be written; then nothing has changed. */
  const keep = (next: People): boolean => {
    try {
      file.save(next);
    } catch {
      return false;
    }
    kept = { kind: "kept", people: next };
    return true;
  };
  return {
    kind,
    people,
    keep,
    find: (code: string | null): Person | null => people().people.find((one) => one.code === code) ?? null,
    replace: (person: Person): boolean =>
      keep({ ...people(), people: people().people.map((one) => (one.code === person.code ? person : one)) }),
    isLastManager: (code: string): boolean =>
      !people().people.some((one) => one.role === "manager" && one.code !== code),
  };
};

/** Looks at PINs, and makes whoever mistypes them wait. @param now both clocks: a wait holds by each of them. */
const createPinCheck = (
  { find, replace }: Pick<ReturnType<typeof openKeptPeople>, "find" | "replace">,
  now: () => Now,
  hashing?: PinHashing,
) => {
  /** Until when, monotonic, by person: once a wait is known, a clock that is put forward or set back changes nothing about it. */
  const waits = new Map<string, number>();
  const waitMs = ({ code, tries }: Person): number => {
    const { wallMs, monotonicMs } = now();
    const untilMs = waits.get(code) ?? monotonicMs + remainingMs(tries, wallMs);
    waits.set(code, untilMs);
    return Math.max(0, untilMs - monotonicMs);
  };
  return {
    /** How long no PIN of this person is looked at. */
    waitMs,
    /** The person whose PIN it is. Refused as `wrong_pin`, `wait`, or `failed` when the try cannot be written down. */
    async check(code: string, pin: string): Promise<Done<Person>> {
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
    endWait: (code: string): void => void waits.delete(code),
  };
};

/** Hashing takes a quarter of a second: more than this many in line, the running one too, is no person typing. */
const waitingMax = 4;

/** Whose PIN is set by the operator's code. */
type ResetOf = Extract<PeopleCommand, { type: "reset_manager" }>["who"];

/** What is said of a person who is added or changed. */
type Wanted = Pick<Person, "name" | "role"> & { code: string | null; language?: Language | null | undefined };

/** The people of a terminal and their PINs. */
export type Accounts = ReturnType<typeof openAccounts>;

const agreed = async (): Promise<Refusal | null> => null;

/** @param now both clocks: a wait holds by each of them. @param hashing of PINs. */
export const openAccounts = (file: PeopleFile, now: () => Now, onRecord: () => PeopleKnown, hashing?: PinHashing) => {
  const kept = openKeptPeople(file, () => onRecord().areStrangers);
  const { find, keep, replace, isLastManager } = kept;
  /** Many guesses at once get no further than one after the other. */
  const oneAtATime = pLimit(1);
  const inTurn = async <T>(work: () => Promise<Done<T>>): Promise<Done<T>> =>
    oneAtATime.activeCount + oneAtATime.pendingCount < waitingMax ? oneAtATime(work) : refused("busy");
  const pins = createPinCheck(kept, now, hashing);
  const state = (): KeptPeople["kind"] | "lost" =>
    kept.kind() === "none" && onRecord().needsCode ? "lost" : kept.kind();
  const isLost = (): boolean => state() === "lost" || state() === "unreadable";

  const add = async (
    name: string,
    role: Role,
    pin: string,
    agree = agreed,
    language: Language | null = null,
  ): Promise<Done<Person>> => {
    if (!isGoodPin(pin, role)) return refused("weak_pin");
    const hash = await hashPin(pin, hashing);
    const refusal = await agree();
    if (refusal !== null) return refused(refusal);
    // A code in the journal is never given to somebody else, whatever became of the file.
    const before = { ...kept.people(), nextNumber: Math.max(kept.people().nextNumber, onRecord().highest + 1) };
    const person: Person = { code: nextCode(before, role), name, role, language, pin: hash, tries: noTries };
    const next = { nextNumber: before.nextNumber + 1, people: [...before.people, person] };
    return keep(next) ? done(person) : refused("failed");
  };

  const change = async (person: Person, pin: string, agree = agreed): Promise<Done<Person>> => {
    if (!isGoodPin(pin, person.role)) return refused("weak_pin");
    const changed = { ...person, pin: await hashPin(pin, hashing), tries: noTries };
    const refusal = await agree();
    if (refusal !== null) return refused(refusal);
    pins.endWait(person.code);
    return replace(changed) ? done(changed) : refused("failed");
  };

  return {
    /** `lost`: there were people here or may have been, and their file is gone or not theirs. */
    get state() {
      return state();
    },
    /** Lost or unreadable: nobody's PIN is taken until the operator's code has made a manager. */
    get isLost() {
      return isLost();
    },
    get people(): readonly Person[] {
      return kept.people().people;
    },
    find,
    /** How long no PIN of this person is looked at. */
    waitMs: pins.waitMs,
    /** The person whose PIN it is. Refused as `wrong_pin`, `wait`, `busy`, `people_lost`, or `failed` when the try cannot be written down. */
    verify: (code: string, pin: string) =>
      inTurn(async () => (isLost() ? refused("people_lost") : pins.check(code, pin))),
    /** The first manager; `denied` once there is one, `unreachable` until the service has said what it knows of this terminal. */
    addFirstManager: (name: string, pin: string) =>
      inTurn(async () => {
        if (state() !== "none") return refused("denied");
        // A folder that was put back may be older than its people: the service knows.
        return onRecord().serviceResponded ? add(name, "manager", pin) : refused("unreachable");
      }),
    /**
     * Resets a manager's PIN, or adds a new manager, whatever became of the file. @param redeem spends the operator's code, once
     * all else is sure; its refusal is the answer.
     */
    resetManager: (who: ResetOf, pin: string, redeem: () => Promise<Refusal | null>) =>
      inTurn(async () => {
        if (who.kind === "new") return add(who.name, "manager", pin, redeem);
        const person = find(who.person);
        return person?.role === "manager" ? change(person, pin, redeem) : refused("stale");
      }),
    /**
     * `code` null adds a person, then `pin` is needed; otherwise null leaves the PIN. `language` null: the terminal's; left out, it
     * stays. The last manager stays one (`denied`).
     */
    save: (wanted: Wanted, pin: string | null) =>
      inTurn(async () => {
        const { code, name, role, language } = wanted;
        if (code === null) return pin === null ? refused("invalid") : add(name, role, pin, agreed, language);
        const person = find(code);
        if (person === null) return refused("stale");
        if (role === "cashier" && isLastManager(code)) return refused("denied");
        // A cashier's PIN may be too short for a manager, and nobody knows any more how long it was.
        if (pin === null && role === "manager" && person.role !== "manager") return refused("weak_pin");
        const changed = { ...person, name, role, language: language === undefined ? person.language : language };
        if (pin !== null) return change(changed, pin);
        return replace(changed) ? done(changed) : refused("failed");
      }),
    remove(code: string): Done<Person> {
      const person = find(code);
      if (person === null) return refused("stale");
      if (isLastManager(code)) return refused("denied");
      const left = kept.people().people.filter((one) => one.code !== code);
      return keep({ ...kept.people(), people: left }) ? done(person) : refused("failed");
    },
  };
};
