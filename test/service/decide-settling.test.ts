/** An operator decides for a bank that never says a definite word (docs/api.md, "What a bank's answer means"). */
import { describe, expect, test } from "vitest";
import { parseCommandLine } from "../../backend/operate/arguments.ts";
import { manage } from "../../backend/operate/manage.ts";
import { adhoc } from "../../backend/store/statement.ts";
import type { Store } from "../../backend/store/store.ts";
import {
  type Decision,
  decidableAfterMs,
  decideSettling,
  listUnanswered,
} from "../../backend/withdrawals/decide-settling.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { getHistory } from "../../backend/withdrawals/get-history.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { settleAnswered } from "../../backend/withdrawals/settle-answered.ts";
import { type Place, stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import { confirmIt, placeOrder, till, type World } from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

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
    decideSettling(world.service, id, decision, "olga", "Ms Low said so");

  test("only after the bank was asked for 15 minutes, and only one that waits", async () => {
    const id = await unanswered();
    clock.jump(decidableAfterMs - 1_000);
    expect([await decide(id, "paid"), await listUnanswered(world.service)]).toEqual([null, []]);
    clock.jump(2_000);
    expect((await listUnanswered(world.service)).map((row) => row.id)).toEqual([id]);
    expect(await decide("0".repeat(16), "paid")).toBeNull();
    expect((await decide(id, "not-paid"))?.status).toBe("failed");
    expect([await decide(id, "paid"), await listUnanswered(world.service)]).toEqual([null, []]);
  });

  test("an order that was written under a clock far ahead may be decided once the clock is right", async () => {
    clock.jump(21 * 86_400_000);
    const id = await unanswered();
    clock.jump(-21 * 86_400_000);
    expect((await listUnanswered(world.service)).map((row) => row.id)).toEqual([id]);
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
    });
    await expect(linkTransaction(world.service, till, id)).rejects.toMatchObject({ code: "transaction_conflict" });
    expect((await getTransaction(world.service, till, id)).settled_at).not.toBeNull();
    const { events } = await getHistory(world.service, till, id);
    expect(events.slice(-3)).toMatchObject([
      { kind: "transition", from: "settling", to: "settled", actor: "operator", actor_id: "olga" },
      { kind: "transition", from: "settled", to: "undelivered", actor: "operator" },
      { kind: "decided", to: "undelivered", actor: "operator", actor_id: "olga", reason: "Ms Low said so" },
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, n) => n + 1));
  });

  test("not paid: failed, in the report as disputed until it is closed; a late yes of the bank opens it again", async () => {
    const id = await unanswered();
    const [order] = await orders();
    clock.jump(decidableAfterMs + 1_000);
    expect((await decide(id, "not-paid"))?.status).toBe("failed");
    expect(await line()).toMatchObject({ status: "failed", finding: "disputed" });
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
    expect(await command("audit")).toMatchObject([{ event: "reports decide", object: id }]);
  });
});
