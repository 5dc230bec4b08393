import { describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { type Place, stores } from "./stores.ts";
import { notificationsOnly } from "./virtual-clock.ts";
import { accepted, approve, type BankReply, confirmIt, createWorld, placeOrder, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

/** On the real clock: what wakes a reader is a commit, here or in another process, or a deadline. */
describe.each(stores)("%s", (dialect) => {
  let place: Place;
  let world: World;
  worldPerTest(dialect, { inRealTime: true, options: { scaTimeoutMs: 300, pollMs: 1e9 } }, (stage) => {
    ({ place, world } = stage);
  });

  /** Longer than a test may last: the end of the wait answers nobody. */
  const longMs = 3_600_000;

  test("answers at once when the status is already another, or when there is no wait", async () => {
    const { transaction_id: id } = await placeOrder(world.service);
    expect((await getTransaction(world.service, till, id, { waitMs: longMs, whileStatus: "requested" })).status).toBe(
      "ready",
    );
    expect((await getTransaction(world.service, till, id, { waitMs: 0 })).status).toBe("ready");
  });

  test("a thousand readers are woken by one change", async () => {
    const { service } = await createWorld(await place.open(notificationsOnly), { options: { pollMs: 1e9 } });
    const ready = await placeOrder(service);
    const readers = Array.from({ length: 1_000 }, () =>
      getTransaction(service, till, ready.transaction_id, { waitMs: longMs, whileStatus: "ready" }),
    );
    await rejectTransaction(service, till, ready.transaction_id);
    const seen = await Promise.all(readers);
    expect(new Set(seen.map(({ status }) => status))).toEqual(new Set(["rejected"]));
    await service.stop();
  });

  test("is woken by the deadline, and never told before it", async () => {
    const confirmed = await confirmIt(world.service, await placeOrder(world.service));
    const seen = await getTransaction(world.service, till, confirmed.transaction_id, {
      waitMs: longMs,
      whileStatus: "awaiting_sca",
    });
    expect(seen).toMatchObject({ status: "canceled", reason: "sca_timeout", closed_at: confirmed.sca_expires_at });
    // The service's own time, which goes on where the machine's clock is set back.
    expect(systemClock.now()).toBeGreaterThanOrEqual(Date.parse(confirmed.sca_expires_at ?? ""));
  });

  test("ends with the transaction as it is when the wait is over", async () => {
    const ready = await placeOrder(world.service);
    expect(await getTransaction(world.service, till, ready.transaction_id, { waitMs: 30 })).toEqual(ready);
  });

  test("ends at once when the reader leaves, and leaves no listener behind", async () => {
    const ready = await placeOrder(world.service);
    let [listening, reads] = [0, 0];
    const counting: Store = {
      ...world.service.store,
      async read(unit) {
        const result = await world.service.store.read(unit);
        reads += 1;
        return result;
      },
      onChange(...what) {
        listening += 1;
        const stop = world.service.store.onChange(...what);
        return () => {
          listening -= 1;
          stop();
        };
      },
    };
    const read = (signal: AbortSignal) =>
      getTransaction({ ...world.service, store: counting }, till, ready.transaction_id, { waitMs: longMs, signal });
    const leaving = new AbortController();
    const answer = read(leaving.signal);
    // It looks once more after it began to listen.
    await expect.poll(() => [listening, reads], { interval: 2 }).toEqual([1, 2]);
    leaving.abort();
    expect(await answer).toEqual(ready);
    expect(await read(AbortSignal.abort())).toEqual(ready);
    expect(listening).toBe(0);
  });

  test.runIf(dialect === "postgres")("is woken by the notice of a change in another process", async () => {
    // On one connection reads are answered in their order.
    const reading = await createWorld(await place.open(notificationsOnly, { connectionsMax: 1 }), {
      options: { pollMs: 1e9 },
    });
    const second = await createWorld(await place.open(), { options: { pollMs: 1e9 } });
    const answer = Promise.withResolvers<BankReply>();
    second.bank.onSettle = () => answer.promise;
    const held = async (id: string, whileStatus: "awaiting_sca" | "settling") => {
      const reader = getTransaction(reading.service, till, id, { waitMs: longMs, whileStatus });
      expect((await getTransaction(reading.service, till, id)).status).toBe(whileStatus);
      return { reader };
    };
    try {
      const confirmed = await confirmIt(second.service, await placeOrder(second.service));
      const { transaction_id: id } = confirmed;
      const waiting = await held(id, "awaiting_sca");
      await approve(second.service, confirmed);
      expect((await waiting.reader).status).toBe("settling");
      const again = await held(id, "settling");
      answer.resolve(accepted);
      expect((await again.reader).status).toBe("settled");
    } finally {
      await reading.service.stop();
      await second.service.stop();
    }
  });

  test.runIf(dialect === "postgres")("sees what was changed while the connection that listens was cut", async () => {
    const { default: pg } = await import("pg");
    const admin = new pg.Client({ connectionString: place.url });
    await admin.connect();
    const cut = () =>
      admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tillcash listener' AND datname = current_database()",
      );
    const second = await createWorld(await place.open());
    try {
      const ready = await placeOrder(world.service);
      const reader = getTransaction(world.service, till, ready.transaction_id, {
        waitMs: longMs,
        whileStatus: "ready",
      });
      expect((await cut()).rowCount).toBeGreaterThan(0);
      await rejectTransaction(second.service, till, ready.transaction_id);
      expect((await reader).status).toBe("rejected");
    } finally {
      await second.service.stop();
      await admin.end();
    }
  });
});
