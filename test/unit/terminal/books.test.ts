/** One installation, one book: whose journal it is, how a terminal is enrolled again, and that nothing unresolved disappears. */
import { describe, expect, test } from "vitest";
import { bookName, bookOf } from "../../../main/terminal/withdrawal/book.ts";
import { counterActor } from "../../../main/terminal/withdrawal/inputs.ts";
import { protectedSettingsSchema } from "../../../preload/contract.ts";
import { enroll, enrollByCode, id, key, live, next, owed, paid, problems } from "./books-stage.ts";
import { FakeService } from "./fake-service.ts";
import { createRig, idNumber, MemoryJournal, type Rig, type RigOptions } from "./rig.ts";

test("the first entry says purpose, service and shop", async () => {
  const journal = new MemoryJournal();
  await createRig({ ...live, journal });
  expect(JSON.parse(journal.entries[0]?.body ?? "")).toMatchObject({
    type: "book_opened",
    book: { purpose: "live", serviceUrl: "http://service", merchantId: "demo-shop", deviceId: "till-1" },
    adopted: false,
  });
});

describe("another book's journal", () => {
  const elsewhere: [string, RigOptions][] = [
    ["training", { training: true }],
    ["another service", { credential: { ...key, serviceUrl: "http://other" } }],
    ["another shop", { credential: { ...key, merchantId: "corner-shop" } }],
  ];
  test.each(elsewhere)("is kept beside, and its reports go nowhere: %s", async (_, options) => {
    const journal = new MemoryJournal();
    const before = await owed(journal);
    await before.terminal.close();
    const service = new FakeService(before.clock);
    service.order({ transaction_id: id, status: "settled" });
    const till = await createRig({ ...live, clock: before.clock, service, journal, idsFrom: 500, ...options });
    await till.clock.advance(3_600_000);
    expect(service.calls("link")).toEqual([]);
    expect(service.calls("/transaction?")).toEqual([]);
    expect(till.screen().kind).toBe("ready");
    expect(journal.types()[0]).toBe("book_opened");
    expect(await problems(till)).toMatchObject([
      { kind: "unresolved", about: "in_other_journal", otherShop: "demo-shop" },
    ]);
    await till.terminal.close();

    const service2 = before.service;
    service2.fault = () => null;
    const back = await next(before, journal);
    await back.clock.advance(400_000);
    expect(service2.orders.get(id)?.status).toBe("linked");
    expect((await problems(back)).filter(({ about }) => about !== "in_other_journal")).toEqual([]);
  });
});

/** A terminal enrolled elsewhere, and the journal of the shop before. */
const elsewhereWith = async (prepare: (journal: MemoryJournal) => void) => {
  const journal = new MemoryJournal();
  const before = await owed(journal);
  await before.terminal.close();
  prepare(journal);
  const service = new FakeService(before.clock);
  const credential = { ...key, merchantId: "corner-shop" };
  const till = await createRig({ ...live, clock: before.clock, service, journal, idsFrom: 500, credential });
  return { till, service, journal };
};

test("a journal that turns out to be another shop's after the change is not used", async () => {
  let closed = 0;
  const { till, service, journal } = await elsewhereWith((one) => {
    const { switchTo } = one;
    one.close = () => {
      closed += 1;
    };
    const entries = one.entries;
    one.switchTo = (name, aside) => {
      switchTo.call(one, name, aside);
      one.entries = entries;
    };
  });
  await till.clock.advance(3_600_000);
  expect(till.screen()).toMatchObject({ kind: "blocked", why: "journal_unavailable" });
  expect(closed).toBeGreaterThan(0);
  expect(service.calls("link")).toEqual([]);
  expect(journal.types().filter((type) => type === "carried_over")).toEqual([]);
});

test("a power cut in the middle of the change loses no open problem", async () => {
  const { till } = await elsewhereWith((journal) => {
    journal.beside.set("the-shop-before", journal.entries);
    journal.beside.set(bookName(bookOf({ ...key, merchantId: "corner-shop" }, false)), []);
    journal.entries = [];
  });
  expect(await problems(till)).toMatchObject([{ kind: "unresolved", about: "in_other_journal" }]);
});

