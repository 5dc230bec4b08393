/** The people of a till: they sign in where it asks for them, a manager comes where one is needed, and somebody tries what nobody may. */
import {
  type Command,
  type PeopleView,
  type PersonView,
  type Reply,
  type Role,
  type Snapshot,
  settingsSchema,
} from "../../preload/contract.ts";

/** By name; nobody changes theirs in a story. */
const pins: ReadonlyMap<string, string> = new Map([
  ["Ida", "482915"],
  ["Bo", "731946"],
  ["Jo", "615283"],
]);
const managerName = "Ida";
const strangersPin = "918273";

/** The PIN of the person who has this code; null where nobody has it. */
export const pinOf = (people: PeopleView, code: string): string | null =>
  pins.get(people.list.find((person) => person.code === code)?.name ?? "") ?? null;

/** What somebody writes into the file of settings, or sends, who would like to be asked for less. */
export const laxSettings = settingsSchema.parse({
  confirmHandOver: false,
  openOnSettled: true,
  drawer: { kind: "none" },
  people: { cashiersSignIn: false, lockAfterMinutes: 60, notHandedOutBy: "second_person" },
  drawerMoney: { enabled: false, managerFor: [], differenceMinor: 1_000 },
});

/** The people who work at one till. */
export interface Staff {
  /** Does what has to be done before, with the PINs of whoever is there. */
  dispatch(command: Command): Promise<Reply | null>;
  /** A manager comes with the operator's code. */
  reset(code: string): Promise<Reply | null>;
}

const triesMost = 3;

/** @param send to the guard. @param view what the screens show of people. */
export const createStaff = (
  send: (command: Command) => Promise<Reply | null>,
  view: () => PeopleView | null,
): Staff => {
  const anyone = (role: Role): PersonView | undefined =>
    view()?.list.find((person) => person.role === role && person.waitMs === 0);
  const isDone = async (command: Command): Promise<boolean> => (await send(command))?.ok === true;

  const addCashiers = async (): Promise<void> => {
    for (const [name, pin] of pins)
      if (!view()?.list.some((person) => person.name === name))
        await send({ type: "save_person", person: null, name, role: "cashier", pin });
  };
  const signIn = async (as: Role): Promise<boolean> => {
    const managers = view()?.managers;
    if (as === "manager" && managers === "none")
      return isDone({ type: "set_manager_pin", name: managerName, pin: pins.get(managerName) ?? "" });
    const person = anyone(as);
    const pin = pins.get(person?.name ?? "");
    return person !== undefined && pin !== undefined && isDone({ type: "sign_in", person: person.code, pin, as });
  };
  /** A till without people gets them before anything else is done at it; so does one that knows no cashier any more. */
  const begin = async (): Promise<void> => {
    const people = view();
    if (people === null || (people.managers !== "none" && (people.managers !== "set" || anyone("cashier")))) return;
    if (!(await signIn("manager"))) return;
    await addCashiers();
    await send({ type: "sign_out", as: "manager" });
  };
  const approved = (command: Command): Command | null => {
    const manager = anyone("manager");
    const pin = pins.get(manager?.name ?? "");
    return manager && pin ? ({ ...command, approval: { person: manager.code, pin } } as Command) : null;
  };

  return {
    async dispatch(command) {
      await begin();
      let asked: Command | null = command;
      let reply: Reply | null = null;
      let isManagerHere = false;
      for (let tries = 0; asked !== null && tries < triesMost; tries++) {
        reply = await send(asked);
        if (reply === null || reply.ok) break;
        if (reply.code === "approval_needed") asked = approved(command);
        else if (reply.code === "locked") {
          if (!(await signIn("cashier"))) break;
        } else if (reply.code === "manager_needed") {
          if (!(await signIn("manager"))) break;
          isManagerHere = true;
        } else break;
      }
      if (isManagerHere) await send({ type: "sign_out", as: "manager" });
      return reply;
    },
    async reset(code) {
      const pin = pins.get(managerName) ?? "";
      const reply = await send({ type: "reset_manager", code, who: { kind: "new", name: managerName }, pin });
      if (reply?.ok) {
        await addCashiers();
        await send({ type: "sign_out", as: "manager" });
      }
      return reply;
    },
  };
};

/** What somebody presses who wants more than they may. @param guesses whether PINs are guessed as well, which makes their owners wait. */
export const withoutRight = ({ people, screen }: Snapshot, guesses: boolean): readonly Command[] => {
  const { list, cashier } = people;
  const known = cashier ?? list.find(({ role }) => role === "cashier");
  const own = known && { person: known.code, pin: pinOf(people, known.code) ?? "" };
  if (screen.kind === "counting")
    return [{ type: "not_handed_out", step: screen.step, reason: "till_short", ...(own && { approval: own }) }];
  const manager = list.find(({ role }) => role === "manager");
  return [
    // Whoever comes first is the manager where there were never people: a story's own manager comes first.
    ...(people.managers === "none" ? [] : [{ type: "set_manager_pin", name: "Mallory", pin: strangersPin } as const]),
    { type: "change_settings", settings: laxSettings },
    { type: "list_problems" },
    ...(guesses && own ? [{ type: "sign_in", ...own, as: "manager" } as const] : []),
    ...(guesses && manager
      ? [{ type: "sign_in", person: manager.code, pin: strangersPin, as: "manager" } as const]
      : []),
    ...(screen.kind === "opening" && cashier === null ? [{ type: "open_drawer", step: screen.step } as const] : []),
  ];
};
