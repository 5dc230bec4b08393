import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ServiceOptions } from "../../backend/context.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { leaseMs } from "../../backend/partner/outbox-store.ts";
import { updatePartner } from "../../backend/partner/partner-store.ts";
import { retryPauseMs, retrySchedules } from "../../backend/partner/retry.ts";
import { adhoc } from "../../backend/store/statement.ts";
import { all, run, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import type { RunningService } from "../../backend/withdrawals/service.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";
import {
  accepted,
  type BankReply,
  bank as bankClient,
  clear,
  confirmIt,
  createWorld,
  declined,
  freshKey,
  otherBank,
  placeOrder,
  shop,
  till,
  type World,
} from "./world.ts";

const silent = (why: string) => (): BankReply => {
  throw new Error(why);
};

describe.each(stores)("%s", (dialect) => {
  let place: Place;
  let clock: VirtualClock;
  let store: Store;
  const worlds: World[] = [];
  beforeAll(async () => {
    place = await createPlace(dialect);
    clock = new VirtualClock();
    store = await place.open(clock);
  });
  beforeEach(() => clear(store));
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map(({ service }) => service.stop()));
  });
  afterAll(() => place.dispose());

  /** Statements under way: virtual time must not run on while a real database is thinking. */
  let asking = 0;
  const counted = (on: Store): Store => {
    const during = async <T>(work: Promise<T>): Promise<T> => {
      asking += 1;
      try {
        return await work;
      } finally {
        asking -= 1;
      }
    };
    return { ...on, write: (unit) => during(on.write(unit)), read: (unit) => during(on.read(unit)) };
  };
  const open = async (options: Partial<ServiceOptions> = {}, on = store) => {
    const world = await createWorld(counted(on), { clock, options: { pollMs: 250, ...options } });
    worlds.push(world);
    return world;
  };
  const idle = async () => {
    do await new Promise((resolve) => setTimeout(resolve, 1));
    while (asking > 0);
  };
  /** Moves time on in quarter seconds, with real pauses for the database, until the condition holds. */
  const until = async (holds: () => boolean | Promise<boolean>, stepMs = 250) => {
    for (let turn = 0; turn < 20_000; turn += 1) {
      if (await holds()) return;
      await idle();
      await clock.advance(stepMs, idle);
    }
    throw new Error("it never came");
  };
  const real = async (holds: () => boolean | Promise<boolean>) => until(holds, 0);
  const statusOf = async (service: RunningService, { transaction_id }: Transaction) =>
    (await getTransaction(service, till, transaction_id)).status;
  const settling = async (service: RunningService) =>
    confirmIt(service, await placeOrder(service, { sca_required: false }));
  const rows = () => store.read(() => all(adhoc((db) => db.selectFrom("outbox").selectAll())));

  const noAnswers: [string, () => BankReply][] = [
    ["503", () => ({ status: 503, body: '{"status":"declined"}' })],
    ["302", () => ({ status: 302, body: "" })],
    ["401", () => ({ status: 401, body: "{}" })],
    ["403", () => ({ status: 403, body: "{}" })],
    ["404", () => ({ status: 404, body: '{"status":"declined"}' })],
    ["409", () => ({ status: 409, body: "{}" })],
    ["a proxy's 400", () => ({ status: 400, body: "<html>Bad Request</html>" })],
    ["410", () => ({ status: 410, body: "" })],
    ["422 while it is working on it", () => ({ status: 422, body: '{"status":"processing"}' })],
    ["200 with an error", () => ({ status: 200, body: '{"error":"account closed"}' })],
    ["200 without success", () => ({ status: 200, body: '{"success":false}' })],
    ["an empty 200", () => ({ status: 200, body: "" })],
    ["204", () => ({ status: 204, body: "" })],
    ["429", () => ({ status: 429, body: "{}" })],
    ["201", () => ({ status: 201, body: "{}" })],
    ["a page of HTML", () => ({ status: 200, body: "<html>" })],
    ["half a JSON", () => ({ status: 200, body: '{"status":"acc' })],
    ["a time-out", silent("timeout")],
    ["a reset after it has booked", silent("ECONNRESET")],
  ];
  test.each(noAnswers)(
    "%s is no answer: repeated under the same id with the same body until there is one",
    async (_, reply) => {
      const { service, bank, counted } = await open();
      let calls = 0;
      bank.onSettle = () => {
        calls += 1;
        return calls <= 4 ? reply() : accepted;
      };
      const transaction = await settling(service);
      expect(transaction.status).toBe("settling");
      await until(async () => (await statusOf(service, transaction)) === "settled");
      const sent = bank.requests.filter(({ url }) => url.endsWith("/settlewithdrawal"));
      expect(sent).toHaveLength(5);
      expect(new Set(sent.map(({ headers }) => headers["webhook-id"]))).toEqual(
        new Set([`settle_${transaction.transaction_id}`]),
      );
      expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
      expect(await rows()).toEqual([]);
      expect(counted.alarms.length).toBeGreaterThan(0);
      for await (const lines of reconcile(service, till, { fromMs: 0, toMs: clock.now() + 1 })) {
        expect(lines).toMatchObject([{ finding: "not_linked", settle_attempts: 5 }]);
      }
    },
  );

  const refusals: [string, BankReply][] = [
    ["declined", declined],
    ["400 with a word", { status: 400, body: '{"status":"rejected"}' }],
    ["422 with a word", { status: 422, body: '{"status":"refused"}' }],
  ];
  test.each(refusals)("%s is a definite no: failed, and never sent again", async (_, reply) => {
    const { service, bank } = await open();
    bank.onSettle = () => reply;
    const transaction = await settling(service);
    await real(async () => (await statusOf(service, transaction)) !== "settling");
    expect(await getTransaction(service, till, transaction.transaction_id)).toMatchObject({
      status: "failed",
      reason: "settle_declined",
    });
    await clock.advance(600_000);
    expect(bank.settles).toHaveLength(1);
    expect(await rows()).toEqual([]);
  });

  describe("a bank that the operator declared to answer by status code", () => {
    const declareByCode = () =>
      store.write(() => run(updatePartner(bankClient.partnerId, { answers: "by-status-code" })));
    const declareByWord = () => store.write(() => run(updatePartner(bankClient.partnerId, { answers: null })));
    beforeEach(declareByCode);
    afterEach(declareByWord);

    test.each([
      [{ status: 204, body: "" }, "settled"],
      [{ status: 201, body: '{"id":7}' }, "settled"],
      [{ status: 422, body: "" }, "failed"],
      [{ status: 410, body: "gone" }, "failed"],
    ] as const)("%j decides at the first try: %s", async (reply, status) => {
      const { service, bank } = await open();
      bank.onStart = () => ({ status: 204, body: "" });
      bank.onSettle = () => reply;
      const transaction = await settling(service);
      await real(async () => (await statusOf(service, transaction)) !== "settling");
      expect(await statusOf(service, transaction)).toBe(status);
      expect(bank.settles).toHaveLength(1);
    });

    test.each([422, 410, 400, 204])(
      "after a try that was cut off, %d says nothing: the bank may be working on it",
      async (code) => {
        const { service, bank } = await open();
        let calls = 0;
        bank.onSettle = () => {
          calls += 1;
          if (calls === 1) throw new Error("timeout");
          return calls < 4 ? { status: code, body: "" } : accepted;
        };
        const transaction = await settling(service);
        await until(async () => (await statusOf(service, transaction)) !== "settling");
        expect(await statusOf(service, transaction)).toBe("settled");
        expect(bank.settles).toHaveLength(4);
      },
    );

    test("a process that was killed in the call counts as a try: its successor believes only a word", async () => {
      const dying = await open({ pollMs: 1e9 });
      const silence = Promise.withResolvers<BankReply>();
      dying.bank.onSettle = () => silence.promise;
      const transaction = await settling(dying.service);
      const next = await open({}, await place.open(clock));
      let calls = 0;
      next.bank.onSettle = () => {
        calls += 1;
        return calls === 1 ? { status: 422, body: "" } : accepted;
      };
      await until(async () => (await statusOf(next.service, transaction)) !== "settling");
      expect(await statusOf(next.service, transaction)).toBe("settled");
      silence.resolve(accepted);
    });
  });

  test.each([
    [429, "20", 20_000],
    [503, "20", 20_000],
    [503, "86400", 60_000],
  ])("a %d with Retry-After %s is honoured, for a minute at most", async (status, retryAfter, pauseMs) => {
    const { service, bank } = await open();
    const times: number[] = [];
    bank.onSettle = () => {
      times.push(clock.now());
      return times.length === 1 ? { status, body: "", retryAfter } : accepted;
    };
    const transaction = await settling(service);
    await until(async () => (await statusOf(service, transaction)) === "settled");
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(pauseMs);
    expect(second - first).toBeLessThanOrEqual(pauseMs + 1_000);
  });

  test("a bank that is down for hours is asked at most once a minute, and gets its order in the end", async () => {
    const { service, bank, counted } = await open({ pollMs: 5_000 });
    const times: number[] = [];
    bank.onSettle = () => {
      times.push(clock.now());
      return times.length < 30 ? { status: 500, body: "" } : accepted;
    };
    const transaction = await settling(service);
    await until(async () => (await statusOf(service, transaction)) === "settled", 5_000);
    const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(retrySchedules.settle.firstMs);
    // A poll may be five seconds late.
    expect(Math.max(...pauses)).toBeLessThanOrEqual(retrySchedules.settle.maxMs + 10_000);
    expect(pauses.slice(-15).every((pause) => pause >= retrySchedules.settle.maxMs / 2)).toBe(true);
    expect(counted.depths).toContain(1);
  });

  test("an answer that never comes holds up nothing but its own order", async () => {
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
    bank.onSettle = async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setTimeout(resolve, 1));
      inFlight -= 1;
      return accepted;
    };
    const many = await Promise.all(Array.from({ length: 60 }, () => settling(service)));
    for (const transaction of many) await real(async () => (await statusOf(service, transaction)) === "settled");
    expect([most, bank.settles.length]).toEqual([3, 60]);
  });

  test("a process that died in the call: the next one sends the order again, the late answer changes nothing", async () => {
    const dying = await open({ pollMs: 1e9 });
    const late = Promise.withResolvers<BankReply>();
    dying.bank.onSettle = () => late.promise;
    const transaction = await settling(dying.service);
    const diedAt = clock.now();
    const next = await open({}, await place.open(clock));
    await until(async () => (await statusOf(next.service, transaction)) === "settled");
    expect(next.bank.settles).toHaveLength(1);
    expect(next.bank.requests[0]?.headers["webhook-id"]).toBe(dying.bank.requests[1]?.headers["webhook-id"]);
    // A fleet waits for the lease; the one process of a file need not.
    if (dialect === "postgres") expect(clock.now() - diedAt).toBeGreaterThanOrEqual(leaseMs);
    const settled = await getTransaction(next.service, till, transaction.transaction_id);
    late.resolve(declined);
    await dying.service.stop();
    expect(await getTransaction(next.service, till, transaction.transaction_id)).toEqual(settled);
  });

  test("a worker that lost its lease does not put off the one who has it", async () => {
    const slow = await open();
    const lost = Promise.withResolvers<BankReply>();
    slow.bank.onSettle = () => lost.promise;
    const transaction = await settling(slow.service);
    await store.write(() => run(adhoc((db) => db.updateTable("outbox").set({ claimed_by: "another", attempts: 2 }))));
    const [before] = await rows();
    lost.resolve({ status: 500, body: "" });
    await real(() => slow.counted.calls.includes("settle:none"));
    expect((await rows())[0]).toEqual(before);
    await until(async () => (await statusOf(slow.service, transaction)) === "settled" || slow.bank.settles.length > 1);
  });

  test("a no to a try that lost its lease decides nothing: the bank may have booked the newer one", async () => {
    const slow = await open();
    const late = Promise.withResolvers<BankReply>();
    slow.bank.onSettle = () => late.promise;
    const transaction = await settling(slow.service);
    await store.write(() => run(adhoc((db) => db.updateTable("outbox").set({ claimed_by: "another", attempts: 2 }))));
    const [before] = await rows();
    late.resolve(declined);
    await real(() => slow.counted.calls.includes("settle:declined"));
    await idle();
    expect([await statusOf(slow.service, transaction), (await rows())[0]]).toEqual(["settling", before]);
  });

  test("a worker's older try does not put off its newer one", async () => {
    const slow = await open();
    const lost = Promise.withResolvers<BankReply>();
    slow.bank.onSettle = () => lost.promise;
    const transaction = await settling(slow.service);
    await store.write(() => run(adhoc((db) => db.updateTable("outbox").set({ attempts: 2 }))));
    const [before] = await rows();
    lost.resolve({ status: 500, body: "" });
    await real(() => slow.counted.calls.includes("settle:none"));
    await idle();
    expect((await rows())[0]).toEqual(before);
    await until(async () => (await statusOf(slow.service, transaction)) === "settled" || slow.bank.settles.length > 1);
  });

  test("an order that a wrong clock put far ahead is due", async () => {
    const { service, bank } = await open();
    let calls = 0;
    bank.onSettle = () => {
      calls += 1;
      return calls === 1 ? { status: 500, body: "" } : accepted;
    };
    clock.jump(365 * 86_400_000);
    const transaction = await settling(service);
    await real(async () => (await rows())[0]?.last_error === "http_500");
    clock.jump(-365 * 86_400_000);
    // The timers of this process were set by the wrong clock too: only its successor need know.
    const next = await open({}, await place.open(clock));
    await until(async () => (await statusOf(next.service, transaction)) === "settled");
  });

  test.runIf(dialect === "postgres")(
    "two processes share the work and never send one order at the same time",
    async () => {
      // The first has few places, so that what waits is left for the other to claim.
      const two = [
        await open({ partnerInFlightMax: 2 }),
        await open({ partnerInFlightMax: 10 }, await place.open(clock)),
      ];
      const inFlight = new Map<string, number>();
      let together = 0;
      const tries = new Map<string, number>();
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
      const [first] = two;
      if (!first) throw new Error("no process");
      const many = await Promise.all(Array.from({ length: 100 }, () => settling(first.service)));
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

test("pauses grow from half a second to a minute, spread so that a fleet does not knock in step", () => {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const [shortest, longest] = [retryPauseMs("settle", attempt, 0), retryPauseMs("settle", attempt, 0.999_999)];
    expect(shortest).toBeGreaterThanOrEqual(retrySchedules.settle.firstMs);
    expect(longest).toBeLessThanOrEqual(retrySchedules.settle.maxMs);
    expect(shortest).toBeLessThan(longest);
  }
  expect(retryPauseMs("settle", 1e9, 1)).toBe(retrySchedules.settle.maxMs);
});
