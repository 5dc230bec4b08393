/** What is open is listed from its first moment, and an operator decides for a bank or a terminal that never says a definite word. */
import { describe, expect, test } from "vitest";
import { groupId } from "../../backend/contract/ids.ts";
import { parseCommandLine, UsageError } from "../../backend/operate/arguments.ts";
import { makeBackup } from "../../backend/operate/backups.ts";
import { manage } from "../../backend/operate/manage.ts";
import { listOpenReports, listOpenWithdrawals, showWithdrawal } from "../../backend/operate/reports.ts";
import { listTerminals } from "../../backend/operate/terminals.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { type Decision, decideWithdrawal, listOpen, watchUnlinked } from "../../backend/withdrawals/open.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { accepted, bank, confirmIt, otherBank, otherShop, placeOrder, shop, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

/** For so long a bank is asked before an operator may decide. */
const decidableAfterMs = 15 * 60_000;

describe.each(stores)("on %s", (dialect) => {
  let place: Place;
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  worldPerTest(dialect, { beginsAt: Date.now() - 2 * 86_400_000, options: { pollMs: 1e9 } }, (stage) => {
    ({ place, clock, store, world } = stage);
    world.bank.onSettle = () => ({ status: 503, body: "" });
  });

  const unanswered = async () => {
    const { transaction_id: id } = await confirmIt(
      world.service,
      await placeOrder(world.service, { sca_required: false }),
    );
    await expect.poll(() => world.bank.settles.length, { interval: 2 }).toBeGreaterThan(0);
    return id;
  };
  const orders = () => store.read((tx) => tx.all(adhoc((db) => db.selectFrom("outbox").selectAll())));
  const line = async () => {
    for await (const [first] of reconcile(world.service, till, { fromMs: 0, toMs: 1e14 })) return first;
    throw new Error("not in the report");
  };
  const decide = (id: string, decision: Decision) =>
    decideWithdrawal(world.service, id, decision, "olga", "Ms Low said so");
  const listed = async (flags = {}) =>
    (await listOpenWithdrawals(world.service, flags)).map(({ transaction, needs }) => `${transaction} ${needs}`);
  const unlinked = async () => {
    world.bank.onSettle = () => accepted;
    const order = await placeOrder(world.service, { sca_required: false });
    const { transaction_id: id } = await confirmIt(world.service, order);
    await expect
      .poll(async () => (await getTransaction(world.service, till, id)).status, { interval: 2 })
      .toBe("settled");
    return id;
  };

  test("all that is open is listed from its first moment, by shop, bank, status and age", async () => {
    const ready = (await placeOrder(world.service)).transaction_id;
    clock.jump(1_000);
    const settling = await unanswered();
    clock.jump(1_000);
    const settled = await unlinked();
    const ids = [ready, settling, settled];
    expect(await listed()).toEqual(ids.map((id) => `${id} wait`));
    expect((await listOpenWithdrawals(world.service, {})).map(({ finding }) => finding)).toEqual([
      "open",
      "settle_unknown",
      "not_linked",
    ]);
    expect((await listOpenReports(world.service)).map(({ transaction }) => transaction)).toEqual([settling, settled]);
    expect(await listed({ status: "settled" })).toEqual([`${settled} wait`]);
    expect(await listed({ shop, bank: bank.partnerId })).toHaveLength(3);
    expect(await listed({ shop: otherShop.merchantId })).toEqual([]);
    expect(await listed({ bank: otherBank.partnerId })).toEqual([]);
    expect(await listed({ older: "1" })).toEqual([]);
    await expect(listed({ shop: "nope" })).rejects.toThrow(new UsageError("there is no shop nope"));
    await expect(listed({ bank: "my-bnak" })).rejects.toThrow(new UsageError("there is no bank my-bnak"));
    await expect(listTerminals(world.service, { shop: "nope", silent: "" })).rejects.toThrow("there is no shop nope");
    expect(await listTerminals(world.service, { shop, silent: "" })).toEqual([]);
    clock.jump(decidableAfterMs);
    expect(await listed({ older: "15" })).toContain(`${settling} decide`);
    clock.jump(1);
    expect(await listed({ status: "settled", older: "15" })).toEqual([`${settled} decide`]);
    await expect(listOpenWithdrawals(world.service, { older: "x" })).rejects.toThrow("--older");
    await expect(listOpenWithdrawals(world.service, { status: "lost" })).rejects.toThrow("--status must be one of");
  });

  test("paid, and no word of the cash: that is no bank's to say, and its terminal's however late", async () => {
    const id = await unlinked();
    clock.jump(40 * decidableAfterMs);
    expect([await decide(id, "paid"), await decide(id, "not-paid")]).toEqual([null, null]);
    expect(await listed()).toEqual([`${id} decide`]);
    expect(await line()).toMatchObject({ status: "settled", finding: "not_linked" });
    expect((await linkTransaction(world.service, till, id)).status).toBe("linked");
    expect(await listed()).toEqual([]);
  });

  test("a copy of a PostgreSQL is refused for what it is, and not asked where to", async () => {
    const at = { database: { kind: "postgres" }, backups: null } as unknown as Parameters<typeof makeBackup>[0];
    await expect(makeBackup(at)).rejects.toThrow("this is for an SQLite file");
  });

  test("one that is decided while the list is read is in it once", async () => {
    const id = await unanswered();
    clock.jump(decidableAfterMs + 1_000);
    let reads = 0;
    const deciding: Store = {
      ...store,
      async read(unit) {
        reads += 1;
        if (reads === 2) await decide(id, "not-paid");
        return await store.read(unit);
      },
    };
    expect((await listOpen({ store: deciding, clock })).map(({ row }) => row.id)).toEqual([id]);
    expect(reads).toBe(2);
  });

  test("unlinked money is counted by its age, by the process whose work it is", async () => {
    await unlinked();
    clock.jump(901_000);
    await unlinked();
    clock.jump(-1_000);
    await unlinked();
    const counted = async (owns: boolean, failures = 0) => {
      world.counted.unlinkedCounts = null;
      const read: Store["read"] = (unit) => (failures-- > 0 ? Promise.reject(new Error("away")) : store.read(unit));
      const watch = watchUnlinked({ ...world.service, store: { ...store, read }, owns: () => owns });
      await clock.advance(1);
      if (failures === 0) await clock.advance(5_000);
      await watch.stop();
      return world.counted.unlinkedCounts;
    };
    const counts = { "0s": 3, "2m": 1, "15m": 1, "24h": 0 };
    expect([await counted(true), await counted(false), await counted(true, 1)]).toEqual([counts, null, counts]);
  });

  test("one withdrawal with its whole story", async () => {
    const id = await unanswered();
    await expect.poll(async () => (await orders())[0]?.last_error, { interval: 2 }).toBe("http_503");
    const told = await showWithdrawal(world.service, id);
    expect(told.map(({ what }) => what)).toEqual([
      "requested",
      "ready",
      "settling",
      "settle waits",
      "settling",
      "needs: wait",
    ]);
    expect(told.find(({ what }) => what === "settle waits")?.detail).toBe("1 calls, the last answer: http_503");
    expect(told.find(({ by }) => by === `device ${till.deviceId}`)?.what).toBe("settling");
    expect(await showWithdrawal(world.service, groupId(id).toLowerCase())).toEqual(told);
    await expect(showWithdrawal(world.service, "none")).rejects.toThrow("there is no withdrawal none");
    await expect(showWithdrawal(world.service, undefined)).rejects.toThrow("withdrawals show TRANSACTION");
  });

  test("only after the bank was asked for 15 minutes, and only one that waits", async () => {
    const id = await unanswered();
    clock.jump(decidableAfterMs - 1_000);
    expect([await decide(id, "paid"), await listed()]).toEqual([null, [`${id} wait`]]);
    clock.jump(2_000);
    expect(await listed()).toEqual([`${id} decide`]);
    expect(await decide("0".repeat(16), "paid")).toBeNull();
    expect((await decide(id, "not-paid"))?.status).toBe("failed");
    expect([await decide(id, "paid"), await listed()]).toEqual([null, [`${id} close`]]);
  });

  test("an order that was written under a clock far ahead may be decided once the clock is right", async () => {
    clock.jump(21 * 86_400_000);
    const id = await unanswered();
    clock.jump(-21 * 86_400_000);
    expect(await listed()).toEqual([`${id} decide`]);
    expect((await decide(id, "not-paid"))?.status).toBe("failed");
  });

  test("paid: the payment is due back, no cash can follow, and the bank is asked no more", async () => {
    const id = await unanswered();
    clock.jump(decidableAfterMs + 1_000);
    expect((await decide(id, "paid"))?.status).toBe("undelivered");
    expect(await orders()).toEqual([]);
    expect(await line()).toMatchObject({
      status: "undelivered",
      finding: "undelivered",
      reason: "decided_by_operator",
      settle_attempts: 1,
    });
    expect((await getTransaction(world.service, till, id)).settled_at).not.toBeNull();
    const { events } = await getHistory(world.service, till, id);
    expect(events.slice(-3)).toMatchObject([
      { kind: "transition", from: "settling", to: "settled", actor: "operator", actor_id: "olga" },
      { kind: "transition", from: "settled", to: "undelivered", actor: "operator" },
      { kind: "decided", to: "undelivered", actor: "operator", actor_id: "olga", reason: "Ms Low said so" },
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, n) => n + 1));
    // A terminal that says otherwise all the same changes no status, and is a line.
    expect((await linkTransaction(world.service, till, id)).status).toBe("undelivered");
    expect(await line()).toMatchObject({ finding: "disputed", reason: "handed_out_after_decision" });
  });

  test("not paid: failed, in the report as disputed until it is closed; a late yes of the bank opens it again", async () => {
    const id = await unanswered();
    const [order] = await orders();
    clock.jump(decidableAfterMs + 1_000);
    expect((await decide(id, "not-paid"))?.status).toBe("failed");
    expect(await line()).toMatchObject({ status: "failed", finding: "disputed", settle_attempts: 1 });
    expect(await closeDispute(world.service, id, "olga", "seen on the statement")).toBe(true);
    expect(await line()).toMatchObject({ finding: "closed" });
    if (!order) throw new Error("no order");
    await settleAnswered(world.service, order, "accepted");
    expect(await line()).toMatchObject({ status: "failed", finding: "disputed", reason: "accepted_after_declined" });
  });

  test("the commands: the list says what is needed, a decision needs its words and is audited", async () => {
    const id = await unanswered();
    const command = (...words: string[]) => manage(parseCommandLine(words, { DATABASE_URL: place.url }));
    // The commands go by the machine's or the database's clock; this order is older than that by far.
    expect(await command("reports", "list")).toMatchObject([{ transaction: id, status: "settling", needs: "decide" }]);
    await expect(command("reports", "decide", id, "--outcome", "paid")).rejects.toThrow("--note");
    await expect(command("reports", "decide", id, "--outcome", "yes", "--note", "x")).rejects.toThrow("--outcome");
    expect(await command("reports", "decide", id, "--outcome", "not-paid", "--note", "asked")).toEqual([
      { transaction: id, status: "failed" },
    ]);
    expect(await command("reports", "list")).toMatchObject([{ transaction: id, status: "failed", needs: "close" }]);
    const resolve = (of: string) => command("withdrawals", "resolve", of, "--outcome", "paid", "--note", "x");
    await expect(resolve(id)).rejects.toThrow(`transaction ${id} is failed: there is nothing to decide`);
    await expect(resolve("none")).rejects.toThrow("there is no withdrawal none");
    const fresh = await placeOrder(world.service);
    await expect(resolve(fresh.transaction_id)).rejects.toThrow(/is ready: there is nothing to decide/);
    await cancelWithdrawal(world.service, bank, fresh.transaction_id);
    await command("withdrawals", "resolve", id, "--outcome", "closed", "--note", "seen on the statement");
    expect(await command("withdrawals", "list")).toEqual([]);
    expect((await command("withdrawals", "show", id)).at(-2)).toMatchObject({ what: "dispute_closed" });
    // What was refused is not in it.
    expect((await command("audit")).map(({ event, detail }) => `${event} ${detail}`)).toEqual([
      "reports decide --note asked --outcome not-paid",
      "withdrawals resolve --note seen on the statement --outcome closed",
    ]);
  });
});
