/** From "Open drawer" to "Cash handed over": the amount stays while the cash is counted, and only the cashier's word links. */
import { describe, expect, test } from "vitest";
import { createRig, idNumber, leadToPayable, MemoryJournal, type RigOptions } from "./rig.ts";

const id = idNumber(1);
const sensed = {
  drawer: { kind: "network", host: "10.0.0.9", port: 9100, sensor: true, pulse: { pin: 2, onMs: 50, offMs: 250 } },
} as const;

const payable = async (options: RigOptions = {}) => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal, ...options });
  const order = await leadToPayable(till, id);
  return { ...till, journal, order };
};

const counting = async (options: RigOptions = {}) => {
  const till = await payable(options);
  expect(await till.send({ type: "hand_out" })).toEqual({ ok: true });
  expect(till.screen().kind).toBe("counting");
  return till;
};

describe("while the cash is counted", () => {
  test("the amount stays until the cashier says that it was handed over, and only that links", async () => {
    const till = await counting();
    await till.clock.advance(10 * 60_000);
    expect(till.screen()).toMatchObject({ kind: "counting", money: { amount: "50.00" }, transactionId: id });
    expect(till.service.calls("/transaction/link")).toEqual([]);
    expect(till.snapshot().header.unfinished).toBe(1);

    expect(await till.send({ type: "hand_out" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("done");
    expect(till.order.status).toBe("linked");
    expect(till.journal.types().slice(-4)).toEqual([
      "hand_out_intended",
      "drawer_opened",
      "handed_out",
      "report_accepted",
    ]);
    expect(JSON.parse(till.journal.entries.at(-2)?.body ?? "")).toMatchObject({ type: "handed_out", by: "cashier" });
  });

  test("too little cash in the drawer ends as not handed out, with the reason", async () => {
    const till = await counting();
    expect(await till.send({ type: "not_handed_out", reason: "till_short" } as never)).toEqual({ ok: true });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out", drawer: "opened" });
    expect(till.order.status).toBe("undelivered");
    expect(till.service.calls("undelivered")[0]?.body).toMatchObject({ reason: "till_short" });
  });

  test("no drawer is to be closed where it was never opened, or did not open", async () => {
    const unopened = await payable();
    const failed = await payable();
    failed.drawer.answers = ["failed"];
    await failed.send({ type: "hand_out" });
    expect(failed.screen()).toMatchObject({ kind: "opening", drawer: "failed" });
    for (const till of [unopened, failed]) {
      expect(await till.send({ type: "not_handed_out", reason: "other" } as never)).toEqual({ ok: true });
      expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
      expect(till.screen()).not.toHaveProperty("drawer");
    }
  });

  test("a scan is told to wait, and nothing else changes", async () => {
    const till = await counting();
    till.service.order({ transaction_id: idNumber(2) });
    const { step } = till.screen();
    for (const text of [idNumber(2), id]) expect(await till.scan(text)).toMatchObject({ ok: false });
    expect(till.snapshot().toast?.code).toBe("busy_money");
    expect(till.screen()).toMatchObject({ kind: "counting", step });
    expect(till.service.calls(idNumber(2))).toEqual([]);
  });

  test("the drawer opens again on demand, and still only one hand-out is recorded", async () => {
    const till = await counting();
    till.drawer.answers = ["failed", "opened"];
    expect(await till.send({ type: "open_drawer" })).toEqual({ ok: true });
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "failed" });
    await till.send({ type: "open_drawer" });
    expect(till.screen().kind).toBe("counting");
    expect(till.drawer.opens).toBe(3);
    await till.send({ type: "hand_out" });
    expect(till.journal.types().filter((type) => type === "handed_out")).toHaveLength(1);
    expect(till.service.calls("/transaction/link")).toHaveLength(1);
  });

  test("nothing leaves the screen, and pressing twice links once", async () => {
    const till = await counting();
    for (const type of ["dismiss", "retry", "confirm", "reject"] as const)
      expect(await till.send({ type })).toMatchObject({ ok: false });
    const { step } = till.screen();
    await Promise.all([1, 2, 3].map(() => till.terminal.dispatch({ type: "hand_out", step })));
    await till.clock.advance(100);
    expect(till.service.calls("/transaction/link")).toHaveLength(1);
    expect(till.drawer.opens).toBe(1);
  });

  test("a drawer with a sensor tells when it was closed; one without says nothing", async () => {
    const till = await counting({ settings: sensed, training: false });
    till.drawer.now = "open";
    await till.clock.advance(3_000);
    expect(till.screen()).toMatchObject({ kind: "counting", drawer: "open" });
    till.drawer.now = "closed";
    await till.clock.advance(3_000);
    expect(till.screen()).toMatchObject({ kind: "counting", drawer: "closed" });
    const blind = await counting({ settings: { drawer: { ...sensed.drawer, sensor: false } }, training: false });
    blind.drawer.now = "open";
    await blind.clock.advance(3_000);
    expect(blind.screen()).toMatchObject({ kind: "counting", drawer: "unknown" });
  });
});

describe("a crash on the way", () => {
  test("is asked about wherever it came, never offered anew, and the drawer stays shut", async () => {
    const before = await counting();
    await before.send({ type: "open_drawer" });
    await before.terminal.close();
    const first = before.journal.types().indexOf("hand_out_intended") + 1;
    for (let length = first; length <= before.journal.entries.length; length++) {
      const till = await createRig({
        journal: before.journal.cut(length),
        clock: before.clock,
        service: before.service,
        idsFrom: 1_000,
      });
      await till.clock.advance(500);
      expect(till.screen()).toMatchObject({ kind: "payable", recovered: true, handOutBegun: true });
      await till.scan(id);
      await till.clock.advance(60_000);
      expect(till.screen()).toMatchObject({ kind: "payable", handOutBegun: true });
      expect(till.drawer.opens).toBe(0);
      expect(before.order.status).toBe("settled");
      await till.terminal.close();
    }
  });
});

test("a journal that takes nothing says so, and the drawer's word is kept until it does", async () => {
  const till = await payable();
  const { append } = till.journal;
  till.journal.append = (at, bodies) => {
    append.call(till.journal, at, bodies);
    if (bodies.some((body) => body.includes("hand_out_intended"))) till.journal.full = true;
  };
  await till.send({ type: "hand_out" });
  expect(till.snapshot()).toMatchObject({ screen: { kind: "opening" }, header: { journalFailing: true } });
  till.journal.full = false;
  await till.clock.advance(6_000);
  expect(till.snapshot()).toMatchObject({ screen: { kind: "counting" }, header: { journalFailing: false } });
  expect(till.drawer.opens).toBe(1);
});

test.each([
  ["of training is opened by hand outside of training", { training: false }],
  ["that is not there is opened by hand", { settings: { drawer: { kind: "none" } } }],
] as const)("a drawer %s: OK is the cashier's word", async (_, options) => {
  const till = await payable(options);
  expect(till.snapshot().settings.drawer).toEqual({ kind: "none" });
  await till.send({ type: "hand_out" });
  expect([till.screen().kind, till.drawer.opens, till.order.status]).toEqual(["done", 0, "linked"]);
  const handedOut = till.journal.entries.find(({ body }) => body.includes('"handed_out"'));
  expect(JSON.parse(handedOut?.body ?? "")).toMatchObject({ by: "cashier" });
});

test("where the manager chose one press, the open drawer is the hand-out", async () => {
  const till = await payable({ settings: { confirmHandOver: false } });
  await till.send({ type: "hand_out" });
  expect(till.screen().kind).toBe("done");
  expect(till.order.status).toBe("linked");
  const handedOut = till.journal.entries.find(({ body }) => body.includes('"handed_out"'));
  expect(JSON.parse(handedOut?.body ?? "")).toMatchObject({ by: "drawer" });
});
