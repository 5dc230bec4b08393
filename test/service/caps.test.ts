/** The most for a user and a shop in a day and for a terminal in an hour: exact under concurrency, released without cash. */
import { describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { type Place, stores } from "./stores.ts";
import { bank, confirmIt, freshKey, otherBank, secondTill, shop, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let world: World;
  let now = Date.parse("2026-11-21T12:00:00Z");
  const command = (...args: string[]) => manage(parseCommandLine(args, { DATABASE_URL: place.url }));
  const placeOrder = (amount = "50.00", user_id = "ann", client = bank, key = freshKey()) =>
    requestWithdrawal(world.service, client, { user_id, amount, currency: "EUR", store: shop }, key);
  const outcomes = async (all: readonly Promise<unknown>[]) => {
    const settled = await Promise.allSettled(all);
    const refused = settled.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
    return { done: settled.length - refused.length, refused: [...new Set(refused)] };
  };
  const clock = { ...systemClock, now: () => now };
  // No look at deadlines between two lines of a test: it ends what time was moved over.
  worldPerTest(dialect, { clock, options: { pollMs: 1e9 } }, (stage) => {
    ({ place, world } = stage);
  });

  test.each([[["ann", "Ann", "ANN", "aNn"]], [["özgür", "Özgür", "ÖZGÜR", "ÖZgüR"]]])(
    "a user's day: of ten requests at once no more pass than the limit holds, by whatever case of %j",
    async (names) => {
      await command("partners", "set", bank.partnerId, "--user-day", "200.00", "--currency", "EUR");
      const asked = Array.from({ length: 10 }, (_, at) => placeOrder("50.00", names[at % 4]));
      expect(await outcomes(asked)).toEqual({ done: 4, refused: ["limit_reached"] });
      await expect(placeOrder("10.00", names[0])).rejects.toMatchObject({
        extra: { limits: { limit: "user_day", limit_max: "200.00", limit_left: "0.00", currency: "EUR" } },
      });
      expect((await placeOrder("50.00", "bob")).status).toBe("ready");
      expect((await placeOrder("50.00", "ann", otherBank)).status).toBe("ready");
    },
  );

  test("what ends without cash counts no more; the next day is another; a repeat is the first answer", async () => {
    await command("partners", "set", bank.partnerId, "--user-day", "100.00", "--currency", "EUR");
    const key = freshKey();
    const first = await placeOrder("100.00", "ann", bank, key);
    await expect(placeOrder("10.00")).rejects.toMatchObject({ code: "limit_reached" });
    expect((await placeOrder("100.00", "ann", bank, key)).transaction_id).toBe(first.transaction_id);
    await cancelWithdrawal(world.service, bank, first.transaction_id);
    expect((await placeOrder("100.00")).status).toBe("ready");
    now += 24 * 3_600_000;
    expect((await placeOrder("100.00")).status).toBe("ready");
  });

  test("a shop's day counts all banks and users; of ten at once no more pass", async () => {
    await command("merchants", "set", shop, "--shop-day", "300.00");
    const asked = Array.from({ length: 10 }, (_, at) => placeOrder("50.00", `user-${at}`, at % 2 ? bank : otherBank));
    expect(await outcomes(asked)).toEqual({ done: 6, refused: ["limit_reached"] });
    await expect(placeOrder("10.00", "new")).rejects.toMatchObject({ extra: { limits: { limit: "shop_day" } } });
  });

  test("a terminal's hour: confirmations at once pass no further; another terminal and the next hour go on", async () => {
    await command("merchants", "set", shop, "--terminal-hour", "150.00");
    const open = await Promise.all(Array.from({ length: 6 }, (_, at) => placeOrder("50.00", `user-${at}`)));
    const confirmed = await Promise.allSettled(open.map((each) => confirmIt(world.service, each)));
    expect(confirmed.filter(({ status }) => status === "fulfilled").length).toBe(3);
    const left = open.filter((_, at) => confirmed[at]?.status === "rejected");
    const [one, two] = left;
    if (one === undefined || two === undefined) throw new Error("too many were confirmed");
    await expect(confirmIt(world.service, one, till)).rejects.toMatchObject({
      code: "limit_reached",
      extra: { limits: { limit: "terminal_hour", limit_max: "150.00", limit_left: "0.00" } },
    });
    expect((await confirmIt(world.service, one, secondTill)).status).toBe("awaiting_sca");
    now += 14 * 60_000;
    await expect(confirmIt(world.service, two, till)).rejects.toMatchObject({ code: "limit_reached" });
    now += 47 * 60_000;
    const later = await placeOrder("150.00", "later");
    expect((await confirmIt(world.service, later, till)).status).toBe("awaiting_sca");
  });
});
