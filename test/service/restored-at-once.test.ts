/** A restore that several processes come upon at once, or beside one that was taken for dead: each row changes once, in the order of the commits. */
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import { purge } from "../../backend/operate/purge.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { type RetentionPeriods, retained } from "../../backend/retention.ts";
import { copiedAtSetting } from "../../backend/store/restores.ts";
import { setSetting } from "../../backend/store/settings.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { eventSequenceAfterRestore } from "../../backend/withdrawals/lifecycle.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { applyPendingRestore, applyRestore } from "../../backend/withdrawals/restored.ts";
import { type Place, stores } from "./stores.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { approve, bank, confirmIt, createWorld, placeOrder, testKeys, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

const dayMs = 86_400_000;

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let world: World;
  /** What is held behind a test that failed would keep the store open. */
  let letGo = () => {};
  worldPerTest(dialect, { inRealTime: true }, (stage) => {
    ({ place, store, world } = stage);
  });
  afterEach(async () => {
    letGo();
    await world.service.stop();
  });

  const on = () => ({ store, clock: systemClock, keys: testKeys });
  /** Calls `before` before the n-th commit, from 1. */
  const beforeCommit = (before: (n: number) => Promise<unknown>): Store => {
    let commits = 0;
    return {
      ...store,
      async write(unit, about) {
        commits += 1;
        await before(commits);
        return store.write(unit, about);
      },
    };
  };
  const markAsCopy = () =>
    store.write((tx) => tx.run(setSetting({ name: copiedAtSetting, value: String(systemClock.now()) })));
  const restores = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("restores").selectAll())));
  const read = (id: string) => getTransaction(world.service, bank, id);

  test("a process that is late with one which another has applied leaves what came since", async () => {
    const { transaction_id: old } = await placeOrder(world.service);
    await world.service.stop();
    await markAsCopy();
    const since: string[] = [];
    const late = beforeCommit(async (n) => {
      if (n !== 2) return;
      await applyPendingRestore(on());
      world = await createWorld(store);
      since.push((await placeOrder(world.service)).transaction_id);
      since.push((await confirmIt(world.service, await placeOrder(world.service))).transaction_id);
    });
    expect(await applyPendingRestore({ ...on(), store: late })).toMatchObject({ ended: 0 });
    expect(await read(old)).toMatchObject({ status: "canceled", reason: "restored" });
    expect(await Promise.all(since.map(async (id) => (await read(id)).status))).toEqual(["ready", "awaiting_sca"]);
    expect(await restores()).toHaveLength(1);
    await expectWholeHistory(store);
  });

  test("what one of two ends has no event with a number that later ones do not reach, whoever comes to the end", async () => {
    await store.write((tx) => tx.first(updatePartner(bank.partnerId, { events_url: "http://bank/events" })));
    const { transaction_id: id } = await placeOrder(world.service);
    await world.service.stop();
    await markAsCopy();
    const [hasEnded, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const aheadMs = 60_000;
    const second = {
      ...on(),
      clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
      // Its begin, an empty commit or a full one for each status, and its end.
      store: beforeCommit(async (n) => {
        if (n !== 5) return;
        hasEnded.resolve();
        await isOver.promise;
      }),
    };
    const others: Promise<unknown>[] = [];
    const first = beforeCommit(async (n) => {
      if (n !== 2) return;
      others.push(applyPendingRestore(second));
      await hasEnded.promise;
    });
    await applyPendingRestore({ ...on(), store: first });
    isOver.resolve();
    await Promise.all(others);
    const [restore, ...more] = await restores();
    expect(more).toEqual([]);
    const events = await store.read((tx) => tx.all(adhoc((db) => db.selectFrom("status_events").select("id"))));
    const heard = events.map((event) => Number(event.id.split("_").at(-1)));
    const next = eventSequenceAfterRestore({ status: "linked", sca_expires_at: null }, restore?.restored_at ?? 0);
    expect(Math.max(...heard)).toBeLessThan(next);
    expect(await read(id)).toMatchObject({ reason: "restored" });
    await expectWholeHistory(store);
  });

  describe.runIf(dialect === "postgres")("beside another's commit under way", () => {
    /** Another process, whose n-th commit waits for `commit`. */
    const holding = async (n = 1) => {
      const other = await place.open();
      const commit = Promise.withResolvers<void>();
      letGo = commit.resolve;
      let commits = 0;
      const write: Store["write"] = (unit) =>
        other.write(async (tx) => {
          commits += 1;
          const isHeld = commits === n;
          const result = await unit(tx);
          if (isHeld) await commit.promise;
          return result;
        });
      return { service: { ...world.service, store: { ...other, write } }, commit: commit.resolve };
    };
    const waiting = () =>
      store.read((tx) =>
        tx.all(
          adhoc((db) => ({
            compile: () =>
              sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.compile(
                db,
              ),
          })),
        ),
      );
    const isHeld = (id: string) => expect.poll(() => store.read((tx) => tx.all(heldRows(id)))).toEqual([]);
    const waits = () => expect.poll(async () => (await waiting()).length).toBeGreaterThan(0);

    test("of two that end the same withdrawal, one does", async () => {
      const { transaction_id: id } = await placeOrder(world.service);
      await world.service.stop();
      await markAsCopy();
      const { service, commit } = await holding();
      const hold = sql<{ id: string }>`select id from withdrawals where id = ${id} for update`;
      const held = service.store.write((tx) => tx.all(adhoc((db) => ({ compile: () => hold.compile(db) }))));
      await isHeld(id);
      const both = [1, 2].map(() => applyPendingRestore(on()));
      await expect.poll(async () => (await waiting()).length).toBe(2);
      commit();
      await Promise.all([held, ...both]);
      expect(await read(id)).toMatchObject({ status: "canceled", reason: "restored" });
      await expectWholeHistory(store);
    });

    test("what a process approves that was taken for dead is paid, and not ended besides", async () => {
      const order = await confirmIt(world.service, await placeOrder(world.service));
      const { service, commit } = await holding();
      const approved = approve(service, order);
      await isHeld(order.transaction_id);
      const ended = applyRestore(on(), { forgotSince: systemClock.now() });
      await waits();
      commit();
      await Promise.all([approved, ended]);
      await expect.poll(async () => (await read(order.transaction_id)).status).toBe("settled");
      await expectWholeHistory(store);
    });

    test("a closed line that a second hand-out opens again while it is purged stays", async () => {
      await applyRestore(on(), { forgotSince: systemClock.now() - dayMs });
      const id = makeTransactionId(new Uint8Array(15).fill(1));
      const known = { transaction_id_partner: "pos", amount: "50.00", currency: "EUR" };
      await linkTransaction(world.service, till, id, null, known, "one");
      const nothing = Object.fromEntries(retained.map((what) => [what, null])) as RetentionPeriods;
      const later = systemClock.now() + 400 * dayMs;
      const purgeLater = () => purge(world.service, { ...nothing, archive: dayMs }, undefined, later);
      // The first one of a day waits for the audit.
      await purgeLater();
      await closeDispute(world.service, id, "ada", "the bank has paid it");
      // The first one finds no withdrawal.
      const { service, commit } = await holding(2);
      const again = linkTransaction(service, till, id, null, known, "two");
      const lines = adhoc((db) => db.selectFrom("restored_reports").selectAll());
      const heldLines = adhoc((db) => db.selectFrom("restored_reports").select("id").forUpdate().skipLocked());
      await expect.poll(() => store.read((tx) => tx.all(heldLines))).toEqual([]);
      const purged = purgeLater();
      await waits();
      commit();
      await Promise.all([again, purged]);
      expect(await store.read((tx) => tx.all(lines))).toMatchObject([{ other_hand_out_id: "two", closed_at: null }]);
    });

    const heldRows = (id: string) =>
      adhoc((db) => db.selectFrom("withdrawals").select("id").where("id", "=", id).forUpdate().skipLocked());
  });
});
