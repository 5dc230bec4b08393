import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { ServiceError } from "../../backend/service-error.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import type { RunningService } from "../../backend/withdrawals/service.ts";
import { byEffort } from "../runner/effort.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { approve, bank, confirmIt, createWorld, placeOrder, secondTill, till, type World } from "./world.ts";
import { oneWorld } from "./world-stage.ts";

const rounds = byEffort({ usual: 60, torture: 2_000 });
/** Rounds that run at the same time, so that each race also has the others' traffic around it. */
const atOnce = 10;

type Answer =
  | { readonly ok: true; readonly transaction: Transaction }
  | { readonly ok: false; readonly error: ServiceError };
const answerOf = (promise: Promise<Transaction>): Promise<Answer> =>
  promise.then(
    (transaction) => ({ ok: true, transaction }),
    (error: unknown) => {
      if (error instanceof ServiceError) return { ok: false, error };
      throw error;
    },
  );

/** Two processes on PostgreSQL; SQLite has one, and there the second is the same. */
describe.each(stores)("%s", (dialect) => {
  let place: Place;
  let first: World;
  let second: World;
  oneWorld(dialect, { inRealTime: true }, (stage) => {
    ({ place, world: first } = stage);
  });
  beforeAll(async () => {
    second = dialect === "postgres" ? await createWorld(await place.open()) : first;
  });
  afterAll(() => second.service.stop());

  const inRounds = async (round: (n: number) => Promise<void>) => {
    for (let n = 0; n < rounds; n += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, k) => round(n + k)));
    }
  };

  /** Both at once, in either order; exactly one wins, and the loser is told the winner's result. */
  const race = async (
    n: number,
    id: string,
    one: (service: RunningService) => Promise<Transaction>,
    other: (service: RunningService) => Promise<Transaction>,
    loserIsTold: "transaction_conflict" | "transaction_not_found",
  ) => {
    const runs = [() => one(first.service), () => other(second.service)];
    if (n % 2 === 1) runs.reverse();
    const answers = await Promise.all(runs.map((run) => answerOf(run())));
    const winners = answers.filter((answer) => answer.ok);
    const losers = answers.filter((answer) => !answer.ok);
    expect([winners.length, losers.length]).toEqual([1, 1]);
    expect(losers[0]?.error.code).toBe(loserIsTold);
    return { winner: winners[0]?.transaction, after: await getTransaction(first.service, till, id) };
  };

  test("confirm against confirm: two tills with one barcode, one of them gets it", () =>
    inRounds(async (n) => {
      const ready = await placeOrder(first.service);
      const { winner, after } = await race(
        n,
        ready.transaction_id,
        (service) => confirmIt(service, ready, till, `a-${n}`),
        (service) => confirmIt(service, ready, secondTill, `b-${n}`),
        "transaction_conflict",
      );
      expect(after).toEqual(winner);
    }));

  test("confirm against confirm on one till with two POS ids: one counts", () =>
    inRounds(async (n) => {
      const ready = await placeOrder(first.service);
      const { winner, after } = await race(
        n,
        ready.transaction_id,
        (service) => confirmIt(service, ready, till, `c-${n}`),
        (service) => confirmIt(service, ready, till, `d-${n}`),
        "transaction_conflict",
      );
      expect(after.transaction_id_partner).toBe(winner?.transaction_id_partner);
    }));

  test("one confirmation sent twice: both are told the same, one Settle order", () =>
    inRounds(async (n) => {
      const ready = await placeOrder(first.service, { sca_required: false });
      const [a, b] = await Promise.all([
        confirmIt(first.service, ready, till, `e-${n}`),
        confirmIt(second.service, ready, till, `e-${n}`),
      ]);
      expect(a.transaction_id_partner).toBe(b.transaction_id_partner);
      expect(
        (await getTransaction(first.service, till, ready.transaction_id, { waitMs: 20_000, whileStatus: "settling" }))
          .status,
      ).toBe("settled");
      const orders = [...first.bank.settles, ...(second === first ? [] : second.bank.settles)];
      expect(orders.filter((order) => order.SvcTransactionReferenceId === ready.transaction_id)).toHaveLength(1);
    }));

  test("two tills, one barcode: one confirms, the other rejects", () =>
    inRounds(async (n) => {
      const ready = await placeOrder(first.service);
      const answers = await Promise.all([
        answerOf(confirmIt(first.service, ready, till, `f-${n}`)),
        answerOf(rejectTransaction(second.service, secondTill, ready.transaction_id)),
      ]);
      const after = await getTransaction(first.service, till, ready.transaction_id);
      expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
      expect(after.status).toBe(answers[0]?.ok ? "awaiting_sca" : "rejected");
      expect(answers.find((answer) => !answer.ok)).toMatchObject({
        error: { code: answers[0]?.ok ? "transaction_not_found" : "transaction_conflict" },
      });
    }));

  test("confirm against the customer's cancellation", () =>
    inRounds(async (n) => {
      const ready = await placeOrder(first.service);
      const { winner, after } = await race(
        n,
        ready.transaction_id,
        (service) => confirmIt(service, ready, till, `g-${n}`),
        (service) => cancelWithdrawal(service, bank, ready.transaction_id),
        "transaction_conflict",
      );
      expect(after).toEqual(winner);
    }));

  test("approve against reject", () =>
    inRounds(async (n) => {
      const confirmed = await confirmIt(first.service, await placeOrder(first.service));
      const id = confirmed.transaction_id;
      const { winner } = await race(
        n,
        id,
        (service) => approve(service, confirmed),
        (service) => rejectTransaction(service, till, id),
        "transaction_conflict",
      );
      const after = await getTransaction(first.service, till, id, { waitMs: 20_000, whileStatus: "settling" });
      expect(after.status).toBe(winner?.status === "rejected" ? "rejected" : "settled");
    }));

  test("link against undelivered", () =>
    inRounds(async (n) => {
      const { transaction_id: id } = await confirmIt(
        first.service,
        await placeOrder(first.service, { sca_required: false }),
      );
      await getTransaction(first.service, till, id, { waitMs: 20_000, whileStatus: "settling" });
      const { winner, after } = await race(
        n,
        id,
        (service) => linkTransaction(service, till, id),
        (service) => declareUndelivered(service, till, id, "customer_left"),
        "transaction_conflict",
      );
      expect(after).toEqual(winner);
    }));
});

