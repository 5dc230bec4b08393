/**
 * What counts as a try of a Settle order: a call that went out. A bank that answers by status code alone is believed as long
 * as no earlier call of the order went unanswered (conventions, "Partner calls").
 */
import { describe, expect, test } from "vitest";
import type { ServiceOptions } from "../../backend/context.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { leaseMs } from "../../backend/partner/queue.ts";
import { ServiceError } from "../../backend/service-error.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { applyRestore } from "../../backend/withdrawals/restored.ts";
import { outboxStage } from "./outbox-stage.ts";
import { stores } from "./stores.ts";
import {
  accepted,
  type BankReply,
  bank as bankClient,
  confirmIt,
  declined,
  placeOrder,
  testKeys,
  till,
} from "./world.ts";

const byCode = (status: number): BankReply => ({ status, body: "" });

describe.each(stores)("%s", (dialect) => {
  const stage = outboxStage(dialect);
  const { idle, until, statusOf, settling } = stage;
  const open = async (options: Partial<ServiceOptions> = {}, on = stage.store) => {
    const world = await stage.open(options, on);
    world.bank.onStart = () => byCode(204);
    await stage.store.write((tx) => tx.run(updatePartner(bankClient.partnerId, { answers: "by-status-code" })));
    return world;
  };

  test("an order whose lease ended while it waited for a slot was never sent: its first call decides", async () => {
    const { service, bank } = await open({ partnerInFlightMax: 1 });
    const silence = Promise.withResolvers<BankReply>();
    bank.onSettle = () => (bank.settles.length === 1 ? silence.promise : byCode(204));
    await settling(service);
    const waiting = await settling(service);
    await until(() => bank.settles.length === 1, 0);
    stage.clock.jump(leaseMs + 1);
    silence.resolve(byCode(204));
    await until(async () => (await statusOf(service, waiting)) === "settled");
    expect(bank.settles.filter((order) => order.SvcTransactionReferenceId === waiting.transaction_id)).toHaveLength(1);
  });

  test.each([
    [204, "settled"],
    [422, "failed"],
  ])("an order that a stopping process left unsent: %d is the bank's first answer", async (code, status) => {
    const stopping = await open();
    stopping.service.drain(stage.clock.now());
    // As the callers that are still let in do.
    const next = await open({ pollMs: 1e9 });
    const asked = await placeOrder(next.service, { sca_required: false });
    const left = await confirmIt(stopping.service, asked);
    expect(stopping.bank.settles).toHaveLength(0);
    const successor = await open({}, dialect === "postgres" ? await stage.place.open(stage.clock) : stage.store);
    successor.bank.onSettle = () => byCode(code);
    await until(async () => (await statusOf(successor.service, left)) !== "settling");
    expect([await statusOf(successor.service, left), successor.bank.settles.length]).toEqual([status, 1]);
  });

  test("one that a copy of the database has as unsent may have been sent since: after a restore the bank has to say a word", async () => {
    const stopping = await open();
    stopping.service.drain(stage.clock.now());
    const asked = await placeOrder((await open({ pollMs: 1e9 })).service, { sca_required: false });
    const left = await confirmIt(stopping.service, asked);
    await stage.stopAll();
    await applyRestore({ store: stage.store, clock: stage.clock, keys: testKeys }, { forgotSince: stage.clock.now() });
    const { service, bank, counted } = await open();
    let answer = byCode(422);
    bank.onSettle = () => answer;
    await until(() => bank.settles.length > 1);
    expect(await statusOf(service, left)).toBe("settling");
    answer = declined;
    await until(async () => (await statusOf(service, left)) === "failed");
    expect(counted.alarms).toContain("settle:no_after_silence");
  });

  test.each(["bank", "terminal"])("the same of what a restore has ended, and the %s reports last", async (last) => {
    const before = await open();
    const asked = await placeOrder(before.service);
    await stage.stopAll();
    await applyRestore({ store: stage.store, clock: stage.clock, keys: testKeys }, { forgotSince: stage.clock.now() });
    const { service, bank } = await open();
    let answer = byCode(204);
    bank.onSettle = () => answer;
    const known = { transaction_id_partner: "pos-1", amount: asked.amount, currency: asked.currency };
    const approveAgain = () => resolveSca(service, bankClient, asked.transaction_id, "approved");
    if (last === "terminal") await approveAgain();
    await linkTransaction(service, till, asked.transaction_id, null, known);
    if (last === "bank") await approveAgain();
    await until(() => bank.settles.length > 1);
    const paidAt = async () => (await getTransaction(service, till, asked.transaction_id)).settled_at;
    expect(await paidAt()).toBeNull();
    answer = accepted;
    await until(async () => (await paidAt()) !== null);
  });

  test.each<[string, BankReply, string]>([
    ["204", byCode(204), "settled"],
    ["422", byCode(422), "failed"],
    ["200 and what was ordered", { status: 200, body: '{"amount":"50.00","currency":"EUR"}' }, "settled"],
    ["a no and what was ordered", { status: 200, body: '{"status":"declined","amount":"50.00"}' }, "failed"],
  ])(
    "an answer (%s) while the database is away is written later: the bank is not asked again",
    async (_, reply, to) => {
      let isAway = false;
      const unlessAway = <T>(work: () => Promise<T>): Promise<T> =>
        isAway ? Promise.reject(new ServiceError("unavailable", "no disk")) : work();
      const breaking: Store = {
        ...stage.store,
        write: (unit, about) => unlessAway(() => stage.store.write(unit, about)),
        read: (unit, isShort) => unlessAway(() => stage.store.read(unit, isShort)),
      };
      const { service, bank } = await open({}, breaking);
      const answer = Promise.withResolvers<BankReply>();
      bank.onSettle = () => answer.promise;
      const transaction = await settling(service);
      await until(() => bank.settles.length === 1, 0);
      isAway = true;
      answer.resolve(reply);
      await stage.clock.advance(1_000, idle);
      isAway = false;
      await until(async () => (await statusOf(service, transaction)) !== "settling");
      expect([await statusOf(service, transaction), bank.settles.length]).toEqual([to, 1]);
      expect(await stage.rows()).toEqual([]);
    },
  );

  test("a worker that was held up until a call could outlast its lease sends nothing", async () => {
    let late = false;
    let reads = 0;
    const slow: Store = {
      ...stage.store,
      async read(unit) {
        const result = await stage.store.read(unit);
        reads += 1;
        if (late) {
          late = false;
          stage.clock.jump(leaseMs / 2 + 1);
        }
        return result;
      },
    };
    const { service, bank } = await open({ pollMs: 1e9 }, slow);
    const asked = await placeOrder(service, { sca_required: false });
    // The look of a service that has just started is no read of this worker's.
    for (let [seen, quiet] = [reads, 0]; reads === 0 || quiet < 50; quiet = seen === reads ? quiet + 1 : 0) {
      seen = reads;
      await idle();
    }
    late = true;
    await confirmIt(service, asked);
    await expect.poll(() => late, { interval: 2 }).toBe(false);
    for (let turn = 0; turn < 50; turn += 1) await idle();
    expect(bank.settles).toHaveLength(0);
  });

  test.each([
    ["another worker", { claimed_by: "another", attempts: 2 }],
    ["a newer try of its own", { attempts: 2 }],
    ["another worker that counts from one", { claimed_by: "another" }],
  ])("an order that %s has taken over is not sent", async (_, newer) => {
    const { service, bank } = await open({ partnerInFlightMax: 1, pollMs: 1e9 });
    const silence = Promise.withResolvers<BankReply>();
    bank.onSettle = () => silence.promise;
    const first = await settling(service);
    const waiting = await settling(service);
    await until(() => bank.settles.length === 1, 0);
    const taken = adhoc((db) =>
      db.updateTable("outbox").set(newer).where("transaction_id", "=", waiting.transaction_id),
    );
    await stage.store.write((tx) => tx.run(taken));
    silence.resolve(byCode(204));
    // Its slot is free.
    await until(async () => (await statusOf(service, first)) === "settled", 0);
    for (let turn = 0; turn < 50; turn += 1) await idle();
    expect(bank.settles).toHaveLength(1);
  });
});
