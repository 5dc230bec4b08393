/** Which bank may ask for what: no order goes to another bank, no bank uses a shop it was not allowed, no blocked user is served. */
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import type { Client } from "../../backend/context.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { preparePartners, updatePartner } from "../../backend/partner/partners.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import {
  approve,
  bank,
  clear,
  confirmIt,
  createWorld,
  freshKey,
  otherBank,
  placeOrder,
  shop,
  type World,
} from "./world.ts";

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let world: World;
  const command = (...args: string[]) => manage(parseCommandLine(args, { DATABASE_URL: place.url }));
  const asking = (client: Client, more: object = {}) =>
    requestWithdrawal(
      world.service,
      client,
      { user_id: "ann", amount: "50.00", currency: "EUR", store: shop, ...more },
      freshKey(),
    );
  beforeAll(async () => {
    place = await createPlace(dialect);
    world = await createWorld(await place.open());
    await command("merchants", "add", "far-shop", "--name", "Far Shop");
    for (const id of ["homeless", "picky"]) await command("partners", "add", id);
    await command("partners", "set-url", "picky", "http://127.0.0.1:9");
    await command("partners", "allow", "picky", shop);
    await command("partners", "allow", "homeless", "--all");
  });
  beforeEach(() => clear(world.service.store));
  afterAll(async () => {
    await world.service.stop();
    await place.dispose();
  });

  test("a bank without an address can ask for nothing, and no other bank hears of it", async () => {
    const before = world.bank.requests.length;
    await expect(asking({ partnerId: "homeless" })).rejects.toMatchObject({ code: "partner_not_configured" });
    expect(world.bank.requests.length).toBe(before);
  });

  test("a shop that the bank was not allowed is unknown to it, as one that does not exist", async () => {
    const picky = { partnerId: "picky" };
    await expect(asking(picky, { store: "far-shop" })).rejects.toMatchObject({ code: "store_unknown" });
    await expect(asking(picky, { store: "no-shop" })).rejects.toMatchObject({ code: "store_unknown" });
    expect((await asking(picky)).status).toBe("ready");
    await command("partners", "allow", "picky", "far-shop");
    expect((await asking(picky, { store: "far-shop" })).status).toBe("ready");
    await command("partners", "disallow", "picky", "far-shop");
    await expect(asking(picky, { store: "far-shop" })).rejects.toMatchObject({ code: "store_unknown" });
  });

  test.each([
    ["ann", "Ann", "ANN"],
    ["änö", "äNÖ", "Änö"],
    ["ÄNN", "änn", "äNN"],
  ])("%s, blocked as %s, can neither ask, as %s either, nor be confirmed", async (user, blocked, other) => {
    const open = await placeOrder(world.service, { user_id: user });
    await expect(command("users", "block", bank.partnerId, "two\nlines")).rejects.toThrow(/control characters/);
    await command("users", "block", bank.partnerId, blocked);
    for (const user_id of [user, blocked, other])
      await expect(asking(bank, { user_id })).rejects.toMatchObject({ code: "user_blocked" });
    await expect(confirmIt(world.service, open)).rejects.toMatchObject({
      code: "transaction_conflict",
      message: "The transaction is ready.",
      extra: { transaction: { status: "ready", transaction_id_partner: null } },
    });
    expect((await asking(bank, { user_id: "bob" })).status).toBe("ready");

    await command("users", "unblock", bank.partnerId, user);
    const confirmed = await confirmIt(world.service, open);
    expect((await approve(world.service, confirmed)).status).toBe("settling");
  });

  test("a block of one bank's user leaves the other bank's alone", async () => {
    await command("users", "block", "other-bank", "ann");
    await expect(asking(otherBank)).rejects.toMatchObject({ code: "user_blocked" });
    expect((await asking(bank)).status).toBe("ready");
    await command("users", "unblock", "other-bank", "ann");
  });

  test("while a key is rotated the calls carry a signature of each; after it of the new one alone", async () => {
    const old = `whsec_${Buffer.alloc(32, "old ").toString("base64")}`;
    await place.open().then((store) => store.write((tx) => tx.first(updatePartner("picky", { secret: old }))));
    const verifies = async (secret: string): Promise<boolean> => {
      await asking({ partnerId: "picky" });
      const sent = world.bank.requests.at(-1);
      try {
        new Webhook(secret).verify(sent?.body ?? "", { ...sent?.headers });
        return true;
      } catch {
        return false;
      }
    };
    const [rotated] = await command("partners", "rotate", "picky", "--hours", "1");
    const fresh = String(rotated?.secret);
    expect([await verifies(old), await verifies(fresh)]).toEqual([true, true]);
    const ended = updatePartner("picky", { previous_secret_until: systemClock.now() });
    await place.open().then((store) => store.write((tx) => tx.first(ended)));
    expect([await verifies(old), await verifies(fresh)]).toEqual([false, true]);
  });

  test("the bank of PARTNER_ID is there after the start, and may use every shop", async () => {
    const store = await place.open();
    await preparePartners(store, systemClock, { partner: { id: "only-bank" } });
    const listed = (await command("partners", "list")).find(({ id }) => id === "only-bank");
    expect(listed).toMatchObject({ url: null, shops: "*" });
  });
});
