/** Books, devices and keys change while money is on its way: whatever stops in between, nothing is lost, doubled or sent elsewhere. */
import { describe, expect, test } from "vitest";
import type { JournalEntry, PrintAnswer, ServiceAnswer } from "../../../main/terminal/ports.ts";
import { bookName, bookOf } from "../../../main/terminal/withdrawal/book.ts";
import { settingsSchema } from "../../../preload/contract.ts";
import { enroll, id, key, live, next, owed, paid, problems } from "./books-stage.ts";
import { FakeService } from "./fake-service.ts";
import { answer } from "./flow-stage.ts";
import { createRig, idNumber, leadToPayable, MemoryJournal, type Rig } from "./rig.ts";

const corner = { ...key, merchantId: "corner-shop" };
const bodiesOf = (journal: MemoryJournal) =>
  journal.entries.map(({ body }) => JSON.parse(body) as Record<string, unknown>);

describe("a journal that did not say whose it is, whose entries carry the shop's name", () => {
  const named = async (names: (index: number) => string) => {
    const journal = new MemoryJournal();
    const before = await owed(journal);
    await before.terminal.close();
    before.service.fault = () => null;
    journal.entries = journal.entries.map((entry, index) => {
      const body = JSON.parse(entry.body) as { type: string; of?: { shop: string } };
      if (body.type === "book_opened")
        return { ...entry, body: JSON.stringify({ type: "installed", tag: "0000aaaa" }) };
      if (body.of !== undefined) body.of.shop = names(index);
      return { ...entry, body: JSON.stringify(body) };
    });
    return { journal, before };
  };

  test("is put to the manager; adopted, its links are sent", async () => {
    const { journal, before } = await named(() => "Corner Shop at the station");
    const till = await next(before, journal);
    expect(till.screen()).toMatchObject({ kind: "blocked", found: { shops: ["Corner Shop at the station"] } });
    await till.terminal.dispatch({ type: "answer_journal_question", choice: "adopt" });
    await till.clock.advance(10_000);
    expect(before.service.orders.get(id)?.status).toBe("linked");
    expect(await problems(till)).toEqual([]);
  });

  test("with two shops' names in it, what is not proven is left to the books", async () => {
    const { journal, before } = await named((index) => (index === 1 ? "Kiosk" : "Corner Shop"));
    const till = await next(before, journal);
    await till.terminal.dispatch({ type: "answer_journal_question", choice: "adopt" });
    await till.clock.advance(600_000);
    expect(before.service.orders.get(id)?.status).toBe("settled");
    expect(await problems(till)).toMatchObject([{ about: "left_to_books" }]);
  });
});

