/** A database that has lost the last commits, as a promoted standby that lacked them, while the processes of a fleet live on. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import { toTime } from "../../backend/contract/times.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import type { Clock, Log } from "../../backend/ports.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import {
  approve,
  bank,
  confirmIt,
  createWorld,
  declined,
  placeOrder,
  quiet,
  secondTill,
  till,
  type World,
} from "./world.ts";

const lost = [
  "withdrawals",
  "withdrawal_events",
  "archived_withdrawals",
  "idempotency_keys",
  "terminal_references",
  "outbox",
  "status_events",
  "restored_reports",
  "audit",
  "audit_head",
] as const;

/** Of a process's signs of life only the first comes by itself. */
const beatless: Clock = {
  ...systemClock,
  after: (delayMs, run) => (delayMs === 2_000 ? () => {} : systemClock.after(delayMs, run)),
};

const unavailable = (detail: RegExp) => ({ code: "unavailable", message: expect.stringMatching(detail) });
const isLost = unavailable(/has lost commits/);
const isLooking = unavailable(/just come back/);

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let server: string;
  let errors: string[];
  let worlds: World[];
  /** A process of a fleet: the name of the server changes with a failover. */
  const start = async (write = store.write) => {
    const log: Log = { ...quiet, error: (_, line) => void errors.push(line) };
    const fleet: Store = { ...store, write, dialect: "postgres", server: () => server };
    const world = await createWorld(fleet, { log, clock: beatless });
    worlds.push(world);
    return world;
  };
  const command = (...words: string[]) =>
    manage(parseCommandLine(words, { DATABASE_URL: place.url, SERVICE_KEY: "a service key of the tests" }));
  const beat = ({ service }: World) => service.store.write(async () => {});
  beforeEach(async () => {
    place = await createPlace(dialect);
    store = await place.open();
    [server, errors, worlds] = ["primary", [], []];
  });
  afterEach(async () => {
    for (const { service } of worlds) await service.stop();
    await place.dispose();
  });

  /** What the standby has by now; the result promotes it. */
  const standby = async () => {
    const had = await store.read((tx) =>
      Promise.all(lost.map((table) => tx.all(adhoc((db) => db.selectFrom(table).selectAll())))),
    );
    return async () => {
      await store.write(async (tx) => {
        for (const [n, table] of lost.entries()) {
          await tx.run(adhoc((db) => db.deleteFrom(table)));
          for (const row of had[n] ?? []) await tx.run(adhoc((db) => db.insertInto(table).values(row as never)));
        }
      });
      server = "standby";
    };
  };
  const settled = async ({ service }: World, id: string, at = till) =>
    (await getTransaction(service, at, id, { waitMs: 20_000, whileStatus: "settling" })).status;

  test("a withdrawal whose confirmation it has forgotten is paid out once, and an operator is told since when", async () => {
    const [one, other] = [await start(), await start()];
    const order = await placeOrder(one.service, { sca_required: false });
    const [asked, refused] = [await placeOrder(one.service), await placeOrder(one.service)];
    await confirmIt(one.service, asked);
    const promote = await standby();
    const { transaction_id: id } = await confirmIt(one.service, order);
    expect(await settled(one, id)).toBe("settled");
    await linkTransaction(one.service, till, id);
    // Long before the command, whose clock is the database's and may be some milliseconds behind.
    const since = toTime(systemClock.now());
    await promote();
    // Whichever comes first: it has not lost anything, and knows that somebody else may.
    await expect(confirmIt(other.service, order, secondTill)).rejects.toMatchObject(isLooking);
    await beat(one);
    for (const { service } of [other, one]) {
      await expect(confirmIt(service, order, secondTill)).rejects.toMatchObject(isLost);
      await expect(approve(service, asked)).rejects.toMatchObject(isLost);
    }
    expect(errors).toEqual([expect.stringMatching(/^the database has lost commits, .* restored --since 20\S+Z$/)]);
    expect([one.counted.lost, other.counted.lost]).toEqual([1, 0]);
    expect((await getTransaction(other.service, secondTill, id)).status).toBe("ready");
    // What moves no money goes on.
    expect((await rejectTransaction(other.service, till, refused.transaction_id)).status).toBe("rejected");
    expect((await resolveSca(other.service, bank, asked.transaction_id, "denied")).status).toBe("canceled");

    await Promise.all(worlds.map(({ service }) => service.stop()));
    await expect(command("restored", "--since", since)).rejects.toThrow(/is missing: say an earlier time/);
    await command("restored", "--since", errors[0]?.match(/\S+$/)?.[0] ?? "");
    const again = await start();
    const next = await placeOrder(again.service, { sca_required: false });
    expect(await settled(again, (await confirmIt(again.service, next)).transaction_id)).toBe("settled");
    await expect(confirmIt(again.service, order, secondTill)).rejects.toMatchObject({ code: "transaction_conflict" });
  });

  test("an order that it has as unsent may have been paid: it waits for an operator, and then the bank has to say a word", async () => {
    const [one, leaving] = [await start(), await start()];
    await store.write((tx) => tx.first(updatePartner(bank.partnerId, { answers: "by-status-code" })));
    const makeDue = () =>
      store.write((tx) => tx.run(adhoc((db) => db.updateTable("outbox").set({ due_at: systemClock.now() }))));
    leaving.service.drain(0);
    const order = await placeOrder(one.service, { sca_required: false });
    const { transaction_id: id } = await confirmIt(leaving.service, order);
    const promote = await standby();
    const orders = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("outbox").select("attempts"))));
    one.bank.onSettle = () => ({ status: one.bank.settles.length === 1 ? 204 : 422, body: "" });
    await makeDue();
    expect(await settled(one, id)).toBe("settled");
    await linkTransaction(one.service, till, id);
    await promote();
    for (const attempts of [2, 3]) {
      await makeDue();
      await expect.poll(orders).toEqual([{ attempts }]);
      await beat(one);
    }
    expect(errors).toEqual([expect.stringMatching(/^the database has lost commits/)]);
    await Promise.all(worlds.map(({ service }) => service.stop()));
    expect([one.bank.settles.length, (await getTransaction(one.service, till, id)).status]).toEqual([1, "settling"]);

    await command("restored", "--since", errors[0]?.match(/\S+$/)?.[0] ?? "");
    const again = await start();
    again.bank.onSettle = () => declined;
    await makeDue();
    expect(await settled(again, id)).toBe("failed");
    expect(again.counted.alarms).toEqual(["settle:no_after_silence"]);
  });

  test("an order that this process has sent, and its database has as unsent: a no by status code alone is none", async () => {
    const one = await start();
    await store.write((tx) => tx.first(updatePartner(bank.partnerId, { answers: "by-status-code" })));
    const order = await placeOrder(one.service, { sca_required: false });
    one.bank.onSettle = async () => {
      if (one.bank.settles.length > 1) return { status: 422, body: "" };
      // The standby has the confirmation, and not that its order goes out.
      await store.write((tx) => tx.run(adhoc((db) => db.updateTable("outbox").set({ unsent_attempts: 1 }))));
      server = "standby";
      return { status: 504, body: "" };
    };
    const { transaction_id: id } = await confirmIt(one.service, order);
    await expect
      .poll(() => one.bank.settles.length + errors.filter((line) => /lost commits/.test(line)).length, {
        timeout: 10_000,
      })
      .toBe(2);
    await beat(one);
    await expect.poll(async () => (await getTransaction(one.service, till, id)).status).toBe("settling");
    await one.service.stop();
    expect((await getTransaction(one.service, till, id)).status).toBe("settling");
  });

  test("a line that a terminal's report after a restore has left is missed too", async () => {
    await command("restored", "--since", toTime(systemClock.now() - 1_000));
    const one = await start();
    const promote = await standby();
    const known = { transaction_id_partner: "pos-1", amount: "50.00", currency: "EUR" };
    const forgotten = makeTransactionId(Buffer.alloc(15));
    expect((await linkTransaction(one.service, till, forgotten, null, known)).reason).toBe("restored");
    await promote();
    await beat(one);
    expect(errors).toEqual([expect.stringMatching(/^the database has lost commits/)]);
  });

  test("one that came back with all of it is open as soon as each process has looked, also one that was started since", async () => {
    const [one, other] = [await start(), await start()];
    const [order, second] = [await placeOrder(one.service), await placeOrder(other.service)];
    await confirmIt(one.service, order);
    await rejectTransaction(other.service, till, second.transaction_id);
    server = "primary, started again";
    const next = await placeOrder(one.service);
    await Promise.all([beat(one), beat(other)]);
    for (const { service } of [one, await start()])
      expect((await confirmIt(service, service === one.service ? next : await placeOrder(service))).status).toBe(
        "awaiting_sca",
      );
    expect(errors).toEqual([]);
  });

  test.runIf(dialect === "postgres")("one that looks for long holds up no other", async () => {
    const released = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = await start((unit, about) =>
      store.write(
        (tx) =>
          unit({
            ...tx,
            async first(query) {
              const row = await tx.first(query);
              if (server !== "primary" && query.name === "withdrawal_event_hash") {
                begun.resolve();
                await released.promise;
              }
              return row;
            },
          }),
        about,
      ),
    );
    const other = await start();
    await confirmIt(slow.service, await placeOrder(slow.service));
    server = "primary, started again";
    const looking = beat(slow);
    await begun.promise;
    await beat(other).finally(released.resolve);
    await looking;
    expect((await confirmIt(other.service, await placeOrder(other.service))).status).toBe("awaiting_sca");
  });

  test("a process that starts afterwards knows by the database that an operator has to speak", async () => {
    const one = await start();
    const order = await placeOrder(one.service);
    const promote = await standby();
    await confirmIt(one.service, order);
    await promote();
    await beat(one);
    await one.service.stop();
    server = "standby, started again";
    const late = await start();
    await expect(confirmIt(late.service, order, secondTill)).rejects.toMatchObject(isLost);
    expect(late.counted.lost).toBe(1);
  });
});
