/** What people do about themselves: first PIN, signing in and out, the manager's list of people. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import type { PeopleCommand, Refusal, Reply, Role } from "../../preload/contract.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Actor, counterActor } from "../terminal/withdrawal/inputs.ts";
import type { Accounts } from "./accounts.ts";
import type { Now, Sessions } from "./sessions.ts";

const refuse = (code: Refusal): Reply => ({ ok: false, code });

interface PeopleParts {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly record: Terminal["record"];
  readonly redeem: Terminal["redeemManagerReset"];
  readonly now: () => Now;
  /** Whoever is signed in as that. */
  readonly actorAs: (role: Role) => Actor;
}

/** Answers the people's commands; whether one may be given at all was looked at before. */
export const createPeopleCommands = ({
  accounts,
  sessions,
  record,
  redeem,
  now,
  actorAs,
}: PeopleParts): ((command: PeopleCommand) => Promise<Reply>) => {
  /** A code works once: one that was redeemed is kept for another try, when the people could not be written down. */
  let redeemed: string | null = null;
  const spend = async (code: string): Promise<Refusal | null> => {
    if (redeemed === code) return null;
    const answer = await redeem(code);
    if (answer !== "accepted") return answer;
    redeemed = code;
    return null;
  };

  return async (command) => {
    switch (command.type) {
      case "set_manager_pin": {
        const added = await accounts.addFirstManager(command.name, command.pin);
        if (!added.ok) return added;
        sessions.begin(added.value.code, "manager", now());
        record("manager_pin_set", added.value.code, actorAs("manager"));
        return { ok: true, data: added.value.code };
      }
      case "reset_manager": {
        const { code, who, pin } = command;
        const reset = await accounts.resetManager(who, pin, () => spend(code));
        if (!reset.ok) {
          record("manager_reset_refused", who.kind === "known" ? who.person : null, counterActor);
          return reset;
        }
        redeemed = null;
        const person = reset.value.code;
        sessions.endOf(person);
        sessions.begin(person, "manager", now());
        record("manager_pin_reset", person, actorAs("manager"));
        return { ok: true, data: person };
      }
      case "sign_in": {
        const { person, pin, as } = command;
        const found = await accounts.verify(person, pin);
        if (!found.ok) {
          record("sign_in_refused", accounts.find(person)?.code ?? null, counterActor);
          return found;
        }
        if (as === "manager" && found.value.role !== "manager") return refuse("manager_needed");
        sessions.begin(person, as, now());
        record(`${as}_signed_in`, person, actorAs(as));
        return { ok: true };
      }
      case "sign_out": {
        const person = sessions.personAs(command.as);
        if (person === null) return { ok: true };
        record(`${command.as}_signed_out`, person, actorAs(command.as));
        sessions.end(command.as);
        return { ok: true };
      }
      case "still_here":
        return { ok: true };
      case "change_pin": {
        const { person, pin, newPin } = command;
        const found = await accounts.verify(person, pin);
        if (!found.ok) return found;
        const { name, role } = found.value;
        const changed = await accounts.save({ code: person, name, role, pin: newPin });
        if (!changed.ok) return changed;
        record("pin_changed", person, { ...counterActor, code: person });
        return { ok: true };
      }
      case "save_person": {
        const { person, name, role, pin, language } = command;
        const by = actorAs("manager");
        const saved = await accounts.save({ code: person, name, role, pin, language });
        if (!saved.ok) return saved;
        const { code } = saved.value;
        // Whoever is signed in has to come again, but for a manager who changes something of their own and stays one.
        const isOwn = person === sessions.personAs("manager") && role === "manager";
        if (person !== null && !isOwn) sessions.endOf(person);
        record(person === null ? "person_added" : "person_changed", code, by);
        return { ok: true, data: code };
      }
      case "remove_person": {
        const by = actorAs("manager");
        const removed = accounts.remove(command.person);
        if (!removed.ok) return removed;
        sessions.endOf(command.person);
        record("person_removed", command.person, by);
        return { ok: true };
      }
      default:
        return assertNever(command);
    }
  };
};
