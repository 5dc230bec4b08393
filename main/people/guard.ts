/** Between the bridge and the terminal, in the host's process: who is signed in, and what each command requires. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import {
  type Command,
  isFor,
  type PeopleView,
  type Refusal,
  type Reply,
  type Role,
  rightOf,
  type Settings,
  type Snapshot,
  type TerminalCommand,
} from "../../preload/contract.ts";
import type { Clock } from "../terminal/ports.ts";
import type { PeopleKnown, Terminal } from "../terminal/terminal.ts";
import { type Actor, type Answers, counterActor } from "../terminal/withdrawal/inputs.ts";
import { choosesSerial, newAddresses } from "../terminal/withdrawal/settings.ts";
import type { Moment } from "../terminal/withdrawal/state.ts";
import { type Accounts, openAccounts } from "./accounts.ts";
import type { PeopleFile, Person } from "./people-file.ts";
import type { PinHashing } from "./pins.ts";
import { createSessions, type Sessions } from "./sessions.ts";

const known = ({ code, name, role, language }: Person) => ({ code, name, role, language });

const refuse = (code: Refusal): Reply => ({ ok: false, code });

const createPeopleAnswers = (
  accounts: Accounts,
  sessions: Sessions,
  terminal: Pick<Terminal, "record" | "redeemManagerReset" | "compareJournal">,
  actorAs: (isAtCounter?: boolean) => Actor,
  refusePin: (act: string, person: string, code: Refusal, actor: Actor) => Reply,
  stillMay: (command: Command) => () => Refusal | null,
): Answers<"people"> => {
  const { record, compareJournal } = terminal;
  /** A code works once: a redeemed one is remembered for another try if the people could not be saved. */
  let redeemed: string | null = null;
  const spend = async (code: string, person: string | null): Promise<Refusal | null> => {
    if (redeemed === code) return null;
    const answer = await terminal.redeemManagerReset(code);
    if (answer !== "accepted") {
      // Waits bound the lines alone: nobody must be able to lock out the operator's code.
      if (accounts.countStranger()) record("manager_reset_refused", person, counterActor);
      return answer;
    }
    redeemed = code;
    return null;
  };

  return {
    async set_manager_pin({ name, pin }) {
      const { locks } = sessions;
      const added = await accounts.addFirstManager(name, pin, compareJournal);
      if (!added.ok) return added;
      const { code } = added.value;
      sessions.begin(code, "manager", locks);
      record("manager_pin_set", code, { ...actorAs(), code });
      return { ok: true, data: code };
    },
    async reset_manager({ code, who, pin }) {
      const { locks } = sessions;
      const reset = await accounts.resetManager(who, pin, () => spend(code, who.kind === "known" ? who.person : null));
      if (!reset.ok) return reset;
      redeemed = null;
      const person = reset.value.code;
      sessions.endOf(person);
      sessions.begin(person, "manager", locks);
      record("manager_pin_reset", person, { ...actorAs(), code: person });
      return { ok: true, data: person };
    },
    async sign_in({ person, pin, as }) {
      const { locks } = sessions;
      const found = await accounts.verify(person, pin);
      if (!found.ok) return refusePin("sign_in_refused", person, found.code, counterActor);
      if (as === "manager" && found.value.role !== "manager") return refuse("manager_needed");
      if (!sessions.begin(person, as, locks)) return refuse("locked");
      record(`${as}_signed_in`, person, actorAs(as === "cashier"));
      return { ok: true };
    },
    sign_out({ as }) {
      const person = sessions.personAs(as);
      if (person === null) return { ok: true };
      record(`${as}_signed_out`, person, actorAs(as === "cashier"));
      sessions.end(as);
      return { ok: true };
    },
    still_here: () => ({ ok: true }),
    async change_pin(command) {
      const { person, pin, newPin } = command;
      const changed = await accounts.changePin(person, pin, newPin, stillMay(command));
      if (!changed.ok) return refusePin("pin_change_refused", person, changed.code, counterActor);
      // Whoever had seen the old PIN may have signed in with it.
      sessions.endOf(person);
      record("pin_changed", person, { ...counterActor, code: person });
      return { ok: true };
    },
    async save_person(command) {
      const { person, name, role, pin, language } = command;
      const by = actorAs();
      const saved = await accounts.save({ code: person, name, role, language }, pin, stillMay(command));
      if (!saved.ok) return saved;
      const { code } = saved.value;
      // A changed person has to sign in again, except a manager who edits their own entry and stays a manager.
      if (code !== sessions.personAs("manager") || role !== "manager") sessions.endOf(code);
      record(person === null ? "person_added" : "person_changed", code, by);
      return { ok: true, data: code };
    },
    remove_person({ person }) {
      const by = actorAs();
      const removed = accounts.remove(person);
      if (!removed.ok) return removed;
      sessions.endOf(person);
      record("person_removed", person, by);
      return { ok: true };
    },
  };
};