describe("another device's key in place of this one's", () => {
  test("found at a start: one write says so and leaves to the books what only the device before could report", async () => {
    const journal = new MemoryJournal();
    const before = await owed(journal);
    await before.terminal.close();
    before.service.fault = () => null;
    const writes: (readonly string[])[] = [];
    const { append } = journal;
    journal.append = (at, bodies) => {
      writes.push(bodies);
      append.call(journal, at, bodies);
    };
    const till = await next(before, journal, { credential: { ...key, deviceId: "till-2" } });
    await till.clock.advance(3_600_000);
    expect(writes[0]?.map((body) => (JSON.parse(body) as { type: string }).type)).toEqual([
      "device_changed",
      "decided",
    ]);
    expect(before.service.calls("link")).toHaveLength(1);
    expect(await problems(till)).toMatchObject([{ kind: "unresolved", about: "left_to_books" }]);
  });

  test("enrolled: one write says so and leaves to the books what is still owed, and ids carry the new name", async () => {
    const journal = new MemoryJournal();
    const till = await owed(journal);
    till.service.fault = ({ path }) => (path === "/transaction/link" ? "hang" : null);
    await till.clock.advance(5_000);
    const [{ withdrawalId = "" } = {}] = await problems(till);
    const left = { type: "decide_withdrawal", withdrawalId, decision: "leave_to_books", note: "key lost" } as const;
    expect(await till.terminal.dispatch(left)).toEqual({ ok: true });
    const before = journal.entries.length;
    const writes: number[] = [];
    const { append } = journal;
    journal.append = (at, bodies) => {
      writes.push(bodies.length);
      append.call(journal, at, bodies);
    };
    expect(await enroll(till, { deviceId: "till-2" })).toEqual({ ok: true });
    expect(writes).toEqual([2, 1]);
    expect(bodiesOf(journal).slice(before)).toMatchObject([
      { type: "device_changed", book: { deviceId: "till-2" } },
      { type: "decided", decision: "leave_to_books", actor: "terminal" },
      { type: "act", act: "enrolled" },
    ]);
    till.service.order({ transaction_id: idNumber(2) });
    await till.scan(idNumber(2));
    await till.send({ type: "confirm" });
    expect(till.service.orders.get(idNumber(2))?.transaction_id_partner).toMatch(/^till-2\./);
  });

  test("of another shop: screens go on counting, so that no press for an old one fits a new one", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ ...live, journal });
    for (const _ of [1, 2]) {
      await till.scan(idNumber(9));
      await till.send({ type: "dismiss" });
    }
    const before = till.snapshots.map(({ screen }) => screen.step);
    expect(before.length).toBeGreaterThan(2);
    expect(await enroll(till, { merchantId: "corner-shop" })).toEqual({ ok: true });
    expect(journal.types()[0]).toBe("book_opened");
    expect(journal.beside.size).toBe(1);
    await till.scan(idNumber(9));
    expect(before).not.toContain(till.screen().step);
    const number = Number.parseInt(till.screen().step, 10);
    expect(number).toBeGreaterThan(Math.max(...before.map((step) => Number.parseInt(step, 10))));
  });

  test("undecided withdrawals stand in the way within the same shop too", async () => {
    const till = await paid();
    expect(await enroll(till, { deviceId: "till-2" })).toEqual({ ok: false, code: "undecided" });
    expect(till.secrets.credential?.deviceId).toBe("till-1");
  });

  test("so does one that was paid while the service looked at the new key", async () => {
    const till = await createRig({ ...live, journal: new MemoryJournal() });
    const looked = Promise.withResolvers<ServiceAnswer>();
    till.service.fault = ({ path }) => (path === "/oauth2/authorize" ? looked.promise : null);
    const enrolled = enroll(till, { deviceId: "till-2" });
    await till.clock.advance(0);
    till.service.fault = () => null;
    await leadToPayable(till, idNumber(3));
    looked.resolve(answer(200, { access_token: "of till-2", token_type: "bearer", expires_in: 3_600 }));
    expect(await enrolled).toEqual({ ok: false, code: "undecided" });
    expect(till.secrets.credential?.deviceId).toBe("till-1");
  });
});

/** From the shop of `before` to the corner shop and its own service, over the same folder. */
const toCorner = (before: Rig, journal: MemoryJournal) =>
  createRig({
    ...live,
    clock: before.clock,
    service: new FakeService(before.clock),
    journal,
    idsFrom: 700,
    credential: corner,
  });

