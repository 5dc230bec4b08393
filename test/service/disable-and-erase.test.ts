/** Commands for what changes in a shop's and a user's life, beside a running service. */
import { describe, expect, test } from "vitest";
import { manage } from "../../backend/operate/manage.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { type Place, stores } from "./stores.ts";
import { approve, confirmIt, everyWithdrawal, placeOrder, shop, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let world: World;
  worldPerTest(dialect, { inRealTime: true, options: { pollMs: 1e9 } }, (stage) => {
    ({ place, world } = stage);
  });
  const command = (...words: readonly string[]) =>
    manage({ words, settings: { DATABASE_URL: place.url }, flags: {}, help: false, version: false, json: false });

  test("a disabled shop takes no new requests, ends what was begun, and can be enabled again", async () => {
    const begun = await placeOrder(world.service);
    expect(await command("merchants", "disable", shop)).toMatchObject([{ id: shop, status: "disabled" }]);
    await expect(placeOrder(world.service)).rejects.toMatchObject({ code: "store_unknown" });
    expect((await confirmIt(world.service, begun)).status).toBe("awaiting_sca");
    expect((await approve(world.service, begun)).status).toBe("settling");
    const { transaction_id: id } = begun;
    const settled = await getTransaction(world.service, till, id, { waitMs: 20_000, whileStatus: "settling" });
    expect(settled.status).toBe("settled");
    expect((await linkTransaction(world.service, till, id)).status).toBe("linked");
    await expect(placeOrder(world.service)).rejects.toMatchObject({ code: "store_unknown" });
    expect(await command("merchants", "enable", shop)).toMatchObject([{ id: shop, status: "in use" }]);
    expect((await placeOrder(world.service)).status).toBe("ready");
    await expect(command("merchants", "disable", "nowhere")).rejects.toThrow(/there is no merchant nowhere/);
    await expect(command("merchants", "disable")).rejects.toThrow(/merchants disable ID/);
  });

  test("a user is erased by the operator, who is told what stands in the books", async () => {
    // No random id holds such a name.
    const order = () => placeOrder(world.service, { user_id: "ann-of-the-bank" });
    const asked = await order();
    await expect(command("users", "erase", "bank", "ANN-OF-THE-BANK")).rejects.toThrow(/has not ended/);
    await command("users", "block", "bank", "Ann-of-the-Bank");
    await rejectTransaction(world.service, till, asked.transaction_id);
    await expect(command("users", "erase", "bank", "ANN-OF-THE-BANK")).rejects.toThrow(
      /is blocked, which erasing would undo/,
    );
    await expect(order()).rejects.toMatchObject({ code: "user_blocked" });
    await command("users", "unblock", "bank", "Ann-of-the-Bank");
    const [erased] = await command("users", "erase", "bank", "ANN-OF-THE-BANK");
    expect(erased).toMatchObject({ partner: "bank", status: "erased", withdrawals: 1 });
    expect(String(erased?.in_the_books)).toMatch(/^erased-/);
    const books = await everyWithdrawal(world.service.store);
    expect(books.map((row) => [row.id, row.user_id])).toEqual([[asked.transaction_id, erased?.in_the_books]]);
    expect(JSON.stringify(books)).not.toMatch(/ann-of-the-bank/i);
    expect(JSON.stringify(await command("audit"))).not.toMatch(/ann-of-the-bank/i);
  });
});
