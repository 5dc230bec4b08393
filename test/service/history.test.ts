/** The history that every transition leaves in its own commit, on both stores. */
import { afterEach, describe, expect, test } from "vitest";
import type { Client, Terminal } from "../../backend/context.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { confirmTransaction } from "../../backend/withdrawals/confirm.ts";
import { closeDispute, listDisputes } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { nextStatuses } from "../../backend/withdrawals/lifecycle.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { sweep } from "../../backend/withdrawals/sweep.ts";
import { type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { expectWholeHistory } from "./whole-history.ts";
import {
  accepted,
  bank as bankClient,
  declined,
  freshKey,
  otherBank,
  otherShop,
  shop,
  till as tillDevice,
  type World,
} from "./world.ts";
import { oneWorld } from "./world-stage.ts";

const till: Terminal = { ...tillDevice, requestId: "till-call" };
const bank: Client = { ...bankClient, requestId: "bank-call" };

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let clock: VirtualClock;
  let world: World;
  oneWorld(dialect, { options: { pollMs: 1e9 } }, (stage) => {
    ({ place, store, clock, world } = stage);
  });
  afterEach(async () => {
    await expectWholeHistory(store);
    world.bank.onStart = () => accepted;
    world.bank.onSettle = () => accepted;
  });

  const command = (...args: string[]) => manage(parseCommandLine(args, { DATABASE_URL: place.url }));
  const placeOrder = (sca_required: boolean) =>
    requestWithdrawal(
      world.service,
      bank,
      { user_id: "ann", amount: "50.00", currency: "EUR", store: shop, sca_required },
      freshKey(),
    );
  const confirm = ({ transaction_id }: Transaction) =>
    confirmTransaction(world.service, till, { transaction_id, transaction_id_partner: freshKey() });
  const settled = async () => {
    const { transaction_id: id } = await confirm(await placeOrder(false));
    await getTransaction(world.service, till, id, { waitMs: 10_000, whileStatus: "settling" });
    return id;
  };
  const history = async (id: string) =>
    (await getHistory(world.service, till, id)).events.map((event) =>
      [event.from, event.to, event.actor, event.actor_id, event.request_id, event.reason, event.attempt].join(" "),
    );
  const requested = " requested partner bank bank-call  ";
  const ready = "requested ready partner bank bank-call  1";
  const confirmed = "ready awaiting_sca device till-1 till-call  ";
  const confirmedAtOnce = "ready settling device till-1 till-call  ";
  const paid = "settling settled partner bank   1";

  const stories: [string, () => Promise<string>, string[]][] = [
    ["a request, secured", async () => (await placeOrder(true)).transaction_id, [requested, ready]],
    [
      "a request, declined by the bank",
      async () => {
        world.bank.onStart = () => declined;
        return (await placeOrder(true)).transaction_id;
      },
      [requested, "requested declined partner bank bank-call partner_declined 1"],
    ],
    [
      "a cancel",
      async () => (await cancelWithdrawal(world.service, bank, (await placeOrder(true)).transaction_id)).transaction_id,
      [requested, ready, "ready canceled partner bank bank-call user_canceled "],
    ],
    [
      "a reject before the confirmation",
      async () =>
        (await rejectTransaction(world.service, till, (await placeOrder(true)).transaction_id)).transaction_id,
      [requested, ready, "ready rejected device till-1 till-call cashier_rejected "],
    ],
    [
      "a reject after the confirmation",
      async () =>
        (await rejectTransaction(world.service, till, (await confirm(await placeOrder(true))).transaction_id))
          .transaction_id,
      [requested, ready, confirmed, "awaiting_sca rejected device till-1 till-call cashier_rejected "],
    ],
    [
      "an approval and the bank's yes",
      async () => {
        const { transaction_id: id } = await confirm(await placeOrder(true));
        await resolveSca(world.service, bank, id, "approved");
        await getTransaction(world.service, till, id, { waitMs: 10_000, whileStatus: "settling" });
        return id;
      },
      [requested, ready, confirmed, "awaiting_sca settling partner bank bank-call  ", paid],
    ],
    [
      "a denial",
      async () => {
        const { transaction_id: id } = await confirm(await placeOrder(true));
        await resolveSca(world.service, bank, id, "denied");
        return id;
      },
      [requested, ready, confirmed, "awaiting_sca canceled partner bank bank-call sca_denied "],
    ],
    [
      "the bank's no",
      async () => {
        world.bank.onSettle = () => declined;
        return settled();
      },
      [requested, ready, confirmedAtOnce, "settling failed partner bank  settle_declined 1"],
    ],
    [
      "a link",
      async () => (await linkTransaction(world.service, till, await settled())).transaction_id,
      [requested, ready, confirmedAtOnce, paid, "settled linked device till-1 till-call  "],
    ],
    [
      "no cash handed out",
      async () => (await declareUndelivered(world.service, till, await settled(), "till short")).transaction_id,
      [requested, ready, confirmedAtOnce, paid, "settled undelivered device till-1 till-call till short "],
    ],
    [
      "an order that expired, found by a reader",
      async () => {
        const { transaction_id: id } = await placeOrder(true);
        clock.jump(900_000);
        await getTransaction(world.service, till, id);
        return id;
      },
      [requested, ready, "ready expired sweeper   order_expired "],
    ],
    [
      "40 s without an approval, found by the sweeper",
      async () => {
        const { transaction_id: id } = await confirm(await placeOrder(true));
        clock.jump(40_000);
        await sweep(world.service);
        return id;
      },
      [requested, ready, confirmed, "awaiting_sca canceled sweeper   sca_timeout "],
    ],
    [
      "40 s without an approval, found by a verb that came too late",
      async () => {
        const { transaction_id: id } = await confirm(await placeOrder(true));
        clock.jump(40_000);
        await expect(resolveSca(world.service, bank, id, "approved")).rejects.toThrow();
        return id;
      },
      [requested, ready, confirmed, "awaiting_sca canceled sweeper   sca_timeout "],
    ],
    [
      "40 s without an approval, found by the report",
      async () => {
        const { transaction_id: id } = await confirm(await placeOrder(true));
        clock.jump(40_000);
        for await (const _ of reconcile(world.service, till, { fromMs: 0, toMs: clock.now() }));
        return id;
      },
      [requested, ready, confirmed, "awaiting_sca canceled sweeper   sca_timeout "],
    ],
    [
      "repeats and refusals leave nothing",
      async () => {
        const { transaction_id: id } = await placeOrder(true);
        await expect(linkTransaction(world.service, till, id)).rejects.toThrow();
        await rejectTransaction(world.service, till, id);
        await rejectTransaction(world.service, till, id);
        await expect(cancelWithdrawal(world.service, bank, id)).rejects.toThrow();
        return id;
      },
      [requested, ready, "ready rejected device till-1 till-call cashier_rejected "],
    ],
  ];
  test.each(stories)("%s", async (_, play, rows) => {
    expect(await history(await play())).toEqual(rows);
  });

  test("the stories take every arrow that a status can leave by", () => {
    const arrows = Object.entries(nextStatuses).flatMap(([from, to]) => to.map((each) => `${from} ${each}`));
    const taken = stories.flatMap(([, , rows]) => rows.map((row) => row.split(" ").slice(0, 2).join(" ")));
    expect(arrows.filter((arrow) => !taken.includes(arrow))).toEqual([]);
  });

  test("a bank that does not answer in 15 s: declined by the passing of time", async () => {
    world.bank.onStart = () => {
      clock.jump(15_000);
      return { status: 500, body: "" };
    };
    const asked = placeOrder(true);
    let answered = false;
    void asked.finally(() => {
      answered = true;
    });
    // Whether a timer is due or not: without a turn of its own nothing else of the process ever runs.
    while (!answered) {
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await history((await asked).transaction_id)).toEqual([
      requested,
      "requested declined sweeper   partner_unreachable ",
    ]);
  });

  test.each([
    ["declined", "accepted", "failed", "closed", "accepted_after_declined"],
    ["accepted", "declined", "settled", "not_linked", "declined_after_accepted"],
  ] as const)(
    "a bank that says %s and then %s: disputed until an operator closes it",
    async (first, second, status, finding, reason) => {
      const silence = Promise.withResolvers<typeof accepted>();
      world.bank.onSettle = () => silence.promise;
      const { transaction_id: id } = await confirm(await placeOrder(false));
      const outbox = adhoc((db) => db.selectFrom("outbox").selectAll().where("transaction_id", "=", id));
      const [order] = await store.read((tx) => tx.all(outbox));
      if (!order) throw new Error("no order");
      const line = async () => {
        for await (const lines of reconcile(world.service, till, { fromMs: 0, toMs: clock.now() + 1 }))
          for (const each of lines) if (each.transaction_id === id) return each;
        throw new Error("not in the report");
      };
      await settleAnswered(world.service, order, first);
      expect(await line()).toMatchObject({ status, finding });
      await settleAnswered(world.service, { ...order, attempts: 2 }, first);
      expect(await line()).toMatchObject({ status, finding });
      await settleAnswered(world.service, { ...order, attempts: 3 }, second);
      expect(await line()).toMatchObject({ status, finding: "disputed", reason });
      expect((await listDisputes(store)).map((row) => row.id)).toContain(id);
      expect(await command("reports", "list")).toContainEqual(expect.objectContaining({ transaction: id, status }));
      await expect(command("reports", "close", id)).rejects.toThrow("--note");
      expect(await closeDispute(world.service, id, "olga", "the bank booked it back")).toBe(true);
      await expect(command("reports", "close", id, "--note", "again")).rejects.toThrow("not disputed");
      expect(await line()).toMatchObject({ status, finding });
      expect((await listDisputes(store)).map((row) => row.id)).not.toContain(id);
      expect(await closeDispute(world.service, id, "olga", "again")).toBe(false);
      const { events } = await getHistory(world.service, till, id);
      expect(events.slice(-2)).toMatchObject([
        { kind: "contradicted", from: status, to: status, actor: "partner", reason: second, attempt: 3 },
        {
          kind: "dispute_closed",
          from: status,
          to: status,
          actor: "operator",
          actor_id: "olga",
          reason: "the bank booked it back",
        },
      ]);
      silence.resolve(first === "accepted" ? accepted : declined);
    },
  );

  test("another shop and another bank do not know it", async () => {
    const { transaction_id: id } = await placeOrder(true);
    expect((await getHistory(world.service, bank, id)).events).toHaveLength(2);
    await expect(getHistory(world.service, otherShop, id)).rejects.toMatchObject({ code: "transaction_not_found" });
    await expect(getHistory(world.service, otherBank, id)).rejects.toMatchObject({ code: "transaction_not_found" });
    await expect(getHistory(world.service, till, "nonsense")).rejects.toMatchObject({ code: "transaction_not_found" });
  });
});
