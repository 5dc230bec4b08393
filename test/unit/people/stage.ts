/** A guarded terminal on a bench: the real guard and people over a real file, around the rig's terminal. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createGuard, type Guard } from "../../../main/people/guard.ts";
import { openPeopleFile } from "../../../main/people/people-file.ts";
import { usualHashing } from "../../../main/people/pins.ts";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import type { Command, PeopleView, Reply } from "../../../preload/contract.ts";
import { createRig, idNumber, MemoryJournal, type Rig, type RigOptions } from "../terminal/rig.ts";

/** The first manager's PIN. */
export const managerPin = "482915";
/** The PINs of a shop of `openShop`. */
const pins = new Map([
  ["M1", managerPin],
  ["C2", "4829"],
  ["C3", "9157"],
]);

/** A cash drawer in the shop's network. */
export const networkDrawer = {
  kind: "network",
  host: "10.0.0.9",
  port: 9100,
  sensor: false,
  pulse: { pin: 2, onMs: 50, offMs: 250 },
} as const;
/** Cashiers sign in. */
export const signInRule = { cashiersSignIn: true, lockAfterMinutes: 5, notHandedOutBy: "manager" } as const;
/** A key of the service for this terminal. */
export const key = {
  serviceUrl: "https://service",
  merchantId: "demo-shop",
  deviceId: "till-1",
  secret: "till-secret",
};

/** An answer of the service that names no time. */
export const answer = (status: number, body: unknown): ServiceAnswer => ({
  kind: "answer",
  status,
  body,
  dateMs: null,
  retryAfterMs: null,
});

/** What the journal says of one thing that was done. */
export interface Entry {
  readonly type: string;
  readonly act: string;
  readonly about: string | null;
  readonly actor: string;
  readonly approvedBy?: string | null;
}

/** What a command was answered, in a word. */
export const codeOf = (reply: Reply): string => (reply.ok ? "ok" : reply.code);

/** The guarded terminal and its people. */
export interface Counter {
  readonly till: Rig;
  readonly guard: Guard;
  readonly folder: string;
  people(): PeopleView;
  /** Sends a command for the screen that is in front. */
  press(command: object): Promise<Reply>;
  /** Somebody's PIN of `openShop`, for what their code lets them be, unless told otherwise. */
  signIn(person: string, pin?: string, as?: "cashier" | "manager"): Promise<Reply>;
  /** What the journal says. */
  entries(): readonly Entry[];
  types(): readonly string[];
  /** The program ends and starts again on the same folder and journal. */
  restart(changes?: CounterOptions): Promise<Counter>;
}

/** As the rig's, with the folder that `people.json` lies in. */
export interface CounterOptions extends RigOptions {
  readonly folder?: string;
}

/** Starts in a fresh folder unless told otherwise. */
export const openCounter = async (options: CounterOptions = {}): Promise<Counter> => {
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), "people-"));
  const training = options.training ?? false;
  const journal = options.journal ?? new MemoryJournal();
  const till = await createRig({ ...options, journal, training });
  const guard = createGuard({
    terminal: { ...till.terminal, dispatch: (command, actor) => till.terminal.dispatch(command, actor) },
    file: openPeopleFile(folder, () => {}),
    clock: till.clock,
    openUntilPin: training,
    hashing: { ...usualHashing, cost: { N: 2, r: 1, p: 1 } },
  });
  const entries = () => [...till.journal.read().entries].map(({ body }) => JSON.parse(body) as Entry);
  const press = async (command: object): Promise<Reply> => {
    const reply = await guard.dispatch({ step: till.screen().step, ...command } as Command);
    await till.clock.advance(0);
    return reply;
  };
  return {
    till,
    guard,
    folder,
    people: () => till.snapshot().people,
    press,
    signIn: (person, pin = pins.get(person), as = person.startsWith("M") ? "manager" : "cashier") =>
      press({ type: "sign_in", person, pin, as }),
    entries,
    types: () => entries().map(({ type }) => type),
    async restart(changes = {}) {
      guard.close();
      await till.terminal.close();
      return openCounter({
        ...options,
        folder,
        clock: till.clock,
        service: till.service,
        journal: till.journal,
        settings: till.settingsFile.settings,
        ...changes,
      });
    },
  };
};

/** Leads a withdrawal (`idNumber(1)`) to the screen that offers its cash. */
export const settle = async (counter: Counter): Promise<Counter> => {
  const { till } = counter;
  const id = idNumber(1);
  const order = till.service.order({ transaction_id: id });
  await counter.press({ type: "scan", text: id, source: "typed" });
  await counter.press({ type: "confirm" });
  order.status = "settled";
  await till.clock.advance(1_500);
  if (till.screen().kind !== "payable") throw new Error(`not payable: ${till.screen().kind}`);
  return counter;
};

/** With a manager, signed out again, and up to two cashiers (`C2`, `C3`). */
export const openShop = async (options: CounterOptions = {}, cashiers = 0): Promise<Counter> => {
  const { press, guard, till, folder } = await openCounter();
  await press({ type: "set_manager_pin", name: "Ida", pin: managerPin });
  for (const [at, pin] of [...pins.values()].slice(1, 1 + cashiers).entries())
    await press({ type: "save_person", person: null, name: `Cashier ${at}`, role: "cashier", pin });
  guard.close();
  await till.terminal.close();
  return openCounter({ ...options, folder });
};