/** Whether a command selects a network address or serial port that the settings did not have before. */
const namesDevice = (command: Command, before: Settings): boolean => {
  if (command.type !== "change_settings") return false;
  return choosesSerial(before, command.settings) || newAddresses(before, command.settings).length > 0;
};

/** The bridge with permission checks: every command passes the guard before it reaches the terminal. */
export type Guard = ReturnType<typeof createGuard>;

interface GuardOptions {
  readonly terminal: Omit<Terminal, "snapshot" | "start" | "wake" | "connectionLost" | "close">;
  readonly file: PeopleFile;
  readonly clock: Clock;
  /** In training everything is allowed until somebody sets a PIN. */
  readonly openUntilPin: boolean;
  /** Of PINs. Default: scrypt, a quarter of a second each. */
  readonly hashing?: PinHashing | undefined;
}

/** Puts the guard in front of a terminal. With `openUntilPin` everything is allowed until the first manager has a PIN. */
export const createGuard = ({ terminal, file, clock, openUntilPin, hashing }: GuardOptions) => {
  const now = (): Moment => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() });
  /** An unreadable journal does not prove that there was no manager. */
  const onRecord = (): PeopleKnown => {
    const nothing = { highest: 0, needsCode: true, areStrangers: false, serviceResponded: false };
    const known = terminal.peopleKnown() ?? nothing;
    return openUntilPin ? { ...known, needsCode: false, areStrangers: false, serviceResponded: true } : known;
  };
  const accounts = openAccounts(file, now, onRecord, hashing);
  const idleMs = (): number => settings.people.lockAfterMinutes * 60_000;
  const sessions = createSessions(clock, now, idleMs, (over) => {
    for (const [role, person] of over) terminal.record(`${role}_session_ended`, person, counterActor);
    show();
  });
  // Set by the subscription below, which calls back immediately.
  let settings!: Settings;
  /** Never enrolled: nothing is at stake yet. */
  let isNew!: boolean;
  /** There is no service that could redeem an operator's code. */
  let hasNoService!: boolean;

  const needsCashier = (): boolean => settings.people.cashiersSignIn && accounts.state !== "none";
  /** Cashiers have to sign in and there are none: a restored folder may be older than its people, and the service knows. */
  const isAwaitingService = (): boolean =>
    settings.people.cashiersSignIn && accounts.state === "none" && !onRecord().serviceResponded;
  const isGuarded = (): boolean => !openUntilPin || accounts.state !== "none";
  const signedIn = (as: Role): Person | null => accounts.find(sessions.personAs(as));
  const managers = (): PeopleView["managers"] => (accounts.state === "kept" ? "set" : accounts.state);
  const show = (): void => {
    const [cashier, manager] = [signedIn("cashier"), signedIn("manager")];
    const people: PeopleView = {
      managers: managers(),
      guarded: isGuarded(),
      locked: needsCashier() && cashier === null && !accounts.isLost,
      isAwaitingService: isAwaitingService(),
      cashier: cashier && known(cashier),
      manager: manager && known(manager),
      list: accounts.people.map((person) => ({ ...known(person), waitMs: accounts.waitMs(person) })),
    };
    terminal.show({ people });
  };
  /** At the counter a manager stands in for a cashier. */
  const actorAs = (isAtCounter = false): Actor => {
    const manager = signedIn("manager");
    const person = (isAtCounter ? signedIn("cashier") : null) ?? manager;
    const approvedBy = manager === null ? null : { code: manager.code, role: manager.role };
    const guarded = accounts.state !== "none" || isAwaitingService();
    return { code: person?.code ?? counterActor.code, guarded, isPeopleLost: accounts.isLost, approvedBy };
  };
  /** Also where everything is allowed. */
  const knownManagerRefusal = (): Refusal | null => {
    if (signedIn("manager") !== null) return null;
    return accounts.state === "none" ? "no_manager" : "manager_needed";
  };
  const managerRefusal = (): Refusal | null => (isGuarded() ? knownManagerRefusal() : null);
  /** Written only if it cost a try: the waits between tries bound what anybody at the keyboard can write. */
  const refusePin = (act: string, person: string, code: Refusal, actor: Actor): Reply => {
    if (code === "wrong_pin") terminal.record(act, accounts.find(person)?.code ?? null, actor);
    return refuse(code);
  };
  /** Asked once a PIN was checked or hashed: whoever pressed may be gone by then, or may do it no more. */
  const stillMay = (command: Command): (() => Refusal | null) => {
    const { locks } = sessions;
    return () => (sessions.locks === locks ? refusalOf(command) : "locked");
  };
  const peopleAnswers = createPeopleAnswers(accounts, sessions, terminal, actorAs, refusePin, stillMay);

  /** Whether this command is allowed without sign-in while a new terminal is set up: nothing is at stake yet. */
  const maySetUp = (command: Command): boolean =>
    accounts.isLost
      ? hasNoService && command.type === "check_connection"
      : isNew && accounts.state === "none" && !namesDevice(command, settings);

  const refusalOf = (command: Command): Refusal | null => {
    const right = rightOf(command);
    switch (right) {
      case "anyone":
        return null;
      case "counter":
      case "serve":
      case "pay_out":
        if (right === "serve" && isAwaitingService()) return "unreachable";
        if (!needsCashier() || signedIn("cashier") !== null) return null;
        if (!accounts.isLost) return "locked";
        return right === "pay_out" ? null : "people_lost";
      case "set_up":
        return maySetUp(command) ? null : managerRefusal();
      case "operator_code":
        return accounts.isLost && hasNoService ? null : managerRefusal();
      case "manager":
        return managerRefusal();
      case "known_manager":
        return knownManagerRefusal();
      default:
        return assertNever(right);
    }
  };

  /**
   * Adds who approved a command by PIN; without an approval the signed-in manager stays. A wrong PIN is recorded and refused,
   * and so is what whoever pressed may not do any more when the PIN is checked.
   */
  const withApproval = async (command: TerminalCommand, actor: Actor): Promise<Actor | Reply> => {
    if (!("approval" in command) || command.approval === undefined) return actor;
    const { person, pin } = command.approval;
    const refusalNow = stillMay(command);
    const found = await accounts.verify(person, pin);
    if (!found.ok) return refusePin("approval_refused", person, found.code, actor);
    const refusal = refusalNow();
    if (refusal !== null) return refuse(refusal);
    return { ...actor, approvedBy: { code: found.value.code, role: found.value.role } };
  };

  const answer = async (command: Command): Promise<Reply> => {
    sessions.expire();
    const refusal = refusalOf(command);
    if (refusal !== null) return refuse(refusal);
    sessions.touch();
    if (isFor(command, "people")) {
      const reply = await peopleAnswers[command.type](command as never, actorAs());
      if (command.type !== "still_here") show();
      return reply;
    }
    const isAtCounter = ["counter", "serve", "pay_out"].includes(rightOf(command));
    const actor = await withApproval(command, actorAs(isAtCounter));
    if (!("ok" in actor)) return terminal.dispatch(command, actor);
    show();
    return actor;
  };

  const unwatch = terminal.subscribe((snapshot: Snapshot) => {
    isNew = snapshot.screen.kind === "setup" && snapshot.screen.why === "not_enrolled";
    hasNoService = isNew && snapshot.header.identity === null;
    const hasSettled = JSON.stringify(settings?.people) === JSON.stringify(snapshot.settings.people);
    settings = snapshot.settings;
    const { people } = snapshot;
    if (!hasSettled || people.managers !== managers() || people.isAwaitingService !== isAwaitingService()) show();
  });
  return {
    dispatch: answer,
    subscribe: terminal.subscribe,
    /** Ends all sessions, and what waits for a PIN begins none: after sleep or a locked screen somebody else may stand there. */
    lock(): void {
      sessions.lock();
      terminal.lock();
      show();
    },
    close(): void {
      unwatch();
      sessions.stop();
    },
  };
};
