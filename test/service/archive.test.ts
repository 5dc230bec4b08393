/** Archived withdrawals go on counting: for contradictions, repeats and erasure, also while they are being moved. */

import { sql } from "kysely";
import { beforeEach, describe, expect, test } from "vitest";
import { eraseUser } from "../../backend/operate/erase-user.ts";
import { closeDays } from "../../backend/operate/proof.ts";
import { purge } from "../../backend/operate/purge.ts";
import { disallowMerchant, everyMerchant } from "../../backend/partner/partners.ts";
import { type RetentionPeriods, retained } from "../../backend/retention.ts";
import type { RowOf } from "../../backend/store/schema.ts";
import { adhoc, type Query, type Store, type Tx, type UnitOfWork } from "../../backend/store/store.ts";
import { archiveEnded } from "../../backend/withdrawals/closed.ts";
import { confirmTransaction } from "../../backend/withdrawals/confirm.ts";
import { closeDispute, listDisputes } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { isStoreOf, reconcile } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { requestWithdrawal } from "../../backend/withdrawals/request.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { stores } from "./stores.ts";
import { watchedTx } from "./test-tx.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { bank, confirmIt, freshKey, keepTogether, placeOrder, secondTill, shop, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const dayMs = 86_400_000;
const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;

const pause: Query<unknown> = adhoc((db) => ({ compile: () => sql`select pg_sleep(0.1)`.compile(db) }));

/** The same unit with a pause after each of its statements, so that others get in between. @param begun after the first one. */
async function withPauses<T>(tx: Tx, unit: UnitOfWork<T>, begun: () => void): Promise<T> {
  return unit(
    watchedTx(tx, async (step) => {
      if (step === "changed") return;
      begun();
      await tx.all(pause);
    }),
  );
}

/** Whether a withdrawal leaves the open ones at its end, or lies beside them until it is old, as an earlier release keeps it. */
const ways = stores.flatMap((dialect) => [[dialect, true] as const, [dialect, false] as const]);

