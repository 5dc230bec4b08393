/** Cash that was given already: before the drawer opens for money that is not just settled, the service is asked. */
import { describe, expect, test } from "vitest";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import { problems } from "./books-stage.ts";
import { createRig, handOver, idNumber, leadToPayable, MemoryJournal, type Rig } from "./rig.ts";

const id = idNumber(1);
const minute = 60_000;
const byHand = { drawer: { kind: "none" } } as const;

const http = (status: number, body: unknown = null): ServiceAnswer => ({
  kind: "answer",
  status,
  body,
  dateMs: null,
  retryAfterMs: null,
});
/** Questions about the withdrawal so far. */
const asked = (till: Rig): number => till.service.calls("GET /transaction?").length;
/** The service is out of reach for questions about a withdrawal. */
const silent = (till: Rig): void => {
  till.service.fault = ({ path }) => (path.startsWith("/transaction?") ? "hang" : null);
};
const eventsOf = (journal: MemoryJournal): readonly { type: string; actor?: string; about?: string }[] =>
  journal.entries.map(({ body }) => JSON.parse(body));

describe("one folder on two machines, with money to hand out", () => {
  const twins = async (settings: object = {}) => {
    const journal = new MemoryJournal();
    const one = await createRig({ journal, settings });
    const order = await leadToPayable(one, id);
    const copy = journal.cut(journal.entries.length);
    const two = await createRig({ journal: copy, clock: one.clock, service: one.service, idsFrom: 500, settings });
    await one.clock.advance(0);
    expect([one.screen().kind, two.screen().kind]).toEqual(["payable", "payable"]);
    return { one, two, order, copy };
  };

  test("the second gives nothing for what the first has handed out, however soon", async () => {
    const { one, two, order, copy } = await twins();
    await handOver(one);
    await one.clock.advance(0);
    expect(order.status).toBe("linked");
    await two.send({ type: "hand_out" });
    expect(two.screen()).toMatchObject({ kind: "ended", outcome: "handed_out_before", transactionId: id });
    expect([one.drawer.opens, two.drawer.opens]).toEqual([1, 0]);
    expect(copy.types()).not.toContain("handed_out");
    expect(await problems(two)).toMatchObject([{ kind: "unresolved", about: "linked_by_another" }]);
  });

  test.each([
    ["a drawer", {}],
    ["no drawer that waits for an order", byHand],
  ])("the second's screen says so by itself within half a minute, with %s", async (_, settings) => {
    const { one, two, copy } = await twins(settings);
    await handOver(one);
    await one.clock.advance(31_000);
    expect(two.screen()).toMatchObject({ kind: "ended", outcome: "handed_out_before" });
    expect([two.drawer.opens, copy.types().includes("handed_out")]).toEqual([0, false]);
  });

  test("without a drawer that waits for an order the second gives nothing either, and books nothing", async () => {
    const { one, two, copy } = await twins(byHand);
    await handOver(one);
    await one.clock.advance(0);
    await two.send({ type: "hand_out" });
    expect(two.screen()).toMatchObject({ kind: "ended", outcome: "handed_out_before" });
    expect(copy.types()).not.toContain("handed_out");
    expect(await problems(two)).toMatchObject([{ kind: "unresolved", about: "linked_by_another" }]);
  });
});

