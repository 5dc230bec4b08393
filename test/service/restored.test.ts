/** A database that was put back to a copy, on both stores: no cash twice, and what the copy forgot is in the report. */
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { AsReported } from "../../backend/contract/pos.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import type { StatusEvent } from "../../backend/contract/webhook-events.ts";
import { readTill } from "../../backend/merchants/merchants.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import type { PartnerTransport } from "../../backend/ports.ts";
import { backUp } from "../../backend/store/copy.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { applyPendingRestore, applyRestore } from "../../backend/withdrawals/restored.ts";
import { insertWithdrawal, withdrawalById } from "../../backend/withdrawals/store.ts";
import { putBack, rowsOf, tablesOf } from "./rows.ts";
import { type Place, stores } from "./stores.ts";
import { watchedTx } from "./test-tx.ts";
import { expectWholeHistory } from "./whole-history.ts";
import {
  accepted,
  approve,
  Bank,
  confirmIt,
  createWorld,
  declined,
  placeOrder,
  secondTill,
  testKeys,
  bank as theBank,
  till,
  type World,
} from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const serviceKey = "a service key of the tests";

/** Pays each order once, whatever is repeated. */
class CarefulBank extends Bank {
  readonly paid = new Set<string>();
  readonly events: (StatusEvent & { id: string })[] = [];
  override onSettle: Bank["onSettle"] = (_, { headers }) => {
    this.paid.add(headers["webhook-id"] ?? "");
    return accepted;
  };
  override onEvent: Bank["onEvent"] = (event, { headers }) => {
    this.events.push({ ...event, id: headers["webhook-id"] ?? "" });
    return accepted;
  };
}

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let world: World;
  let bank = new CarefulBank();
  const transport: PartnerTransport = { post: (request) => bank.post(request), close() {} };
  worldPerTest(dialect, { inRealTime: true, transport }, (stage) => {
    ({ place, store, world } = stage);
  });
  beforeEach(async () => {
    bank = new CarefulBank();
    await store.write((tx) => tx.first(updatePartner(theBank.partnerId, { events_url: "http://bank/events" })));
  });
  afterEach(() => world.service.stop());

  const command = (...words: string[]) =>
    manage(parseCommandLine(words, { DATABASE_URL: place.url, SERVICE_KEY: serviceKey }));

  /** Copies the database as it is now. @returns how to put it back, and start the service on it. */
  const takeCopy = async (): Promise<() => Promise<readonly Record<string, unknown>[]>> => {
    const at = systemClock.now();
    const file = dialect === "sqlite" ? place.url.slice("sqlite:".length) : null;
    const restore = file === null ? await copyRows(at) : await copyFile(file, at);
    return async () => {
      await world.service.stop();
      const said = await restore();
      world = await createWorld(store, { transport });
      return said;
    };
  };
  const copyFile = async (file: string, at: number) => {
    const copy = await backUp(file, { folder: join(file, "..", "copies"), kept: 7 }, at);
    return async () => {
      await store.close();
      const said = await command("restore", copy.file);
      store = await place.open();
      return said;
    };
  };
  const copyRows = async (at: number) => {
    // Whoever worked on the database that was copied is dead by now.
    const { workers: _, ...rows } = await rowsOf(store, (await tablesOf(store)).tables);
    return async () => {
      await putBack(store, rows);
      return command("restored", "--since", new Date(at).toISOString());
    };
  };

  const settled = async (order: Transaction, terminal = till, posId = `pos-${order.transaction_id}`) => {
    await confirmIt(world.service, order, terminal, posId);
    await approve(world.service, order);
    const wait = { waitMs: 10_000, whileStatus: "settling" } as const;
    return getTransaction(world.service, terminal, order.transaction_id, wait);
  };
  const handOut = async (order: Transaction, terminal = till) => {
    await settled(order, terminal);
    return linkTransaction(world.service, terminal, order.transaction_id);
  };
  const asReported = (linked: Transaction) => ({
    transaction_id_partner: linked.transaction_id_partner ?? "",
    amount: linked.amount,
    currency: linked.currency,
    ...(linked.confirmed_at === null ? {} : { confirmed_at: linked.confirmed_at }),
    ...(linked.settled_at === null ? {} : { settled_at: linked.settled_at }),
    ...(linked.linked_at === null ? {} : { reported_at: linked.linked_at }),
  });
  const repeat = (linked: Transaction, terminal = till, handOutId: string | null = null) =>
    linkTransaction(world.service, terminal, linked.transaction_id, null, asReported(linked), handOutId);
  const approveAgain = (order: Transaction) => resolveSca(world.service, theBank, order.transaction_id, "approved");
  const lines = async (reader: typeof till | typeof theBank = till, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER) => {
    const found = [];
    for await (const page of reconcile(world.service, reader, { fromMs, toMs })) found.push(...page);
    return found;
  };
  const findings = async (order: Transaction, reader?: typeof till | typeof theBank) =>
    (await lines(reader))
      .filter(({ transaction_id }) => transaction_id === order.transaction_id)
      .map(({ finding }) => finding);
  const readNow = (order: Transaction) => getTransaction(world.service, theBank, order.transaction_id);
  const expectProof = () => expectWholeHistory(store);
  const conflict = { code: "transaction_conflict" };

  test("cash that was handed out after the copy is not handed out again at another till, and is whole once all have repeated", async () => {
    const order = await placeOrder(world.service);
    const putBack = await takeCopy();
    const linked = await handOut(order);
    expect(bank.paid.size).toBe(1);

    await putBack();
    await expect(confirmIt(world.service, order, secondTill)).rejects.toMatchObject(conflict);
    expect(await readNow(order)).toMatchObject({ status: "canceled", reason: "restored" });

    expect(await repeat(linked)).toMatchObject({
      status: "linked",
      reason: "restored",
      transaction_id_partner: linked.transaction_id_partner,
      confirmed_at: linked.confirmed_at,
      settled_at: null,
    });
    expect(await findings(order)).toEqual(["restored"]);
    expect(await findings(order, theBank)).toEqual(["restored"]);
    const settlesBefore = bank.settles.length;
    // Silent at first: it is asked again.
    bank.onSettle = () => (bank.settles.length === settlesBefore + 1 ? { status: 503, body: "" } : accepted);
    expect(await repeat(linked)).toMatchObject({ status: "linked" });
    await approveAgain(order);
    await expect.poll(() => findings(order)).toEqual(["matched"]);
    expect(bank.settles.length).toBe(settlesBefore + 2);
    expect(bank.paid.size).toBe(1);
    expect(await approveAgain(order)).toMatchObject({ status: "linked", reason: "restored" });
    expect(await command("reports", "list")).toEqual([]);
    await expectProof();
  });

  test("all that is open in the copy ends with an event that no bank takes for an old one; what is being paid goes on", async () => {
    let answers = false;
    bank.onSettle = () => (answers ? accepted : { status: 503, body: "" });
    const ready = await placeOrder(world.service);
    const waiting = await placeOrder(world.service);
    await confirmIt(world.service, waiting);
    const paying = await placeOrder(world.service);
    await confirmIt(world.service, paying);
    await approve(world.service, paying);
    const putBack = await takeCopy();
    answers = true;
    await approve(world.service, waiting);
    await expect.poll(() => bank.events.filter(({ type }) => type === "withdrawal.settled").length).toBe(2);
    const seen = new Map(bank.events.map(({ id, sequence }) => [id, sequence]));

    expect(await putBack()).toEqual([expect.objectContaining({ ended: 2, forgot_since: expect.any(String) })]);
    for (const order of [ready, waiting])
      expect(await readNow(order)).toMatchObject({
        status: "canceled",
        reason: "restored",
        closed_at: expect.any(String),
      });
    const ofRestore = () => bank.events.filter(({ transaction: { reason } }) => reason === "restored");
    await expect.poll(() => ofRestore().length).toBe(2);
    for (const { id, sequence, type } of ofRestore()) {
      expect(type).toBe("withdrawal.canceled");
      expect(seen.has(id)).toBe(false);
      expect(sequence).toBeGreaterThan(Math.max(...seen.values()));
      expect(sequence).toBeLessThan(2 ** 31);
    }
    await expect.poll(async () => (await readNow(paying)).status).toBe("settled");
    const history = await getHistory(world.service, theBank, ready.transaction_id);
    expect(history.events.at(-1)).toMatchObject({
      from: "ready",
      to: "canceled",
      reason: "restored",
      actor: "operator",
    });
    const audit = (await command("audit")).filter(({ event }) => event === "database restored");
    expect(audit).toEqual([expect.objectContaining({ detail: expect.stringMatching(/^copy of 20.*; ended 2$/) })]);
    await expectProof();
  });

  test("a terminal is told since when to repeat: the earliest of the last 90 days", async () => {
    const till1 = () => readTill(world.service, till);
    expect(await till1()).toMatchObject({ forgot_since: null, restored_at: null });
    const before = systemClock.now();
    await (await takeCopy())();
    const first = await till1();
    expect(Date.parse(first.forgot_since ?? "")).toBeGreaterThanOrEqual(before);
    expect(Date.parse(first.restored_at ?? "")).toBeGreaterThanOrEqual(Date.parse(first.forgot_since ?? ""));
    await (await takeCopy())();
    const second = await till1();
    expect(second.forgot_since).toBe(first.forgot_since);
    expect(Date.parse(second.restored_at ?? "")).toBeGreaterThan(Date.parse(first.restored_at ?? ""));
    const old = systemClock.now() - 91 * 86_400_000;
    await store.write((tx) =>
      tx.run(
        adhoc((db) =>
          db
            .updateTable("restores")
            .set({ restored_at: old, forgot_since: old })
            .where("restored_at", "=", Date.parse(first.restored_at ?? "")),
        ),
      ),
    );
    expect(Date.parse((await till1()).forgot_since ?? "")).toBeGreaterThan(Date.parse(first.forgot_since ?? ""));
  });

  // Only a file tells what was in its place before.
  test.runIf(dialect === "sqlite")(
    "a newer copy after an older one: the bank hears what it has paid, above the cancellation, and it is a line",
    async () => {
      const order = await placeOrder(world.service);
      const putOlderBack = await takeCopy();
      await settled(order);
      const putNewerBack = await takeCopy();
      await putOlderBack();
      const last = () => bank.events.findLast(({ transaction }) => transaction.transaction_id === order.transaction_id);
      await expect.poll(() => last()?.type).toBe("withdrawal.canceled");
      const canceled = last()?.sequence ?? 0;
      await putNewerBack();
      await expect.poll(last).toMatchObject({ type: "withdrawal.settled" });
      expect(last()?.sequence).toBeGreaterThan(canceled);
      expect(await findings(order)).toEqual(["disputed"]);
      await command("reports", "close", order.transaction_id, "--note", "the bank has paid it");
      expect(await findings(order)).toEqual(["not_linked"]);
      await expectProof();
    },
  );

  test("an approval that the bank repeats before the terminal pays once the terminal reports, and never before", async () => {
    const order = await placeOrder(world.service);
    const putBack = await takeCopy();
    const linked = await handOut(order);
    await putBack();
    const settlesBefore = bank.settles.length;
    expect(await approveAgain(order)).toMatchObject({ status: "canceled", reason: "restored" });
    expect(await findings(order)).toEqual(["restored"]);
    expect(await command("reports", "list")).toEqual([
      expect.objectContaining({ transaction: order.transaction_id, needs: "close" }),
    ]);
    expect(bank.settles.length).toBe(settlesBefore);
    await repeat(linked);
    await expect.poll(() => findings(order)).toEqual(["matched"]);
    expect([bank.settles.length, bank.paid.size]).toEqual([settlesBefore + 1, 1]);
    await expectProof();
  });

  test.each(["linked", "undelivered"] as const)(
    "what the copy has as %s makes no second line when its terminal repeats it under another name",
    async (status) => {
      const order = await placeOrder(world.service);
      const paid = await settled(order);
      const report = (terminal: typeof till, known?: AsReported) =>
        status === "linked"
          ? linkTransaction(world.service, terminal, paid.transaction_id, null, known)
          : declareUndelivered(world.service, terminal, paid.transaction_id, "till_short", null, known);
      const reported = await report(till);
      await (await takeCopy())();
      expect(await report(secondTill, asReported(reported))).toEqual(reported);
      expect(await findings(order)).toEqual([status === "linked" ? "matched" : "undelivered"]);
      const stranger = { ...asReported(reported), transaction_id_partner: "another terminal's" };
      await report(secondTill, stranger);
      expect(await findings(order)).toContain("restored");
    },
  );

  test("without the bank's approval nothing is paid, and the line waits for an operator", async () => {
    const order = await placeOrder(world.service);
    const putBack = await takeCopy();
    const linked = await handOut(order);
    await putBack();
    bank.paid.clear();
    await repeat(linked);
    await expect(resolveSca(world.service, theBank, order.transaction_id, "denied")).rejects.toMatchObject(conflict);
    expect(await findings(order)).toEqual(["restored"]);
    await command("reports", "close", order.transaction_id, "--note", "the bank's ledger has it");
    expect(await findings(order)).toEqual(["matched"]);
    expect(bank.paid.size).toBe(0);
    await expectProof();
  });

  test("what was confirmed in the copy and ended is a line that an operator closes: its bank may have paid, unheard", async () => {
    const never = await placeOrder(world.service);
    const order = await placeOrder(world.service);
    await confirmIt(world.service, order);
    const putBack = await takeCopy();
    bank.onSettle = (_, { headers }) => {
      bank.paid.add(headers["webhook-id"] ?? "");
      return { status: 503, body: "" };
    };
    await approve(world.service, order);
    await expect.poll(() => bank.paid.size).toBe(1);

    await putBack();
    expect(await readNow(order)).toMatchObject({ status: "canceled", reason: "restored", settled_at: null });
    for (const reader of [till, theBank]) {
      expect(await findings(order, reader)).toEqual(["restored"]);
      expect(await findings(never, reader)).toEqual([]);
    }
    expect(await command("reports", "list")).toEqual([
      expect.objectContaining({ transaction: order.transaction_id, status: "canceled", needs: "close" }),
    ]);
    await approveAgain(order);
    expect(await findings(order)).toEqual(["restored"]);
    await command("reports", "close", order.transaction_id, "--note", "paid back by the bank", "--seen", "2999-12-31");
    expect(await findings(order)).toEqual(["closed"]);
    expect(await command("reports", "list")).toEqual([]);
    await expectProof();
  });

  test.each(["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])("a till says %s: its day's report has it", async (at) => {
    const order = await placeOrder(world.service);
    await (await takeCopy())();
    await repeat({ ...order, transaction_id_partner: "pos-1", confirmed_at: at });
    const reported = await lines(till, Date.parse(order.created_at), systemClock.now() + 1);
    expect(reported).toMatchObject([{ transaction_id: order.transaction_id, finding: "restored" }]);
  });

  test("a bank that says no to what was handed out leaves the line, with a dispute to close", async () => {
    const order = await placeOrder(world.service);
    const putBack = await takeCopy();
    const linked = await handOut(order);
    await putBack();
    bank.onSettle = () => declined;
    await repeat(linked);
    await approveAgain(order);
    const kinds = async () =>
      (await getHistory(world.service, theBank, order.transaction_id)).events.map(({ kind }) => kind);
    await expect.poll(kinds).toContain("contradicted");
    expect(await findings(order)).toEqual(["restored"]);
    expect(await command("reports", "list")).toHaveLength(1);
    await expectProof();
  });

  test("money that was paid and not handed out is due back, once terminal and bank have said so again", async () => {
    const order = await placeOrder(world.service);
    const putBack = await takeCopy();
    const paid = await settled(order);
    await declareUndelivered(world.service, till, order.transaction_id, "till_short");
    await putBack();
    const settlesBefore = bank.settles.length;
    const again = () =>
      declareUndelivered(world.service, till, order.transaction_id, "till_short", null, asReported(paid));
    expect(await again()).toMatchObject({ status: "undelivered", reason: "till_short" });
    expect(await again()).toMatchObject({ status: "undelivered" });
    expect(await findings(order)).toEqual(["restored"]);
    await approveAgain(order);
    expect(await findings(order)).toEqual(["undelivered"]);
    expect(bank.settles.length).toBe(settlesBefore);
    await expectProof();
  });

  test("one that was waiting for its approval in the copy is its terminal's alone, under the id that it had", async () => {
    const order = await placeOrder(world.service);
    await confirmIt(world.service, order, till, "pos-1");
    const putBack = await takeCopy();
    await approve(world.service, order);
    await getTransaction(world.service, till, order.transaction_id, { waitMs: 10_000, whileStatus: "settling" });
    const linked = await linkTransaction(world.service, till, order.transaction_id);
    await putBack();
    // Another terminal's word is a line of its own, whatever id it names, and the withdrawal stays its terminal's.
    expect(await repeat(linked, secondTill)).toMatchObject({ status: "linked", reason: "restored" });
    expect(await readNow(order)).toMatchObject({ status: "canceled", reason: "restored" });
    await expect(repeat({ ...linked, transaction_id_partner: "pos-2" })).rejects.toMatchObject(conflict);
    expect(await repeat(linked)).toMatchObject({ status: "linked", confirmed_at: linked.confirmed_at });
    expect((await lines()).map(({ device_id, finding }) => [device_id, finding]).toSorted()).toEqual([
      ["till-1", "restored"],
      ["till-2", "restored"],
    ]);
    await expectProof();
  });

  test("another amount, an older terminal, and a plain repeat change nothing", async () => {
    const order = await placeOrder(world.service);
    const putBack = await takeCopy();
    const linked = await handOut(order);
    await putBack();
    await expect(linkTransaction(world.service, till, order.transaction_id)).rejects.toMatchObject(conflict);
    await expect(repeat({ ...linked, amount: "60.00" })).rejects.toMatchObject(conflict);
    await expect(repeat({ ...linked, amount: "60.0" })).rejects.toMatchObject({ code: "validation_failed" });
    expect(await readNow(order)).toMatchObject({ status: "canceled", reason: "restored" });
    expect(await rejectTransaction(world.service, till, order.transaction_id)).toMatchObject({ status: "canceled" });
  });

  test("what the copy has as paid is linked as ever, and its repeat is the same transaction", async () => {
    const order = await placeOrder(world.service);
    await settled(order);
    const putBack = await takeCopy();
    const linked = await linkTransaction(world.service, till, order.transaction_id);
    await putBack();
    expect(await repeat(linked)).toMatchObject({ status: "linked", reason: null });
    expect(await repeat(linked)).toMatchObject({ status: "linked", reason: null });
    expect(await findings(order)).toEqual(["matched"]);
  });

  test("a withdrawal that the copy does not know is a line of its own until an operator closes it", async () => {
    const putBack = await takeCopy();
    const order = await placeOrder(world.service);
    const linked = await handOut(order);
    await putBack();
    await expect(linkTransaction(world.service, till, order.transaction_id)).rejects.toMatchObject({
      code: "transaction_not_found",
    });
    const taken = await repeat(linked);
    expect(taken).toMatchObject({
      transaction_id: order.transaction_id,
      status: "linked",
      amount: "50.00",
      store_name: "Corner Shop",
      transaction_id_partner: linked.transaction_id_partner,
      confirmed_at: linked.confirmed_at,
      reason: "restored",
    });
    expect(await repeat(linked)).toEqual(taken);
    expect((await lines()).filter(({ transaction_id }) => transaction_id === order.transaction_id)).toEqual([
      expect.objectContaining({
        finding: "restored",
        device_id: "till-1",
        amount: "50.00",
        currency: "EUR",
        status: "linked",
        linked_at: linked.linked_at,
      }),
    ]);
    expect(await findings(order, theBank)).toEqual([]);
    expect((await command("audit")).filter(({ event }) => event === "reported after restore")).toHaveLength(1);
    const open = { transaction: order.transaction_id, device: "till-1", partner: null, needs: "close" };
    expect(await command("reports", "list")).toEqual([expect.objectContaining(open)]);
    await command("reports", "close", order.transaction_id, "--note", "paid by the bank's ledger");
    expect(await command("reports", "list")).toEqual([]);
    expect(await findings(order)).toEqual(["matched"]);
  });

  test("what machines with one identity repeat of an unknown withdrawal is one line, each hand-out noted once, until it is closed", async () => {
    const putBack = await takeCopy();
    const order = await placeOrder(world.service);
    const linked = await handOut(order);
    await putBack();
    for (const handOutId of ["one", "two", "two", "one", "three", "two", null])
      expect(await repeat(linked, till, handOutId)).toMatchObject({ status: "linked", hand_out_id: "one" });
    expect(await lines()).toMatchObject([{ finding: "restored", reason: "handed_out_twice" }]);
    const story = await command("withdrawals", "show", order.transaction_id);
    const noted = story.filter(({ what }) => what === "handed out twice");
    expect(noted.map(({ detail }) => /then (\w+),/.exec(String(detail))?.[1])).toEqual(["two", "three"]);
    await command("reports", "close", order.transaction_id, "--note", "counted both drawers", "--seen", "2999-12-31");
    for (const handOutId of ["two", "three"]) await repeat(linked, till, handOutId);
    expect(await findings(order)).toEqual(["matched"]);
  });

  test("a second hand-out of what a restore has ended is a line still once the bank has paid", async () => {
    const order = await placeOrder(world.service);
    const putBack = await takeCopy();
    const linked = await handOut(order);
    await putBack();
    for (const handOutId of ["one", "two"])
      expect(await repeat(linked, till, handOutId)).toMatchObject({ status: "linked", hand_out_id: "one" });
    await approveAgain(order);
    await expect.poll(() => findings(order)).toEqual(["disputed"]);
    await expectProof();
  });

  test("without a restore that may have forgotten it, an unknown withdrawal stays unknown", async () => {
    const order = await placeOrder(world.service);
    const linked = await handOut(order);
    const unknown = { ...linked, transaction_id: "7F3K9Q2MX4T8WZ0G" };
    await expect(repeat(unknown)).rejects.toMatchObject({ code: "transaction_not_found" });
    await (await takeCopy())();
    const longAgo = new Date(systemClock.now() - 30 * 86_400_000).toISOString();
    const old = { ...unknown, confirmed_at: longAgo, settled_at: longAgo, linked_at: longAgo };
    await expect(repeat(old)).rejects.toMatchObject({ code: "transaction_not_found" });
    await expect(repeat({ ...unknown, transaction_id: "no-id" })).rejects.toMatchObject({
      code: "transaction_not_found",
    });
  });

  test("two terminals that both say they handed it out are two lines, and never matched", async () => {
    const order = await placeOrder(world.service);
    const putBack = await takeCopy();
    const linked = await handOut(order);
    await putBack();
    await repeat(linked);
    await approveAgain(order);
    await expect.poll(() => findings(order)).toEqual(["matched"]);
    expect(await repeat({ ...linked, transaction_id_partner: "pos-of-2" }, secondTill)).toMatchObject({
      status: "linked",
      transaction_id_partner: "pos-of-2",
    });
    expect(await findings(order)).toEqual(["restored", "restored"]);
  });

  test("a report of what is being paid is to be repeated, and then taken", async () => {
    let answers = true;
    bank.onSettle = () => (answers ? accepted : { status: 503, body: "" });
    const order = await placeOrder(world.service);
    answers = false;
    await confirmIt(world.service, order);
    await approve(world.service, order);
    const putBack = await takeCopy();
    answers = true;
    await expect.poll(async () => (await readNow(order)).status).toBe("settled");
    const linked = await linkTransaction(world.service, till, order.transaction_id);
    answers = false;
    await putBack();
    await expect(repeat(linked)).rejects.toMatchObject({ code: "unavailable" });
    answers = true;
    await expect.poll(() => repeat(linked).then(({ status }) => status, String)).toBe("linked");
    expect(await findings(order)).toEqual(["matched"]);
  });

  test("thousands that are open end in commits of a bounded size, each once", async () => {
    const { transaction_id: id } = await placeOrder(world.service);
    await world.service.stop();
    const copies = 1_100;
    await store.write(async (tx) => {
      const row = await tx.first(withdrawalById({ id }));
      if (row === undefined) throw new Error("it is not there");
      for (let n = 0; n < copies; n += 1) {
        const own = { id: `${id}-${n}`, idempotency_key: `copy-${n}`, history_length: 0 };
        await tx.run(insertWithdrawal({ ...row, ...own }));
      }
    });
    const perCommit: number[] = [];
    let [writes, cutAt] = [0, 0];
    const counting: Store = {
      ...store,
      write: (unit, about) =>
        store.write(async (tx) => {
          writes += 1;
          if (writes === cutAt) throw new Error("cut off");
          let changed = 0;
          const result = await unit(
            watchedTx(tx, (step) => {
              if (step === "changed") changed += 1;
            }),
          );
          perCommit.push(changed);
          return result;
        }, about),
    };
    const on = { store: counting, clock: systemClock, keys: testKeys };
    // The first try is cut off behind its first five hundred; whoever opens the database next goes on.
    const forgotSince = systemClock.now() - 60_000;
    cutAt = 3;
    await expect(applyRestore(on, { forgotSince })).rejects.toThrow("cut off");
    cutAt = 0;
    const restored = await applyPendingRestore(on);
    expect(restored).toMatchObject({ forgotSince, ended: copies + 1 });
    expect(perCommit.filter((changed) => changed > 0)).toEqual([500, 500, 101]);
    expect(await applyPendingRestore(on)).toBeNull();
    expect(await command("audit")).toContainEqual(
      expect.objectContaining({ event: "database restored", detail: expect.stringMatching(/; ended 1101$/) }),
    );
  });
});
