/** Data has an end: old rows go, the books stay (README, "Years of data"). */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { addCustomer, checkIn, purgeCheckins } from "../../backend/checkin/check-in.ts";
import { eraseUser } from "../../backend/operate/erase-user.ts";
import { closeDays } from "../../backend/operate/proof.ts";
import { isClockTrusted, purge, purgeOnTrustedClock } from "../../backend/operate/purge.ts";
import { insertEvent } from "../../backend/partner/events.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { type RetentionPeriods, retained } from "../../backend/retention.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { insertUser } from "../../backend/users/create-user.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { rowsOf, tablesOf } from "./rows.ts";
import { type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import {
  bank,
  confirmIt,
  everyWithdrawal,
  freshKey,
  keepTogether,
  placeOrder,
  shop,
  till,
  type World,
} from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const dayMs = 86_400_000;
const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;

/** Whether a withdrawal leaves the open ones at its end, or lies beside them until it is old, as an earlier release keeps it. */
const ways = stores.flatMap((dialect) => [[dialect, true] as const, [dialect, false] as const]);

describe.each(ways)("on %s, ended ones apart: %s", (dialect, isApart) => {
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  let place: Place;
  worldPerTest(dialect, { options: { pollMs: 1e9 } }, (stage) => {
    ({ clock, store, world, place } = stage);
  });
  beforeEach(async () => {
    if (!isApart) await keepTogether(store);
  });

  /** Purges while virtual time goes on, as its pauses need. */
  const purgeNow = async (periods: RetentionPeriods) => {
    let done = false;
    const purging = purge(world.service, periods).finally(() => {
      done = true;
    });
    while (!done) {
      await clock.advance(50);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    await purging;
  };
  const week = Array.from({ length: 6 }, (): [number, boolean] => [dayMs, false]);
  const trusted: readonly [number, boolean][] = [[0, false], ...week, [dayMs, true]];
  test.each<[string, readonly [number, boolean][]]>([
    ["goes on for a week", [[dayMs - 1, true]]],
    ["goes on after four days without a look", [[4 * dayMs, true]]],
    [
      "was not looked at for longer",
      [
        [4 * dayMs + 1, false],
        [3.5 * dayMs, false],
        [3.5 * dayMs, true],
      ],
    ],
    [
      "starts in a wrong year, and goes on there",
      [
        [3_650 * dayMs, false],
        [3.5 * dayMs, false],
        [3.5 * dayMs, true],
      ],
    ],
    [
      "is an hour behind, as another process's",
      [
        [dayMs, true],
        [-3_600_000, true],
      ],
    ],
    [
      "was set back by more than that",
      [
        [dayMs, true],
        [-3_600_001, false],
        [dayMs, false],
      ],
    ],
    [
      "was set back by days",
      [
        [3 * dayMs, true],
        [-60 * 3_600_000, false],
      ],
    ],
    ["was set back by years", [[-3_650 * dayMs, false]]],
  ])("the hourly purge looks at a clock that %s", async (_, steps) => {
    for (const [afterMs, isTrusted] of [...trusted, ...steps]) {
      clock.jump(afterMs);
      expect(await store.write((tx) => isClockTrusted(tx, clock.now()))).toBe(isTrusted);
    }
  });

  test("a service that starts in a wrong year purges nothing", async () => {
    await closeDays(world.service);
    await handOut();
    clock.jump(3_650 * dayMs);
    await closeDays(world.service);
    const periods = { ...nothing, withdrawals: 400 * dayMs, archive: 400 * dayMs };
    await purgeOnTrustedClock(world.service, periods, () => false);
    expect([await count("withdrawals"), await count("archived_withdrawals")]).toEqual(isApart ? [0, 1] : [1, 0]);
  });

  test("a clock that jumps in the middle of it takes nothing along that is young", async () => {
    await closeDays(world.service);
    const [now, named] = [clock.now(), { partner_id: bank.partnerId, transaction_id: "X" }];
    const rows = Array.from({ length: 40 }, (_, n) => ({
      ...{ ...named, idempotency_key: `k${n}`, created_at: now - (n < 39 ? 40 * dayMs : 0) },
    }));
    await store.write((tx) => tx.run(adhoc((db) => db.insertInto("idempotency_keys").values(rows))));
    const left = async () =>
      (await store.read((tx) => tx.all(adhoc((db) => db.selectFrom("idempotency_keys").select("idempotency_key")))))
        .length;
    const purging = purge(world.service, { ...nothing, idempotency_keys: 30 * dayMs });
    await expect.poll(left, { interval: 1 }).toBe(35);
    clock.jump(365 * dayMs);
    await clock.drive(purging, 50);
    expect(await left()).toBe(1);
  });

  const handOut = async (key = freshKey(), user = "Ann") => {
    const body = { user_id: user, amount: "50.00", currency: "EUR", store: shop, sca_required: false };
    const asked = await requestWithdrawal(world.service, bank, body, key);
    await confirmIt(world.service, asked);
    await expect
      .poll(async () => (await getTransaction(world.service, till, asked.transaction_id)).status, { interval: 2 })
      .toBe("settled");
    await linkTransaction(world.service, till, asked.transaction_id);
    return asked.transaction_id;
  };
  const report = async () => {
    const lines = [];
    for await (const page of reconcile(world.service, till, { fromMs: 0, toMs: 1e14 })) lines.push(...page);
    return lines;
  };
  const count = async (table: "withdrawals" | "archived_withdrawals" | "checkins" | "tokens") =>
    (await store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).select(sql<number>`1`.as("one")))))).length;

  test.runIf(!isApart)(
    "withdrawals that ended long ago are archived: the report, a look and the history stay as they were",
    async () => {
      await closeDays(world.service);
      const old = [await handOut(), await handOut()];
      // A month is kept as long as one of it is open.
      clock.jump(40 * dayMs);
      const unpaid = await placeOrder(world.service, { sca_required: false });
      await confirmIt(world.service, unpaid);
      await expect
        .poll(async () => (await getTransaction(world.service, till, unpaid.transaction_id)).status, { interval: 2 })
        .toBe("settled");
      clock.jump(1_000);
      const beside = await handOut();
      clock.jump(260 * dayMs);
      const young = await handOut();
      const [first = ""] = old;
      const before = { report: await report(), seen: await getTransaction(world.service, bank, first) };
      const history = await getHistory(world.service, till, first);
      clock.jump(200 * dayMs);

      await purgeNow({ ...nothing, withdrawals: 400 * dayMs });
      expect(world.counted.purgedRows).toEqual({ withdrawals: 3 });
      expect(await count("archived_withdrawals")).toBe(3);
      expect(await count("withdrawals")).toBe(2);
      expect(await report()).toEqual(before.report);
      expect(new Set(before.report.map(({ transaction_id }) => transaction_id))).toEqual(
        new Set([...old, unpaid.transaction_id, beside, young]),
      );
      expect(await getTransaction(world.service, bank, first)).toEqual(before.seen);
      expect(await getHistory(world.service, till, first)).toEqual(history);

      await purgeNow({ ...nothing, withdrawals: 400 * dayMs });
      expect(await count("archived_withdrawals")).toBe(3);
      clock.jump(3_000 * dayMs);
      await closeDays(world.service);
      await purgeNow({ ...nothing, archive: 2_000 * dayMs });
      expect(await count("archived_withdrawals")).toBe(1);
      expect((await report()).map(({ transaction_id }) => transaction_id)).toEqual([
        unpaid.transaction_id,
        beside,
        young,
      ]);
      await expect(getTransaction(world.service, till, first)).rejects.toMatchObject({ code: "transaction_not_found" });
    },
  );

  test.runIf(!isApart)(
    "a report of many pages is whole, in order and without repeats, when a part of it is archived",
    async () => {
      const row = await handOut();
      const copies = (from: number, many: number) =>
        store.write((tx) =>
          tx.run(
            adhoc((db) => ({
              compile: () =>
                sql
                  .raw(
                    `INSERT INTO withdrawals (id, partner_id, merchant_id, user_id, amount, currency, sca_required, status, device_id, created_at, expires_at, confirmed_at, linked_at, settle_attempts, idempotency_key, request_hash, history_length)
                   WITH RECURSIVE n (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + many - 1})
                   SELECT 'C' || (10000 + i), partner_id, merchant_id, user_id, amount, currency, sca_required, status, device_id, created_at + CAST(i AS BIGINT) * 3600000, expires_at, confirmed_at + CAST(i / 3 AS BIGINT) * 3600000, linked_at, settle_attempts, 'c' || i, 'x', 1 FROM n, withdrawals WHERE id = '${row}'`,
                  )
                  .compile(db),
            })),
          ),
        );
      await copies(1, 1_300);
      const before = await report();
      expect(before).toHaveLength(1_301);
      clock.jump(30 * dayMs);
      await purgeNow({ ...nothing, withdrawals: dayMs });
      expect(await count("archived_withdrawals")).toBeGreaterThan(600);
      expect(await count("withdrawals")).toBeGreaterThan(200);
      expect(await report()).toEqual(before);
    },
  );

  test.runIf(isApart)("a key is forgotten after its time: then a repeat asks anew, and not before", async () => {
    const key = freshKey();
    const first = await handOut(key);
    const others = [await handOut(), await handOut()];
    const body = { user_id: "Ann", amount: "50.00", currency: "EUR", store: shop, sca_required: false };
    clock.jump(89 * dayMs);
    await purgeNow({ ...nothing, idempotency_keys: 90 * dayMs });
    expect((await requestWithdrawal(world.service, bank, body, key)).transaction_id).toBe(first);
    // A partition of keys holds a week, and goes with its last day.
    clock.jump((dialect === "postgres" ? 8 : 2) * dayMs);
    await purgeNow({ ...nothing, idempotency_keys: 90 * dayMs });
    await purgeNow({ ...nothing, idempotency_keys: 90 * dayMs });
    expect(world.counted.purgedRows).toEqual({ idempotency_keys: 1 + others.length });
    expect((await requestWithdrawal(world.service, bank, body, key)).transaction_id).not.toBe(first);
  });

  test("check-ins and sign-ins go, more than one batch of them; what still counts stays", async () => {
    const now = clock.now();
    await store.write(async (tx) => {
      const checkin = {
        partner_id: "bank",
        reference_id: "r",
        brand: "b",
        user_id: "ann",
        balance: 1,
        currency: "EUR",
      };
      const rows = Array.from({ length: 450 }, (_, n) => ({
        ...checkin,
        ...{ id: `c${n}`, token_hash: `t${n}`, url_back: "https://x", created_at: now + (n < 430 ? n : 40 * dayMs) },
        expires_at: now,
      }));
      await tx.run(adhoc((db) => db.insertInto("checkins").values(rows)));
      const token = { credential_id: "x", scopes: "", created_at: now };
      const tokens = [1, 2, 50].map((day) => ({ ...token, token_hash: `h${day}`, expires_at: now + day * dayMs }));
      await tx.run(adhoc((db) => db.insertInto("tokens").values(tokens)));
    });
    clock.jump(45 * dayMs);
    await purgeNow({ ...nothing, checkins: 30 * dayMs, sign_ins: 30 * dayMs });
    expect(world.counted.purgedRows).toEqual({ checkins: 430, sign_ins: 2 });
    expect([await count("checkins"), await count("tokens")]).toEqual([20, 1]);
  });

  test("of check-ins the oldest go first, no more than a batch at a time, and none of the last moment", async () => {
    const values = { partner_id: "bank", reference_id: "r", brand: "b", user_id: "ann", balance: 1, currency: "EUR" };
    const rows = [3, 1, 4, 2].map((created_at) => ({
      ...{ ...values, id: `c${created_at}`, token_hash: `t${created_at}`, url_back: "https://x" },
      ...{ created_at, expires_at: 9 },
    }));
    const left = async (limit: number) => {
      await store.write((tx) => tx.run(purgeCheckins({ before: 4, limit })));
      const ids = adhoc((db) => db.selectFrom("checkins").select("id").orderBy("id"));
      return (await store.read((tx) => tx.all(ids))).map(({ id }) => id);
    };
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("checkins"))));
    await store.write((tx) => tx.run(adhoc((db) => db.insertInto("checkins").values(rows))));
    expect([await left(1), await left(9)]).toEqual([["c2", "c3", "c4"], ["c4"]]);
  });

  test("a user is erased on request, the books stay; not while a withdrawal is under way", async () => {
    const paid = await handOut();
    clock.jump(500 * dayMs);
    await purgeNow({ ...nothing, withdrawals: 400 * dayMs });
    await handOut();
    const before = await report();
    clock.jump(1_000);
    const open = await placeOrder(world.service);
    const parts = { store, random: world.service.random };
    await expect(eraseUser(parts, bank.partnerId, "ANN")).rejects.toThrow(/has not ended/);
    await confirmIt(world.service, open);
    clock.jump(60_000);
    expect((await getTransaction(world.service, till, open.transaction_id)).status).toBe("canceled");
    const { name, withdrawals } = await eraseUser(parts, bank.partnerId, "ANN");
    expect(withdrawals).toBe(3);
    const users = (await everyWithdrawal(store)).map(({ user_id }) => user_id);
    expect(new Set(users)).toEqual(new Set([name]));
    expect((await report()).slice(0, before.length)).toEqual(before);
    expect(before[0]?.transaction_id).toBe(paid);
  });

  test("after an erasure no column of any table holds the user's id", async () => {
    const user = "person-to-be-erased";
    const body = { user_id: user, amount: "50.00", currency: "EUR", store: shop, sca_required: false };
    const additionalData = {
      brand: "My Bank",
      userId: user,
      balance: "250.00",
      currency: "EUR",
      urlBack: "https://bank.example",
    };
    await checkIn(
      world.service,
      { hash: (token) => token },
      bank,
      { referenceId: `of ${user}`, additionalData },
      "https://cash.example",
    );
    await store.write(async (tx) => {
      const [partner_id, created_at] = [bank.partnerId, clock.now()];
      await tx.run(addCustomer({ partner: partner_id, now: created_at, user }));
      const account = { id: user, id_folded: user, password_hash: "x", email: `${user}@example.com`, phone: null };
      await tx.run(insertUser({ ...account, partner_id, auto_update: 0, created_at }));
    });
    const asked = await requestWithdrawal(
      world.service,
      { ...bank, requestId: `request-of-${user.toUpperCase()}` },
      { ...body, partner_reference: `for ${user}` },
      `key ${user}`,
    );
    await confirmIt(world.service, asked);
    await expect
      .poll(async () => (await getTransaction(world.service, till, asked.transaction_id)).status, { interval: 2 })
      .toBe("settled");
    await linkTransaction(world.service, till, asked.transaction_id);
    const holding = async () => {
      const rows = Object.entries(await rowsOf(store, (await tablesOf(store)).tables));
      return rows.flatMap(([table, those]) => (JSON.stringify(those).toLowerCase().includes(user) ? [table] : []));
    };
    expect(await holding()).toEqual(
      expect.arrayContaining(["checkins", "customers", "users", isApart ? "archived_withdrawals" : "withdrawals"]),
    );
    // A status event that the bank has not taken yet: with an address for events, and not due for an hour.
    const waiting = {
      id: "event_1",
      transaction_id: asked.transaction_id,
      partner_id: bank.partnerId,
      attempts: 0,
    } as const;
    const event = { ...waiting, body: `{"reference":"for ${user}"}`, partner_reference: null, now: clock.now() };
    await store.write(async (tx) => {
      await tx.run(updatePartner(bank.partnerId, { events_url: "https://bank.example/events" }));
      await tx.run(insertEvent({ ...event, dueAt: clock.now() + 3_600_000 }));
    });
    await expect(eraseUser(world.service, bank.partnerId, user)).rejects.toThrow(/still waits for the bank/);
    await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("status_events"))));
    await eraseUser(world.service, bank.partnerId, user);
    expect(await holding()).toEqual([]);
  });

  test("an erased user's id goes from the bank's own names too; a name that does not hold it stays", async () => {
    const ask = async (reference: string, key: string) => {
      const body = { user_id: "ann_9%", amount: "50.00", currency: "EUR", store: shop, partner_reference: reference };
      const { transaction_id: id } = await requestWithdrawal(world.service, bank, body, key);
      await rejectTransaction(world.service, till, id);
      return id;
    };
    const [holding, apart, alike] = [
      await ask("b-ANN_9%-1", "k-ann_9%-1"),
      await ask("b-2", "k-2"),
      await ask("annX99", "k-3"),
    ];
    await eraseUser(world.service, bank.partnerId, "Ann_9%");
    const rows = await everyWithdrawal(store);
    const names = new Map(rows.map((row) => [row.id, [row.partner_reference, row.idempotency_key]]));
    expect(names.get(holding)).toEqual([null, `forgotten ${holding}`]);
    expect(names.get(apart)).toEqual(["b-2", "k-2"]);
    expect(names.get(alike)).toEqual(["annX99", "k-3"]);
    expect(JSON.stringify(rows)).not.toMatch(/ann_9%/i);
  });

  test("after an erasure a repeat gets the first answer, and no hash tells whose it was", async () => {
    const body = { user_id: "ann@example.org", amount: "50.00", currency: "EUR", store: shop };
    const repeat = (more: object = {}) => requestWithdrawal(world.service, bank, { ...body, ...more }, "order-17");
    const first = await repeat();
    await rejectTransaction(world.service, till, first.transaction_id);
    await eraseUser(world.service, bank.partnerId, body.user_id);
    // As anybody can make them for each of the bank's customers, from what stands beside them.
    const [{ amount = 0, currency = "", merchant_id = "", request_hash = "" } = {}] = await everyWithdrawal(store);
    const guess = JSON.stringify([body.user_id, amount, currency, merchant_id, null]);
    expect(request_hash).not.toBe(createHash("sha256").update(guess).digest("base64url"));
    for (const age of [0, 401 * dayMs]) {
      clock.jump(age);
      await purgeNow({ ...nothing, withdrawals: 400 * dayMs });
      expect(await repeat()).toEqual(first);
      for (const other of [{ amount: "60.00" }, { currency: "CHF" }, { store: "other-shop" }])
        await expect(repeat(other)).rejects.toMatchObject({ code: "idempotency_key_reused" });
    }
    expect(await everyWithdrawal(store)).toHaveLength(1);
  });

  test.runIf(dialect === "sqlite")("nor do the bytes of the database and its log hold the id", async () => {
    const user = (n: number) => `person-${n}@example.org`;
    for (let n = 0; n < 20; n += 1) await handOut(freshKey(), user(n));
    const bytes = () => ["", "-wal"].map((end) => readFileSync(`${place.url.slice("sqlite:".length)}${end}`, "latin1"));
    for (const n of [7, 0, 19]) {
      expect(bytes().join("")).toContain(user(n));
      await eraseUser(world.service, bank.partnerId, user(n));
      expect(bytes().map((text) => text.includes(user(n)))).toEqual([false, false]);
    }
    expect(bytes().join("")).toContain(user(8));
  });
});
