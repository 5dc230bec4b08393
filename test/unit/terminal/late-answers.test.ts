/** What the service answered before the machine slept, the program stood still or the disk was full, and what was pressed before that. */
import { expect, test } from "vitest";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import { createRig, idNumber, leadToPayable, MemoryJournal, type Rig } from "./rig.ts";

const id = idNumber(1);
const minute = 60_000;

/** The next such call about the withdrawal is answered when the test says so: it is paid. There has to have been one by then. */
const holdNext = (till: Rig, call = "/transaction?id=") => {
  let answer: (() => void) | undefined;
  till.service.fault = ({ path }) => {
    if (!path.startsWith(call) || answer !== undefined) return null;
    return new Promise<ServiceAnswer>((resolve) => {
      answer = () =>
        resolve({
          kind: "answer",
          status: 200,
          body: { ...till.service.orders.get(id), status: "settled" },
          dateMs: till.clock.now(),
          retryAfterMs: null,
        });
    });
  };
  return () => {
    if (answer === undefined) throw new Error(`${call} was not called`);
    answer();
  };
};

test("a press that waited for the answer while the machine slept does not open the drawer", async () => {
  const till = await createRig();
  await leadToPayable(till, id);
  await till.clock.advance(35_000);
  const answered = holdNext(till);
  await till.send({ type: "hand_out" });
  expect(till.screen()).toMatchObject({ kind: "opening", drawer: "checking" });
  const slept = till.clock.sleep(40 * minute);
  answered();
  await slept;
  await till.clock.advance(1_000);
  expect(till.drawer.opens).toBe(0);
});

test("a payment that was answered while the machine slept does not open the drawer by itself", async () => {
  const till = await createRig({ settings: { openOnSettled: true } });
  const order = till.service.order({ transaction_id: id, sca_required: false });
  await till.scan(id);
  const answered = holdNext(till);
  await till.send({ type: "confirm" });
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
  order.status = "settled";
  const slept = till.clock.sleep(40 * minute);
  answered();
  await slept;
  await till.clock.advance(1_000);
  expect(till.drawer.opens).toBe(0);
});

test.each(["/transaction?id=", "/transaction/confirm"])(
  "an operator's decision that came meanwhile is asked for before the cash is offered, whatever %s answers",
  async (call) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id, sca_required: false });
    await till.scan(id);
    const answered = holdNext(till, call);
    await till.send({ type: "confirm" });
    const slept = till.clock.sleep(40 * minute);
    // The service answered "settled" before; after twenty minutes of silence an operator said that nothing was handed out.
    Object.assign(order, { status: "undelivered", reason: "decided_by_operator" });
    answered();
    await slept;
    await till.send({ type: "hand_out" });
    await till.clock.advance(1_000);
    expect(till.drawer.opens).toBe(0);
    expect(till.snapshots.map(({ screen }) => screen.kind)).not.toContain("payable");
  },
);

test("a sleep that ends before the next timer is due is one too: the drawer does not open by itself after it", async () => {
  const till = await createRig({ settings: { openOnSettled: true } });
  const order = till.service.order({ transaction_id: id, sca_required: false });
  await till.scan(id);
  await till.send({ type: "confirm" });
  await till.clock.advance(1_000);
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
  order.status = "settled";
  const slept = till.clock.sleep(2 * minute);
  // As the desktop program does it when the system says that it woke.
  till.terminal.wake();
  await slept;
  await till.clock.advance(1_000);
  expect(till.drawer.opens).toBe(0);
});

test("a drawer that answers after a sleep is heard: it is not opened again", async () => {
  const till = await createRig();
  await leadToPayable(till, id);
  const { promise, resolve } = Promise.withResolvers<"opened">();
  till.drawer.open = () => {
    till.drawer.opens += 1;
    return promise;
  };
  await till.send({ type: "hand_out" });
  expect(till.screen()).toMatchObject({ kind: "opening", drawer: "opening" });
  const slept = till.clock.sleep(40 * minute);
  resolve("opened");
  await slept;
  await till.clock.advance(minute);
  expect(till.screen().kind).toBe("counting");
  expect(till.drawer.opens).toBe(1);
});

const decided = { status: "undelivered", reason: "decided_by_operator" };

/** The service says that it is paid, and the journal takes no entry. */
const toFullDisk = async () => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  // What was answered stays as it was.
  till.service.shape = (fields) => ({ ...fields });
  const order = till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  journal.full = true;
  order.status = "settled";
  await till.clock.advance(2_000);
  return { till, order, journal };
};

