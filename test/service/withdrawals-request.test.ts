import { describe, expect, test } from "vitest";
import { isTransactionId } from "../../backend/contract/ids.ts";
import { updateMerchant } from "../../backend/merchants/merchants.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { requestWithdrawal, type WithdrawalRequest } from "../../backend/withdrawals/request.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import {
  accepted,
  type BankReply,
  bank,
  confirmIt,
  createWorld,
  declined,
  freshKey,
  otherBank,
  shop,
  till,
  type World,
} from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const startOrderWindowMs = 15_000;
const body: WithdrawalRequest = { user_id: "ann", amount: "50.00", currency: "EUR", store: shop };

describe.each(stores)("%s", (dialect) => {
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  let idle: () => Promise<void>;
  worldPerTest(dialect, { options: { pollMs: 1e9 } }, (stage) => {
    ({ clock, store, world, idle } = stage);
  });

  /** Lets database and bank work, then moves time on, until the promise ends. */
  const inTime = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    const settle = () => {
      done = true;
    };
    promise.then(settle, settle);
    for (let turns = 0; !done && turns < 5_000; turns += 1) {
      await idle();
      if (!done) await clock.advance(250, idle);
    }
    return promise;
  };

  const limits = { currency: "EUR", amount_min: "10.00", amount_max: "500.00", amount_step: "10.00" };
  const refused: [string, Partial<WithdrawalRequest>, string, string][] = [
    ["another currency", { currency: "USD" }, "currency_mismatch", "currency"],
    ["too few digits", { amount: "50" }, "validation_failed", "amount"],
    ["too many digits", { amount: "50.000" }, "validation_failed", "amount"],
    ["less than the smallest", { amount: "0.00" }, "amount_out_of_range", "amount"],
    ["more than the largest", { amount: "510.00" }, "amount_out_of_range", "amount"],
    ["no multiple of the step", { amount: "55.00" }, "amount_step", "amount"],
  ];
  test.each(refused)("refuses %s with the limits that count, and asks no bank", async (_, change, code, path) => {
    await expect(requestWithdrawal(world.service, bank, { ...body, ...change }, freshKey())).rejects.toMatchObject({
      code,
      extra: { errors: [{ path }], limits },
    });
    expect(world.bank.requests).toEqual([]);
  });

  test("an unknown store has a code of its own", async () => {
    await expect(
      requestWithdrawal(world.service, bank, { ...body, store: "nowhere" }, freshKey()),
    ).rejects.toMatchObject({
      code: "store_unknown",
    });
    expect(world.bank.requests).toEqual([]);
  });

  test("the edges of the limits are inside", async () => {
    for (const amount of ["10.00", "500.00"]) {
      expect(await requestWithdrawal(world.service, bank, { ...body, amount }, freshKey())).toMatchObject({
        status: "ready",
        amount,
      });
    }
  });

  test("gives an id that can be scanned", async () => {
    const { transaction_id } = await requestWithdrawal(world.service, bank, body, freshKey());
    expect(isTransactionId(transaction_id)).toBe(true);
  });

  test.each([
    ["canceled", true],
    ["expired", false],
  ])("the same key and body: the same answer, also once it is %s, and one order at the bank", async (end, confirms) => {
    const key = freshKey();
    const first = await requestWithdrawal(world.service, bank, body, key);
    if (confirms) await confirmIt(world.service, first);
    clock.jump(1_000_000);
    expect((await getTransaction(world.service, till, first.transaction_id)).status).toBe(end);
    expect(await requestWithdrawal(world.service, bank, body, key)).toEqual(first);
    expect(world.bank.starts).toHaveLength(1);
  });

  test("the same answer also when it was a refusal", async () => {
    world.bank.onStart = () => declined;
    const key = freshKey();
    const first = await requestWithdrawal(world.service, bank, body, key);
    expect(first).toMatchObject({ status: "declined", reason: "partner_declined" });
    world.bank.onStart = () => accepted;
    expect(await requestWithdrawal(world.service, bank, body, key)).toEqual(first);
  });

  const others: [string, Partial<WithdrawalRequest>][] = [
    ["amount", { amount: "60.00" }],
    ["user", { user_id: "bob" }],
    ["writing of the user", { user_id: "Ann" }],
    ["store", { store: "other-shop" }],
    ["SCA", { sca_required: false }],
  ];
  test("the same key is answered as before, also when the shop's limits have changed since or the shop is closed", async () => {
    const key = freshKey();
    const first = await requestWithdrawal(world.service, bank, body, key);
    const limit = (most: number) =>
      store.write((tx) =>
        tx.run(adhoc((db) => db.updateTable("merchants").set({ amount_max: most }).where("id", "=", shop))),
      );
    const close = (disabled_at: number | null) => store.write((tx) => tx.run(updateMerchant(shop, { disabled_at })));
    await limit(2_000);
    try {
      expect(await requestWithdrawal(world.service, bank, body, key)).toEqual(first);
      await close(1);
      expect(await requestWithdrawal(world.service, bank, body, key)).toEqual(first);
      await close(null);
      await expect(requestWithdrawal(world.service, bank, { ...body, amount: "30.00" }, key)).rejects.toMatchObject({
        code: "idempotency_key_reused",
      });
      await expect(requestWithdrawal(world.service, bank, { ...body, store: "gone" }, key)).rejects.toMatchObject({
        code: "idempotency_key_reused",
      });
      await expect(requestWithdrawal(world.service, bank, body, freshKey())).rejects.toMatchObject({
        code: "amount_out_of_range",
      });
      // The key belongs to its bank: another one's request is new, and judged as such.
      await expect(requestWithdrawal(world.service, otherBank, body, key)).rejects.toMatchObject({
        code: "amount_out_of_range",
      });
    } finally {
      await close(null);
      await limit(50_000);
    }
  });

  test.each(others)("the same key with another %s is refused", async (_, change) => {
    const key = freshKey();
    await requestWithdrawal(world.service, bank, body, key);
    await expect(requestWithdrawal(world.service, bank, { ...body, ...change }, key)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    expect(world.bank.starts).toHaveLength(1);
  });

  test("another bank's equal key is another key", async () => {
    const key = freshKey();
    const first = await requestWithdrawal(world.service, bank, body, key);
    const second = await requestWithdrawal(world.service, otherBank, body, key);
    expect(second.transaction_id).not.toBe(first.transaction_id);
    expect(await requestWithdrawal(world.service, otherBank, body, key)).toEqual(second);
    expect(await requestWithdrawal(world.service, bank, body, key)).toEqual(first);
  });

  test("fifty at once with one key: one withdrawal, one order, one answer", async () => {
    const { promise, resolve } = Promise.withResolvers<BankReply>();
    world.bank.onStart = () => promise;
    const key = freshKey();
    const answers = Array.from({ length: 50 }, () => requestWithdrawal(world.service, bank, body, key));
    setTimeout(() => resolve(accepted), 50);
    const all = await Promise.all(answers);
    expect(new Set(all.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(all[0]?.status).toBe("ready");
    expect(world.bank.starts).toHaveLength(1);
  });

  test("a bank that hangs does not gather requests without end, and another bank's go on", async () => {
    const small = await createWorld(store, { clock, options: { pollMs: 1e9, startsInFlightMax: 3 } });
    const { promise, resolve } = Promise.withResolvers<BankReply>();
    small.bank.onStart = (_, { url }) => (url.startsWith("http://other.bank") ? accepted : promise);
    const hanging = Array.from({ length: 3 }, () => requestWithdrawal(small.service, bank, body, freshKey()));
    while (small.bank.starts.length < 3) await new Promise((done) => setTimeout(done, 1));
    await expect(requestWithdrawal(small.service, bank, body, freshKey())).rejects.toMatchObject({
      code: "unavailable",
    });
    expect((await requestWithdrawal(small.service, otherBank, body, freshKey())).status).toBe("ready");
    resolve(accepted);
    await Promise.all(hanging);
    expect((await requestWithdrawal(small.service, bank, body, freshKey())).status).toBe("ready");
    await small.service.stop();
  });

  test("a burst of requests that come at the same moment does not slip past the bound", async () => {
    const small = await createWorld(store, { clock, options: { pollMs: 1e9, startsInFlightMax: 3 } });
    const asked = Array.from({ length: 10 }, () => requestWithdrawal(small.service, bank, body, freshKey()));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    expect(small.bank.starts).toHaveLength(3);
    expect((await requestWithdrawal(small.service, bank, body, freshKey())).status).toBe("ready");
    await small.service.stop();
  });

  test("who repeats a request keeps none of the places for those that ask the bank, and waits no longer than they like", async () => {
    const small = await createWorld(store, { clock, options: { pollMs: 1e9, startsInFlightMax: 2 } });
    const { promise, resolve } = Promise.withResolvers<BankReply>();
    small.bank.onStart = () => promise;
    const [key, leaving] = [freshKey(), new AbortController()];
    const first = requestWithdrawal(small.service, bank, body, key);
    await expect.poll(() => small.bank.starts.length).toBe(1);
    const again = requestWithdrawal(small.service, bank, body, key, leaving.signal);
    const asksToo = () => {
      requestWithdrawal(small.service, bank, body, freshKey()).catch(() => {});
      return small.bank.starts.length;
    };
    await expect.poll(asksToo).toBe(2);
    leaving.abort();
    await expect(again).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/not answered yet/),
    });
    resolve(accepted);
    expect((await first).status).toBe("ready");
    await small.service.stop();
  });

  const silence: [string, () => BankReply][] = [
    ["500", () => ({ status: 500, body: "" })],
    [
      "nothing",
      () => {
        throw new Error("ECONNREFUSED");
      },
    ],
  ];
  test.each(silence)(
    "a bank that answers Start order with %s is asked for 15 s under one id, then it is declined",
    async (_, reply) => {
      const askedAt: number[] = [];
      world.bank.onStart = () => {
        askedAt.push(clock.now());
        // An answer takes its time, also the last one.
        clock.jump(1);
        return reply();
      };
      const startedAt = clock.now();
      const answer = await inTime(requestWithdrawal(world.service, bank, body, freshKey()));
      expect(answer).toMatchObject({ status: "declined", reason: "partner_unreachable" });
      const passedMs = Date.parse(answer.closed_at ?? "") - startedAt;
      expect(passedMs).toBeGreaterThanOrEqual(15_000);
      expect(passedMs).toBeLessThan(20_000);
      expect(askedAt.length).toBeGreaterThan(5);
      expect(Math.max(...askedAt)).toBeLessThan(startedAt + passedMs);
      expect(new Set(world.bank.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
      expect(world.counted.alarms.length).toBeGreaterThan(0);
    },
  );

  test("one answer in time is enough", async () => {
    let attempts = 0;
    world.bank.onStart = () => {
      attempts += 1;
      return attempts < 4 ? { status: 503, body: "" } : accepted;
    };
    const answer = await inTime(requestWithdrawal(world.service, bank, body, freshKey()));
    expect([answer.status, attempts]).toEqual(["ready", 4]);
    expect(world.counted.transitions).toEqual([">requested", "requested>ready"]);
    // In the history it is the fourth try's.
    const { events } = await getHistory(world.service, bank, answer.transaction_id);
    expect(events.map(({ to, attempt }) => [to, attempt])).toEqual([
      ["requested", null],
      ["ready", 4],
    ]);
    expect(world.bank.starts[0]).toMatchObject({ userId: "ann", amount: "50.00", store: "Corner Shop" });
  });

  test("an acceptance after the 15 s changes nothing", async () => {
    const { promise, resolve } = Promise.withResolvers<BankReply>();
    world.bank.onStart = () => promise;
    const answer = requestWithdrawal(world.service, bank, body, freshKey());
    while (world.bank.starts.length === 0) await new Promise((done) => setTimeout(done, 1));
    clock.jump(startOrderWindowMs);
    resolve(accepted);
    expect(await answer).toMatchObject({ status: "declined", reason: "partner_unreachable" });
  });

  test("a withdrawal whose process died is declined for whoever asks again, and for readers", async () => {
    const key = freshKey();
    const silence = Promise.withResolvers<BankReply>();
    world.bank.onStart = () => silence.promise;
    void requestWithdrawal(world.service, bank, body, key).catch(() => {});
    while (world.bank.starts.length === 0) await new Promise((done) => setTimeout(done, 1));
    const id = world.bank.starts[0]?.svcTransactionReferenceId ?? "";
    expect((await getTransaction(world.service, till, id)).status).toBe("requested");
    const again = requestWithdrawal(world.service, bank, body, key);
    clock.jump(startOrderWindowMs);
    expect(await getTransaction(world.service, till, id)).toMatchObject({
      status: "declined",
      reason: "partner_unreachable",
    });
    expect(await again).toMatchObject({ transaction_id: id, status: "declined", reason: "partner_unreachable" });
    silence.resolve(accepted);
  });
});
