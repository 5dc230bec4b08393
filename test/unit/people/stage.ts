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

/** An answer of the service that names no time. */
export const answer = (status: number, body: unknown): ServiceAnswer => ({
  kind: "answer",
  status,
  body,
  dateMs: null,
  retryAfterMs: null,
});

/** The guarded terminal and its people. */
export interface Counter {
  readonly till: Rig;
  readonly guard: Guard;
  readonly folder: string;
  people(): PeopleView;
  /** Sends a command for the screen that is in front. */
  press(command: Omit<Command, "step"> & { readonly type: Command["type"] }): Promise<Reply>;
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
  const entries = () => [...till.journal.read().entries].map(({ body }) => JSON.parse(body) as { type: string });
  return {
    till,
    guard,
    folder,
    people: () => till.snapshot().people,
    async press(command) {
      const reply = await guard.dispatch({ step: till.screen().step, ...command } as Command);
      await till.clock.advance(0);
      return reply;
    },
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
  await counter.press({ type: "scan", text: id, source: "typed" } as Command);
  await counter.press({ type: "confirm" } as Command);
  order.status = "settled";
  await till.clock.advance(1_500);
  if (till.screen().kind !== "payable") throw new Error(`not payable: ${till.screen().kind}`);
  return counter;
};

/** With a manager whose PIN is `managerPin`, signed out again, and cashiers with these PINs (`C2`, `C3` …). */
export const openShop = async (options: CounterOptions = {}, ...cashierPins: readonly string[]): Promise<Counter> => {
  const { press, guard, till, folder } = await openCounter();
  await press({ type: "set_manager_pin", name: "Ida", pin: managerPin } as Command);
  for (const [at, pin] of cashierPins.entries())
    await press({ type: "save_person", person: null, name: `Cashier ${at}`, role: "cashier", pin } as Command);
  guard.close();
  await till.terminal.close();
  return openCounter({ ...options, folder });
};
