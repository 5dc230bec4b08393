/** Promise 15: what a till asks of its people never becomes less by what somebody does to its files. */
import type { Command, Reply, Role, Settings, Snapshot } from "../../preload/contract.ts";
import { pinOf } from "./people.ts";

/** Follows the settings that a till goes by, and who may do what at it. */
export interface AuthorityWatch {
  shows(snapshot: Snapshot): void;
  /** Somebody sends this while the till shows that; what is returned is told the answer. */
  asks(command: Command, snapshot: Snapshot): (reply: Reply) => void;
  /** Whoever was signed in is so no more. */
  restarted(): void;
  /** Its folder is an older one, with the settings of then. */
  putBack(): void;
}

/** Before the journal is open nobody hands anything out. */
const isClosed = ({ screen }: Snapshot): boolean => ["starting", "blocked", "setup"].includes(screen.kind);

const lessThan = (before: Settings, now: Settings): string | null => {
  const { confirmHandOver, drawer, people, drawerMoney } = now;
  if (before.confirmHandOver && !confirmHandOver) return "takes an open drawer for cash that was handed over";
  if (!before.openOnSettled && now.openOnSettled) return "opens its drawer by itself";
  if (before.drawer.kind !== drawer.kind) return `opens its drawer as ${drawer.kind}`;
  if (before.people.cashiersSignIn && !people.cashiersSignIn) return "lets everybody to the counter";
  if (before.people.lockAfterMinutes < people.lockAfterMinutes) return "locks later";
  if (before.people.notHandedOutBy === "manager" && people.notHandedOutBy !== "manager")
    return "takes another cashier's word for a manager's";
  if (before.drawerMoney.enabled && !drawerMoney.enabled) return "does not count its drawer any more";
  if (before.drawerMoney.differenceMinor < drawerMoney.differenceMinor) return "takes a larger difference for none";
  const isLess = before.drawerMoney.managerFor.some((right) => !drawerMoney.managerFor.includes(right));
  return isLess ? "asks no manager any more" : null;
};

const forManagers: ReadonlySet<Command["type"]> = new Set([
  "change_settings",
  "list_problems",
  "decide_withdrawal",
  "enroll",
  "answer_journal_question",
  "save_person",
  "get_books",
  "get_figures",
]);
const forCashiers: ReadonlySet<Command["type"]> = new Set([
  "scan",
  "confirm",
  "open_day",
  "move_cash",
  "count_day",
  "close_day",
]);

/** What the till went by first, or since a manager has changed it, is the least. @param broken is told what is less. */
export const watchAuthority = (broken: (text: string) => void): AuthorityWatch => {
  let first: Settings | null = null;
  /** What a manager has asked for last, whether or not anybody was told that it is so. */
  let wanted: Settings | null = null;
  /** From then on nobody is let in without the PIN of one of them. */
  let hadPeople = false;
  /** Whose right PIN the till has taken. */
  const here = new Map<Role, string>();

  const signed = (command: Command & { type: "sign_in" }, { people }: Snapshot): void => {
    const { person, pin, as } = command;
    if (pinOf(people, person) !== pin) broken("takes a wrong PIN");
    if (as === "manager" && people.list.find(({ code }) => code === person)?.role !== "manager")
      broken("takes a cashier for a manager");
    here.set(as, person);
  };
  /** Cash that may have left the drawer: a manager's word, or of whoever is not the cashier where the shop wants it so. */
  const isAgreed = (command: Command & { type: "not_handed_out" }, snapshot: Snapshot, by: typeof here): boolean => {
    const { people, settings } = snapshot;
    const { approval } = command;
    if (by.has("manager")) return true;
    if (!approval || pinOf(people, approval.person) !== approval.pin) return false;
    const isManager = people.list.find(({ code }) => code === approval.person)?.role === "manager";
    const isOther = by.has("cashier") && by.get("cashier") !== approval.person;
    return isManager || (settings.people.notHandedOutBy === "second_person" && isOther);
  };
  const accepted = (command: Command, snapshot: Snapshot, by: typeof here): void => {
    const { type } = command;
    const isAlone = !by.has("cashier") && !by.has("manager");
    if (type === "set_manager_pin") broken("takes a first PIN, and has had people before");
    if (type === "sign_in") signed(command, snapshot);
    if (type === "sign_out") here.delete(command.as);
    if (forManagers.has(type) && !by.has("manager")) broken(`does what a manager may (${type}), and none is here`);
    if (forCashiers.has(type) && isAlone) broken(`serves a customer (${type}), and nobody is signed in`);
    if (type === "open_drawer" && isAlone) broken("opens its drawer again, and nobody is signed in");
    if (type === "not_handed_out" && snapshot.screen.kind === "counting" && !isAgreed(command, snapshot, by))
      broken("has nothing handed out from an open drawer by one person's word");
  };

  return {
    shows(snapshot) {
      if (snapshot.people.managers === "set") hadPeople = true;
      for (const as of ["cashier", "manager"] as const) if (snapshot.people[as] === null) here.delete(as);
      if (isClosed(snapshot)) return;
      first ??= snapshot.settings;
      const less = lessThan(first, snapshot.settings);
      const isWanted = wanted !== null && lessThan(wanted, snapshot.settings) === null;
      if (less !== null && !isWanted) broken(`${less} after its file of settings was changed`);
    },
    asks(command, snapshot) {
      const by = new Map(here);
      const had = hadPeople;
      const { screen } = snapshot;
      if (command.type === "change_settings" && by.has("manager")) wanted = command.settings;
      return (reply) => {
        if (reply.ok && command.type === "reset_manager") here.set("manager", String(reply.data));
        if (reply.ok && command.type === "set_manager_pin") here.set("manager", String(reply.data));
        if (reply.ok && wanted !== null && command.type === "change_settings") first = wanted;
        if (!had) return;
        if (reply.ok) accepted(command, snapshot, by);
        else if (command.type === "hand_out" && screen.kind === "payable" && !screen.handOutBegun)
          if (["people_lost", "no_manager", "manager_needed"].includes(reply.code))
            broken(`keeps cash that is paid: ${reply.code}`);
      };
    },
    restarted: () => here.clear(),
    putBack: () => {
      first = null;
      wanted = null;
    },
  };
};
