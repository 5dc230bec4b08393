/** Who may ask at all, what a repeat is known by, and what each move leaves for the bank and the shop. */
import { describe, expect, test } from "vitest";
import { block, unblock } from "../../backend/checkin/check-in.ts";
import { toTime } from "../../backend/contract/times.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { leaseMs } from "../../backend/partner/queue.ts";
import { ServiceError } from "../../backend/service-error.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { listConfirmed } from "../../backend/withdrawals/confirm.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { sweep } from "../../backend/withdrawals/sweep.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { orderTtlMs, waysIn } from "./withdrawal-ways.ts";
import {
  accepted,
  type BankReply,
  bank,
  confirmIt,
  freshKey,
  placeOrder,
  secondTill,
  shop,
  till,
  type World,
} from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const body = { user_id: "ann", amount: "50.00", currency: "EUR", store: shop };

describe.each(stores)("on %s", (dialect) => {
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  worldPerTest(dialect, { options: { pollMs: 1e9 } }, (stage) => {
    ({ clock, store, world } = stage);
  });

  const { leadTo } = waysIn(
    () => world,
    () => clock,
  );
  const ask = (more: object = {}, client = bank, key = freshKey()) =>
    requestWithdrawal(world.service, client, { ...body, ...more }, key);

  test("a blocked user is refused, by whatever case of the id, and asks again once unblocked", async () => {
    await block(world.service, { partnerId: bank.partnerId, userId: "Ann" });
    for (const user_id of ["ann", "Ann", "ANN", "aNN"])
      await expect(ask({ user_id })).rejects.toMatchObject({ code: "user_blocked" });
    expect((await ask({ user_id: "bob" })).status).toBe("ready");
    await unblock(world.service, { partnerId: bank.partnerId, userId: "Ann" });
    expect((await ask()).status).toBe("ready");
  });

  test("a bank without an address is refused, and one that there is not has no shop", async () => {
    const set = (url: string | null) => store.write((tx) => tx.first(updatePartner("other-bank", { url })));
    await set(null);
    await expect(ask({}, { partnerId: "other-bank" })).rejects.toMatchObject({ code: "partner_not_configured" });
    await set("http://other.bank");
    expect((await ask({}, { partnerId: "other-bank" })).status).toBe("ready");
    await expect(ask({}, { partnerId: "nobody" })).rejects.toMatchObject({ code: "store_unknown" });
  });

  test("a terminal hears which withdrawals its device has confirmed since a time, open and ended, and no other's", async () => {
    const since = toTime(clock.now() + 1);
    await confirmIt(world.service, await ask(), till, "before");
    clock.jump(1);
    await confirmIt(world.service, await ask(), secondTill, "another");
    await confirmIt(world.service, await ask(), till, "open");
    const ended = await confirmIt(world.service, await ask({ sca_required: false }), till, "ended");
    await expect
      .poll(async () => (await getTransaction(world.service, till, ended.transaction_id)).status)
      .toBe("settled");
    await linkTransaction(world.service, till, ended.transaction_id);
    clock.jump(1);
    await confirmIt(world.service, await ask(), till, "newest");
    const heard = await listConfirmed(world.service, till, since);
    expect(heard[0]).toEqual({ transaction_id_partner: "newest", confirmed_at: toTime(clock.now()) });
    expect(heard.map((one) => one.transaction_id_partner).sort()).toEqual(["ended", "newest", "open"]);
  });

  test("a repeat is known by what every release has made of a request, with and without the bank's own name for it", async () => {
    const hashes = async () =>
      (
        await store.read((tx) =>
          tx.all(adhoc((db) => db.selectFrom("withdrawals").select("request_hash").orderBy("created_at"))),
        )
      ).map(({ request_hash }) => request_hash);
    await ask();
    clock.jump(1);
    await ask({ partner_reference: "ref-1", sca_required: false });
    expect(await hashes()).toEqual([
      "VEgCnGxdlNIwr9M9eU8TgH3hZOt2qjzPNVqkdeT5xWk",
      "P03mE2dGcVK_IIwG5iOol4iK-Ko7smF14Xp47U1jG8I",
    ]);
  });

  test("a database that is away is no refusal: nothing is looked up in its place", async () => {
    const away = new ServiceError("unavailable", "no disk");
    const broken: Store = { ...store, write: () => Promise.reject(away) };
    const known = freshKey();
    // An open one is found by the look that lets a request in.
    await rejectTransaction(world.service, till, (await ask({}, bank, known)).transaction_id);
    await expect(requestWithdrawal({ ...world.service, store: broken }, bank, body, known)).rejects.toBe(away);
  });

  test("a bank that has not answered when the service stops: unavailable, and nothing is decided", async () => {
    const silence = Promise.withResolvers<BankReply>();
    world.bank.onStart = () => silence.promise;
    const asked = ask();
    await expect.poll(() => world.bank.starts.length, { interval: 2 }).toBe(1);
    const stopped = world.service.stop();
    silence.resolve({ status: 500, body: "" });
    await expect(asked).rejects.toMatchObject({ code: "unavailable" });
    await stopped;
    const status = adhoc((db) => db.selectFrom("withdrawals").select("status"));
    expect(await store.read((tx) => tx.all(status))).toEqual([{ status: "requested" }]);
  });

  test("an event of one's own move is leased to who sends it, one that time brings is anybody's at once", async () => {
    const events = () =>
      store.read((tx) =>
        tx.all(adhoc((db) => db.selectFrom("status_events").select(["id", "due_at", "attempts"]).orderBy("id"))),
      );
    const wants = (events_url: string | null) =>
      store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url })));
    await placeOrder(world.service);
    expect(await events()).toEqual([]);
    await wants("http://bank/events");
    const silence = Promise.withResolvers<BankReply>();
    world.bank.onEvent = () => silence.promise;
    try {
      const { transaction_id: id } = await placeOrder(world.service);
      const ready = { id: `event_${id}_1`, due_at: clock.now() + leaseMs, attempts: 1 };
      expect(await events()).toEqual([ready]);
      clock.jump(orderTtlMs);
      await sweep(world.service);
      expect(await events()).toContainEqual({ id: `event_${id}_2`, due_at: clock.now(), attempts: 0 });
    } finally {
      silence.resolve(accepted);
      await wants(null);
    }
  });

  test("who handed out is the shop's to know", async () => {
    const { transaction_id: id } = await leadTo.settled();
    await linkTransaction(world.service, till, id, "C2");
    const last = async (reader: typeof till | typeof bank) =>
      (await getHistory(world.service, reader, id)).events.at(-1);
    expect([await last(till), await last(bank)]).toMatchObject([{ cashier: "C2" }, { cashier: null }]);
  });
});
