/** Status events: one for each move, written with it, delivered at least once, and never in the way of a Settle order. */
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import type { StatusEvent } from "../../backend/contract/webhook-events.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import type { Clock, PartnerRequest } from "../../backend/ports.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { stores } from "./stores.ts";
import {
  accepted,
  approve,
  bank,
  confirmIt,
  createWorld,
  declined,
  freshKey,
  placeOrder,
  shop,
  till,
  type World,
} from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const secret = `whsec_${Buffer.from("a key of the events of this test").toString("base64")}`;
const failing = { status: 503, body: "" };

describe.each(stores)("on %s", (dialect) => {
  let store: Store;
  let world: World;
  let laterMs = 0;
  /** Where time stands still; null: it does not. */
  let stoppedAt: number | null = null;
  const clock: Clock = { ...systemClock, now: () => stoppedAt ?? systemClock.now() + laterMs };
  const received: { event: StatusEvent; request: PartnerRequest }[] = [];

  const receive = () => {
    world.bank.onEvent = (event, request) => {
      received.push({ event, request });
      return accepted;
    };
  };
  worldPerTest(dialect, { clock }, (stage) => {
    ({ store, world } = stage);
  });
  beforeEach(async () => {
    received.length = 0;
    await store.write((tx) =>
      tx.first(updatePartner(bank.partnerId, { url: "http://bank", events_url: "https://bank/events", secret })),
    );
    receive();
  });
  afterEach(async () => {
    await world.service.stop();
    // Here, as the next test's service starts before what that does first.
    [laterMs, stoppedAt] = [0, null];
  });

  const waiting = () =>
    store.read((tx) => tx.all(adhoc((db) => db.selectFrom("status_events").select(["id", "attempts"]))));
  const eventsOf = (id: string) =>
    received
      .filter(({ event }) => event.transaction.transaction_id === id)
      .map(({ event }) => event)
      .sort((a, b) => a.sequence - b.sequence);
  const allTaken = () => expect.poll(waiting).toEqual([]);
  const settled = async (transaction: Transaction) =>
    getTransaction(world.service, till, transaction.transaction_id, { waitMs: 10_000, whileStatus: "settling" });

  const stories: Record<string, () => Promise<Transaction>> = {
    "ready awaiting_sca settled linked": async () => {
      const it = await placeOrder(world.service);
      await confirmIt(world.service, it);
      await settled(await approve(world.service, it));
      return linkTransaction(world.service, till, it.transaction_id);
    },
    "ready settled undelivered": async () => {
      const it = await placeOrder(world.service, { sca_required: false });
      await settled(await confirmIt(world.service, it));
      return declareUndelivered(world.service, till, it.transaction_id, "till_short");
    },
    "ready rejected": async () => {
      const it = await placeOrder(world.service);
      return rejectTransaction(world.service, till, it.transaction_id);
    },
    "ready awaiting_sca canceled": async () => {
      const it = await placeOrder(world.service);
      await confirmIt(world.service, it);
      return resolveSca(world.service, bank, it.transaction_id, "denied");
    },
    "ready awaiting_sca rejected": async () => {
      const it = await placeOrder(world.service);
      await confirmIt(world.service, it);
      return rejectTransaction(world.service, till, it.transaction_id);
    },
    "ready canceled": async () => {
      const it = await placeOrder(world.service);
      return cancelWithdrawal(world.service, bank, it.transaction_id);
    },
    "ready expired": async () => {
      const it = await placeOrder(world.service);
      // One that is under way would be sent again, its lease having ended.
      await allTaken();
      laterMs = 901_000;
      return getTransaction(world.service, till, it.transaction_id);
    },
    declined: () => {
      world.bank.onStart = () => declined;
      return placeOrder(world.service);
    },
    "ready awaiting_sca failed": async () => {
      world.bank.onSettle = () => declined;
      const it = await placeOrder(world.service);
      await confirmIt(world.service, it);
      return settled(await approve(world.service, it));
    },
  };
  test.each(Object.keys(stories))("%s: each move once, numbered from 1, as the move left it", async (statuses) => {
    const end = await stories[statuses]?.();
    await allTaken();
    const events = eventsOf(end?.transaction_id ?? "");
    expect(events.map(({ type }) => type)).toEqual(statuses.split(" ").map((status) => `withdrawal.${status}`));
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    for (const { type, transaction } of events) expect(type).toBe(`withdrawal.${transaction.status}`);
    expect(events.at(-1)?.transaction).toEqual(end);
  });

  test("is signed, named and carries the bank's reference", async () => {
    const body = { user_id: "ann", amount: "50.00", currency: "EUR", store: shop, partner_reference: "wd-5" };
    const made = await requestWithdrawal(world.service, bank, body, freshKey());
    await allTaken();
    const request = received[0]?.request;
    expect(request?.url).toBe("https://bank/events");
    expect(request?.headers).toMatchObject({
      "webhook-id": `event_${made.transaction_id}_1`,
      "partner-reference": "wd-5",
      "user-agent": expect.stringMatching(/^Tillcash\/\d+\.\d+\.\d+$/),
    });
    expect(new Webhook(secret).verify(request?.body ?? "", { ...request?.headers })).toMatchObject({
      type: "withdrawal.ready",
      sequence: 1,
    });
    expect(request?.body).not.toContain("ann");
  });

  test("comes again under the same id until it is taken, and a restart forgets none", async () => {
    const ids: (string | undefined)[] = [];
    const refuse = (_: StatusEvent, request: PartnerRequest) => {
      ids.push(request.headers["webhook-id"]);
      return failing;
    };
    world.bank.onEvent = refuse;
    const made = await placeOrder(world.service);
    await expect.poll(() => ids.length).toBeGreaterThan(1);
    await world.service.stop();
    world = await createWorld(store, { clock });
    receive();
    laterMs += 60_000;
    await allTaken();
    expect(received.length).toBeGreaterThan(0);
    expect(new Set([...ids, ...received.map(({ request }) => request.headers["webhook-id"])])).toEqual(
      new Set([`event_${made.transaction_id}_1`]),
    );
  });

  test("one that somebody wrote of an end that it never came to is not sent", async () => {
    const it = await placeOrder(world.service);
    await confirmIt(world.service, it);
    await settled(await approve(world.service, it));
    await linkTransaction(world.service, till, it.transaction_id);
    await allTaken();
    const last = received.find(({ event }) => event.type === "withdrawal.linked");
    if (last === undefined) throw new Error("no event");
    const forge = (id: string, body: object) =>
      store.write((tx) =>
        tx.run(
          adhoc((db) =>
            db.insertInto("status_events").values({
              ...{ id, transaction_id: it.transaction_id, partner_id: bank.partnerId, body: JSON.stringify(body) },
              ...{ attempts: 0, due_at: clock.now(), claimed_by: "", created_at: clock.now() },
              ...{ last_error: null, partner_reference: null },
            }),
          ),
        ),
      );
    received.length = 0;
    // Each is tried once: what was not taken is never due again.
    stoppedAt = clock.now();
    const { transaction, ...event } = last.event;
    const lie = { type: "withdrawal.undelivered", transaction: { ...transaction, status: "undelivered" } };
    await forge("event_forged", { ...event, ...lie, sequence: 9 });
    await forge("event_true", last.event);
    await expect.poll(waiting).toMatchObject([{ id: "event_forged", attempts: 1 }]);
    expect(received.map(({ event }) => event)).toEqual([last.event]);
    // Its try counts from the claim on; what it is compared with is read after that.
    await expect.poll(() => world.counted.alarms).toEqual(["event:changed"]);
  });

  test("a bank whose event server hangs gets its Settle orders meanwhile", async () => {
    const { promise, resolve } = Promise.withResolvers<typeof accepted>();
    world.bank.onEvent = () => promise;
    for (let count = 0; count < 20; count += 1) {
      const it = await placeOrder(world.service, { sca_required: false });
      expect((await settled(await confirmIt(world.service, it))).status).toBe("settled");
    }
    resolve(accepted);
  });

  test("a bank without an address for events gets none and leaves none behind", async () => {
    await store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url: null })));
    await placeOrder(world.service);
    expect(await waiting()).toEqual([]);
    expect(received).toEqual([]);
  });
});
