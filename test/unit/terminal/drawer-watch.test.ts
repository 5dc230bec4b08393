/** A drawer that opens without an order: written down once each time, shown to the manager, and never where the order was ours. */
import { expect, test } from "vitest";
import { createConfiguredDevices } from "../../../main/terminal/devices/configured.ts";
import { createDrawerWatch } from "../../../main/terminal/drawer-watch.ts";
import { initialState } from "../../../main/terminal/withdrawal/state.ts";
import { type Settings, settingsSchema } from "../../../preload/contract.ts";
import { nobodyYet } from "../../../preload/people.ts";
import { startVirtualPrinter } from "../../printer/virtual-printer.ts";
import { problems } from "./books-stage.ts";
import { manager, move, on } from "./day-stage.ts";
import { createPatientClock } from "./patient-clock.ts";
import { createRig, idNumber, leadToPayable, MemoryJournal, type Rig, type RigOptions, ScriptedDrawer } from "./rig.ts";
import { VirtualClock } from "./virtual-clock.ts";

const pulse = { pin: 2, onMs: 50, offMs: 250 } as const;
const sensed: Settings["drawer"] = { kind: "network", host: "192.168.1.50", port: 9100, sensor: true, pulse };

/** Opens as it is told, and counts how often it was asked. */
class SensedDrawer extends ScriptedDrawer {
  asked = 0;
  override async open() {
    const answer = await super.open();
    if (answer === "opened") this.now = "open";
    return answer;
  }
  override async state() {
    this.asked += 1;
    return super.state();
  }
}

const rig = async (options: RigOptions = {}) => {
  const drawer = new SensedDrawer();
  const journal = new MemoryJournal();
  const till = await createRig({
    journal,
    drawer,
    training: false,
    ...options,
    settings: { drawer: sensed, ...options.settings },
  });
  const becomes = async (now: SensedDrawer["now"], forMs = 6_000): Promise<void> => {
    drawer.now = now;
    await till.clock.advance(forMs);
  };
  const acts = () => journal.entries.filter(({ body }) => body.includes("drawer_found_open"));
  return { till, drawer, journal, becomes, acts };
};
const openings = async (till: Rig): Promise<number> =>
  (await problems(till)).filter((one) => one.kind === "drawer" && one.about === "drawer_opened").length;

test("a key in the lock is written down once, with its time and who was signed in, and waits for a manager over a restart", async () => {
  const { till, journal, becomes, acts } = await rig();
  const person = { code: "C2", name: "Bo", role: "cashier", hasPin: true } as const;
  till.terminal.show({ people: { ...nobodyYet, cashier: person as never } });
  await becomes("closed");
  const before = till.clock.now();
  await becomes("open", 60_000);
  expect(acts()).toHaveLength(1);
  expect(JSON.parse(acts()[0]?.body ?? "{}")).toMatchObject({ type: "act", about: "C2", actor: "terminal" });
  expect(till.snapshot().header.problems).toBe(1);
  const [problem] = await problems(till);
  expect(problem).toMatchObject({ kind: "drawer", about: "drawer_opened", who: "C2", day: null, currency: null });
  const seenMs = Date.parse(problem?.since ?? "") - before;
  expect([seenMs > 0, seenMs <= 6_000]).toEqual([true, true]);
  await becomes("closed");
  await becomes("open");
  expect(await openings(till)).toBe(2);
  await till.terminal.close();
  // It stands open at the start: nobody knows since when.
  const drawer = new SensedDrawer();
  drawer.now = "open";
  const again = await createRig({
    training: false,
    journal,
    drawer,
    clock: till.clock,
    service: till.service,
    settings: { drawer: sensed },
  });
  await again.clock.advance(60_000);
  expect(await openings(again)).toBe(2);
  const cleared = { type: "acknowledge_problem", withdrawalId: problem?.withdrawalId ?? "", note: "cleaning" } as const;
  expect(await again.terminal.dispatch(cleared, manager)).toEqual({ ok: true });
  expect(await openings(again)).toBe(1);
});

