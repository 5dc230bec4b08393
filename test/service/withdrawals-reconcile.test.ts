import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Reader } from "../../backend/context.ts";
import { findings, reconciliationLineSchema } from "../../backend/contract/reconciliation.ts";
import { addShopToChain } from "../../backend/merchants/chains.ts";
import { adhoc, type Store } from "../../backend/store/store.ts";
import { archiveEnded } from "../../backend/withdrawals/closed.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { declareUndelivered, linkTransaction } from "../../backend/withdrawals/link.ts";
import {
  type ReconciliationFilter,
  type ReconciliationLine,
  reconcile,
  storeTotals,
} from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { insertReport } from "../../backend/withdrawals/restored-reports.ts";
import { stores } from "./stores.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import {
  bank,
  confirmIt,
  declined,
  everyWithdrawal,
  otherBank,
  otherShop,
  placeOrder,
  till,
  type World,
} from "./world.ts";
import { worldPerTest } from "./world-stage.ts";

describe.each(stores)("%s", (dialect) => {
  let clock: VirtualClock;
  let store: Store;
  let world: World;
  worldPerTest(dialect, {}, (stage) => {
    ({ clock, store, world } = stage);
  });

  const report = async (reader: Reader, filter: Partial<ReconciliationFilter> = {}) => {
    const lines: ReconciliationLine[] = [];
    for await (const page of reconcile(world.service, reader, { fromMs: 0, toMs: clock.now() + 60_000, ...filter }))
      lines.push(...page);
    return lines;
  };
  /** Each in a millisecond of its own: of one and the same, the ids would say which is first. */
  const confirmed = async (posId: string, sca_required: boolean) => {
    clock.jump(1);
    return confirmIt(world.service, await placeOrder(world.service, { sca_required }), till, posId);
  };
  const settle = async (posId: string) => {
    const ready = await confirmed(posId, false);
    await getTransaction(world.service, till, ready.transaction_id, { waitMs: 10_000, whileStatus: "settling" });
    return ready.transaction_id;
  };

  /** Withdrawals that were linked long ago, the n-th confirmed at this millisecond. */
  const linked = (count: number, confirmedAt: (n: number) => number, shop = (_: number) => till.merchantId) =>
    store.write(async (tx) => {
      const rows = Array.from({ length: count }, (_, n) => ({
        ...linkedRow(n, confirmedAt(n)),
        merchant_id: shop(n),
        cashier: "c7",
      }));
      for (let at = 0; at < count; at += 100)
        await tx.run(adhoc((db) => db.insertInto("withdrawals").values(rows.slice(at, at + 100))));
    });
  const linkedRow = (n: number, confirmedAt: number) =>
    ({
      id: `COPY${String(n).padStart(12, "0")}`,
      partner_id: bank.partnerId,
      merchant_id: till.merchantId,
      user_id: "ann",
      amount: 5_000,
      currency: "EUR",
      sca_required: 0,
      status: "linked",
      device_id: till.deviceId,
      transaction_id_partner: `copy-${n}`,
      created_at: 1,
      expires_at: 2,
      confirmed_at: confirmedAt,
      settle_attempts: 1,
      idempotency_key: `copy ${n}`,
      request_hash: "",
      reason: null,
      deadline_at: null,
      sca_expires_at: null,
      settled_at: 3,
      linked_at: 4,
      closed_at: null,
      undelivered_reason: null,
      history_length: 0,
    }) as const;

  const reported = {
    device_id: "till-1",
    status: "linked",
    undelivered_reason: null,
    transaction_id_partner: "1",
    amount: 5_000,
    currency: "EUR",
    confirmed_at: 1_003,
    settled_at: 1_004,
    reported_at: 5,
    cashier: "c8",
    created_at: 5,
    closed_at: null,
    hand_out_id: null,
    other_hand_out_id: null,
  } as const;

  test("a deadline that has passed is written before it is reported", async () => {
    const { transaction_id: id } = await confirmed("1", true);
    await store.write((tx) =>
      tx.run(adhoc((db) => db.updateTable("withdrawals").set({ deadline_at: 1 }).where("id", "=", id))),
    );
    expect(await report(till)).toMatchObject([{ transaction_id: id, status: "canceled", finding: "closed" }]);
    expect(await everyWithdrawal(store)).toMatchObject([{ id, status: "canceled", closed_at: 1 }]);
  });

  test("every confirmed transaction has one line with its finding, in the order of confirmation; the others have none", async () => {
    await placeOrder(world.service);
    await rejectTransaction(world.service, till, (await placeOrder(world.service)).transaction_id);
    await linkTransaction(world.service, till, await settle("1"));
    await settle("2");
    await declareUndelivered(world.service, till, await settle("3"), "till_short");
    world.bank.onSettle = () => declined;
    await settle("4");
    world.bank.onSettle = () => ({ status: 500, body: "" });
    await confirmed("5", false);
    await rejectTransaction(world.service, till, (await confirmed("6", true)).transaction_id);
    await confirmed("7", true);
    const lines = await report(bank);
    expect(lines.map((line) => [line.transaction_id_partner, line.status, line.finding, line.reason])).toEqual([
      ["1", "linked", "matched", null],
      ["2", "settled", "not_linked", null],
      ["3", "undelivered", "undelivered", "till_short"],
      ["4", "failed", "closed", "settle_declined"],
      ["5", "settling", "settle_unknown", null],
      ["6", "rejected", "closed", "cashier_rejected"],
      ["7", "awaiting_sca", "settle_unknown", null],
    ]);
    expect(new Set(lines.map(({ finding }) => finding))).toEqual(
      new Set(findings.filter((finding) => !["disputed", "no_after_silence", "restored"].includes(finding))),
    );
    for (const line of lines) reconciliationLineSchema.parse(line);
    expect(lines[4]?.settle_attempts).toBeGreaterThan(0);
  });

  test("a terminal sees its own store, a client what it asked for", async () => {
    await settle("1");
    expect(await report(till)).toHaveLength(1);
    expect(await report(bank)).toHaveLength(1);
    expect(await report(bank, { store: till.merchantId })).toHaveLength(1);
    expect(await report(bank, { store: "other-shop" })).toEqual([]);
    expect(await report(otherBank)).toEqual([]);
    expect(await report(otherShop)).toEqual([]);
    expect(await report(otherShop, { store: till.merchantId })).toEqual([]);
  });

  test("from is included, to is not", async () => {
    await settle("1");
    const [line] = await report(bank);
    const at = Date.parse(line?.confirmed_at ?? "");
    expect(await report(bank, { fromMs: at, toMs: at + 1 })).toHaveLength(1);
    expect(await report(bank, { fromMs: at + 1 })).toEqual([]);
    expect(await report(bank, { toMs: at })).toEqual([]);
  });

  test("pages of many with the same time miss none and repeat none", async () => {
    await settle("1");
    const total = 1_700;
    await linked(total, (n) => 1_000 + (n % 3));
    const pages: number[] = [];
    for await (const page of reconcile(world.service, bank, { fromMs: 0, toMs: 10_000 })) pages.push(page.length);
    expect(Math.max(...pages)).toBeLessThanOrEqual(500);
    const lines = await report(bank, { toMs: 10_000 });
    expect(new Set(lines.map(({ transaction_id }) => transaction_id)).size).toBe(total);
    expect(lines).toHaveLength(total);
    const times = lines.map(({ confirmed_at }) => confirmed_at);
    expect(times).toEqual([...times].sort());
  });

  test("a chain's report is those of its shops in one order, from the running, the archived and the restored ones", async () => {
    const shops = [till.merchantId, "third-shop", otherShop.merchantId, "third-shop"];
    const last = 4_399;
    const shopOf = (n: number) => (n === last ? "last-shop" : (shops[n % 4] ?? ""));
    await linked(last + 1, (n) => (n === last ? 9_000 : 1_000 + (n % 7)), shopOf);
    await store.write(async (tx) => {
      await archiveEnded(tx, Number.MAX_SAFE_INTEGER, 1, 700);
      for (const [chain, shop] of [
        ["most", till.merchantId],
        ["most", otherShop.merchantId],
        ["last", "last-shop"],
      ] as const)
        await tx.run(addShopToChain({ chain, shop, now: 1 }));
      for (const [n, shop] of ["third-shop", ...shops].entries())
        await tx.run(insertReport({ ...reported, id: `Q${n}`, transaction_id: `LOST${n}`, merchant_id: shop }));
    });
    const window = { toMs: 10_000 };
    const expected = [...(await report(till, window)), ...(await report(otherShop, window))];
    expect(expected).toHaveLength(2_202);
    expect(expected.map(({ cashier }) => cashier)).toContain("c7");
    const at = (line: ReconciliationLine) => line.confirmed_at ?? "";
    const lines = await report({ chainId: "most" }, window);
    expect(lines.map(at)).toEqual(lines.map(at).toSorted());
    const byId = (of: readonly ReconciliationLine[]) =>
      of.toSorted((a, b) => (a.transaction_id < b.transaction_id ? -1 : 1));
    expect(byId(lines)).toEqual(byId(expected));
    expect(await report({ chainId: "last" }, window)).toMatchObject([{ store: "last-shop" }]);
    expect(await report({ chainId: "none" }, window)).toEqual([]);
    expect(await report({ chainId: "most" }, { ...window, store: otherShop.merchantId })).toHaveLength(1_101);
    expect(await report({ chainId: "most" }, { ...window, store: "third-shop" })).toEqual([]);
  });

  test("a chain's sums are of one finding in one currency each, by shop and over all", async () => {
    const shops = [otherShop.merchantId, till.merchantId];
    await linked(
      6,
      (n) => 20_000 + n,
      (n) => shops[n % 2] ?? "",
    );
    await store.write(async (tx) => {
      for (const shop of shops) await tx.run(addShopToChain({ chain: "sums", shop, now: 1 }));
      const set = (n: number, changes: { readonly currency?: string; readonly status?: "settled" }) =>
        tx.run(adhoc((db) => db.updateTable("withdrawals").set(changes).where("id", "=", linkedRow(n, 0).id)));
      await set(3, { currency: "CHF" });
      await set(4, { currency: "JPY" });
      await set(5, { status: "settled" });
    });
    const sum = (finding: string, currency: string, count: number, amount: string) => {
      return { finding, currency, count, amount };
    };
    const [yen, francs, open] = [
      sum("matched", "JPY", 1, "5000"),
      sum("matched", "CHF", 1, "50.00"),
      sum("not_linked", "EUR", 1, "50.00"),
    ];
    const { stores, totals } = await storeTotals(world.service, { chainId: "sums" }, { fromMs: 20_000, toMs: 30_000 });
    expect(totals).toEqual([sum("matched", "EUR", 3, "150.00"), francs, yen, open]);
    expect(stores).toMatchObject([
      { store: till.merchantId, totals: [sum("matched", "EUR", 1, "50.00"), francs, open] },
      { store: otherShop.merchantId, totals: [sum("matched", "EUR", 2, "100.00"), yen] },
    ]);
  });

  test("the reports over the parts of a period are the report over the whole, wherever it is split", async () => {
    const span = 40;
    await linked(60, (n) => 1 + ((n * 7) % span));
    const ids = (lines: readonly ReconciliationLine[]) => lines.map(({ transaction_id }) => transaction_id);
    const whole = ids(await report(bank, { fromMs: 0, toMs: span + 1 }));
    expect(whole).toHaveLength(60);
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: span }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(cuts, async (between) => {
        const edges = [0, ...between.toSorted((a, b) => a - b), span + 1];
        const parts: string[] = [];
        for (const [index, toMs] of edges.entries())
          if (index > 0) parts.push(...ids(await report(bank, { fromMs: edges[index - 1] ?? 0, toMs })));
        expect(parts).toEqual(whole);
      }),
      { numRuns: 30 },
    );
  });
});
