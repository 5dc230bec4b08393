import { describe, expect, test } from "vitest";
import { listOpenReports } from "../../backend/operate/reports.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { leaseMs } from "../../backend/partner/queue.ts";
import { adhoc } from "../../backend/store/store.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { decideWithdrawal } from "../../backend/withdrawals/open.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { outboxStage, silent } from "./outbox-stage.ts";
import { stores } from "./stores.ts";
import { accepted, type BankReply, confirmIt, declined, freshKey, otherBank, shop, testKeys, till } from "./world.ts";

describe.each(stores)("%s", (dialect) => {
  const stage = outboxStage(dialect);
  const { open, idle, until, real, statusOf, settling, rows } = stage;

  test("a bank that is down is asked ever more seldom, in the end half a minute apart or more, and gets its order when it is back", async () => {
    const { service, bank, counted } = await open({ pollMs: 5_000 });
    const times: number[] = [];
    bank.onSettle = () => {
      times.push(stage.clock.now());
      return times.length < 30 ? { status: 500, body: "" } : accepted;
    };
    const transaction = await settling(service);
    await until(async () => (await statusOf(service, transaction)) === "settled", 5_000);
    const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(500);
    // A poll may be five seconds late.
    expect(Math.max(...pauses)).toBeLessThanOrEqual(70_000);
    expect(pauses.slice(-15).every((pause) => pause >= 30_000)).toBe(true);
    expect(counted.depths).toContain(1);
  });

  test("answers that never come hold up no other bank's orders, and the bank's own follow when they have come", async () => {
    const { service, bank } = await open({ partnerInFlightMax: 2 });
    const release = Promise.withResolvers<BankReply>();
    bank.onSettle = (_, { url }) => (url.startsWith("http://other.bank") ? accepted : release.promise);
    const stuck = await Promise.all(Array.from({ length: 20 }, () => settling(service)));
    const body = { user_id: "bob", amount: "50.00", currency: "EUR", store: shop, sca_required: false };
    const other = await confirmIt(service, await requestWithdrawal(service, otherBank, body, freshKey()));
    await real(async () => (await statusOf(service, other)) === "settled");
    expect(bank.settles).toHaveLength(3);
    release.resolve(accepted);
    for (const transaction of stuck) await until(async () => (await statusOf(service, transaction)) === "settled");
    expect(bank.settles).toHaveLength(21);
  });

  test.each([
    ["declined", "accepted", "failed"],
    ["accepted", "declined", "settled"],
  ] as const)(
    "a bank that says %s and then %s: the first answer stands, and somebody is called",
    async (first, second, status) => {
      const { service, bank, counted } = await open();
      const silence = Promise.withResolvers<BankReply>();
      bank.onSettle = () => silence.promise;
      const transaction = await settling(service);
      const [order] = await rows();
      if (order === undefined) throw new Error("no order");
      await settleAnswered(service, order, first);
      await settleAnswered(service, order, first);
      expect(counted.alarms).toEqual([]);
      await settleAnswered(service, order, second);
      expect(await statusOf(service, transaction)).toBe(status);
      expect(counted.alarms).toEqual([`settle:${second}_after_the_opposite`]);
      silence.resolve(first === "accepted" ? accepted : declined);
    },
  );

  test("orders beyond the places in flight all follow", async () => {
    const { service, bank } = await open({ partnerInFlightMax: 3 });
    let inFlight = 0;
    let most = 0;
    const full = Promise.withResolvers<void>();
    bank.onSettle = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      if (inFlight === 3) full.resolve();
      await full.promise;
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return accepted;
    };
    const many = await Promise.all(Array.from({ length: 60 }, () => settling(service)));
    for (const transaction of many) await real(async () => (await statusOf(service, transaction)) === "settled");
    expect([most, bank.settles.length]).toEqual([3, 60]);
  });

  test.each([
    ["a second", 1_000],
    ["while the clock was set back", -60_000],
  ])("an order that has waited for a place, %s, goes to where its bank is by then", async (_, passedMs) => {
    const { service, bank } = await open({ partnerInFlightMax: 1 });
    const release = Promise.withResolvers<BankReply>();
    const asked: string[] = [];
    bank.onSettle = (_, { url }) => {
      asked.push(new URL(url).origin);
      return release.promise;
    };
    const body = { user_id: "bob", amount: "50.00", currency: "EUR", store: shop, sca_required: true };
    const approved = async () => {
      const placed = await requestWithdrawal(service, otherBank, body, freshKey());
      await confirmIt(service, placed);
      return await resolveSca(service, otherBank, placed.transaction_id, "approved");
    };
    const move = (url: string) =>
      stage.store.write((tx) => tx.first(updatePartner(otherBank.partnerId, { url: `http://${url}.bank` })));
    const both = [await approved(), await approved()];
    await real(() => asked.length === 1);
    await move("moved");
    stage.clock.jump(passedMs);
    release.resolve(accepted);
    for (const transaction of both) await real(async () => (await statusOf(service, transaction)) === "settled");
    expect(asked).toEqual(["http://other.bank", "http://moved.bank"]);
  });

  test("a process that died in the call: the next one sends the order again, the late answer changes nothing", async () => {
    const dying = await open({ pollMs: 1e9 });
    const late = Promise.withResolvers<BankReply>();
    dying.bank.onSettle = () => late.promise;
    const transaction = await settling(dying.service);
    const diedAt = stage.clock.now();
    const next = await open({}, await stage.place.open(stage.clock));
    await until(async () => (await statusOf(next.service, transaction)) === "settled");
    expect(next.bank.settles).toHaveLength(1);
    expect(next.bank.requests[0]?.headers["webhook-id"]).toBe(dying.bank.requests[1]?.headers["webhook-id"]);
    // A fleet waits for the lease; the one process of a file need not.
    if (dialect === "postgres") expect(stage.clock.now() - diedAt).toBeGreaterThanOrEqual(leaseMs);
    const settled = await getTransaction(next.service, till, transaction.transaction_id);
    late.resolve(declined);
    await dying.service.stop();
    expect(await getTransaction(next.service, till, transaction.transaction_id)).toEqual(settled);
  });

  const newerTries: readonly [string, { claimed_by?: string; attempts?: number }][] = [
    ["of another worker", { claimed_by: "another", attempts: 2 }],
    ["of its own", { attempts: 2 }],
    ["of another worker that counts from one", { claimed_by: "another" }],
  ];

  test.each(newerTries)("a try without an answer does not put off a newer one %s", async (_, newer) => {
    const slow = await open();
    const lost = Promise.withResolvers<BankReply>();
    slow.bank.onSettle = () => lost.promise;
    const transaction = await settling(slow.service);
    await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("outbox").set(newer))));
    const [before] = await rows();
    lost.resolve({ status: 500, body: "" });
    await real(() => slow.counted.calls.includes("settle:none"));
    await idle();
    expect((await rows())[0]).toEqual(before);
    await until(async () => (await statusOf(slow.service, transaction)) === "settled" || slow.bank.settles.length > 1);
  });

  test.each(newerTries)(
    "a no to a try that a newer one %s has overtaken decides nothing: the bank may have booked that one",
    async (_, newer) => {
      const slow = await open();
      const late = Promise.withResolvers<BankReply>();
      slow.bank.onSettle = () => late.promise;
      const transaction = await settling(slow.service);
      await stage.store.write((tx) => tx.run(adhoc((db) => db.updateTable("outbox").set(newer))));
      const [before] = await rows();
      late.resolve(declined);
      await real(() => slow.counted.calls.includes("settle:declined"));
      await idle();
      expect([await statusOf(slow.service, transaction), (await rows())[0]]).toEqual(["settling", before]);
    },
  );

  test("a no to a try that lost its lease contradicts no no to the next try that comes at the same time", async () => {
    const { service, bank, counted } = await open();
    // What one process does at once may share a commit, in which nothing is at once.
    const beside = { ...service, store: dialect === "postgres" ? await stage.place.open(stage.clock) : service.store };
    bank.onSettle = silent("timeout");
    for (let round = 0; round < 8; round += 1) {
      const { transaction_id: id } = await settling(service);
      await real(() => counted.alarms.filter((alarm) => alarm === "settle:timeout").length > round);
      await stage.store.write((tx) =>
        tx.run(adhoc((db) => db.updateTable("outbox").set({ claimed_by: "another", attempts: 2 }))),
      );
      const [order] = await rows();
      if (order === undefined) throw new Error("no order");
      const lost = { ...order, claimed_by: service.settleQueue.workerId, attempts: 1 };
      await Promise.all([settleAnswered(beside, order, "declined"), settleAnswered(service, lost, "declined")]);
      for await (const lines of reconcile(service, till, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }))
        expect(lines.find((line) => line.transaction_id === id)).toMatchObject({ reason: "settle_declined" });
    }
  });

  test("a no to a try that lost its lease, and then the decision that nothing was paid, is no contradiction either", async () => {
    const { service, bank, counted } = await open();
    bank.onSettle = silent("timeout");
    const { transaction_id: id } = await settling(service);
    await real(() => counted.alarms.includes("settle:timeout"));
    const [order] = await rows();
    if (order === undefined) throw new Error("no order");
    await settleAnswered(service, { ...order, claimed_by: "another" }, "declined");
    stage.clock.jump(16 * 60_000);
    await decideWithdrawal(service, id, "not-paid", "ann", "the bank says so");
    const { value: lines } = await reconcile(service, till, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }).next();
    expect(lines).toMatchObject([{ finding: "disputed", reason: "settle_declined" }]);
  });

  test.each([
    ["paid", "first", accepted, "settled"],
    ["paid at a repeat", "second", accepted, "settled"],
    ["not answered", "first", null, "settling"],
  ] as const)(
    "what a failover forgets while its bank is asked, and is %s, is a line of the report until an operator closes it",
    async (_, forgottenAt, answer, status) => {
      const { service, bank, counted } = await open();
      let calls = 0;
      bank.onSettle = async () => {
        calls += 1;
        if (forgottenAt === "second" && calls === 1) return silent("timeout")();
        await stage.store.write(async (tx) => {
          for (const table of ["outbox", "withdrawals", "withdrawal_events"] as const)
            await tx.run(adhoc((db) => db.deleteFrom(table)));
        });
        return answer ?? silent("timeout")();
      };
      const { transaction_id, transaction_id_partner } = await settling(service);
      const lines = async () => {
        const all = reconcile(service, till, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
        return ((await all.next()).value ?? []).filter((each) => each.transaction_id === transaction_id);
      };
      const alarm = answer ? "settle:accepted_after_the_opposite" : "settle:unanswered";
      await until(() => counted.alarms.includes(alarm));
      const line = { transaction_id, transaction_id_partner, amount: "50.00", currency: "EUR", status };
      expect(await lines()).toMatchObject([{ ...line, finding: "restored" }]);
      const on = { store: stage.store, clock: stage.clock, random: service.random, keys: testKeys };
      expect(await listOpenReports(on)).toMatchObject([{ transaction: transaction_id, status, needs: "close" }]);
      expect(await closeDispute(service, transaction_id, "ann", "the bank has paid it back")).toBe(true);
      expect(await lines()).toMatchObject([{ ...line, finding: "closed" }]);
    },
  );

  test("an order that a wrong clock put far ahead is due", async () => {
    const { service, bank } = await open();
    let calls = 0;
    bank.onSettle = () => {
      calls += 1;
      return calls === 1 ? { status: 500, body: "" } : accepted;
    };
    stage.clock.jump(365 * 86_400_000);
    const transaction = await settling(service);
    await real(async () => (await rows())[0]?.last_error === "http_500");
    stage.clock.jump(-365 * 86_400_000);
    // The timers of this process were set by the wrong clock too: only its successor need know.
    const next = await open({}, await stage.place.open(stage.clock));
    await until(async () => (await statusOf(next.service, transaction)) === "settled");
  });

  test.runIf(dialect === "postgres")(
    "two processes share the work and never send one order at the same time",
    async () => {
      // The first has few places, so that what waits is left for the other to claim.
      const two = [
        await open({ partnerInFlightMax: 2 }),
        await open({ partnerInFlightMax: 10 }, await stage.place.open(stage.clock)),
      ];
      const inFlight = new Map<string, number>();
      let together = 0;
      const tries = new Map<string, number>();
      const [first, second] = two;
      if (!first || !second) throw new Error("no process");
      for (const { bank } of two) {
        bank.onSettle = async ({ SvcTransactionReferenceId: id }) => {
          inFlight.set(id, (inFlight.get(id) ?? 0) + 1);
          together = Math.max(together, inFlight.get(id) ?? 0);
          tries.set(id, (tries.get(id) ?? 0) + 1);
          await new Promise((resolve) => setTimeout(resolve, 1));
          inFlight.set(id, (inFlight.get(id) ?? 0) - 1);
          return (tries.get(id) ?? 0) < 4 ? { status: 503, body: "" } : accepted;
        };
      }
      // Each sends its own at first; one of them repeats the bank's, and the other takes what that one leaves.
      const many = await Promise.all(
        Array.from({ length: 100 }, (_, n) => settling((n % 2 === 0 ? first : second).service)),
      );
      await until(async () => (await rows()).length === 0);
      for (const transaction of many) expect(await statusOf(first.service, transaction)).toBe("settled");
      expect(together).toBe(1);
      expect(new Set(tries.values())).toEqual(new Set([4]));
      expect(Math.min(...two.map(({ bank }) => bank.settles.length))).toBeGreaterThan(0);
    },
  );

  test("stopping waits for the answer that is on its way and keeps it", async () => {
    const { service, bank } = await open();
    bank.onSettle = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return accepted;
    };
    const transaction = await settling(service);
    await service.stop();
    expect(await statusOf(service, transaction)).toBe("settled");
  });
});