test("an order of ours explains the opening for as long as it lasts, whoever looks at it in between", async () => {
  const { till, becomes, acts } = await rig();
  await becomes("closed");
  await leadToPayable(till, idNumber(1));
  await till.send({ type: "hand_out" });
  expect(till.screen().kind).toBe("counting");
  await till.clock.advance(30_000);
  await till.send({ type: "hand_out" });
  await till.clock.advance(30_000);
  await becomes("unknown", 70_000);
  await becomes("open", 70_000);
  expect(acts()).toEqual([]);
  await becomes("closed");
  await becomes("open");
  expect(acts()).toHaveLength(1);
});

test.each([
  ["another place", "192.168.1.60", 1],
  ["its own place, with another pulse", "192.168.1.50", 0],
])("a drawer tried at %s explains an opening of this one only where it is this one", async (_, host, noted) => {
  const { till, becomes, acts } = await rig();
  await becomes("closed");
  const tried = { ...sensed, host, pulse: { ...pulse, onMs: 100 } };
  expect(await till.terminal.dispatch({ type: "test_drawer", drawer: tried }, manager)).toMatchObject({ ok: true });
  await becomes("open");
  expect(acts()).toHaveLength(noted);
});

test("a drawer that did not obey is opened by its key, as the screen says", async () => {
  const { till, drawer, becomes, acts } = await rig();
  await becomes("closed");
  await leadToPayable(till, idNumber(1));
  drawer.answers = ["failed"];
  await till.send({ type: "hand_out" });
  await becomes("closed", 20_000);
  expect(till.screen()).toMatchObject({ kind: "opening", drawer: "failed" });
  await becomes("open", 20_000);
  expect(acts()).toEqual([]);
  await till.send({ type: "hand_out" });
  await becomes("closed");
  await becomes("open");
  expect(acts()).toHaveLength(1);
});

/** The watch alone, over a drawer whose answers a test gives when it likes. */
const alone = () => {
  const clock = new VirtualClock();
  const answers: ((answer: never) => void)[] = [];
  const asked = (): Promise<never> => new Promise((resolve) => answers.push(resolve));
  const settings = settingsSchema.parse({ drawer: sensed });
  const state = { ...initialState(settings, null, false, null), phase: "running" as const };
  let found = 0;
  const watch = createDrawerWatch(
    { clock, drawer: { open: asked, state: asked } },
    () => ({ state }),
    () => {
      found += 1;
    },
  );
  /** Answers the call that waits at this place. */
  const give = (place: number, answer: string): void => answers.splice(place, 1)[0]?.(answer as never);
  const look = async (as: "open" | "closed"): Promise<void> => {
    const call = watch.drawer.state();
    give(0, as);
    await call;
  };
  return { clock, watch, give, look, found: () => found };
};

test("a slow drawer is still shut when it is looked at behind its order", async () => {
  const { clock, watch, give, look, found } = alone();
  const order = watch.drawer.open();
  give(0, "unknown");
  await order;
  await clock.advance(2_999);
  await look("closed");
  await look("open");
  expect(found()).toBe(0);
  await clock.advance(1);
  await look("closed");
  await look("open");
  expect(found()).toBe(1);
});

test("what is seen while an order is under way, or across one, is no opening by itself", async () => {
  const { clock, watch, give, look, found } = alone();
  const order = watch.drawer.open();
  await clock.advance(5_000);
  const during = [watch.drawer.state(), watch.drawer.state(), watch.drawer.state()];
  give(1, "closed");
  await during[0];
  give(1, "open");
  await during[1];
  expect(found()).toBe(0);
  give(0, "opened");
  await order;
  // A look from before the answer comes in long after it.
  await clock.advance(5_000);
  give(0, "closed");
  await during[2];
  await look("open");
  expect(found()).toBe(0);
  await look("closed");
  await look("open");
  expect(found()).toBe(1);
});