describe.each(ways)("on %s, ended ones apart: %s", (dialect, isApart) => {
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  worldPerTest(dialect, { options: { pollMs: 1e9 } }, (stage) => {
    ({ clock, store, world } = stage);
  });
  beforeEach(async () => {
    if (!isApart) await keepTogether(store);
  });

  const settled = async (userId = "Ann") => {
    const body = { user_id: userId, amount: "50.00", currency: "EUR", store: shop, sca_required: false };
    const { transaction_id: id } = await requestWithdrawal(world.service, bank, body, freshKey());
    await confirmTransaction(world.service, till, { transaction_id: id, transaction_id_partner: `pos-${id}` });
    await expect
      .poll(async () => (await getTransaction(world.service, till, id)).status, { interval: 2 })
      .toBe("settled");
    return id;
  };
  const handedOut = async (userId = "Ann") => {
    const id = await settled(userId);
    await linkTransaction(world.service, till, id);
    return id;
  };
  const archiveAll = async () => {
    clock.jump(500 * dayMs);
    await purge(world.service, { ...nothing, withdrawals: 400 * dayMs });
  };
  const ids = async (table: "withdrawals" | "archived_withdrawals") =>
    (await store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).select("id").orderBy("id"))))).map(
      ({ id }) => id,
    );
  const users = async (table: "withdrawals" | "archived_withdrawals") =>
    (await store.read((tx) => tx.all(adhoc((db) => db.selectFrom(table).select("user_id"))))).map(
      ({ user_id }) => user_id,
    );
  test("a shop that the bank may use no more is still one of its report's", async () => {
    await handedOut();
    await archiveAll();
    for (const merchant of [shop, everyMerchant])
      await store.write((tx) => tx.run(disallowMerchant({ partner: bank.partnerId, merchant })));
    expect([await isStoreOf(world.service, bank, shop), await isStoreOf(world.service, bank, "other")]).toEqual([
      true,
      false,
    ]);
  });

  const report = async () => {
    const lines = [];
    for await (const page of reconcile(world.service, till, { fromMs: 0, toMs: 1e14 })) lines.push(...page);
    return lines;
  };
  const orderOf = (id: string): RowOf<"outbox"> => ({
    ...{ id: `settle_${id}`, transaction_id: id, partner_id: bank.partnerId, body: "{}", attempts: 1, due_at: 0 },
    ...{ claimed_by: "w", created_at: 0, last_error: null, partner_reference: null, unsent_attempts: 0 },
  });
  const parts = () => ({ store, random: world.service.random });

  test("a bank that contradicts itself about an archived withdrawal: history, report, list and alarm say so", async () => {
    await closeDays(world.service);
    const id = await handedOut();
    await archiveAll();
    expect(await ids("archived_withdrawals")).toEqual([id]);
    await settleAnswered(world.service, orderOf(id), "declined");
    expect(world.counted.alarms).toEqual(["settle:declined_after_the_opposite"]);
    expect((await report())[0]).toMatchObject({ finding: "disputed", reason: "declined_after_accepted" });
    expect((await listDisputes(store)).map((row) => row.id)).toEqual([id]);
    expect((await getHistory(world.service, till, id)).events.at(-1)).toMatchObject({ kind: "contradicted" });

    clock.jump(5_000 * dayMs);
    await purge(world.service, { ...nothing, archive: dayMs });
    expect(await ids("archived_withdrawals")).toEqual([id]);

    expect(await closeDispute(world.service, id, "olga", "the bank was wrong")).toBe(true);
    expect((await report())[0]).toMatchObject({ finding: "matched" });
    expect(await closeDispute(world.service, id, "olga", "again")).toBe(false);
    expect((await getHistory(world.service, till, id)).events.at(-1)).toMatchObject({ kind: "dispute_closed" });
    await purge(world.service, { ...nothing, archive: dayMs });
    // Its row of today has no line yet.
    expect(await ids("archived_withdrawals")).toEqual([id]);
    clock.jump(dayMs);
    await closeDays(world.service);
    await purge(world.service, { ...nothing, archive: dayMs });
    expect(await ids("archived_withdrawals")).toEqual([]);
  });

  test("what was written before a first day was opened ends too, once it has its line", async () => {
    const id = await handedOut();
    await archiveAll();
    expect(await ids("archived_withdrawals")).toEqual([id]);
    clock.jump(100 * dayMs);
    await purge(world.service, { ...nothing, archive: dayMs });
    expect(await ids("archived_withdrawals")).toEqual([id]);
    await closeDays(world.service);
    await purge(world.service, { ...nothing, archive: dayMs });
    expect(await ids("archived_withdrawals")).toEqual([]);
  });

  test.runIf(!isApart)(
    "its age counts from what happened last: a late link or a dispute that was just closed keeps it in the books",
    async () => {
      const [linked, disputed] = [await settled(), await handedOut()];
      clock.jump(390 * dayMs);
      await linkTransaction(world.service, till, linked);
      await settleAnswered(world.service, orderOf(disputed), "declined");
      await closeDispute(world.service, disputed, "olga", "clear");
      clock.jump(20 * dayMs);
      await purge(world.service, { ...nothing, withdrawals: 400 * dayMs });
      expect(await ids("archived_withdrawals")).toEqual([]);
      clock.jump(381 * dayMs);
      await purge(world.service, { ...nothing, withdrawals: 400 * dayMs });
      expect(await ids("archived_withdrawals")).toEqual([linked, disputed].toSorted());
    },
  );

  test("a repeat about an archived withdrawal is answered as before, a contradiction of it is refused", async () => {
    const id = await handedOut();
    const rejected = await placeOrder(world.service);
    await rejectTransaction(world.service, till, rejected.transaction_id);
    await archiveAll();
    expect(await ids("withdrawals")).toEqual([]);
    expect((await linkTransaction(world.service, till, id)).status).toBe("linked");
    const again = { transaction_id: id, transaction_id_partner: `pos-${id}` };
    expect((await confirmTransaction(world.service, till, again)).status).toBe("linked");
    expect((await rejectTransaction(world.service, till, rejected.transaction_id)).status).toBe("rejected");
    await expect(confirmIt(world.service, rejected)).rejects.toMatchObject({ code: "transaction_conflict" });
    await expect(linkTransaction(world.service, secondTill, id)).rejects.toMatchObject({
      code: "transaction_not_found",
    });
  });

  test("a user whose id is not plain ASCII is erased too, however the operator writes it", async () => {
    await handedOut("ÄNN");
    await archiveAll();
    await handedOut("ÄNN");
    expect((await eraseUser(parts(), bank.partnerId, "änn")).withdrawals).toBe(2);
    await handedOut("Łukasz");
    expect((await eraseUser(parts(), bank.partnerId, "Łukasz")).withdrawals).toBe(1);
    const left = [...(await users("withdrawals")), ...(await users("archived_withdrawals"))];
    expect(left.filter((user) => !user.startsWith("erased-"))).toEqual([]);
  });

  test("a withdrawal that the user asks for in the middle of the erasure keeps its id, and the erasure says so", async () => {
    await handedOut();
    let asked = "";
    const meanwhile: Store = {
      ...store,
      async write(unit) {
        const result = await store.write(unit);
        if (asked === "") {
          const body = { user_id: "Ann", amount: "50.00", currency: "EUR", store: shop };
          asked = "under way";
          asked = (await requestWithdrawal(world.service, bank, body, freshKey())).transaction_id;
        }
        return result;
      },
    };
    await expect(eraseUser({ ...parts(), store: meanwhile }, bank.partnerId, "ann")).rejects.toThrow(
      /erase the user after it/,
    );
    expect((await users("withdrawals")).filter((user) => user === "Ann")).toEqual(["Ann"]);
    const known = await getTransaction(world.service, till, asked);
    expect((await confirmIt(world.service, known)).status).toBe("awaiting_sca");
    expect(world.bank.starts.at(-1)?.userId).toBe("Ann");
    await rejectTransaction(world.service, till, asked);
    expect((await eraseUser(parts(), bank.partnerId, "ann")).withdrawals).toBe(1);
    expect((await users("withdrawals")).filter((user) => user === "Ann")).toEqual([]);
  });

  describe.runIf(dialect === "postgres" && !isApart)("while another process archives", () => {
    /** Archives slowly; `during` runs at every moment of it. */
    const archiveDuring = async (during: () => Promise<unknown>) => {
      clock.jump(500 * dayMs);
      const before = clock.now() - 400 * dayMs;
      const begun = Promise.withResolvers<void>();
      let done = false;
      const archiving = store
        .write((tx) => withPauses(tx, (slow) => archiveEnded(slow, before, clock.now(), 100), begun.resolve))
        .finally(() => {
          done = true;
        });
      await Promise.race([begun.promise, archiving]);
      while (!done) {
        await during();
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return archiving;
    };

    test("a contradiction that comes in the middle is not lost", async () => {
      const all = [];
      for (let n = 0; n < 24; n += 1) all.push(await handedOut());
      const left = [...all];
      const archived = await archiveDuring(async () => {
        const id = left.shift();
        if (id !== undefined) await settleAnswered(world.service, orderOf(id), "declined");
      });
      expect(archived).toBeGreaterThan(0);
      const contradicted = all.filter((id) => !left.includes(id));
      expect((await listDisputes(store)).map(({ id }) => id).toSorted()).toEqual(contradicted.toSorted());
      expect([...(await ids("withdrawals")), ...(await ids("archived_withdrawals"))].toSorted()).toEqual(
        all.toSorted(),
      );
    });

    test("an erased user's id does not come back out of the copy", async () => {
      for (let n = 0; n < 10; n += 1) await handedOut(`user-${n}`);
      let n = 0;
      const archived = await archiveDuring(async () => {
        if (n < 10) await eraseUser(parts(), bank.partnerId, `user-${n}`);
        n += 1;
      });
      expect(archived).toBeGreaterThan(0);
      for (; n < 10; n += 1) await eraseUser(parts(), bank.partnerId, `user-${n}`);
      const left = [...(await users("withdrawals")), ...(await users("archived_withdrawals"))];
      expect(left.filter((user) => !user.startsWith("erased-"))).toEqual([]);
    });
  });
});
