/** Who stands at the terminal now: what they may be asked for, and what the screens show of them. */
import type { PeopleView, Refusal, Role } from "../../preload/contract.ts";
import { type Actor, counterActor } from "../terminal/withdrawal/inputs.ts";
import type { Accounts } from "./accounts.ts";
import type { Person } from "./people-file.ts";
import type { Sessions } from "./sessions.ts";

const known = ({ code, name, role, language }: Person) => ({ code, name, role, language });

/** What it is derived from. */
export interface StaffParts {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  /** Without real money everything is open to everybody until somebody sets a PIN. */
  readonly openUntilPin: boolean;
  /** Whether cashiers sign in here. */
  readonly needsCashier: () => boolean;
}

/** Holds nothing itself: every answer is of now. */
export const createStaff = ({ accounts, sessions, openUntilPin, needsCashier }: StaffParts) => {
  const isGuarded = (): boolean => !openUntilPin || accounts.state !== "none";
  const signedIn = (as: Role): Person | null => {
    const code = sessions.personAs(as);
    const person = code === null ? null : accounts.find(code);
    return as === "manager" && person?.role !== "manager" ? null : person;
  };
  const managers = (): PeopleView["managers"] => (accounts.state === "kept" ? "set" : accounts.state);
  /** Also where everything is open to everybody. */
  const nobodyKnown = (): Refusal | null => {
    if (signedIn("manager") !== null) return null;
    return accounts.state === "none" ? "no_manager" : "manager_needed";
  };
  return {
    signedIn,
    managers,
    view(): PeopleView {
      const [cashier, manager] = [signedIn("cashier"), signedIn("manager")];
      return {
        managers: managers(),
        guarded: isGuarded(),
        locked: needsCashier() && cashier === null && !accounts.isLost,
        cashier: cashier && known(cashier),
        manager: manager && known(manager),
        list: accounts.people.map((person) => ({ ...known(person), waitMs: accounts.waitMs(person) })),
      };
    },
    actorAs(role: Role): Actor {
      const [person, manager] = [signedIn(role) ?? signedIn("manager"), signedIn("manager")];
      const approvedBy = manager === null ? null : { code: manager.code, role: manager.role };
      const guarded = accounts.state !== "none";
      return { code: person?.code ?? counterActor.code, guarded, isPeopleLost: accounts.isLost, approvedBy };
    },
    managerMissing: (): Refusal | null => (isGuarded() ? nobodyKnown() : null),
    nobodyKnown,
  };
};