describe("before cash leaves the drawer", () => {
  const waiting = async (forMs: number, settings: object = {}) => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal, settings });
    const order = await leadToPayable(till, id);
    await till.clock.advance(forMs);
    return { till, order, journal };
  };

  test("nobody asks about money that was settled just now", async () => {
    const { till } = await waiting(20_000);
    const before = asked(till);
    await till.send({ type: "hand_out" });
    expect([asked(till), till.drawer.opens]).toEqual([before, 1]);
  });

  test("the service is asked about money that waited, and the press is not lost", async () => {
    const { till, journal } = await waiting(2 * minute);
    const before = asked(till);
    await till.send({ type: "hand_out" });
    expect([asked(till), till.drawer.opens]).toEqual([before + 1, 1]);
    expect(eventsOf(journal).findLast(({ type }) => type === "hand_out_intended")?.actor).toBe("counter");
  });

  test("its silence holds the cashier up for three seconds, and no press of that time counts", async () => {
    const { till, order, journal } = await waiting(2 * minute);
    let answer = (_: ServiceAnswer): void => {};
    const late = new Promise<ServiceAnswer>((resolve) => {
      answer = resolve;
    });
    till.service.fault = ({ path }) => (path.startsWith("/transaction?") ? late : null);
    await till.send({ type: "hand_out" });
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "checking" });
    expect(await till.send({ type: "hand_out" })).toEqual({ ok: false, code: "busy" });
    expect(await till.send({ type: "dismiss" })).toEqual({ ok: false, code: "busy" });
    await till.clock.advance(2_900);
    expect(till.drawer.opens).toBe(0);
    await till.clock.advance(200);
    expect(till.drawer.opens).toBe(1);
    // Its late answer undoes nothing.
    order.status = "linked";
    answer(http(200, { ...order }));
    await till.clock.advance(minute);
    expect([till.screen().kind, till.drawer.opens]).toEqual(["counting", 1]);
    expect(journal.types()).not.toContain("discrepancy");
  });

  test.each([
    ["the answer", 1_000],
    ["three seconds", null],
  ])("without a drawer to open it is no hand-out before %s", async (_, answeredMs) => {
    const { till, journal, order } = await waiting(2 * minute, byHand);
    const answer = new Promise<ServiceAnswer>(
      (resolve) => answeredMs && till.clock.after(answeredMs, () => resolve(http(200, { ...order }))),
    );
    till.service.fault = ({ path }) => (path.startsWith("/transaction?") ? answer : null);
    await till.send({ type: "hand_out" });
    await till.clock.advance((answeredMs ?? 3_000) - 100);
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "checking" });
    expect(journal.types()).not.toContain("hand_out_intended");
    await till.clock.advance(200);
    expect(till.screen().kind).toBe("done");
    expect(journal.types()).toContain("handed_out");
  });

  test("without a drawer to open what the service does not know now is not booked as given", async () => {
    const { till, journal } = await waiting(2 * minute, byHand);
    till.service.fault = ({ path }) =>
      path.startsWith("/transaction?") ? http(404, { code: "transaction_not_found" }) : null;
    expect(await till.send({ type: "hand_out" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("unknown");
    expect(journal.types()).not.toContain("handed_out");
    till.service.fault = () => null;
    await till.clock.advance(minute);
    expect(till.screen().kind).toBe("payable");
  });

  test("a service that is out of reach does not keep the cash back", async () => {
    const { till } = await waiting(2 * minute);
    till.service.fault = () => ({ kind: "silence", why: "refused" });
    await till.send({ type: "hand_out" });
    expect(till.drawer.opens).toBe(1);
  });

  test.each<[string, object, string, string]>([
    ["declared as not handed out", { status: "undelivered" }, "already_used", "undelivered_by_another"],
    ["another till's", { transaction_id_partner: "till-2.x.W1" }, "unclear", "not_settled_any_more"],
    [
      "another till's hand-out",
      { status: "linked", transaction_id_partner: "till-2.x.W1" },
      "handed_out_before",
      "linked_by_another",
    ],
    ["over without money", { status: "failed" }, "unclear", "not_settled_any_more"],
  ])("what is %s ends without cash, with a problem for the manager", async (_, fields, outcome, about) => {
    const { till, order, journal } = await waiting(2 * minute);
    Object.assign(order, fields);
    await till.send({ type: "hand_out" });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome });
    expect(till.drawer.opens).toBe(0);
    expect(journal.types()).not.toContain("hand_out_intended");
    expect(eventsOf(journal)).toContainEqual(expect.objectContaining({ type: "discrepancy", about }));
    expect(await problems(till)).toMatchObject([{ kind: "unresolved", about }]);
  });

  test.each([
    ["linked", ["decided_otherwise"]],
    ["undelivered", []],
  ] as const)(
    "what an operator has decided as %s ends without cash, and the till says so itself",
    async (status, about) => {
      const { till, order, journal } = await waiting(2 * minute);
      Object.assign(order, { status, reason: "decided_by_operator" });
      await till.clock.advance(minute);
      expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
      expect(till.drawer.opens).toBe(0);
      expect(till.service.calls("/undelivered").length).toBe(1);
      expect(journal.types().slice(-2)).toContain("report_accepted");
      expect(eventsOf(journal).flatMap((event) => (event.type === "discrepancy" ? [event.about] : []))).toEqual(about);
      expect((await problems(till)).map((one) => one.about)).toEqual(about);
    },
  );

  test.each([
    ["a crash", "linked", "not_handed_out", "/undelivered", ["decided_otherwise"]],
    ["a crash", "linked", "handed_out", "/transaction/link", []],
    ["a crash", "undelivered", "handed_out", "/transaction/link", ["decided_otherwise"]],
    ["the folder was put back", "linked", "not_handed_out", "/undelivered", ["decided_otherwise"]],
    ["the folder was put back", "undelivered", "handed_out", "/transaction/link", ["decided_otherwise"]],
  ] as const)(
    "cash that may have left before %s, decided as %s meanwhile, is not given: a manager says %s, and that is reported",
    async (what, status, decision, call, about) => {
      const { till, order, journal } = await waiting(20_000);
      await till.send({ type: "hand_out" });
      await till.terminal.close();
      const begun = journal.types().indexOf("hand_out_intended");
      const crashed = journal.cut(what === "a crash" ? begun + 1 : begun);
      Object.assign(order, { status, reason: "decided_by_operator" });
      const again = await createRig({ journal: crashed, clock: till.clock, service: till.service, idsFrom: 500 });
      await again.clock.advance(10 * minute);
      await again.send({ type: "hand_out" });
      await again.clock.advance(minute);
      expect(again.drawer.opens).toBe(0);
      expect(again.screen().kind).toBe("unknown");
      await again.send({ type: "dismiss" });
      const [open] = await problems(again);
      expect(open).toMatchObject({ kind: "open", decisions: expect.arrayContaining([decision]) });
      const before = again.service.calls(call).length;
      const withdrawalId = open?.withdrawalId ?? "";
      const reply = await again.send({ type: "decide_withdrawal", withdrawalId, decision, note: "counted" });
      expect(reply).toMatchObject({ ok: true });
      await again.clock.advance(6 * minute);
      expect(again.service.calls(call).length).toBe(before + 1);
      expect(crashed.types()).toContain("report_accepted");
      expect((await problems(again)).map((one) => one.about)).toEqual(about);
    },
  );

  test.each(["linked", "undelivered"])(
    "nor is it, once decided as %s, where a service that was put back has forgotten the decision",
    async (status) => {
      const { till, order, journal } = await waiting(20_000);
      await till.send({ type: "hand_out" });
      await till.terminal.close();
      const crashed = journal.cut(journal.types().indexOf("hand_out_intended") + 1);
      const before = asked(till);
      Object.assign(order, { status, reason: "decided_by_operator" });
      const again = await createRig({ journal: crashed, clock: till.clock, service: till.service, idsFrom: 500 });
      await again.clock.advance(10 * minute);
      expect(asked(again)).toBeGreaterThan(before);
      Object.assign(order, { status: "settled", reason: null });
      await again.clock.advance(2 * minute);
      await again.send({ type: "hand_out" });
      await again.clock.advance(minute);
      expect([again.screen().kind, again.drawer.opens]).toEqual(["unknown", 0]);
      const decisions = expect.arrayContaining(["handed_out", "not_handed_out"]);
      await again.send({ type: "dismiss" });
      expect(await problems(again)).toContainEqual(expect.objectContaining({ kind: "open", decisions }));
    },
  );

  test("a till that was away with the cash already given reports it, and tells its manager that an operator had decided otherwise", async () => {
    const { till, order, journal } = await waiting(20_000);
    till.service.fault = () => ({ kind: "silence", why: "refused" });
    await handOver(till);
    await till.clock.advance(30 * minute);
    Object.assign(order, { status: "undelivered", reason: "decided_by_operator" });
    till.service.fault = () => null;
    await till.clock.advance(6 * minute);
    expect(journal.types()).toContain("report_accepted");
    expect((await problems(till)).map((one) => one.about)).toEqual(["decided_otherwise"]);
  });

  test("another amount is never handed out", async () => {
    const { till, order } = await waiting(2 * minute);
    order.amount = "500.00";
    await till.send({ type: "hand_out" });
    expect([till.screen(), till.drawer.opens]).toMatchObject([{ outcome: "not_handed_out" }, 0]);
  });

  test.each([
    ["another amount", { amount: "500.00" }, {}],
    ["another amount, without a drawer to open", { amount: "500.00" }, byHand],
    ["what an operator has decided", { status: "undelivered", reason: "decided_by_operator" }, {}],
  ])("%s is not handed out after three seconds either, while its report is on its way", async (_, fields, settings) => {
    const { till, order, journal } = await waiting(2 * minute, settings);
    Object.assign(order, fields);
    till.service.fault = ({ path }) => (path.endsWith("/undelivered") ? "hang" : null);
    await till.send({ type: "hand_out" });
    await till.clock.advance(4_000);
    expect([till.screen(), till.drawer.opens]).toMatchObject([{ outcome: "not_handed_out" }, 0]);
    expect(till.service.calls("/undelivered")).toHaveLength(1);
    expect(journal.types()).not.toContain("report_accepted");
    till.service.fault = () => null;
    await till.clock.advance(minute);
    expect(journal.types().slice(-2)).toContain("report_accepted");
    expect(journal.types()).not.toContain("hand_out_intended");
  });

  test("a manager's word while the service is asked, with its key refused, opens no drawer three seconds later", async () => {
    const { till, journal } = await waiting(2 * minute);
    till.service.secret = "another";
    till.service.fault = ({ path }) => (path.startsWith("/transaction?") ? http(401) : null);
    await till.clock.advance(minute);
    const [open] = await problems(till);
    till.service.fault = () => "hang";
    await till.clock.advance(3 * minute);
    await till.send({ type: "hand_out" });
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "checking" });
    const decided = { type: "decide_withdrawal", decision: "not_handed_out", note: "left" } as const;
    expect(await till.send({ ...decided, withdrawalId: open?.withdrawalId ?? "" })).toEqual({ ok: true });
    await till.clock.advance(minute);
    expect([journal.types().at(-1), till.drawer.opens]).toEqual(["decided", 0]);
  });

  test("what a service that was put back to a copy has closed is paid all the same", async () => {
    const { till, order } = await waiting(2 * minute);
    Object.assign(order, { status: "canceled", reason: "restored" });
    await till.send({ type: "hand_out" });
    expect(till.drawer.opens).toBe(1);
  });

  test("what the service does not know now is asked about before it is offered again", async () => {
    const { till } = await waiting(2 * minute);
    till.service.fault = ({ path }) =>
      path.startsWith("/transaction?") ? http(404, { code: "transaction_not_found" }) : null;
    await till.send({ type: "hand_out" });
    await till.clock.advance(minute);
    expect(till.screen().kind).toBe("unknown");
    till.service.fault = () => null;
    await till.clock.advance(minute);
    expect([till.screen().kind, till.drawer.opens]).toEqual(["payable", 0]);
    await till.send({ type: "hand_out" });
    expect(till.drawer.opens).toBe(1);
  });

  test("a start asks for the screen, and once more for the drawer", async () => {
    const { till, order, journal } = await waiting(0);
    await till.terminal.close();
    const { clock, service, drawer } = till;
    const before = asked(till);
    const again = await createRig({ journal, clock, service, drawer, idsFrom: 500 });
    const started = asked(again);
    expect([again.screen().kind, started > before]).toEqual(["payable", true]);
    order.status = "linked";
    await again.send({ type: "hand_out" });
    expect(asked(again)).toBe(started + 1);
    expect(again.screen()).toMatchObject({ kind: "ended", outcome: "handed_out_before" });
    expect(drawer.opens).toBe(0);
  });

  test.each([
    ["before", true],
    ["after", false],
  ])("a journal that takes no entry from %s the press on opens no drawer minutes later", async (_, isBefore) => {
    const { till, journal } = await waiting(2 * minute);
    journal.full = isBefore;
    // A sign-in is one of the things that are written.
    till.terminal.record("cashier_signed_in", "C2", counterActor);
    journal.full = true;
    const reply = await till.send({ type: "hand_out" });
    expect(reply).toEqual(isBefore ? { ok: false, code: "failed" } : { ok: true });
    await till.clock.advance(5_000);
    expect(till.screen().kind).toBe("payable");
    journal.full = false;
    await till.clock.advance(minute);
    expect([till.screen().kind, till.drawer.opens]).toEqual(["payable", 0]);
    await till.send({ type: "hand_out" });
    expect(till.drawer.opens).toBe(1);
  });

  test("a machine that slept while it asked starts over", async () => {
    const { till, order } = await waiting(2 * minute);
    silent(till);
    await till.send({ type: "hand_out" });
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "checking" });
    till.service.fault = () => null;
    order.status = "linked";
    await till.clock.sleep(minute);
    await till.clock.advance(1_000);
    expect([till.screen().kind, till.drawer.opens]).toEqual(["ended", 0]);
  });
});

