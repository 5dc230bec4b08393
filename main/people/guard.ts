/** Stands between the bridge and the terminal, in the host's process: who is signed in, and what each command needs. */
import { assertNever } from "../../backend/contract/assert-never.ts";
import {
  type Bridge,
  type Command,
  isFor,
  type Refusal,
  type Reply,
  rightOf,
  type Settings,
  type Snapshot,
  type TerminalCommand,
} from "../../preload/contract.ts";
import type { Clock } from "../terminal/ports.ts";
import type { PeopleKnown, Terminal } from "../terminal/terminal.ts";
import { type Actor, counterActor } from "../terminal/withdrawal/inputs.ts";
import { choosesSerial, newAddresses } from "../terminal/withdrawal/settings.ts";
import { type Accounts, openAccounts } from "./accounts.ts";
import { watchExpiry } from "./expiry.ts";
import { createPeopleCommands } from "./people-commands.ts";
import type { PeopleFile } from "./people-file.ts";
import type { PinHashing } from "./pin-hash.ts";
import { createSessions, type Now } from "./sessions.ts";
import { createStaff } from "./staff.ts";

/** What is asked for each command. */
interface RightsCheckParts {
  readonly staff: Pick<ReturnType<typeof createStaff>, "signedIn" | "managerMissing" | "nobodyKnown">;
  /** Whether cashiers sign in here. */
  readonly needsCashier: () => boolean;
  /** Whether nobody can sign in until the operator's code has made a manager. */
  readonly arePeopleLost: () => boolean;
  /** Whether this terminal belongs to no service that could redeem such a code. */
  readonly isNobodys: () => boolean;
  /** Whether whoever sets a new terminal up may give this command, as nothing can be lost yet. */
  readonly maySetUp: (command: Command) => boolean;
}

/** Why a command may not be done by whoever is here; null when it may. */
const createRightsCheck =
  ({ staff, needsCashier, arePeopleLost, isNobodys, maySetUp }: RightsCheckParts) =>
  (command: Command): Refusal | null => {
    const right = rightOf(command);
    switch (right) {
      case "anyone":
        return null;
      case "counter":
      case "pay_out":
        if (!needsCashier() || staff.signedIn("cashier") !== null) return null;
        if (!arePeopleLost()) return "locked";
        return right === "pay_out" ? null : "people_lost";
      case "set_up":
        return maySetUp(command) ? null : staff.managerMissing();
      case "operator_code":
        return arePeopleLost() && isNobodys() ? null : staff.managerMissing();
      case "manager":
        return staff.managerMissing();
      case "known_manager":
        return staff.nobodyKnown();
      default:
        return assertNever(right);
    }
  };

/**
 * Adds who approved a command to who gives it; a command without a PIN leaves the one who is signed in. A wrong PIN is
 * recorded, and the refusal is the answer.
 */
const createApproval =
  (accounts: Pick<Accounts, "verify" | "find">, record: Terminal["record"]) =>
  async (command: TerminalCommand, actor: Actor): Promise<Actor | Refusal> => {
    if (!("approval" in command) || command.approval === undefined) return actor;
    const found = await accounts.verify(command.approval.person, command.approval.pin);
    if (!found.ok) {
      record("approval_refused", accounts.find(command.approval.person)?.code ?? null, actor);
      return found.code;
    }
    return { ...actor, approvedBy: { code: found.value.code, role: found.value.role } };
  };

/** Whether a command names such a device that `before` did not; null before there are settings. */
const namesDevice = (command: Command, before: Settings | null): boolean => {
  if (command.type !== "change_settings") return false;
  const known = before ?? {};
  return choosesSerial(known, command.settings) || newAddresses(known, command.settings).length > 0;
};

/** The bridge as the hosts use it: every command passes the guard before it reaches the terminal. */
export interface Guard extends Bridge {
  /** The machine slept or was locked: whoever comes now is somebody else. */
  lock(): void;
  close(): void;
}

