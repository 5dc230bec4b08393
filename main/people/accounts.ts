/** The people who may sign in, and their PINs; PINs are checked and changed one at a time. */
import pLimit from "p-limit";
import { isGoodPin } from "../../preload/choices.ts";
import type { Language, PeopleCommand, Refusal, Role } from "../../preload/contract.ts";
import type { PeopleKnown } from "../terminal/terminal.ts";
import type { Moment } from "../terminal/withdrawal/state.ts";
import { type KeptPeople, nextCode, type People, type PeopleFile, type Person } from "./people-file.ts";
import { hashPin, isPinOf, noTries, type PinHashing, remainingMs, reserveTry } from "./pins.ts";

type Done<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly code: Refusal };

const refused = (code: Refusal): { readonly ok: false; readonly code: Refusal } => ({ ok: false, code });

const none: People = { nextNumber: 1, people: [] };

/** Hashing takes a quarter of a second: a longer queue (the running one included) is not a person typing. */
const waitingMax = 4;

/** Whose PIN is set by the operator's code. */
type ResetOf = Extract<PeopleCommand, { type: "reset_manager" }>["who"];

type Wanted = Pick<Person, "name" | "role"> & { code: string | null; language?: Language | null | undefined };

/** The people of a terminal and their PINs. */
export type Accounts = ReturnType<typeof openAccounts>;

const agreed = (): Refusal | null | Promise<Refusal | null> => null;

