/** The head of a terminal's journal in the commit of its report about cash, on both stores: kept where it goes on from what is known, and never in the report's way. */
import { describe, expect, test } from "vitest";
import { createAccess } from "../../backend/access/access.ts";
import {
  type JournalHeadReport,
  listJournalHeads,
  newJournalEpoch,
  reportJournalHead,
} from "../../backend/access/journal-heads.ts";
import { headInCopy, insertRestore } from "../../backend/store/restores.ts";
import type { Store } from "../../backend/store/store.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { waysIn } from "./withdrawal-ways.ts";
import { otherShop, secondTill, testKeys, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

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
  const head = (seq: number, text = `head-${seq}`): JournalHeadReport => ({
    seq,
    head: text,
    at: "2026-11-20T09:00:00.000Z",
  });
  const link = async (sent?: JournalHeadReport, id?: string) =>
    linkTransaction(
      world.service,
      till,
      id ?? (await leadTo.settled()).transaction_id,
      null,
      undefined,
      "hand-out",
      sent,
    );
  const kept = async () => {
    const { heads } = await listJournalHeads(world.service, till, 10);
    return heads.map(({ seq, head }) => `${seq} ${head}`);
  };
  const report = (seq: number, terminal = till) => {
    const access = createAccess(world.service, "a token secret of the tests", { keys: testKeys });
    return reportJournalHead(access, terminal, head(seq), "10.0.0.1");
  };

  test("it is kept with the link and with what was not handed out, and the answer says so", async () => {
    expect(await link(head(7))).toMatchObject({ status: "linked", journal_kept: true });
    const { transaction_id: id } = await leadTo.settled();
    const answer = await declareUndelivered(world.service, till, id, "till_short", null, undefined, head(9));
    expect(answer).toMatchObject({ status: "undelivered", journal_kept: true });
    expect(await kept()).toEqual(["9 head-9", "7 head-7"]);
    expect(await link()).not.toHaveProperty("journal_kept");
    const { heads } = await listJournalHeads(world.service, till, 1);
    expect(heads).toMatchObject([{ at: head(9).at, received_at: new Date(clock.now()).toISOString() }]);
  });

  test("another terminal's journal, of a higher number or begun anew, is not gone on with", async () => {
    for (const other of [secondTill, otherShop]) {
      await report(100, other);
      await store.write((tx) => newJournalEpoch(tx, other.merchantId, other.deviceId, clock.now()));
    }
    await report(7);
    expect(await link(head(6))).not.toHaveProperty("journal_kept");
    expect(await link(head(8))).toMatchObject({ journal_kept: true });
    expect(await kept()).toEqual(["8 head-8", "7 head-7"]);
  });

  test("what is reported after a restore is not in the copy, however it came", async () => {
    const restore = async () => {
      clock.jump(1_000);
      const restored_at = clock.now();
      await store.write((tx) => tx.run(insertRestore({ restored_at, forgot_since: restored_at })));
      return restored_at;
    };
    const inCopy = (restoredAt: number) =>
      store.read((tx) =>
        tx.first(headInCopy({ merchant: till.merchantId, device: till.deviceId, restoredAt, forgotSince: restoredAt })),
      );
    await report(4);
    await link(head(5));
    const first = await restore();
    await report(6);
    await link(head(7));
    const second = await restore();
    await report(8);
    await link(head(9));
    expect([await inCopy(first), await inCopy(second)]).toMatchObject([{ seq: 5 }, { seq: 7 }]);
  });

  test.each([
    ["a lower number", head(6)],
    ["the same number with another head", head(7, "other")],
    ["the newest again", head(7)],
  ])("%s is not kept, and the link is taken all the same", async (_, sent) => {
    await link(head(7));
    const answer = await link(sent);
    expect(answer).toMatchObject({ status: "linked", hand_out_id: "hand-out" });
    expect(answer).not.toHaveProperty("journal_kept");
    expect(await kept()).toEqual(["7 head-7"]);
  });

  test("what was taken back is not said to be kept, where a repeat at another process was quicker", async () => {
    const { transaction_id: id } = await leadTo.settled();
    let isFirst = true;
    const flaky: Store = {
      ...store,
      async write(unit, about) {
        if (isFirst) {
          isFirst = false;
          const failing = store.write(async (tx) => {
            await unit(tx);
            throw new Error("another unit of the commit failed");
          });
          await expect(failing).rejects.toThrow();
          await link(undefined, id);
        }
        return store.write(unit, about);
      },
    };
    const answer = await linkTransaction({ ...world.service, store: flaky }, till, id, null, undefined, "A", head(7));
    expect(answer).not.toHaveProperty("journal_kept");
    expect(await kept()).toEqual([]);
  });

  test("nothing of a refused or repeated report is kept: its terminal reports the head by itself", async () => {
    const { transaction_id: ready } = await leadTo.ready();
    await expect(link(head(3), ready)).rejects.toMatchObject({ code: expect.stringMatching(/^transaction_/) });
    const { transaction_id: id } = await link(head(5));
    expect(await link(head(8), id)).not.toHaveProperty("journal_kept");
    expect(await kept()).toEqual(["5 head-5"]);
  });

  test("after an enrolment it begins anew", async () => {
    await link(head(7));
    await store.write((tx) => newJournalEpoch(tx, till.merchantId, till.deviceId, clock.now()));
    expect(await link(head(1))).toMatchObject({ journal_kept: true });
    expect(await kept()).toEqual(["1 head-1"]);
  });
});
