/** What a limit counts together is locked together: whoever adds to the same sum waits for the same lock. */
import { expect, test } from "vitest";
import { block, unblock } from "../../../backend/checkin/check-in.ts";
import type { UnitOfWork } from "../../../backend/store/store.ts";
import {
  type Admission,
  admit,
  checkRequestCaps,
  checkTerminalHour,
  isCapped,
} from "../../../backend/withdrawals/caps.ts";
import { shopDaySum, terminalHourSum, userDaySum } from "../../../backend/withdrawals/closed.ts";
import type { Row } from "../../../backend/withdrawals/store.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { bank, shop } from "../../service/world.ts";
import { playUnit, secondId, withdrawalStage } from "./stage.ts";

const stage = withdrawalStage();

const merchant = {
  id: "corner-shop",
  name: "Corner Shop",
  currency: "EUR",
  amount_min: 1_000,
  amount_max: 50_000,
  amount_step: 1_000,
  shop_day_max: null,
  terminal_hour_max: null,
} as unknown as Admission["merchant"];
const noUserDay = { max: null as number | null, currency: null as string | null };
const admission = ({ shopDay = null as number | null, userDay = noUserDay }) =>
  ({
    merchant: { ...merchant, shop_day_max: shopDay },
    bank: { user_day_max: userDay.max, user_day_currency: userDay.currency },
  }) as Admission;
const ofUser = { max: 100_000, currency: "EUR" };

/** The buckets that a unit locks, in their order; every sum that it asks for is `sum`. */
const lockedBy = async (unit: UnitOfWork<void>, sum = 0): Promise<readonly number[]> => {
  const buckets: number[] = [];
  await playUnit(unit, (text, values) => {
    if (text.includes("limit_locks")) buckets.push(Number(values[0]));
    return text.includes("merchants") ? [merchant] : [{ sum }];
  });
  return buckets;
};
const locks = (row: Partial<Row>, on: Parameters<typeof admission>[0]) =>
  lockedBy((tx) => checkRequestCaps(tx, rowWith(row), admission(on)));

test.each([
  [{}, false],
  [{ userDay: ofUser }, true],
  [{ shopDay: 1 }, true],
  [{ userDay: ofUser, shopDay: 1 }, true],
])("with the limits %o a request waits for others: %s", (limits, waits) => {
  expect(isCapped(admission(limits))).toBe(waits);
});

test("a limit that there is not locks nothing", async () => {
  expect(await locks({}, {})).toEqual([]);
  expect(await lockedBy((tx) => checkTerminalHour(tx, rowWith({ device_id: null }), 1, 0))).toEqual([]);
  expect(await locks({}, { userDay: { max: 1, currency: "USD" } })).toEqual([]);
});

test("a user's sum is locked whatever the case of the id, apart from another bank's and another user's", async () => {
  const [own, ...more] = await locks({}, { userDay: ofUser });
  expect([typeof own, more]).toEqual(["number", []]);
  expect(await locks({ user_id: "ANN" }, { userDay: ofUser })).toEqual([own]);
  expect(await locks({ user_id: "bob" }, { userDay: ofUser })).not.toEqual([own]);
  expect(await locks({ partner_id: "other-bank" }, { userDay: ofUser })).not.toEqual([own]);
  expect(await locks({ merchant_id: "other-shop" }, { userDay: ofUser })).toEqual([own]);
});

test("a shop's sum is locked for every bank and user, apart from another shop's", async () => {
  const own = await locks({}, { shopDay: 100_000 });
  expect(own).toHaveLength(1);
  expect(await locks({ user_id: "bob", partner_id: "other-bank" }, { shopDay: 100_000 })).toEqual(own);
  expect(await locks({ merchant_id: "other-shop" }, { shopDay: 100_000 })).not.toEqual(own);
});

test("a terminal's sum is locked for it alone", async () => {
  const lock = (row: Partial<Row>) => lockedBy((tx) => checkTerminalHour(tx, rowWith(row), 100_000, 0));
  const own = await lock({});
  expect(own).toHaveLength(1);
  expect(await lock({ device_id: "till-2" })).not.toEqual(own);
  expect(await lock({ merchant_id: "other-shop" })).not.toEqual(own);
  expect(await lock({ device_id: null })).toEqual([]);
});

test("two locks are taken in ascending order, whoever the user is, from few that all share", async () => {
  for (let n = 0; n < 50; n += 1) {
    const both = await locks({ user_id: `user-${n}` }, { userDay: ofUser, shopDay: 100_000 });
    expect(both).toHaveLength(2);
    expect(both).toEqual(both.toSorted((one, two) => one - two));
    expect(both.every((bucket) => Number.isInteger(bucket) && bucket >= 0 && bucket < 1_024)).toBe(true);
  }
});

test.each([
  ["user_day", (sum: number) => lockedBy((tx) => checkRequestCaps(tx, rowWith(), admission({ userDay: ofUser })), sum)],
  [
    "shop_day",
    (sum: number) => lockedBy((tx) => checkRequestCaps(tx, rowWith(), admission({ shopDay: 100_000 })), sum),
  ],
  ["terminal_hour", (sum: number) => lockedBy((tx) => checkTerminalHour(tx, rowWith(), 100_000, 0), sum)],
])(
  "%s: the last cent of the most is let through, one more is refused with what is left without it",
  async (limit, add) => {
    await add(100_000);
    const refused = (sum: number, left: string) =>
      expect(add(sum)).rejects.toThrow(
        expect.objectContaining({
          code: "limit_reached",
          extra: { limits: expect.objectContaining({ limit, limit_max: "1000.00", limit_left: left }) },
        }),
      );
    await refused(100_001, "49.99");
    await refused(103_000, "20.00");
    // Lowered while more was out.
    await refused(200_000, "0.00");
  },
);

