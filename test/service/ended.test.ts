/** A withdrawal leaves the open ones in the commit of its end: repeats, races, restores, and a database of the release before. */
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { takeOver } from "../../backend/operate/purge.ts";
import type { Clock } from "../../backend/ports.ts";
import { refuseNewer } from "../../backend/store/migrate.ts";
import { migrations } from "../../backend/store/migrations.ts";
import { settingByName } from "../../backend/store/settings.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { listWithdrawals, reconcile } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { applyRestore } from "../../backend/withdrawals/restored.ts";
import { withdrawalColumns } from "../../backend/withdrawals/store.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { type WayTo, waysIn } from "./withdrawal-ways.ts";
import {
  accepted,
  bank,
  confirmIt,
  createWorld,
  everyWithdrawal,
  freshKey,
  keepTogether,
  placeOrder,
  shop,
  till,
  type World,
} from "./world.ts";
import { type Stage, worldPerTest } from "./world-stage.ts";

const dayMs = 86_400_000;
const ends = ["linked", "undelivered", "declined", "rejected", "canceled", "expired", "failed"] as const;
const ways: readonly WayTo[] = [...ends, "settled", "awaiting_sca", "ready"];
const body = { user_id: "Ann", amount: "50.00", currency: "EUR", store: shop };

