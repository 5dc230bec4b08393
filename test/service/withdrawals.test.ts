import { describe, expect, test } from "vitest";
import type { Status } from "../../backend/contract/transaction.ts";
import { updateMerchant } from "../../backend/merchants/merchants.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { confirmTransaction } from "../../backend/withdrawals/confirm.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { answersByStatus, orderTtlMs, type Verb, type WayTo, waysIn } from "./withdrawal-ways.ts";
import {
  accepted,
  approve,
  type BankReply,
  bank,
  confirmIt,
  everyWithdrawal,
  otherBank,
  otherShop,
  placeOrder,
  secondTill,
  till,
  type World,
} from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const scaTimeoutMs = 40_000;

describe.each(stores)("%s", (dialect) => {
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  // Deadlines must hold on read: nothing sweeps here.
  worldPerTest(dialect, { options: { pollMs: 1e9 } }, (stage) => {
    ({ clock, store, world } = stage);
  });

  const { read, settledOf, leadTo, verbs } = waysIn(
    () => world,
    () => clock,
  );

  describe.each(Object.keys(answersByStatus) as WayTo[])("from %s", (status) => {
    test.each(Object.entries(answersByStatus[status]) as [Verb, Status | 409][])("%s: %s", async (verb, expected) => {
      const before = await leadTo[status]();
      expect(before.status).toBe(status);
      const answer = verbs[verb](before.transaction_id);
      if (expected === 409) {
        await expect(answer).rejects.toMatchObject({ code: "transaction_conflict", extra: { transaction: before } });
        expect(await read(before)).toEqual(before);
      } else {
        expect((await answer).status).toBe(expected);
      }
    });
  });

  test("settling lets nobody but the bank decide", async () => {
    const { promise, resolve } = Promise.withResolvers<BankReply>();
    world.bank.onSettle = () => promise;
    const settling = await approve(world.service, await leadTo.awaiting_sca());
    for (const verb of ["confirm", "reject", "link", "undelivered", "cancel", "deny"] as const) {
      await expect(verbs[verb](settling.transaction_id)).rejects.toMatchObject({ code: "transaction_conflict" });
    }
    expect(await verbs.approve(settling.transaction_id)).toEqual(settling);
    resolve(accepted);
    expect((await settledOf(settling)).status).toBe("settled");
  });

  test("a shop that is renamed meanwhile keeps the name that the customer read; one of an older release has its id", async () => {
    const asked = await placeOrder(world.service);
    await store.write((tx) => tx.run(updateMerchant("corner-shop", { name: "Corner Shop & Sons" })));
    try {
      expect((await read(asked)).store_name).toBe("Corner Shop");
      expect((await placeOrder(world.service)).store_name).toBe("Corner Shop & Sons");
      await store.write((tx) => tx.run(adhoc((db) => db.updateTable("withdrawals").set({ store_name: null }))));
      expect((await read(asked)).store_name).toBe("corner-shop");
    } finally {
      await store.write((tx) => tx.run(updateMerchant("corner-shop", { name: "Corner Shop" })));
    }
  });

  test("the whole way, with all its times", async () => {
    const t0 = clock.now();
    const at = (ms: number) => new Date(t0 + ms).toISOString();
    const ready = await placeOrder(world.service);
    clock.jump(1_000);
    const confirmed = await confirmIt(world.service, ready, till, "pos-1");
    clock.jump(1_000);
    const settled = await settledOf(await approve(world.service, confirmed));
    clock.jump(1_000);
    expect(await linkTransaction(world.service, till, settled.transaction_id)).toEqual({
      transaction_id: ready.transaction_id,
      status: "linked",
      amount: "50.00",
      currency: "EUR",
      store: "corner-shop",
      store_name: "Corner Shop",
      transaction_id_partner: "pos-1",
      partner_reference: null,
      sca_required: true,
      created_at: at(0),
      expires_at: at(orderTtlMs),
      confirmed_at: at(1_000),
      sca_expires_at: at(1_000 + scaTimeoutMs),
      settled_at: at(2_000),
      linked_at: at(3_000),
      closed_at: null,
      reason: null,
    });
    expect(world.counted.transitions).toEqual([
      ">requested",
      "requested>ready",
      "ready>awaiting_sca",
      "awaiting_sca>settling",
      "settling>settled",
      "settled>linked",
    ]);
    expect(world.bank.starts).toEqual([
      {
        userId: "ann",
        amount: "50.00",
        dateOfTransaction: at(0),
        // The last approval that counts comes 40 s after a confirmation in the last moment; its Settle order takes a while.
        expiryTimeOfTheOrder: at(orderTtlMs + scaTimeoutMs + 300_000),
        svcTransactionReferenceId: ready.transaction_id,
        store: "Corner Shop",
      },
    ]);
    expect(world.bank.settles).toEqual([
      {
        userId: "ann",
        TransactionId: "pos-1",
        DateOperation: at(2_000),
        SvcTransactionReferenceId: ready.transaction_id,
      },
    ]);
  });

  test("without SCA the confirmation settles", async () => {
    const ready = await placeOrder(world.service, { sca_required: false });
    const settling = await confirmIt(world.service, ready);
    expect(settling).toMatchObject({ status: "settling", sca_required: false, sca_expires_at: null });
    expect((await settledOf(settling)).status).toBe("settled");
    await expect(approve(world.service, ready)).rejects.toMatchObject({ code: "transaction_conflict" });
  });

  describe("deadlines hold on read", () => {
    const lateBy = [
      { name: "at 39.999 s", ms: scaTimeoutMs - 1, status: "awaiting_sca", reason: null },
      { name: "at 40 s", ms: scaTimeoutMs, status: "canceled", reason: "sca_timeout" },
      { name: "a day later", ms: 86_400_000, status: "canceled", reason: "sca_timeout" },
    ];
    test.each(lateBy)("$name a confirmed one is $status", async ({ ms, status, reason }) => {
      const confirmed = await leadTo.awaiting_sca();
      clock.jump(ms);
      const closed_at = reason ? confirmed.sca_expires_at : null;
      expect(await read(confirmed)).toMatchObject({ status, reason, closed_at });
    });

    test("an approval at 40 s is refused with the canceled transaction", async () => {
      const confirmed = await leadTo.awaiting_sca();
      clock.jump(scaTimeoutMs);
      await expect(approve(world.service, confirmed)).rejects.toMatchObject({
        code: "transaction_conflict",
        extra: { transaction: { status: "canceled", reason: "sca_timeout" } },
      });
      expect(world.bank.settles).toEqual([]);
    });

    test("what was told as canceled stays so after the clock is set back", async () => {
      const confirmed = await leadTo.awaiting_sca();
      clock.jump(scaTimeoutMs);
      expect((await read(confirmed)).status).toBe("canceled");
      clock.jump(-10_000);
      await expect(approve(world.service, confirmed)).rejects.toMatchObject({ code: "transaction_conflict" });
      expect((await read(confirmed)).status).toBe("canceled");
    });

    test("an order cannot be confirmed when its time is over", async () => {
      const ready = await placeOrder(world.service);
      clock.jump(orderTtlMs);
      await expect(confirmIt(world.service, ready)).rejects.toMatchObject({
        code: "transaction_conflict",
        extra: { transaction: { status: "expired", reason: "order_expired", closed_at: ready.expires_at } },
      });
    });

    test("the sweeper closes what nobody reads, once", async () => {
      await leadTo.awaiting_sca();
      await leadTo.ready();
      clock.jump(orderTtlMs);
      const { sweep } = await import("../../backend/withdrawals/sweep.ts");
      expect(await sweep(world.service)).toBe(false);
      const closed = ["awaiting_sca>canceled", "ready>expired"];
      const swept = () => world.counted.transitions.filter((each) => /canceled|expired/.test(each)).sort();
      expect(swept()).toEqual(closed);
      expect((await everyWithdrawal(store)).map(({ status }) => status).sort()).toEqual(["canceled", "expired"]);
      expect(await sweep(world.service)).toBe(false);
      expect(swept()).toEqual(closed);
    });
  });

  describe("who may see what", () => {
    const unknown = { code: "transaction_not_found" };

    test("an id that is no id, or nobody's, is unknown", async () => {
      for (const id of ["", "7F3K", "0000000000000000", "ZZZZZZZZZZZZZZZ0", "'; DROP TABLE withdrawals"]) {
        await expect(getTransaction(world.service, till, id)).rejects.toMatchObject(unknown);
        await expect(verbs.reject(id)).rejects.toMatchObject(unknown);
      }
    });

    test("another merchant's till and another bank get the answer for an unknown id", async () => {
      const { transaction_id: id } = await leadTo.awaiting_sca();
      await expect(getTransaction(world.service, otherShop, id)).rejects.toMatchObject(unknown);
      await expect(getTransaction(world.service, otherBank, id)).rejects.toMatchObject(unknown);
      await expect(
        confirmTransaction(world.service, otherShop, { transaction_id: id, transaction_id_partner: "x" }),
      ).rejects.toMatchObject(unknown);
      await expect(rejectTransaction(world.service, otherShop, id)).rejects.toMatchObject(unknown);
      await expect(linkTransaction(world.service, otherShop, id)).rejects.toMatchObject(unknown);
      await expect(declareUndelivered(world.service, otherShop, id, "other")).rejects.toMatchObject(unknown);
      await expect(cancelWithdrawal(world.service, otherBank, id)).rejects.toMatchObject(unknown);
      await expect(resolveSca(world.service, otherBank, id, "approved")).rejects.toMatchObject(unknown);
      expect((await getTransaction(world.service, bank, id)).status).toBe("awaiting_sca");
    });

    test("once confirmed, another till of the shop may read and no more", async () => {
      const confirmed = await leadTo.awaiting_sca();
      const { transaction_id: id } = confirmed;
      expect(await read(confirmed, secondTill)).toEqual(confirmed);
      await expect(rejectTransaction(world.service, secondTill, id)).rejects.toMatchObject(unknown);
      const settled = await settledOf(await approve(world.service, confirmed));
      await expect(linkTransaction(world.service, secondTill, id)).rejects.toMatchObject(unknown);
      await expect(declareUndelivered(world.service, secondTill, id, "other")).rejects.toMatchObject(unknown);
      await expect(confirmIt(world.service, settled, secondTill)).rejects.toMatchObject({
        code: "transaction_conflict",
      });
      expect(await read(confirmed)).toEqual(settled);
    });

    test("before, any till of the shop may reject", async () => {
      expect(
        (await rejectTransaction(world.service, secondTill, (await placeOrder(world.service)).transaction_id)).status,
      ).toBe("rejected");
    });
  });

  describe("confirming again", () => {
    test("the same device and POS id: the transaction as it is now, nothing done twice", async () => {
      const ready = await placeOrder(world.service, { sca_required: false });
      await confirmIt(world.service, ready, till, "pos-7");
      const settled = await settledOf(ready);
      expect(await confirmIt(world.service, ready, till, "pos-7")).toEqual(settled);
      expect(world.bank.settles).toHaveLength(1);
    });

    test("a POS id that this device used for another transaction is refused, another device may use it", async () => {
      await confirmIt(world.service, await placeOrder(world.service), till, "pos-7");
      const second = await placeOrder(world.service);
      await expect(confirmIt(world.service, second, till, "pos-7")).rejects.toMatchObject({
        code: "transaction_conflict",
        extra: { transaction: { transaction_id: second.transaction_id, status: "ready" } },
      });
      expect((await confirmIt(world.service, second, secondTill, "pos-7")).status).toBe("awaiting_sca");
    });
  });
});