describe("what is unresolved in the book before", () => {
  const unresolved = async () => {
    const journal = new MemoryJournal();
    const before = await owed(journal);
    await before.terminal.close();
    return { journal, before };
  };

  test("shows after a crash between the exchange of the books and the first entry, also in a book that has entries", async () => {
    const { journal, before } = await unresolved();
    const first = journal.entries;
    const cornerTill = await toCorner(before, new MemoryJournal());
    await cornerTill.terminal.close();
    const cornerEntries = (cornerTill.journal as MemoryJournal).entries;
    // The exchange was done, and the power went.
    journal.beside.set(bookName(bookOf(key, false)), first);
    journal.entries = cornerEntries;
    const till = await toCorner(before, journal);
    expect(await problems(till)).toMatchObject([{ about: "in_other_journal", otherShop: "demo-shop" }]);
    await till.terminal.close();
    const again = await toCorner(before, journal);
    expect(await problems(again)).toHaveLength(1);
    expect(journal.types().filter((type) => type === "carried_over")).toHaveLength(1);
  });

  test("acknowledged there, it comes back in neither book", async () => {
    const journal = new MemoryJournal();
    const before = await paid(journal);
    const order = before.service.orders.get(id);
    if (order) order.amount = "5.00";
    await before.terminal.close();
    const changed = await next(before, journal);
    await changed.clock.advance(5_000);
    await changed.terminal.close();
    const elsewhere = await toCorner(before, journal);
    const [problem] = await problems(elsewhere);
    expect(problem).toMatchObject({ otherShop: "demo-shop" });
    const withdrawalId = problem?.withdrawalId ?? "";
    expect(await elsewhere.terminal.dispatch({ type: "acknowledge_problem", withdrawalId, note: "paid back" })).toEqual(
      { ok: true },
    );
    await elsewhere.terminal.close();
    // It stands in the journal beside until the book is back, and was read there by whoever acknowledged it.
    const again = await toCorner(before, journal);
    expect(await problems(again)).toEqual([]);
    await again.terminal.close();
    const back = await next(before, journal);
    expect(await problems(back)).toEqual([]);
    expect(bodiesOf(journal).at(-1)).toMatchObject({ type: "acknowledged", withdrawalId, note: "paid back" });
    await back.terminal.close();
    const there = await toCorner(before, journal);
    expect(await problems(there)).toEqual([]);
  });

  test("acknowledged there, what came of it later here is a problem all the same", async () => {
    const { journal, before } = await unresolved();
    const elsewhere = await toCorner(before, journal);
    const [{ withdrawalId = "" } = {}] = await problems(elsewhere);
    const read = { type: "acknowledge_problem", withdrawalId, note: "its link is still to be sent" } as const;
    expect(await elsewhere.terminal.dispatch(read)).toEqual({ ok: true });
    await elsewhere.terminal.close();
    const back = await next(before, journal);
    before.service.fault = ({ path }) =>
      path === "/transaction/link" ? answer(409, { code: "transaction_conflict" }) : null;
    await back.clock.advance(400_000);
    expect(await problems(back)).toMatchObject([{ about: "link_refused", otherShop: null }]);
    await back.terminal.close();
    const again = await next(before, journal);
    expect(await problems(again)).toMatchObject([{ about: "link_refused", otherShop: null }]);
    await again.terminal.close();
    const there = await toCorner(before, journal);
    expect(await problems(there)).toMatchObject([{ about: "link_refused", otherShop: "demo-shop" }]);
  });

  test("is this book's own again when it is back, and no pointer to another journal", async () => {
    const { journal, before } = await unresolved();
    await (await toCorner(before, journal)).terminal.close();
    const back = await next(before, journal);
    expect((await problems(back)).filter(({ about }) => about === "in_other_journal")).toEqual([]);
    expect(back.snapshot().header.pendingReports?.count).toBe(1);
    before.service.fault = () => null;
    await back.clock.advance(400_000);
    expect(before.service.orders.get(id)?.status).toBe("linked");
    await back.terminal.close();
    const there = await toCorner(before, journal);
    expect(await problems(there)).toEqual([]);
  });

  test("is open here, and no copy of this journal beside it points to it again", async () => {
    const { journal, before } = await unresolved();
    journal.beside.set("a-copy", [...journal.entries]);
    const till = await next(before, journal);
    expect(till.snapshot().header.pendingReports?.count).toBe(1);
    expect((await problems(till)).filter(({ about }) => about === "in_other_journal")).toEqual([]);
  });

  test("of a third shop shows as that shop's", async () => {
    const { journal, before } = await unresolved();
    await (await toCorner(before, journal)).terminal.close();
    const third = await createRig({
      ...live,
      clock: before.clock,
      journal,
      idsFrom: 900,
      credential: { ...key, merchantId: "kiosk" },
    });
    expect(await problems(third)).toMatchObject([{ about: "in_other_journal", otherShop: "demo-shop" }]);
  });

  test("in a journal that cannot be read stops nothing", async () => {
    const { journal, before } = await unresolved();
    journal.beside.set("a-book", [] as JournalEntry[]);
    const asked: string[] = [];
    journal.readOther = (name) => {
      asked.push(name);
      throw new Error("locked");
    };
    const till = await next(before, journal);
    expect([asked[0], till.screen().kind]).toEqual(["a-book", "ready"]);
  });
});

test("what a service that was put back may have forgotten of one shop is not reported under another shop's key", async () => {
  const journal = new MemoryJournal();
  const till = await paid(journal);
  await till.send({ type: "hand_out" });
  await till.clock.advance(60_000);
  expect(till.service.orders.get(id)?.status).toBe("linked");
  const [restored_at, forgot_since] = [0, 3_600_000].map((ms) => new Date(till.clock.now() - ms).toISOString());
  till.service.shop = { store_name: "Corner", restored_at, forgot_since, kept_head: null };
  const { readSlice } = journal;
  let enrolled: Promise<unknown> | null = null;
  // A manager enrols the terminal for another shop while the journal is looked through.
  journal.readSlice = (from, limit) => {
    enrolled ??= enroll(till, { merchantId: "corner-shop" });
    return readSlice.call(journal, from, limit);
  };
  const before = till.service.requests.length;
  await till.clock.advance(600_000);
  expect(await enrolled).toEqual({ ok: true });
  expect(till.snapshot().header.identity?.merchantId).toBe("corner-shop");
  const since = till.service.requests.slice(before).map(({ path }) => path);
  expect(since.filter((path) => path === "/transaction/link")).toEqual([]);
  expect(journal.types()).toContain("restore_answered");
});