describe("cash that both of two machines gave", () => {
  const links = (till: Rig) =>
    till.service.calls("/transaction/link").map(({ body }) => body as { hand_out_id?: string });
  const twin = (one: Rig, journal: MemoryJournal, settings: object = {}) =>
    createRig({
      journal: journal.cut(journal.entries.length),
      clock: one.clock,
      service: one.service,
      idsFrom: 500,
      settings,
    });
  /** Both heard that it is paid, so neither asks. */
  const bothPayable = async (settings: object = {}) => {
    const journal = new MemoryJournal();
    const one = await createRig({ journal, settings });
    const order = one.service.order({ transaction_id: id });
    await one.scan(id);
    await one.send({ type: "confirm" });
    const two = await twin(one, journal, settings);
    order.status = "settled";
    await one.clock.advance(1_500);
    expect([one.screen().kind, two.screen().kind]).toEqual(["payable", "payable"]);
    return { one, two };
  };

  test.each([
    ["a drawer", {}],
    ["no drawer", byHand],
  ])(
    "within half a minute, with %s: the one that the service knows another hand-out of has a problem",
    async (_, settings) => {
      const { one, two } = await bothPayable(settings);
      const before = asked(one);
      await handOver(one);
      await handOver(two);
      expect(asked(one)).toBe(before);
      await one.clock.advance(minute);
      const [first, second] = links(one);
      expect(first?.hand_out_id).toMatch(/^[!-~]{1,64}$/);
      expect(second?.hand_out_id).toMatch(/^[!-~]{1,64}$/);
      expect(second?.hand_out_id).not.toBe(first?.hand_out_id);
      expect(links(one)).toHaveLength(2);
      expect(await problems(one)).toEqual([]);
      expect(await problems(two)).toMatchObject([{ kind: "unresolved", about: "linked_by_another" }]);
      expect([one, two].map((till) => till.snapshot().header.pendingReports)).toEqual([null, null]);
    },
  );

  test("while the service gives no answer, and after a restart of the second", async () => {
    const journal = new MemoryJournal();
    const one = await createRig({ journal });
    await leadToPayable(one, id);
    const two = await twin(one, journal);
    one.service.fault = () => "hang";
    await handOver(one);
    await two.send({ type: "hand_out" });
    await one.clock.advance(3_100);
    await handOver(two);
    await two.terminal.close();
    const again = await twin(two, two.journal as MemoryJournal);
    one.service.fault = () => null;
    await one.clock.advance(10 * minute);
    expect(new Set(links(one).map((body) => body.hand_out_id)).size).toBe(2);
    expect([...(await problems(one)), ...(await problems(again))]).toMatchObject([{ about: "linked_by_another" }]);
  });

  test("a link that is repeated, over a restart and a checkpoint too, names the same hand-out", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal, checkpointEvery: 1 });
    await leadToPayable(till, id);
    till.service.fault = ({ path }) => (path === "/transaction/link" ? "lose" : null);
    await handOver(till);
    await till.clock.advance(minute);
    await till.terminal.close();
    const { clock, service } = till;
    const second = await createRig({ journal, clock, service, idsFrom: 500, checkpointEvery: 1 });
    await clock.advance(minute);
    await second.terminal.close();
    expect(journal.archived().types()[0]).toBe("checkpoint");
    const again = await twin(till, journal.archived());
    till.service.fault = () => null;
    await till.clock.advance(10 * minute);
    expect(links(till).length).toBeGreaterThan(3);
    expect(till.service.handOuts.get(id)).toBeDefined();
    expect(new Set(links(till).map((body) => body.hand_out_id))).toEqual(new Set([till.service.handOuts.get(id)]));
    expect(await problems(again)).toEqual([]);
  });

  /** Starts another program from the last checkpoint alone, with the service well again. @returns the names its links carry. */
  const linksAfterCheckpoint = async (till: Rig, journal: MemoryJournal) => {
    await till.terminal.close();
    till.service.fault = () => "hang";
    const { clock, service } = till;
    // A start writes the checkpoint, of what it has read.
    const started = await createRig({ journal, clock, service, credential: null, checkpointEvery: 0 });
    await started.terminal.close();
    const alone = journal.archived();
    expect(alone.types()).toEqual(["checkpoint"]);
    till.service.requests.length = 0;
    till.service.fault = () => null;
    const again = await twin(till, alone);
    await till.clock.advance(10 * minute);
    expect(again.snapshot().header.pendingReports).toBeNull();
    expect(await problems(again)).toEqual([]);
    return links(till).map((body) => body.hand_out_id);
  };

  test("a link that is owed names the same hand-out after a start from a checkpoint alone", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    await leadToPayable(till, id);
    till.service.fault = ({ path }) => (path === "/transaction/link" ? "lose" : null);
    await handOver(till);
    await till.clock.advance(minute);
    const known = till.service.handOuts.get(id);
    expect(known).toBeDefined();
    expect(await linksAfterCheckpoint(till, journal)).toEqual([known]);
  });

  test("so does what a manager has pressed as given", async () => {
    const journal = new MemoryJournal();
    const first = await createRig({ journal });
    await leadToPayable(first, id);
    await first.terminal.close();
    const { clock, service } = first;
    const till = await createRig({ journal, clock, service, idsFrom: 500, credential: null });
    const [open] = await problems(till);
    const pressed = { type: "decide_withdrawal", withdrawalId: open?.withdrawalId ?? "", note: "given" } as const;
    expect(await till.send({ ...pressed, decision: "handed_out" })).toMatchObject({ ok: true });
    const named = eventsOf(journal).find(({ type }) => type === "decided") as { handOutId?: string } | undefined;
    expect(named?.handOutId).toMatch(/^[!-~]{1,64}$/);
    expect(await linksAfterCheckpoint(till, journal)).toEqual([named?.handOutId]);
  });

  test("a hand-out that an earlier version wrote down has no name", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    await leadToPayable(till, id);
    till.service.fault = () => "hang";
    await handOver(till);
    await till.terminal.close();
    journal.entries = journal.entries.map((entry) => {
      const { handOutId: _, ...event } = JSON.parse(entry.body) as { handOutId?: string };
      return { ...entry, body: JSON.stringify(event) };
    });
    till.service.requests.length = 0;
    till.service.fault = () => null;
    till.service.handOuts.set(id, "another's");
    const again = await twin(till, journal);
    await again.clock.advance(minute);
    expect(links(again)).toEqual([{ transaction_id: id }]);
    expect(await problems(again)).toEqual([]);
  });

  test("a service that does not know of it changes nothing", async () => {
    const { one, two } = await bothPayable();
    one.service.extended = false;
    await handOver(one);
    await handOver(two);
    await one.clock.advance(minute);
    expect([...(await problems(one)), ...(await problems(two))]).toEqual([]);
    expect([one, two].map((till) => till.snapshot().header.pendingReports)).toEqual([null, null]);
  });
});