/** Against a deadline that falls somewhere into the call, on the machine's own clock. */
describe.each(stores)("%s against time", (dialect) => {
  let place: Place;
  beforeAll(async () => {
    place = await createPlace(dialect);
  });
  afterAll(() => place.dispose());

  const againstDeadline = async (
    options: { scaTimeoutMs: number; orderTtlMs: number },
    lead: (service: RunningService) => Promise<Transaction>,
    call: (service: RunningService, transaction: Transaction) => Promise<Transaction>,
    won: readonly string[],
    lost: string,
  ) => {
    const world = await createWorld(await place.open(), { options });
    const seen = { won: 0, lost: 0 };
    const round = async (n: number) => {
      const transaction = await lead(world.service);
      const deadline = Date.parse((transaction.sca_expires_at ?? transaction.expires_at) || "");
      // From 6 ms before to 6 ms after, so that some hit the very millisecond.
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, deadline - Date.now() - 6 + (n % 13))));
      const [answer, read] = await Promise.all([
        answerOf(call(world.service, transaction)),
        getTransaction(world.service, till, transaction.transaction_id),
      ]);
      const after = await getTransaction(world.service, till, transaction.transaction_id, {
        waitMs: 20_000,
        whileStatus: "settling",
      });
      if (answer.ok) expect(won).toContain(after.status);
      else expect([answer.error.code, after.status]).toEqual(["transaction_conflict", lost]);
      if (read.status === lost) expect(after).toEqual(read);
      if (answer.ok) seen.won += 1;
      else seen.lost += 1;
    };
    for (let n = 0; n < rounds; n += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, k) => round(n + k)));
    }
    await world.service.stop();
    expect(seen.won + seen.lost).toBe(rounds);
    expect(seen.lost).toBeGreaterThan(0);
  };

  test("approve against the end of its time: in time and settled, or late and canceled", () =>
    againstDeadline(
      { scaTimeoutMs: 60, orderTtlMs: 900_000 },
      async (service) => confirmIt(service, await placeOrder(service)),
      approve,
      ["settled"],
      "canceled",
    ));

  test("confirm against expiry: in time and waiting, or late and expired", () =>
    againstDeadline({ scaTimeoutMs: 40_000, orderTtlMs: 60 }, placeOrder, confirmIt, ["awaiting_sca"], "expired"));
});