/** Reads the file once and then works from memory. @param now both clocks: a wait has to pass on each. @param hashing of PINs. */
export const openAccounts = (
  file: PeopleFile,
  now: () => Moment,
  onRecord: () => PeopleKnown,
  hashing?: PinHashing,
) => {
  let kept = file.load();
  /** End of each person's wait on the monotonic clock, so that changing the wall clock does not shorten it. */
  const waits = new Map<string, number>();
  /** Parallel guesses gain nothing: they are checked one after the other. */
  const oneAtATime = pLimit(1);
  const inTurn = async <T>(work: () => Promise<Done<T>>): Promise<Done<T>> =>
    oneAtATime.activeCount + oneAtATime.pendingCount < waitingMax ? oneAtATime(work) : refused("busy");

  const state = (): KeptPeople["kind"] | "lost" => {
    const { areStrangers, needsCode } = onRecord();
    const kind = areStrangers ? "none" : kept.kind;
    return kind === "none" && needsCode ? "lost" : kind;
  };
  const isLost = (): boolean => state() === "lost" || state() === "unreadable";
  /** Also empty if the list belongs to other people (`areStrangers`). */
  const list = (): People => (kept.kind === "kept" && !onRecord().areStrangers ? kept.people : none);
  const find = (code: string | null): Person | null => list().people.find((one) => one.code === code) ?? null;
  const isLastManager = (code: string): boolean =>
    !list().people.some((one) => one.role === "manager" && one.code !== code);
  const changeRefusal = ({ code, role }: Pick<Person, "code" | "role">): Refusal | null => {
    if (find(code) === null) return "stale";
    return role === "cashier" && isLastManager(code) ? "denied" : null;
  };
  /** Refused as `failed` if the file cannot be written; nothing changes then. */
  const keep = (next: People, value: Person): Done<Person> => {
    try {
      file.save(next);
    } catch {
      return refused("failed");
    }
    kept = { kind: "kept", people: next };
    return { ok: true, value };
  };
  const replace = (person: Person): Done<Person> =>
    keep({ ...list(), people: list().people.map((one) => (one.code === person.code ? person : one)) }, person);

  const waitMs = ({ code, tries }: Pick<Person, "code" | "tries">): number => {
    const { wallMs, monotonicMs } = now();
    const untilMs = waits.get(code) ?? monotonicMs + remainingMs(tries, wallMs);
    waits.set(code, untilMs);
    return Math.max(0, untilMs - monotonicMs);
  };

  /** All who are not on the list, as one person: made-up codes give nobody more tries. Forgotten at a restart. */
  let stranger: Pick<Person, "code" | "tries"> = { code: "", tries: noTries };
  const countStranger = (): boolean => {
    if (waitMs(stranger) > 0) return false;
    const { wallMs, monotonicMs } = now();
    stranger = { ...stranger, tries: reserveTry(stranger.tries, wallMs) };
    waits.set(stranger.code, monotonicMs + (stranger.tries.waitUntilMs - wallMs));
    return true;
  };

  const check = async (code: string, pin: string): Promise<Done<Person>> => {
    if (isLost()) return refused("people_lost");
    const person = find(code);
    if (person === null) return refused(countStranger() ? "wrong_pin" : "wait");
    if (waitMs(person) > 0) return refused("wait");
    const tries = reserveTry(person.tries, now().wallMs);
    const reserved = replace({ ...person, tries });
    if (!reserved.ok) return reserved;
    waits.set(code, now().monotonicMs + (tries.waitUntilMs - now().wallMs));
    if (!(await isPinOf(person.pin, pin, hashing))) return refused("wrong_pin");
    // Removed meanwhile; everything else waits for its turn.
    if (find(code) === null) return refused("wrong_pin");
    waits.delete(code);
    return replace({ ...person, tries: noTries });
  };

  /** Hashes a PIN if it is good enough; calls `agree` last. */
  const hashed = async (pin: string, role: Role, agree: typeof agreed): Promise<Done<Person["pin"]>> => {
    if (!isGoodPin(pin, role)) return refused("weak_pin");
    const value = await hashPin(pin, hashing);
    const refusal = await agree();
    return refusal === null ? { ok: true, value } : refused(refusal);
  };

  const add = async (
    { name, role, language = null }: Omit<Wanted, "code">,
    pin: string,
    agree = agreed,
  ): Promise<Done<Person>> => {
    const hash = await hashed(pin, role, agree);
    if (!hash.ok) return hash;
    // A code that occurs in the journal is never given to another person, even if the file was lost.
    const before = { ...list(), nextNumber: Math.max(list().nextNumber, onRecord().highest + 1) };
    const person: Person = { code: nextCode(before, role), name, role, language, pin: hash.value, tries: noTries };
    return keep({ nextNumber: before.nextNumber + 1, people: [...before.people, person] }, person);
  };

  const change = async (person: Person, pin: string, agree = agreed): Promise<Done<Person>> => {
    const hash = await hashed(pin, person.role, agree);
    if (!hash.ok) return hash;
    // Somebody may have been removed while it was hashed.
    const refusal = changeRefusal(person);
    if (refusal !== null) return refused(refusal);
    waits.delete(person.code);
    return replace({ ...person, pin: hash.value, tries: noTries });
  };

  return {
    /** `lost`: there were or may have been people here, and their file is missing or belongs to others. */
    get state() {
      return state();
    },
    /** Lost or unreadable: no PIN is accepted until the operator's code has created a manager. */
    get isLost() {
      return isLost();
    },
    get people(): readonly Person[] {
      return list().people;
    },
    find,
    waitMs,
    /** Counts a try that is nobody's on the list; false, and not counted, while those have to wait. */
    countStranger,
    /** Checks a PIN. Refused as `wrong_pin`, which alone costs a try, `wait`, `busy`, `people_lost`, or `failed` if the attempt cannot be saved. */
    verify: (code: string, pin: string) => inTurn(() => check(code, pin)),
    /** Changes a PIN by the old one, in one turn: what a manager changes of this person meanwhile stays. @param agree asked last of all. */
    changePin: (code: string, pin: string, newPin: string, agree = agreed) =>
      inTurn(async () => {
        const found = await check(code, pin);
        return found.ok ? change(found.value, newPin, agree) : found;
      }),
    /**
     * Adds the first manager; `denied` if there is one, `unreachable` until the service has said what it knows of this terminal.
     * @param compare asks it once more, last of all; false without its answer.
     */
    addFirstManager: (name: string, pin: string, compare: () => Promise<boolean>) =>
      inTurn(async () => {
        const refusal = (): Refusal | null => (state() === "none" ? null : "denied");
        if (state() !== "none") return refused("denied");
        // A restored folder may be older than its people: the service knows.
        if (!onRecord().serviceResponded) return refused("unreachable");
        return add({ name, role: "manager" }, pin, async () => ((await compare()) ? refusal() : "unreachable"));
      }),
    /** Resets a manager's PIN, or adds a manager. @param redeem spends the operator's code, last of all. */
    resetManager: (who: ResetOf, pin: string, redeem: () => Promise<Refusal | null>) =>
      inTurn(async () => {
        if (who.kind === "new") return add({ name: who.name, role: "manager" }, pin, redeem);
        const person = find(who.person);
        return person?.role === "manager" ? change(person, pin, redeem) : refused("stale");
      }),
    /**
     * `code` null adds a person; `pin` null and a missing `language` change nothing. The last manager cannot become a cashier.
     * @param agree asked last of all.
     */
    save: (wanted: Wanted, pin: string | null, agree = agreed) =>
      inTurn(async () => {
        const { code, name, role, language } = wanted;
        if (code === null) return pin === null ? refused("invalid") : add(wanted, pin, agree);
        const person = find(code);
        if (person === null) return refused("stale");
        const refusal = changeRefusal({ code, role });
        if (refusal !== null) return refused(refusal);
        // A cashier's PIN may be too short for a manager, and its length is not known.
        if (pin === null && role === "manager" && person.role !== "manager") return refused("weak_pin");
        const changed = { ...person, name, role, language: language === undefined ? person.language : language };
        if (pin !== null) return change(changed, pin, agree);
        const disagreed = await agree();
        return disagreed === null ? replace(changed) : refused(disagreed);
      }),
    remove(code: string): Done<Person> {
      const person = find(code);
      if (person === null) return refused("stale");
      if (isLastManager(code)) return refused("denied");
      return keep({ ...list(), people: list().people.filter((one) => one.code !== code) }, person);
    },
  };
};