describe.each(stores)("on %s", (dialect) => {
  let stage: Stage;
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  worldPerTest(dialect, { options: { pollMs: 1e9 } }, (made) => {
    stage = made;
    ({ clock, store, world } = made);
  });
  const { leadTo } = waysIn(
    () => world,
    () => clock,
  );

  const count = async (table: "withdrawals" | "archived_withdrawals" | "idempotency_keys" | "terminal_references") =>
    (await store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).select(sql<number>`1`.as("one")))))).length;
  const counts = async () => [await count("withdrawals"), await count("archived_withdrawals")];
  /** Takes over while time passes by nothing but the pauses of it. */
  const takeOverNow = (isStopping?: () => boolean) => {
    const passing: Clock = {
      now: () => clock.now(),
      soon: (run) => clock.soon(run),
      after(delayMs, run) {
        clock.jump(delayMs);
        clock.soon(run);
        return () => {};
      },
    };
    return takeOver({ ...world.service, clock: passing }, isStopping);
  };
  /** All that anybody sees. */
  const everything = async () => {
    const lines = [];
    for await (const page of reconcile(world.service, till, { fromMs: 0, toMs: 1e14 })) lines.push(...page);
    const { withdrawals } = await listWithdrawals(world.service, bank, { limit: 200 });
    const seen = [];
    for (const { transaction_id: id } of withdrawals)
      seen.push({
        ...(await getTransaction(world.service, bank, id)),
        events: (await getHistory(world.service, bank, id)).events,
      });
    return { lines, withdrawals, seen };
  };
  /** One of each status; a second apart, so that lists have one order. */
  const oneOfEach = async () => {
    const made: Record<string, string> = {};
    for (const status of ways) {
      clock.jump(1_000);
      made[status] = (await leadTo[status]()).transaction_id;
      [world.bank.onStart, world.bank.onSettle] = [() => accepted, () => accepted];
    }
    return made;
  };
  /** A unit whose commit comes a while after its last statement; resolves behind that statement. */
  const inCommit = async (work: (on: World["service"]) => Promise<unknown>) => {
    const reached = Promise.withResolvers<void>();
    const write: Store["write"] = (unit, about) =>
      store.write(async (tx) => {
        const result = await unit(tx);
        reached.resolve();
        await tx.all(adhoc((db) => ({ compile: () => sql`select pg_sleep(0.5)`.compile(db) })));
        return result;
      }, about);
    const ending = work({ ...world.service, store: { ...store, write } });
    await reached.promise;
    return { ending };
  };

  test.each(ends)(
    "one that is %s is among the ended ones, with its names, and its terminal reads it there",
    async (status) => {
      const asked = await leadTo[status]();
      expect(await counts()).toEqual([0, 1]);
      expect(await count("idempotency_keys")).toBe(1);
      const [row] = await everyWithdrawal(store);
      expect(await count("terminal_references")).toBe(row?.transaction_id_partner === null ? 0 : 1);
      expect((await getTransaction(world.service, till, asked.transaction_id)).status).toBe(status);
      await expectWholeHistory(store);
    },
  );

  test("the same story is seen the same, whether ended ones lie apart or beside the open ones", async () => {
    const told = async (isApart: boolean) => {
      if (!isApart) await keepTogether(store);
      const ids = Object.values(await oneOfEach());
      expect(await counts()).toEqual(isApart ? [3, ends.length] : [ways.length, 0]);
      const text = JSON.stringify(await everything());
      await store.write(async (tx) => {
        for (const table of ["withdrawals", "archived_withdrawals", "idempotency_keys", "terminal_references"] as const)
          await tx.run(adhoc((db) => db.deleteFrom(table)));
      });
      const named = ids.reduce((all, id, n) => all.replaceAll(id, `#${n}`), text);
      return named
        .replaceAll(/"[^"]*T[\d:.]+Z"/g, '"time"')
        .replaceAll(/"transaction_id_partner":"[^"]*"/g, '"own":""');
    };
    const apart = await told(true);
    expect(JSON.parse(apart).withdrawals.length).toBe(ways.length);
    expect(await told(false)).toBe(apart);
  });

  test("a key and a terminal's id count after the end as before it", async () => {
    const key = freshKey();
    const { transaction_id: id } = await requestWithdrawal(world.service, bank, body, key);
    await confirmIt(world.service, await getTransaction(world.service, till, id), till, "receipt 1");
    await rejectTransaction(world.service, till, id);
    expect(await counts()).toEqual([0, 1]);
    const again = await requestWithdrawal(world.service, bank, body, key);
    expect([again.transaction_id, again.status]).toEqual([id, "ready"]);
    await expect(requestWithdrawal(world.service, bank, { ...body, amount: "60.00" }, key)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    // Also where the rules refuse it by now.
    await expect(requestWithdrawal(world.service, bank, { ...body, amount: "1.00" }, key)).rejects.toMatchObject({
      code: "idempotency_key_reused",
    });
    const next = await placeOrder(world.service);
    await expect(confirmIt(world.service, next, till, "receipt 1")).rejects.toMatchObject({
      code: "transaction_conflict",
    });
    expect((await getTransaction(world.service, till, next.transaction_id)).status).toBe("ready");
    expect((await confirmIt(world.service, next, till, "receipt 2")).status).toBe("awaiting_sca");
  });

  test("a repeat of an open one's key writes nothing: it fails no commit that others share", async () => {
    const key = freshKey();
    const first = await requestWithdrawal(world.service, bank, body, key);
    const write = () => Promise.reject(new Error("it wrote"));
    const again = await requestWithdrawal({ ...world.service, store: { ...store, write } }, bank, body, key);
    expect(again).toEqual(first);
  });

  test.runIf(dialect === "postgres")("nor does one that came before its first was committed", async () => {
    const keys = Array.from({ length: 10 }, freshKey);
    const asked = [...keys, keys[0] ?? ""];
    let units = 0;
    const together = Promise.withResolvers<void>();
    const write: Store["write"] = async (unit, about) => {
      units += 1;
      if (units === asked.length) together.resolve();
      await together.promise;
      return store.write(unit, about);
    };
    const service = { ...world.service, store: { ...store, write } };
    const answers = await Promise.all(asked.map((key) => requestWithdrawal(service, bank, body, key)));
    expect(answers.at(-1)).toEqual(answers[0]);
    const commit = sql<string>`xmin::text`.as("commit");
    const requests = adhoc((db) => db.selectFrom("withdrawal_events").select(commit).where("sequence", "=", 1));
    const commits = (await store.read((tx) => tx.all(requests))).map((row) => row.commit);
    expect([commits.length, new Set(commits).size]).toEqual([keys.length, 1]);
  });

  test("whatever repeats at the moment of the end, a key has one withdrawal", async () => {
    const second = dialect === "postgres" ? await createWorld(await stage.place.open(clock)) : world;
    for (let n = 0; n < 25; n += 1) {
      const key = freshKey();
      const { transaction_id: id } = await requestWithdrawal(world.service, bank, body, key);
      const repeat = (of: World) => requestWithdrawal(of.service, bank, body, key).then((one) => one.transaction_id);
      const answers = await Promise.all([
        repeat(second),
        repeat(world),
        rejectTransaction(world.service, till, id).then((one) => one.transaction_id),
        repeat(second),
        repeat(world),
      ]);
      expect(new Set(answers)).toEqual(new Set([id]));
      expect(await repeat(second)).toBe(id);
    }
    expect(await counts()).toEqual([0, 25]);
    if (second !== world) await second.service.stop();
  });

  describe.runIf(dialect === "postgres")("in the middle of a commit that ends one", () => {
    test.each(["read committed", "repeatable read"])(
      "a repeat of its key waits for it, and gets its answer, also where the database's own isolation is %s",
      async (level) => {
        const name = new URL(stage.place.url).pathname.slice(1);
        const isolate = sql.raw(`ALTER DATABASE "${name}" SET default_transaction_isolation = '${level}'`);
        await store.write((tx) => tx.run(adhoc((db) => ({ compile: () => isolate.compile(db) }))));
        const beside = await createWorld(await stage.place.open(clock), { clock });
        const key = freshKey();
        const { transaction_id: id } = await requestWithdrawal(beside.service, bank, body, key);
        const { ending } = await inCommit((on) => rejectTransaction(on, till, id));
        expect((await requestWithdrawal(beside.service, bank, body, key)).transaction_id).toBe(id);
        await ending;
        await beside.service.stop();
        const usual = sql.raw(`ALTER DATABASE "${name}" RESET default_transaction_isolation`);
        await store.write((tx) => tx.run(adhoc((db) => ({ compile: () => usual.compile(db) }))));
        expect(await counts()).toEqual([0, 1]);
      },
    );

    test("its terminal's id is refused for another one", async () => {
      const { transaction_id: id } = await leadTo.settled();
      const [row] = await everyWithdrawal(store);
      const next = await placeOrder(world.service);
      const { ending } = await inCommit((on) => linkTransaction(on, till, id));
      await expect(confirmIt(world.service, next, till, row?.transaction_id_partner ?? "")).rejects.toMatchObject({
        code: "transaction_conflict",
      });
      await ending;
      expect((await getTransaction(world.service, till, next.transaction_id)).status).toBe("ready");
    });

    test("its link once more waits for the end, and is answered as linked", async () => {
      const { transaction_id: id } = await leadTo.settled();
      const { ending } = await inCommit((on) => linkTransaction(on, till, id));
      expect((await linkTransaction(world.service, till, id)).status).toBe("linked");
      await ending;
      await expectWholeHistory(store);
    });
  });

  test("what a restore has ended stays where a terminal's report finds it", async () => {
    const { transaction_id: id } = await leadTo.awaiting_sca();
    await applyRestore({ ...world.service, store }, { forgotSince: clock.now() });
    expect(await counts()).toEqual([1, 0]);
    const [row] = await everyWithdrawal(store);
    expect([row?.id, row?.status, row?.reason]).toEqual([id, "canceled", "restored"]);
  });

  test("a row of the same number that somebody has put among the ended ones takes nothing away", async () => {
    const { transaction_id: id } = await leadTo.settled();
    const [row] = await everyWithdrawal(store);
    if (row === undefined) throw new Error("it is not there");
    const forged = { ...row, amount: 1, archived_at: 1 };
    await store.write((tx) => tx.run(adhoc((db) => db.insertInto("archived_withdrawals").values(forged))));
    expect((await linkTransaction(world.service, till, id)).status).toBe("linked");
    const real = await store.read((tx) =>
      tx.all(adhoc((db) => db.selectFrom("withdrawals").select(withdrawalColumns).where("id", "=", id))),
    );
    expect(real).toMatchObject([{ amount: 5_000, status: "linked" }]);
  });

  describe("a database of the release before", () => {
    const oldest = async () => {
      const rows = await store.read((tx) =>
        tx.all(adhoc((db) => db.selectFrom("schema_version").select(["id", "version"]))),
      );
      const of = (id: number) => Number(rows.find((row) => row.id === id)?.version);
      return { applied: of(1), oldest: of(3) };
    };
    const before = migrations.filter(({ version }) => version < 33);
    /** As the release before leaves it: ended ones beside the open ones, and a way back. */
    const leaveAsBefore = async () => {
      await keepTogether(store);
      await store.write((tx) =>
        tx.run(adhoc((db) => db.updateTable("schema_version").set({ version: 1 }).where("id", "=", 3))),
      );
    };
    const sinceAlone = async () =>
      Number((await store.read((tx) => tx.first(settingByName({ name: "release_alone_since" }))))?.value);
    const worker = (values: { release: number | null }) =>
      store.write((tx) =>
        tx.run(
          adhoc((db) =>
            db.insertInto("workers").values({ id: "other", seen_at: clock.now(), service_keys: null, ...values }),
          ),
        ),
      );

    test("is taken over after a day without a program of that release; nobody sees a difference", async () => {
      await leaveAsBefore();
      const made = await oneOfEach();
      const key = freshKey();
      const { transaction_id: first } = await requestWithdrawal(world.service, bank, body, key);
      await rejectTransaction(world.service, till, first);
      const seen = await everything();
      await takeOverNow();
      const aloneSince = await sinceAlone();
      clock.jump(aloneSince + dayMs - 1 - clock.now());
      await takeOverNow();
      expect(await counts()).toEqual([ways.length + 1, 0]);
      const way = await oldest();
      expect(() => refuseNewer(way, before)).not.toThrow();

      clock.jump(1);
      await takeOverNow();
      const { lines, withdrawals, seen: looks } = await everything();
      expect(await counts()).toEqual([1, ways.length]);
      const ended = <One extends { status: string }>(of: readonly One[]) =>
        of.filter((one) => ends.includes(one.status as never));
      expect([ended(seen.lines), ended(seen.seen)].map((each) => each.length)).toEqual([4, ends.length + 1]);
      expect(ended(lines)).toEqual(expect.arrayContaining(ended(seen.lines)));
      expect(ended(withdrawals)).toEqual(expect.arrayContaining(ended(seen.withdrawals)));
      expect(ended(looks)).toEqual(expect.arrayContaining(ended(seen.seen)));
      expect(looks.length).toBe(seen.seen.length);
      expect(world.counted.purgedRows).toEqual({ withdrawals: ends.length + 1 });
      const now = await oldest();
      expect(() => refuseNewer(now, before)).toThrow(/newer program/);
      expect(() => refuseNewer(now)).not.toThrow();
      expect((await requestWithdrawal(world.service, bank, body, key)).transaction_id).toBe(first);
      expect((await linkTransaction(world.service, till, made.linked ?? "")).status).toBe("linked");
      expect((await linkTransaction(world.service, till, made.settled ?? "")).status).toBe("linked");
      expect(await counts()).toEqual([0, ways.length + 1]);
      await expectWholeHistory(store);
    });

    test("stays as it is while a program of that release is there, and for a day after it", async () => {
      await leaveAsBefore();
      await leadTo.linked();
      await takeOverNow();
      clock.jump(5 * dayMs);
      await worker({ release: null });
      await takeOverNow();
      expect(await counts()).toEqual([1, 0]);
      await store.write((tx) => tx.run(adhoc((db) => db.deleteFrom("workers"))));
      await worker({ release: 33 });
      await takeOverNow();
      const aloneSince = await sinceAlone();
      clock.jump(aloneSince + dayMs - 1 - clock.now());
      await takeOverNow();
      expect(await counts()).toEqual([1, 0]);
      clock.jump(1);
      await takeOverNow();
      expect(await counts()).toEqual([0, 1]);
    });

    test("does not wait until the day that a clock showed which was ahead", async () => {
      await leaveAsBefore();
      await leadTo.linked();
      clock.jump(1_000 * dayMs);
      await takeOverNow();
      clock.jump(-1_000 * dayMs);
      await takeOverNow();
      clock.jump(dayMs + 1);
      await takeOverNow();
      expect(await counts()).toEqual([0, 1]);
    });

    test("is whole wherever the taking over is cut off, and goes on", async () => {
      await leaveAsBefore();
      for (let n = 0; n < 13; n += 1)
        await rejectTransaction(world.service, till, (await placeOrder(world.service)).transaction_id);
      clock.jump(1_000);
      const seen = await everything();
      await takeOverNow();
      clock.jump(dayMs);
      const left: number[] = [];
      for (let asked = 0; asked < 4; asked += 1) {
        let looks = 0;
        const isStopping = () => {
          looks += 1;
          return looks > 1;
        };
        await takeOverNow(isStopping);
        expect(await everything()).toEqual(seen);
        await expectWholeHistory(store);
        left.push(await count("withdrawals"));
      }
      expect(left).toEqual([8, 3, 0, 0]);
      expect(await counts()).toEqual([0, 13]);
      expect(await count("idempotency_keys")).toBe(13);
    });
  });
});