/** What the guard needs from the host. */
interface GuardOptions {
  readonly terminal: Pick<
    Terminal,
    "dispatch" | "subscribe" | "showPeople" | "record" | "redeemManagerReset" | "peopleKnown"
  >;
  readonly file: PeopleFile;
  readonly clock: Clock;
  /** Without real money everything is open to everybody until somebody sets a PIN. */
  readonly openUntilPin: boolean;
  /** Of PINs. Default: a quarter of a second each. */
  readonly hashing?: PinHashing | undefined;
}

const refuse = (code: Refusal): Reply => ({ ok: false, code });

/**
 * Puts the guard in front of a terminal. With `openUntilPin` everything is allowed until the first manager has a PIN.
 */
export const createGuard = ({ terminal, file, clock, openUntilPin, hashing }: GuardOptions): Guard => {
  const now = (): Now => ({ wallMs: clock.now(), monotonicMs: clock.monotonicMs() });
  /** While the journal cannot be read nobody knows that there was no manager. */
  const onRecord = (): PeopleKnown => {
    const known = terminal.peopleKnown() ?? { highest: 0, needsCode: true, areStrangers: false };
    return openUntilPin ? { highest: known.highest, needsCode: false, areStrangers: false } : known;
  };
  const accounts = openAccounts(file, now, onRecord, hashing);
  const sessions = createSessions();
  let settings: Settings["people"] | null = null;
  let devices: Settings | null = null;
  /** Never enrolled: nothing can be lost or given away yet. */
  let isNew = false;
  let isNobodys = false;

  const needsCashier = (): boolean => settings?.cashiersSignIn === true && accounts.state !== "none";
  const staff = createStaff({ accounts, sessions, openUntilPin, needsCashier });
  const { actorAs } = staff;
  const show = (): void => terminal.showPeople(staff.view());

  const record = terminal.record;
  const expiry = watchExpiry({
    clock,
    sessions,
    now,
    idleMs: () => (settings?.lockAfterMinutes ?? 1) * 60_000,
    ended(role, code) {
      record(`${role}_session_ended`, code, counterActor);
    },
    changed: show,
  });

  const forbids = createRightsCheck({
    staff,
    needsCashier,
    arePeopleLost: () => accounts.isLost,
    isNobodys: () => isNobodys,
    maySetUp: (command) =>
      accounts.isLost
        ? isNobodys && command.type === "check_connection"
        : isNew && accounts.state === "none" && !namesDevice(command, devices),
  });
  const approvedBy = createApproval(accounts, record);
  const answerPeople = createPeopleCommands({
    accounts,
    sessions,
    record,
    redeem: terminal.redeemManagerReset,
    now,
    actorAs,
  });

  const answer = async (command: Command): Promise<Reply> => {
    expiry.check();
    const refusal = forbids(command);
    if (refusal !== null) return refuse(refusal);
    sessions.touch(now());
    if (isFor(command, "people")) {
      const reply = await answerPeople(command);
      if (command.type !== "still_here") show();
      return reply;
    }
    const actor = await approvedBy(
      command,
      actorAs(
        ["manager", "known_manager", "set_up", "operator_code"].includes(rightOf(command)) ? "manager" : "cashier",
      ),
    );
    if (typeof actor === "string") {
      show();
      return refuse(actor);
    }
    return terminal.dispatch(command, actor);
  };

  const unwatch = terminal.subscribe((snapshot: Snapshot) => {
    isNew = snapshot.screen.kind === "setup" && snapshot.screen.why === "not_enrolled";
    isNobodys = isNew && snapshot.header.identity === null;
    const hasSettled = JSON.stringify(settings) === JSON.stringify(snapshot.settings.people);
    settings = snapshot.settings.people;
    devices = snapshot.settings;
    if (hasSettled && snapshot.people.managers === staff.managers()) return;
    show();
  });
  return {
    dispatch: answer,
    subscribe: terminal.subscribe,
    lock() {
      sessions.end("manager");
      sessions.end("cashier");
      show();
    },
    close() {
      unwatch();
      expiry.stop();
    },
  };
};