describe("a journal of a version that did not say whose it is", () => {
  const old = async (): Promise<{ journal: MemoryJournal; before: Rig }> => {
    const journal = new MemoryJournal();
    const before = await owed(journal);
    await before.terminal.close();
    journal.entries = journal.entries.map((entry) =>
      entry.body.includes("book_opened")
        ? { ...entry, body: JSON.stringify({ type: "installed", tag: "0000aaaa" }) }
        : entry,
    );
    before.service.fault = () => null;
    return { journal, before };
  };

  test("is adopted when all its entries are this terminal's", async () => {
    const { journal, before } = await old();
    const till = await next(before, journal);
    await till.clock.advance(10_000);
    expect(before.service.orders.get(id)?.status).toBe("linked");
    expect(journal.types()).toContain("book_opened");
  });

  test("is put to the manager when they name another shop; until then nothing is sent", async () => {
    const { journal, before } = await old();
    // Decided: it is not among those that stand open.
    const of = { transactionId: idNumber(9), terminalReference: "till-1.x.W9", amount: "7.00", currency: "EUR" };
    const withdrawal = { ...of, withdrawalId: "W9", shop: "demo-shop" };
    const decided = { type: "decided", withdrawal, decision: "handed_out", actor: "M1", note: "left" };
    journal.append(
      before.clock.now(),
      [{ type: "settled", withdrawal }, decided].map((event) => JSON.stringify(event)),
    );
    const till = await next(before, journal, { credential: { ...key, merchantId: "corner-shop", deviceId: "c-1" } });
    const sent = before.service.requests.length;
    await till.clock.advance(600_000);
    expect(till.screen()).toMatchObject({
      kind: "blocked",
      why: "other_journal",
      found: { shops: ["demo-shop"], terminals: ["till-1"], open: 1 },
    });
    expect(before.service.requests.length).toBe(sent);
    expect(await till.scan(idNumber(2))).toMatchObject({ ok: false });
  });

  test("set aside, it begins a new one; what was open stays visible, and its settings hold, not the file's", async () => {
    const { journal, before } = await old();
    const held = { type: "settings_recorded", settings: protectedSettingsSchema.parse({ windowMode: "kiosk" }) };
    journal.append(before.clock.now(), [JSON.stringify({ ...held, why: "changed" })]);
    const till = await next(before, journal, { credential: { ...key, merchantId: "corner-shop", deviceId: "c-1" } });
    expect(await till.terminal.dispatch({ type: "answer_journal_question", choice: "set_aside" })).toEqual({
      ok: true,
    });
    await till.clock.advance(1_000);
    expect(till.screen().kind).toBe("ready");
    expect(journal.types().slice(0, 3)).toEqual(["book_opened", "act", "carried_over"]);
    expect(till.snapshot().header.problems).toBe(1);
    expect(till.snapshot().settings.windowMode).toBe("kiosk");
    expect(before.service.calls("link").length).toBe(1);
  });

  test("adopted by the manager, what another shop began is left to the books and never sent", async () => {
    const { journal, before } = await old();
    const till = await next(before, journal, { credential: { ...key, merchantId: "corner-shop", deviceId: "c-1" } });
    await till.terminal.dispatch({ type: "answer_journal_question", choice: "adopt" });
    await till.clock.advance(600_000);
    expect(before.service.calls("link").length).toBe(1);
    expect(await problems(till)).toMatchObject([{ kind: "unresolved", about: "left_to_books" }]);
  });
});