test("a printer that is away is asked once a minute, and what was opened meanwhile shows when it is back", async () => {
  const { till, drawer, becomes, acts } = await rig();
  await becomes("closed");
  await becomes("unknown", 10_000);
  const before = drawer.asked;
  await till.clock.advance(10 * 60_000);
  expect(drawer.asked - before).toBe(10);
  await becomes("closed", 70_000);
  expect(acts()).toEqual([]);
  await becomes("unknown", 10_000);
  await becomes("open", 70_000);
  expect(acts()).toHaveLength(1);
});

test("twenty of them wait for a manager; what opens meanwhile is not written down, behind that it is again", async () => {
  const { till, becomes, acts } = await rig();
  for (let turn = 0; turn < 25; turn++) {
    await becomes("closed");
    await becomes("open");
  }
  expect([await openings(till), acts().length]).toEqual([20, 20]);
  const [first] = await problems(till);
  const cleared = { type: "acknowledge_problem", withdrawalId: first?.withdrawalId ?? "", note: "seen" } as const;
  await till.terminal.dispatch(cleared, manager);
  await becomes("closed");
  await becomes("open");
  expect([await openings(till), acts().length]).toEqual([20, 21]);
});

test("whoever counts the drawer or moves cash has it open: in the journal, and no problem", async () => {
  const { till, becomes, acts } = await rig({ settings: on });
  const counted = { pieces: [], otherMinor: 10_000 };
  await becomes("closed");
  await becomes("open");
  expect(await openings(till)).toBe(1);
  await till.send({ type: "open_day", number: 1, currency: "EUR", count: counted, isEmpty: false });
  expect(await openings(till)).toBe(0);
  await becomes("closed");
  await becomes("open");
  expect([await openings(till), acts().length]).toEqual([0, 2]);
  await becomes("closed", 9 * 60_000);
  await becomes("open");
  expect([await openings(till), acts().length]).toEqual([0, 3]);
  await becomes("closed", 11 * 60_000);
  await becomes("open");
  expect(await openings(till)).toBe(1);
  await till.clock.advance(11 * 60_000);
  await till.send({ type: "count_day", number: 1, count: counted, isEmpty: false });
  expect(await openings(till)).toBe(1);
  await becomes("closed", 11 * 60_000);
  await becomes("open");
  expect(await openings(till)).toBe(2);
  expect(await move(till, "in", 500, "a", manager)).toEqual({ ok: true });
  expect(await openings(till)).toBe(1);
});

test.each<[string, Settings["drawer"]]>([
  ["none", { kind: "none" }],
  ["the one of the training", { kind: "simulated" }],
  ["one without a sensor", { ...sensed, sensor: false } as Settings["drawer"]],
])("a drawer that cannot say how it stands is never asked: %s", async (_, kind) => {
  const { till, drawer, becomes } = await rig({ settings: { drawer: kind } });
  await becomes("closed");
  await becomes("open", 120_000);
  expect([drawer.asked, await openings(till)]).toEqual([0, 0]);
});

test("another program's kick through the printer's open port is one of them, and ours through the same port is none", async () => {
  await using printer = await startVirtualPrinter();
  const clock = new VirtualClock();
  const settings = settingsSchema.parse({ drawer: { ...sensed, host: "127.0.0.1", port: printer.port } });
  const state = { ...initialState(settings, null, false, null), phase: "running" as const };
  const found: (string | null)[] = [];
  const { drawer } = createConfiguredDevices(() => settings, createPatientClock());
  const watch = createDrawerWatch(
    { clock, drawer },
    () => ({ state }),
    (_, who) => found.push(who),
  );
  expect(await watch.drawer.open()).toBe("opened");
  await clock.advance(10_000);
  expect(await watch.drawer.state()).toBe("open");
  printer.drawerOpen = false;
  expect(await watch.drawer.state()).toBe("closed");
  expect(found).toEqual([]);
  printer.otherJob(Uint8Array.of(0x1b, 0x70, 0, 25, 125));
  expect(await watch.drawer.state()).toBe("open");
  expect(await watch.drawer.state()).toBe("open");
  expect(found).toEqual([null]);
});
