/** What comes a second time, comes too late, or is run again by the database, and what it must not do then. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { listDisputes } from "../../backend/withdrawals/dispute.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { decideWithdrawal, listOpen } from "../../backend/withdrawals/open.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { waysIn } from "./withdrawal-ways.ts";
import { approve, bank, confirmIt, createWorld, placeOrder, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const rolledBack = new Error("a deadlock");

/** Before the unit after `armed`, the database runs it once, takes that back, and lets `meanwhile` happen. */
const runningAgain = (store: Store) => {
  let meanwhile: (() => Promise<unknown>) | null = null;
  const write: Store["write"] = async (unit) => {
    const happens = meanwhile;
    meanwhile = null;
    if (happens !== null) {
      const lost = store.write(async (tx) => {
        await unit(tx);
        throw rolledBack;
      });
      await expect(lost).rejects.toBe(rolledBack);
      await happens();
    }
    return store.write(unit);
  };
  return {
    store: { ...store, write },
    arm: (happens: () => Promise<unknown>) => {
      meanwhile = happens;
    },
  };
};

describe.each(stores)("on %s", (dialect) => {
  let clock: VirtualClock;
  let store: Store;
  let arm: ReturnType<typeof runningAgain>["arm"];
  let world: World;
  worldPerTest(dialect, { options: { pollMs: 1e9 } }, (stage) => {
    ({ clock, store } = stage);
  });
  beforeEach(async () => {
    const again = runningAgain(store);
    arm = again.arm;
    world = await createWorld(again.store, { clock, options: { pollMs: 1e9 } });
  });
  afterEach(() => world.service.stop());

  const { leadTo, read } = waysIn(
    () => world,
    () => clock,
  );
  const orders = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("outbox").selectAll())));
  const setRow = (id: string, values: object) =>
    store.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawals").set(values).where("id", "=", id))));

  test("a confirmation that is run again after a duplicate of it came first sends no second Settle order", async () => {
    const ready = await placeOrder(world.service, { sca_required: false });
    arm(() => confirmIt(world.service, ready, till, "pos-1"));
    await confirmIt(world.service, ready, till, "pos-1");
    await world.service.stop();
    expect([world.bank.settles.length, await orders()]).toEqual([1, []]);
  });

  test("an approval that is run again after a duplicate of it came first sends no second Settle order", async () => {
    const confirmed = await leadTo.awaiting_sca();
    arm(() => approve(world.service, confirmed));
    await approve(world.service, confirmed);
    await world.service.stop();
    expect([world.bank.settles.length, await orders()]).toEqual([1, []]);
  });

  test("a cancel again is the transaction as it is; one that was canceled otherwise is not the customer's cancel", async () => {
    const { transaction_id: id } = await placeOrder(world.service);
    const canceled = await cancelWithdrawal(world.service, bank, id);
    expect(await cancelWithdrawal(world.service, bank, id)).toEqual(canceled);
    await expect(resolveSca(world.service, bank, id, "denied")).rejects.toMatchObject({ code: "transaction_conflict" });
    const denied = await leadTo.canceled();
    await expect(cancelWithdrawal(world.service, bank, denied.transaction_id)).rejects.toMatchObject({
      code: "transaction_conflict",
    });
  });

  test("an expiry that a reader or a verb comes upon is counted, once", async () => {
    const counted = () => world.counted.transitions.filter((each) => each.endsWith(">canceled"));
    const confirmed = await leadTo.awaiting_sca();
    clock.jump(40_000);
    await read(confirmed);
    await read(confirmed);
    expect(counted()).toEqual(["awaiting_sca>canceled"]);
    const late = await leadTo.awaiting_sca();
    clock.jump(40_000);
    await expect(approve(world.service, late)).rejects.toMatchObject({ code: "transaction_conflict" });
    expect(counted()).toHaveLength(2);
  });

  describe("an order without an answer", () => {
    const unanswered = async () => {
      world.bank.onSettle = () => ({ status: 503, body: "" });
      const settling = await approve(world.service, await leadTo.awaiting_sca());
      await expect.poll(async () => (await orders())[0]?.last_error, { interval: 2 }).toBe("http_503");
      clock.jump(15 * 60_000);
      return settling.transaction_id;
    };
    const decide = (id: string, decision: "paid" | "not-paid") =>
      decideWithdrawal(world.service, id, decision, "olga", "Ms Low said so");

    test("is nobody's to decide at 15 minutes, and is a millisecond later", async () => {
      const id = await unanswered();
      const needs = async () => (await listOpen(world.service)).map(({ needs }) => needs);
      expect([await needs(), await decide(id, "paid")]).toEqual([["wait"], null]);
      clock.jump(1);
      expect(await needs()).toEqual(["decide"]);
    });

    test.each([
      [
        "paid",
        "undelivered",
        [
          ["transition", "settling", "settled"],
          ["transition", "settled", "undelivered"],
        ],
      ],
      ["not-paid", "failed", [["transition", "settling", "failed"]]],
    ] as const)(
      "decided as %s: %s, its order goes out no more, and each step and the note are in the history",
      async (decision, status, steps) => {
        const id = await unanswered();
        clock.jump(1);
        expect(await decide(id, decision)).toMatchObject({ status });
        expect(await orders()).toEqual([]);
        const { events } = await getHistory(world.service, till, id);
        expect(events.slice(-steps.length - 1).map(({ kind, from, to }) => [kind, from, to])).toEqual([
          ...steps,
          ["decided", status, status],
        ]);
        expect(events.at(-1)).toMatchObject({ actor: "operator", actor_id: "olga", reason: "Ms Low said so" });
      },
    );

    test.each(["paid", "not-paid"] as const)(
      "that has an outcome by now is not decided as %s, and its order stays",
      async (decision) => {
        const id = await unanswered();
        clock.jump(1);
        await setRow(id, { status: "settled" });
        const { events: before } = await getHistory(world.service, till, id);
        expect(await decide(id, decision)).toBeNull();
        expect((await orders()).map((order) => order.transaction_id)).toEqual([id]);
        expect((await getHistory(world.service, till, id)).events).toEqual(before);
      },
    );

    test("whose withdrawal is gone is on no list", async () => {
      const id = await unanswered();
      clock.jump(1);
      await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("withdrawals").where("id", "=", id))));
      expect(await listOpen(world.service)).toEqual([]);
    });
  });

  test("disputes are listed the oldest first, of one moment by their id", async () => {
    const ids = [];
    for (let n = 0; n < 6; n += 1) ids.push((await placeOrder(world.service)).transaction_id);
    const [a = "", b = "", c = "", d = "", e = "", f = ""] = ids.toSorted();
    for (const [id, disputed_at] of [
      [a, 30],
      [b, 20],
      [c, 20],
      [d, 10],
      [e, 40],
      [f, 20],
    ] as const)
      await setRow(id, { disputed_at });
    expect((await listDisputes(store)).map(({ id }) => id)).toEqual([d, b, c, f, a, e]);
  });
});