test("a receipt of the shop before that is still being printed is not taken for one of this shop", async () => {
  const printer = settingsSchema.parse({
    printer: { kind: "network", host: "10.0.0.9", receipts: "customer" },
  }).printer;
  const settings = { drawer: { kind: "none" }, printer } as const;
  const till = await createRig({ training: false, settings, journal: new MemoryJournal() });
  const slow = Promise.withResolvers<PrintAnswer>();
  const { print } = till.printer;
  till.printer.print = () => slow.promise;
  await leadToPayable(till, idNumber(2));
  await till.send({ type: "hand_out" });
  await till.clock.advance(5_000);
  till.printer.print = print;
  expect(await enroll(till, { merchantId: "corner-shop" })).toEqual({ ok: true });
  await leadToPayable(till, idNumber(3));
  await till.send({ type: "hand_out" });
  slow.resolve({ kind: "printed", paperLow: false });
  await till.clock.advance(5_000);
  expect(till.printer.jobs).toHaveLength(1);
});

describe("a drawer that still opens for the shop before", () => {
  const opening = { type: "no_sale", number: 1, reason: "change", note: "" } as const;
  const inNextShop = async () => {
    const { drawer, drawerMoney } = settingsSchema.parse({
      drawer: { kind: "network", host: "10.0.0.9" },
      drawerMoney: { enabled: true },
    });
    const till = await createRig({ training: false, settings: { drawer, drawerMoney }, journal: new MemoryJournal() });
    const slow = Promise.withResolvers<"opened" | "failed">();
    const { open } = till.drawer;
    till.drawer.open = () => slow.promise;
    expect(await till.terminal.dispatch(opening)).toEqual({ ok: true });
    await till.clock.advance(100);
    till.drawer.open = open;
    expect(await enroll(till, { merchantId: "corner-shop" })).toEqual({ ok: true });
    return { till, slow };
  };

  test("opens for this one all the same", async () => {
    const { till, slow } = await inNextShop();
    expect(await till.terminal.dispatch(opening)).toEqual({ ok: true });
    await till.clock.advance(100);
    expect(till.drawer.opens).toBe(1);
    slow.resolve("opened");
  });

  test("is not said to have failed here, where nobody has opened it", async () => {
    const { till, slow } = await inNextShop();
    slow.resolve("failed");
    await till.clock.advance(100);
    expect(till.snapshot().header.day?.drawer).toBe("none");
  });
});

describe("an old key's late answer", () => {
  /** A call that hangs until the story lets its answer go. */
  const withLateAnswer = async () => {
    const till = await createRig({ ...live, journal: new MemoryJournal() });
    const answers: ((status: number) => void)[] = [];
    const { send } = till.service;
    till.service.send = (request) =>
      request.token === "token-1" && request.path.startsWith("/transaction")
        ? new Promise((resolve) =>
            answers.push((status) =>
              resolve({
                kind: "answer",
                status,
                body: { error: "invalid_client" },
                dateMs: 0,
                retryAfterMs: null,
              }),
            ),
          )
        : send.call(till.service, request);
    await till.scan(idNumber(2));
    const late = (status: number): void => {
      expect(answers).not.toEqual([]);
      for (const answer of answers) answer(status);
    };
    return { till, late };
  };

  test("says nothing about the new key, nor about the new service's clock", async () => {
    const { till, late } = await withLateAnswer();
    till.service.secret = "new";
    expect(await enroll(till, { secret: "new" })).toEqual({ ok: true });
    late(401);
    await till.clock.advance(1_000);
    expect(till.screen()).not.toMatchObject({ kind: "setup" });
    expect(till.snapshot().header.clockOffMs).toBeNull();
    await till.send({ type: "dismiss" });
    expect(till.screen().kind).toBe("ready");
  });

  test("a good one does not make a refused new key good", async () => {
    const { till, late } = await withLateAnswer();
    till.service.secret = "new";
    await enroll(till, { secret: "new" });
    till.service.secret = "newer";
    till.service.fault = ({ token }) =>
      token === undefined || token === "token-1"
        ? null
        : { kind: "answer", status: 401, body: null, dateMs: null, retryAfterMs: null };
    await till.send({ type: "dismiss" });
    await till.scan(idNumber(3));
    await till.send({ type: "dismiss" });
    expect(till.screen()).toMatchObject({ kind: "setup", why: "credential_refused" });
    late(200);
    await till.clock.advance(100);
    expect(till.screen()).toMatchObject({ kind: "setup", why: "credential_refused" });
  });
});
