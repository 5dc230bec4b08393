/** People at the terminal: the commands by which they prove who they are, and what the screens know of them. */
import { z } from "zod";
import { type Language, languages, pinLengths, roles } from "./choices.ts";
import { command } from "./command.ts";

/** One of `roles`. */
export type Role = (typeof roles)[number];

/** A person's code, never used again for another one: `M1` for a manager, `C2` for a cashier. Goes into journal and report. */
export const personCodeSchema = z.string().regex(/^[MC][1-9]\d{0,4}$/);

/** What colleagues call the person; stays on this terminal. No control, direction or other invisible marks. */
const personName = z
  .string()
  .trim()
  .min(1)
  .max(40)
  .regex(/^[^\p{C}\p{Zl}\p{Zp}]*$/u);

/** Digits alone, so that every keypad can type it. */
const digits = (min: number) => z.string().regex(new RegExp(`^\\d{${min},${pinLengths.max}}$`));
const managerPin = digits(pinLengths.manager);
const anyPin = digits(pinLengths.cashier);

/** A second person's PIN for this one command: a manager, or another cashier where the settings let one do. */
export const approvalSchema = z.object({ person: personCodeSchema, pin: anyPin });

/** What the screens may send about people; all are answered by the guard, none reaches the terminal's core. */
export const peopleCommands = [
  /** Makes the first manager and opens the manager's session; refused as `denied` once there is one, as `unreachable` until the service has said what it knows of this terminal. */
  command("set_manager_pin", "anyone", "people", { name: personName, pin: managerPin }),
  /**
   * By the operator's one-time code, which the service must redeem: another PIN for a manager, or a new manager, who is signed in
   * then. Refused as `weak_pin` before the code is spent, as `denied`, `wait` or `unreachable`.
   */
  command("reset_manager", "anyone", "people", {
    code: z.string().trim().min(1).max(40),
    who: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("known"), person: personCodeSchema }),
      z.object({ kind: z.literal("new"), name: personName }),
    ]),
    pin: managerPin,
  }),
  /** Opens a session: `manager` for what needs one, `cashier` for the counter (a manager can stand there too). Refused as `wrong_pin` or `wait`. */
  command("sign_in", "anyone", "people", { person: personCodeSchema, pin: anyPin, as: z.enum(roles) }),
  /** Ends a session; without the cashier's the terminal is locked where cashiers sign in. */
  command("sign_out", "anyone", "people", { as: z.enum(roles) }),
  /** Somebody touches the terminal, which puts off the lock. Sent every few seconds at most. */
  command("still_here", "anyone", "people"),
  /** Changes one's own PIN, by the old one. Refused as `weak_pin` when too short for the role or too easy. */
  command("change_pin", "anyone", "people", { person: personCodeSchema, pin: anyPin, newPin: anyPin }),
  /** Manager: adds a person (`person` null; `pin` is needed) or changes one (`pin` null leaves it). Reply data: the person's code. */
  command("save_person", "manager", "people", {
    person: personCodeSchema.nullable(),
    name: personName,
    role: z.enum(roles),
    pin: anyPin.nullable(),
    /** Language of the screens while the person is signed in; null: the terminal's. Left out: unchanged. */
    language: z.enum(languages).nullable().optional(),
  }),
  /** Manager: removes a person. The last manager cannot be removed (`denied`). */
  command("remove_person", "manager", "people", { person: personCodeSchema }),
] as const;

/** Commands that the host answers by itself; the terminal's core never sees a PIN. */
export type PeopleCommand = z.infer<(typeof peopleCommands)[number]["schema"]>;

/** A person as the screens show them; never a PIN. */
export interface PersonView {
  readonly code: string;
  readonly name: string;
  readonly role: Role;
  /** Language of the screens while this person is signed in; null: the terminal's. */
  readonly language: Language | null;
  /** How long this person has to wait after wrong PINs. */
  readonly waitMs: number;
}

/** Who is signed in. */
export interface PeopleView {
  /**
   * `none`: a PIN has to be set before anything that needs a manager. `unreadable` and `lost` (the journal
   * knows of people, and their file is gone): only the operator's code helps.
   */
  readonly managers: "none" | "set" | "unreadable" | "lost";
  /** False in training before somebody set a PIN: everything is open to everybody. */
  readonly guarded: boolean;
  /** Cashiers have to sign in here and none has: the counter is locked. */
  readonly locked: boolean;
  /** Cashiers sign in here and nobody is known: until the service has answered once, nothing is begun and nobody can sign in. */
  readonly isAwaitingService: boolean;
  readonly cashier: Omit<PersonView, "waitMs"> | null;
  readonly manager: Omit<PersonView, "waitMs"> | null;
  readonly list: readonly PersonView[];
}

/** Before the host has read the list: nobody is known, and everything is locked. */
export const nobodyYet: PeopleView = {
  managers: "none",
  guarded: true,
  locked: false,
  isAwaitingService: false,
  cashier: null,
  manager: null,
  list: [],
};