test("an hour that is not full costs the lock and the sum, and no look at the shop", async () => {
  const at = (sum: number) =>
    playUnit(
      (tx) => checkTerminalHour(tx, rowWith(), 100_000, 0),
      () => [{ sum }],
    );
  expect([(await at(1)).names, (await at(100_000)).names]).toEqual([
    ["limit_lock", "limit_terminal_hour"],
    ["limit_lock", "limit_terminal_hour"],
  ]);
});

test("a name has the bucket that every release gives it: two of them may serve one database", async () => {
  expect(await locks({ user_id: "Ann" }, { userDay: ofUser, shopDay: 100_000 })).toEqual([204, 616]);
  expect(await lockedBy((tx) => checkTerminalHour(tx, rowWith(), 100_000, 0))).toEqual([444]);
});

const [from, until] = [1_000, 2_000];
const sums = {
  "user's day": userDaySum({ partner: "bank", user: "ann", currency: "EUR", from, until }),
  "shop's day": shopDaySum({ merchant: "corner-shop", from, until }),
  "terminal's hour": terminalHourSum({ merchant: "corner-shop", device: "till-1", from, until }),
};
type Sum = keyof typeof sums;
const all = Object.keys(sums) as Sum[];
const inTime = { created_at: 1_500, confirmed_at: 1_500 };

test.each<[string, Partial<Row>, readonly Sum[]]>([
  ["one of the time", {}, all],
  ["another bank's", { partner_id: "other-bank" }, ["shop's day", "terminal's hour"]],
  ["another user's", { user_id: "bob" }, ["shop's day", "terminal's hour"]],
  ["the user's in other letters", { user_id: "ANN" }, all],
  ["one in another currency", { currency: "CHF" }, ["shop's day", "terminal's hour"]],
  ["another shop's", { merchant_id: "other-shop" }, ["user's day"]],
  ["another terminal's", { device_id: "till-2" }, ["user's day", "shop's day"]],
  ["one that no terminal has", { device_id: null, confirmed_at: null }, ["user's day", "shop's day"]],
  ["one from the first moment", { created_at: from, confirmed_at: from + 1 }, all],
  ["one from before it", { created_at: from - 1, confirmed_at: from }, []],
  ["one from the last moment", { created_at: until - 1, confirmed_at: until - 1 }, all],
  ["one from after it", { created_at: until, confirmed_at: until }, []],
  ...(["requested", "ready", "awaiting_sca", "settling", "settled", "linked"] as const).map(
    (status): [string, Partial<Row>, readonly Sum[]] => [`a ${status} one`, { status }, all],
  ),
  ...(["declined", "rejected", "canceled", "expired", "failed", "undelivered"] as const).map(
    (status): [string, Partial<Row>, readonly Sum[]] => [`a ${status} one`, { status }, []],
  ),
])("%s is counted where it belongs", async (_, row, counted) => {
  await stage.put({ ...inTime, ...row, amount: 700 }, { ...inTime, ...row, id: secondId, amount: 11 });
  for (const [name, sum] of Object.entries(sums))
    expect(await stage.store.read((tx) => tx.first(sum)), name).toEqual({
      sum: counted.includes(name as Sum) ? 711 : 0,
    });
});

test.each<[string, Partial<Row>, readonly Sum[]]>([
  ["linked", {}, all],
  ["linked", { created_at: from, confirmed_at: from + 1 }, all],
  ["linked", { created_at: from, confirmed_at: from }, ["user's day", "shop's day"]],
  ["linked", { created_at: from - 1, confirmed_at: from }, []],
  ["linked", { created_at: until, confirmed_at: until }, []],
  ["undelivered", {}, []],
  ["failed", {}, []],
])("one that has ended %s is counted the same: %o", async (status, row, counted) => {
  await stage.putArchived({ ...inTime, ...row, status: status as Row["status"], amount: 700 });
  for (const [name, of] of Object.entries(sums))
    expect(await stage.store.read((tx) => tx.first(of)), name).toEqual({
      sum: counted.includes(name as Sum) ? 700 : 0,
    });
});

test("a shop's ended ones of a day are looked for by their confirmation, for which there is an index, and its open ones by their request", () => {
  const [open, ended] = shopDaySum({ merchant: shop, from, until }).sql("sqlite").text.split(" union all ");
  expect([open?.includes('"confirmed_at"'), ended?.includes('"confirmed_at" >= ?')]).toEqual([false, true]);
});

test("who is let in has the names of bank and shop; a blocked user, an unknown shop and a bank without an address do not", async () => {
  const boundPartners = new Map([[bank.partnerId, { url: "http://bank", secret: "secret" }]]);
  const service = { ...stage.service, options: { ...stage.service.options, isSandbox: true, boundPartners } };
  const admitted = (user = "ann", store = shop) => admit(service, bank, user, store, "k");
  expect(await admitted()).toMatchObject({ bank: { id: "bank" }, merchant: { name: "Corner Shop", currency: "EUR" } });
  await expect(admitted("ann", "no-shop")).rejects.toMatchObject({ code: "store_unknown" });
  await expect(admit(stage.service, bank, "ann", shop, "k")).rejects.toMatchObject({ code: "partner_not_configured" });
  await block(stage.service, { partnerId: bank.partnerId, userId: "Ann" });
  await expect(admitted()).rejects.toMatchObject({ code: "user_blocked" });
  await unblock(stage.service, { partnerId: bank.partnerId, userId: "ann" });
});
