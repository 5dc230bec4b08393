/** Two machines with one identity that both handed out, as the service hears of it: on both stores. */
import { describe, expect, test } from "vitest";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { reconciliationLineSchema } from "../../backend/contract/reconciliation.ts";
import { listOpenReports } from "../../backend/operate/reports.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { closeDispute, DisputeChanged, listDisputes } from "../../backend/withdrawals/dispute.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { expectWholeHistory } from "./whole-history.ts";
import { waysIn } from "./withdrawal-ways.ts";
import { bank, keepTogether, testKeys, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  worldPerTest(dialect, { options: { pollMs: 1e9 } }, (stage) => {
    ({ place, clock, store, world } = stage);
  });

  const { leadTo } = waysIn(
    () => world,
    () => clock,
  );
  const link = (id: string, handOutId: string | null, on = world.service) =>
    linkTransaction(on, till, id, null, undefined, handOutId);
  const line = async (id: string, reader: typeof till | typeof bank = till) => {
    for await (const lines of reconcile(world.service, reader, { fromMs: 0, toMs: clock.now() + 1 }))
      for (const one of lines) if (one.transaction_id === id) return reconciliationLineSchema.parse(one);
    return null;
  };
  const audited = async (id: string) => {
    const entries = adhoc((db) => db.selectFrom("audit").select(["event", "actor", "detail"]).where("object", "=", id));
    return (await store.read((tx) => tx.all(entries))).filter(({ event }) => event === "handed out twice");
  };
  const notes = async (id: string) =>
    (await getHistory(world.service, till, id)).events.filter(({ kind }) => kind === "reported_again");

  test("a second hand-out of one withdrawal is answered, and is a line that names both", async () => {
    const { transaction_id: id } = await leadTo.settled();
    expect(await link(id, "one")).toMatchObject({ status: "linked", hand_out_id: "one" });
    expect(await line(id)).toMatchObject({ finding: "matched", reason: null });

    expect(await link(id, "two")).toMatchObject({ status: "linked", hand_out_id: "one" });
    for (const reader of [till, bank])
      expect(await line(id, reader)).toMatchObject({
        status: "linked",
        finding: "disputed",
        reason: "handed_out_twice",
      });
    expect(await audited(id)).toMatchObject([
      { actor: `terminal ${till.merchantId}/${till.deviceId}`, detail: expect.stringMatching(/\bone\b.*\btwo\b/) },
    ]);
    expect(await notes(id)).toMatchObject([{ to: "linked", actor: "device", reason: "two" }]);
    expect(await listDisputes(store)).toMatchObject([{ id, hand_out_id: "one", other_hand_out_id: "two" }]);
    expect(await listOpenReports({ store, clock: systemClock, random: systemRandom, keys: testKeys })).toMatchObject([
      {
        transaction: id,
        finding: "disputed",
        reason: "handed_out_twice",
        why: expect.stringContaining("count its drawer"),
      },
    ]);
    await expectWholeHistory(store);
  });

  test("repeats of the same hand-out, or of one without a name, are no second one", async () => {
    const { transaction_id: id } = await leadTo.settled();
    for (const handOutId of ["one", "one", null, "one"]) expect((await link(id, handOutId)).status).toBe("linked");
    expect(await line(id)).toMatchObject({ finding: "matched" });
    const { transaction_id: nameless } = await leadTo.settled();
    // A release that took no name has it linked: what it was told is not known.
    for (const handOutId of [null, "late"]) expect((await link(nameless, handOutId)).status).toBe("linked");
    expect(await line(nameless)).toMatchObject({ finding: "matched" });
    expect([...(await audited(id)), ...(await audited(nameless))]).toEqual([]);
  });

  test("one line that names each hand-out once, however often it is repeated; closed it stays closed, and a further hand-out opens it again", async () => {
    const { transaction_id: id } = await leadTo.settled();
    const seen = async () => (await notes(id)).map(({ reason }) => reason);
    for (const handOutId of ["one", "two", "two"]) await link(id, handOutId);
    const disputed_at = clock.now();
    clock.jump(1_000);
    for (const handOutId of ["three", "one", "two", "three"]) await link(id, handOutId);
    expect(await seen()).toEqual(["two", "three"]);
    expect(await listDisputes(store)).toMatchObject([{ disputed_at }]);
    expect(await audited(id)).toMatchObject([{ detail: "first one, then two" }, { detail: "first one, then three" }]);
    // Who closes it has seen the second one, and not the third.
    await expect(closeDispute(world.service, id, "ann", "counted both drawers")).rejects.toThrow(DisputeChanged);
    expect(await closeDispute(world.service, id, "ann", "counted all drawers", clock.now())).toBe(true);
    for (const handOutId of ["two", "three", "one"]) await link(id, handOutId);
    expect(await line(id)).toMatchObject({ finding: "matched", reason: null });
    await link(id, "four");
    expect(await seen()).toEqual(["two", "three", "four"]);
    expect(await line(id)).toMatchObject({ finding: "disputed", reason: "handed_out_twice" });
  });

  test("of a till that names a new hand-out each time the first ten are noted, and once it is closed a further one opens it again", async () => {
    const { transaction_id: id } = await leadTo.settled();
    for (let n = 0; n < 15; n += 1) expect((await link(id, `h${n}`)).hand_out_id).toBe("h0");
    expect((await notes(id)).map(({ reason }) => reason)).toEqual(Array.from({ length: 10 }, (_, n) => `h${n + 1}`));
    expect(await audited(id)).toHaveLength(10);
    expect(await closeDispute(world.service, id, "ann", "counted all drawers", clock.now())).toBe(true);
    await link(id, "h15");
    expect(await line(id)).toMatchObject({ finding: "disputed", reason: "handed_out_twice" });
    expect((await notes(id)).map(({ reason }) => reason).slice(10)).toEqual(["h15"]);
  });

  test("two at once are one link and one line", async () => {
    // What one process does at once may share a commit, in which nothing is at once.
    const beside = { ...world.service, store: dialect === "postgres" ? await place.open(clock) : store };
    for (let round = 0; round < 8; round += 1) {
      const { transaction_id: id } = await leadTo.settled();
      const both = [world.service, beside];
      const answers = await Promise.all(both.map((on, at) => link(id, at === round % 2 ? "one" : "two", on)));
      expect(new Set(answers.map(({ hand_out_id: first }) => first)).size).toBe(1);
      expect(await line(id)).toMatchObject({ finding: "disputed" });
      expect(await audited(id)).toHaveLength(1);
      expect(await notes(id)).toHaveLength(1);
    }
  });

  test("what one declared as not handed out, and the other handed out, is a line as well", async () => {
    const { transaction_id: id } = await leadTo.settled();
    await declareUndelivered(world.service, till, id, "till_short");
    await expect(link(id, "two")).rejects.toMatchObject({ code: "transaction_conflict" });
    expect(await line(id)).toMatchObject({
      status: "undelivered",
      finding: "disputed",
      reason: "handed_out_after_undelivered",
    });
    expect(await audited(id)).toMatchObject([{ detail: "first undelivered, then two" }]);
    await expect(link(id, "two")).rejects.toMatchObject({ code: "transaction_conflict" });
    expect(await notes(id)).toHaveLength(1);
  });

  test("what the other says of no cash changes nothing of a hand-out", async () => {
    const { transaction_id: id } = await leadTo.settled();
    await link(id, "one");
    await expect(declareUndelivered(world.service, till, id, "till_short")).rejects.toMatchObject({
      code: "transaction_conflict",
    });
    expect(await line(id)).toMatchObject({ finding: "matched" });
  });

  test("one that lies among the open ones, as a release before has left it, becomes a line too", async () => {
    await keepTogether(store);
    const { transaction_id: id } = await leadTo.settled();
    await link(id, "one");
    clock.jump(1_000);
    expect(await link(id, "two")).toMatchObject({ hand_out_id: "one" });
    expect(await line(id)).toMatchObject({ finding: "disputed", reason: "handed_out_twice" });
  });
});