describe("a terminal whose key was lost", () => {
  const keyless = async (more: readonly object[] = []) => {
    const journal = new MemoryJournal();
    const before = await paid(journal);
    await before.terminal.close();
    journal.append(
      before.clock.now(),
      more.map((event) => JSON.stringify(event)),
    );
    const till = await next(before, journal, { credential: null });
    return { journal, before, till };
  };

  /** By key or by code. */
  const ways = [
    ["a key", enroll],
    ["a code", enrollByCode],
  ] as const;

  test.each(ways)("knows who it is, and takes %s of its own at once while a payment is open", async (_, enroll) => {
    const { till } = await keyless();
    expect(till.screen()).toMatchObject({ kind: "setup", why: "not_enrolled" });
    expect(till.snapshot().header).toMatchObject({ shop: "demo-shop", device: "till-1" });
    expect(await enroll(till, {})).toEqual({ ok: true });
    await till.clock.advance(120_000);
    expect(till.snapshot().header.open.length + (till.screen().kind === "payable" ? 1 : 0)).toBe(1);
    await till.send({ type: "resume", withdrawalId: "W000001" } as never);
    expect(till.screen().kind).toBe("payable");
  });

  const others = [
    ["device", { deviceId: "till-2" }],
    ["shop", { merchantId: "corner-shop" }],
    ["service", { serviceUrl: "http://other" }],
  ] as const;
  const rows = others.flatMap(([of, other]) => ways.map(([way, enroll]) => [of, way, other, enroll] as const));
  test.each(rows)("is another %s's by %s only once each open withdrawal was decided", async (_, __, other, enroll) => {
    const of = { transactionId: idNumber(9), terminalReference: "till-1.x.W9", amount: "7.00", currency: "EUR" };
    const second = { type: "settled", withdrawal: { ...of, withdrawalId: "W9", shop: "demo-shop" } };
    const { till, before, journal } = await keyless([second]);
    expect(await enroll(till, other)).toEqual({ ok: false, code: "undecided" });
    const [open] = await problems(till);
    expect(open).toMatchObject({ kind: "open", decisions: ["handed_out", "not_handed_out", "leave_to_books"] });
    const withdrawalId = open?.withdrawalId ?? "";
    expect(
      await till.terminal.dispatch(
        { type: "decide_withdrawal", withdrawalId, decision: "handed_out", note: "the customer has it" },
        { ...counterActor, code: "M1" },
      ),
    ).toEqual({ ok: true });
    const decided = journal.entries.find(({ body }) => body.includes('"decided"'));
    expect(JSON.parse(decided?.body ?? "{}")).toMatchObject({ actor: "M1", note: "the customer has it" });
    expect(await enroll(till, other)).toEqual({ ok: false, code: "undecided" });
    const kept = { type: "decide_withdrawal", withdrawalId: "W9", decision: "not_handed_out", note: "left" } as const;
    expect(await till.terminal.dispatch(kept)).toEqual({ ok: true });
    expect(await enroll(till, other)).toEqual({ ok: true });
    await till.clock.advance(3_600_000);
    expect(before.service.calls("link")).toEqual([]);
    expect(till.screen().kind).toBe("ready");
    expect(before.service.calls("undelivered")).toEqual([]);
    expect(await problems(till)).toMatchObject(
      [withdrawalId, "W9"].map((one) => ({ kind: "unresolved", withdrawalId: one })),
    );
  });

  test("what was decided is reported all the same when the same device gets a new key", async () => {
    const { till, before } = await keyless();
    const [open] = await problems(till);
    await till.terminal.dispatch({
      type: "decide_withdrawal",
      withdrawalId: open?.withdrawalId ?? "",
      decision: "handed_out",
      note: "handed out",
    });
    await enroll(till, {});
    await till.clock.advance(400_000);
    expect(before.service.orders.get(id)?.status).toBe("linked");
    expect(await problems(till)).toEqual([]);
  });
});

describe("what the books must explain", () => {
  const unclear = async () => {
    const journal = new MemoryJournal();
    const till = await paid(journal);
    const order = till.service.orders.get(id);
    if (order) order.amount = "5.00";
    await till.terminal.close();
    const again = await next(till, journal);
    await again.clock.advance(5_000);
    return { till: again, journal };
  };

  test("stays when its screen is left, and over restarts, until it is acknowledged with a note", async () => {
    const { till, journal } = await unclear();
    await till.send({ type: "dismiss" });
    expect(till.screen().kind).toBe("ready");
    expect(till.snapshot().header.problems).toBe(1);
    await till.terminal.close();
    const again = await next(till, journal);
    const [problem] = await problems(again);
    expect(problem).toMatchObject({ kind: "unresolved", transactionId: id });
    expect(problem?.about).toContain("amount_changed");
    const withdrawalId = problem?.withdrawalId ?? "";
    expect(
      await again.terminal.dispatch(
        { type: "acknowledge_problem", withdrawalId, note: "paid back by the bank" },
        { ...counterActor, code: "M1" },
      ),
    ).toEqual({ ok: true });
    expect(again.snapshot().header.problems).toBe(0);
    expect(JSON.parse(journal.entries.at(-1)?.body ?? "{}")).toMatchObject({
      type: "acknowledged",
      note: "paid back by the bank",
      actor: "M1",
    });
  });
});