test.each<[string, (till: Rig) => Promise<void>]>([
  ["the network is away", (till) => till.clock.advance(25 * minute)],
  ["the machine sleeps", (till) => till.clock.sleep(40 * minute)],
])("an answer that waits for the disk while %s, and an operator decides, is asked for anew", async (_, pass) => {
  const { till, order, journal } = await toFullDisk();
  till.service.fault = () => "hang";
  await pass(till);
  Object.assign(order, decided);
  till.service.fault = () => null;
  journal.full = false;
  await till.clock.advance(1_500);
  await till.send({ type: "hand_out" });
  await till.clock.advance(1_000);
  expect(till.drawer.opens).toBe(0);
  expect(journal.types()).not.toContain("hand_out_intended");
  expect(till.snapshots.map(({ screen }) => screen.kind)).not.toContain("payable");
});

test.each([
  ["five seconds counts", 4_900, 0, "payable"],
  ["longer is asked for anew", 5_100, 1, "waiting"],
])("an answer that waited for the disk for %s", async (_, fullMs, asked, screen) => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  const order = till.service.order({ transaction_id: id, sca_required: false });
  await till.scan(id);
  const answered = holdNext(till);
  await till.send({ type: "confirm" });
  order.status = "settled";
  journal.full = true;
  answered();
  await till.clock.advance(0);
  const before = till.service.calls("/transaction?id=").length;
  till.service.fault = () => "hang";
  await till.clock.advance(fullMs);
  journal.full = false;
  await till.clock.advance(1_000);
  expect(till.service.calls("/transaction?id=")).toHaveLength(before + asked);
  expect(till.screen().kind).toBe(screen);
});

test("a confirm whose answer waits for the disk is not repeated before the service was asked", async () => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  till.service.order({ transaction_id: id });
  await till.scan(id);
  till.service.fault = ({ path }) => {
    if (path === "/transaction/confirm") journal.full = true;
    return null;
  };
  await till.send({ type: "confirm" });
  const before = till.service.calls("").length;
  await till.clock.advance(30_000);
  expect(till.service.calls("/transaction/confirm")).toHaveLength(1);
  expect(
    till.service
      .calls("")
      .slice(before)
      .map(({ path }) => path)[0],
  ).toMatch(/^.transaction.id=/);
  journal.full = false;
  await till.clock.advance(2_000);
  expect(till.screen().kind).toBe("waiting");
  expect(till.service.calls("/transaction/confirm")).toHaveLength(1);
});

test("an answer that waits for the disk says neither that the service is there nor what time it is", async () => {
  const { till, journal } = await toFullDisk();
  till.service.fault = () => "hang";
  await till.clock.advance(25 * minute);
  journal.full = false;
  await till.clock.advance(1_500);
  expect(till.snapshot().header).toMatchObject({ connection: "offline", clockOffMs: null });
});

/** The cashier has pressed, and the service is asked before the drawer opens. */
const toQuestion = async (settings = {}) => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal, settings });
  const order = await leadToPayable(till, id);
  await till.clock.advance(35_000);
  till.service.fault = ({ path }) => (path.startsWith("/transaction?id=") ? "hang" : null);
  await till.send({ type: "hand_out" });
  expect(till.screen()).toMatchObject({ kind: "opening", drawer: "checking" });
  return { till, order, journal };
};
const change = (till: Rig, more: object) =>
  till.terminal.dispatch({ type: "change_settings", settings: { ...till.snapshot().settings, ...more } } as never);

test.each<[string, object, (till: Rig) => unknown]>([
  ["the counter locks", {}, (till) => till.terminal.show({ people: { ...till.snapshot().people, locked: true } })],
  [
    "the counter locks, where nobody says that it was handed over",
    { confirmHandOver: false },
    (till) => till.terminal.show({ people: { ...till.snapshot().people, locked: true } }),
  ],
  ["a manager takes the drawer away", {}, (till) => change(till, { drawer: { kind: "none" } })],
])(
  "a press that waits for the service while %s opens nothing, and nothing was handed out",
  async (_, settings, meanwhile) => {
    const { till, order, journal } = await toQuestion(settings);
    await meanwhile(till);
    await till.clock.advance(10_000);
    expect([till.drawer.opens, order.status, journal.types().includes("handed_out")]).toEqual([0, "settled", false]);
  },
);

test("whether the cashier says what became of the cash is as it was set when the drawer was told to open", async () => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  await leadToPayable(till, id);
  const { promise, resolve } = Promise.withResolvers<"opened">();
  till.drawer.open = () => promise;
  await till.send({ type: "hand_out" });
  await change(till, { confirmHandOver: false });
  resolve("opened");
  await till.clock.advance(1_000);
  expect([till.screen().kind, journal.types().includes("handed_out")]).toEqual(["counting", false]);
});
