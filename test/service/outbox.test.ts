import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { eraseUser } from "../../backend/operate/erase-user.ts";
import { listOpenWithdrawals } from "../../backend/operate/reports.ts";
import { orderId } from "../../backend/partner/orders.ts";
import { updatePartner } from "../../backend/partner/partners.ts";
import { adhoc } from "../../backend/store/store.ts";
import { cancelWithdrawal } from "../../backend/withdrawals/cancel.ts";
import { archiveEnded } from "../../backend/withdrawals/closed.ts";
import { closeDispute } from "../../backend/withdrawals/dispute.ts";
import { getTransaction } from "../../backend/withdrawals/get.ts";
import { linkTransaction } from "../../backend/withdrawals/link.ts";
import { reconcile } from "../../backend/withdrawals/reconcile.ts";
import { rejectTransaction } from "../../backend/withdrawals/reject.ts";
import { resolveSca } from "../../backend/withdrawals/resolve-sca.ts";
import { applyRestore } from "../../backend/withdrawals/restored.ts";
import type { RunningService } from "../../backend/withdrawals/service.ts";
import { outboxStage, silent } from "./outbox-stage.ts";
import { stores } from "./stores.ts";
import {
  accepted,
  type BankReply,
  bank as bankClient,
  confirmIt,
  declined,
  otherBank,
  placeOrder,
  testKeys,
  till,
} from "./world.ts";

describe.each(stores)("%s", (dialect) => {
  const stage = outboxStage(dialect);
  const { open, until, real, statusOf, settling, rows } = stage;

  /** Which replies are none is told in `test/unit/contract/partner.test.ts`. */
  const noAnswers: [string, () => BankReply][] = [
    ["503", () => ({ status: 503, body: '{"status":"declined"}' })],
    ["a time-out", silent("timeout")],
  ];
  test.each(noAnswers)(
    "%s is no answer: repeated under the same id with the same body until there is one",
    async (_, reply) => {
      const { service, bank, counted } = await open();
      let calls = 0;
      bank.onSettle = () => {
        calls += 1;
        return calls <= 4 ? reply() : accepted;
      };
      const transaction = await settling(service);
      expect(transaction.status).toBe("settling");
      await until(async () => (await statusOf(service, transaction)) === "settled");
      const sent = bank.requests.filter(({ url }) => url.endsWith("/settlewithdrawal"));
      expect(sent).toHaveLength(5);
      expect(new Set(sent.map(({ headers }) => headers["webhook-id"]))).toEqual(
        new Set([`settle_${transaction.transaction_id}`]),
      );
      expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
      expect(await rows()).toEqual([]);
      expect(counted.alarms.length).toBeGreaterThan(0);
      const lines = [];
      for await (const some of reconcile(service, till, { fromMs: 0, toMs: stage.clock.now() + 1 }))
        lines.push(...some);
      expect(lines).toMatchObject([{ finding: "not_linked", settle_attempts: 5 }]);
    },
  );

  test.each<[string, string, (paid: string, id: string) => string, string?]>([
    [
      "another withdrawal, which the bank has paid",
      "body",
      (paid: string, id: string) => `replace(body, '${id}', '${paid}')`,
    ],
    [
      "another withdrawal, which a bank may read before its own",
      "body",
      (paid: string) => `replace(body, '{', '{"SvcTransactionReferenceId":"${paid}",')`,
    ],
    ["another withdrawal, as it is", "transaction_id", (paid: string) => `'${paid}'`],
    ["another customer", "body", () => "replace(body, 'ann', 'bob')"],
    [
      "another customer, as if the user of its withdrawal had been erased",
      "body",
      () => "replace(body, 'ann', 'bob')",
      "update withdrawals set user_id = 'erased-0123456789abcdef'",
    ],
    ["a customer whom a bank may read before its own", "body", () => `replace(body, '{', '{"UserId":"bob",')`],
    ["another id of the terminal", "body", () => `replace(body, '"TransactionId":"', '"TransactionId":"x')`],
    ["no time that it was", "body", () => `replace(body, '"DateOperation":"', '"DateOperation":"","x":"')`],
    ["another bank", "partner_id", () => `'${otherBank.partnerId}'`],
    ["another reference of the bank", "partner_reference", () => "'of-bob'"],
  ])("an order that somebody has changed to %s is not sent", async (_, column, to, also) => {
    const { service, bank, counted } = await open();
    const paid = await settling(service);
    await until(async () => (await statusOf(service, paid)) === "settled");
    bank.onSettle = silent("timeout");
    const transaction = await settling(service);
    await until(() => counted.alarms.includes("settle:timeout"));
    bank.onSettle = () => accepted;
    const before = bank.settles.length;
    const text = `update outbox set ${column} = ${to(paid.transaction_id, transaction.transaction_id)}`;
    for (const each of also === undefined ? [text] : [text, also])
      await stage.store.write((tx) => tx.run(adhoc((db) => ({ compile: () => sql.raw(each).compile(db) }))));
    await until(() => counted.alarms.includes("settle:changed") || bank.settles.length > before);
    expect(bank.settles).toHaveLength(before);
    expect(counted.alarms).toContain("settle:changed");
    expect(await statusOf(service, transaction)).toBe("settling");
    expect(await rows()).toHaveLength(1);
  });

  /** A terminal has handed out what a copy of the database does not know to be confirmed. */
  const reportedAfterRestore = async (service: RunningService): Promise<Transaction> => {
    const placed = await placeOrder(service);
    const on = { store: stage.store, clock: stage.clock, keys: testKeys };
    await applyRestore(on, { forgotSince: stage.clock.now() });
    const known = { transaction_id_partner: "pos-1", amount: "50.00", currency: "EUR" };
    return linkTransaction(service, till, placed.transaction_id, null, known);
  };

  test("an order whose report somebody has closed, and whose user was erased meanwhile, goes on, however old it gets", async () => {
    const { service, bank, counted } = await open();
    const { transaction_id: id } = await reportedAfterRestore(service);
    bank.onSettle = silent("timeout");
    await resolveSca(service, bankClient, id, "approved");
    await until(() => counted.alarms.includes("settle:timeout"));
    await closeDispute(service, id, "olga", "the bank says that it will pay", stage.clock.now());
    expect(await eraseUser(service, bankClient.partnerId, "ann")).toMatchObject({ withdrawals: 1 });
    const [old, now] = [stage.clock.now() + 1, stage.clock.now()];
    expect(await stage.store.write((tx) => archiveEnded(tx, old, now, 9))).toBe(0);
    bank.onSettle = () => accepted;
    await until(async () => (await rows()).length === 0);
    expect(bank.settles.at(-1)).toMatchObject({ userId: "ann", SvcTransactionReferenceId: id });
    expect((await getTransaction(service, till, id)).settled_at).not.toBeNull();
    expect(await stage.store.write((tx) => archiveEnded(tx, stage.clock.now() + 1, now, 9))).toBe(1);
  });

  test("an order that somebody has put back once its bank had paid what was reported after a restore is not sent", async () => {
    const { service, bank, counted } = await open();
    const { transaction_id: id } = await reportedAfterRestore(service);
    bank.onSettle = silent("timeout");
    await resolveSca(service, bankClient, id, "approved");
    await until(() => counted.alarms.includes("settle:timeout"));
    const [order] = await rows();
    if (order === undefined) throw new Error("no order");
    bank.onSettle = () => accepted;
    await until(async () => (await rows()).length === 0);
    const before = bank.settles.length;
    await stage.store.write((tx) =>
      tx.run(adhoc((db) => db.insertInto("outbox").values({ ...order, claimed_by: "", due_at: 0 }))),
    );
    await until(() => counted.alarms.includes("settle:changed") || bank.settles.length > before);
    expect([counted.alarms.includes("settle:changed"), bank.settles.length]).toEqual([true, before]);
  });

  const unpaid = { sca_required: false };
  const ends: [string, boolean, (service: RunningService) => Promise<Transaction>][] = [
    ["a withdrawal that nobody has confirmed", false, (service) => placeOrder(service, unpaid)],
    ["one that is unconfirmed, as if it had been sent before", true, (service) => placeOrder(service, unpaid)],
    [
      "one that its customer has not approved yet",
      true,
      async (service) => confirmIt(service, await placeOrder(service, { sca_required: true })),
    ],
    [
      "one that the cashier rejected",
      true,
      async (service) => {
        const placed = await placeOrder(service, unpaid);
        return rejectTransaction(service, till, placed.transaction_id);
      },
    ],
    [
      "one that the customer canceled",
      true,
      async (service) => {
        const placed = await placeOrder(service, unpaid);
        return cancelWithdrawal(service, bankClient, placed.transaction_id);
      },
    ],
    [
      "one that has expired",
      true,
      async (service) => {
        const placed = await placeOrder(service, unpaid);
        await until(async () => (await statusOf(service, placed)) === "expired", 1_000);
        return placed;
      },
    ],
    ["one that a terminal has reported after a restore, and no bank has approved", true, reportedAfterRestore],
  ];
  test.each(ends)("an order that somebody wrote for %s is not sent", async (_, isTold, placed) => {
    const { service, bank, counted } = await open({ orderTtlMs: 30_000, pollMs: 1_000 });
    bank.onSettle = silent("timeout");
    const { transaction_id: own } = await settling(service);
    await until(() => counted.alarms.includes("settle:timeout"));
    const [order] = await rows();
    if (order === undefined) throw new Error("no order");
    const other = await placed(service);
    bank.onSettle = () => accepted;
    // As its own order would be, to the letter.
    const body = JSON.stringify({
      ...JSON.parse(order.body),
      ...{ TransactionId: other.transaction_id_partner ?? "", SvcTransactionReferenceId: other.transaction_id },
    });
    const forged = {
      ...{ ...order, id: orderId(other.transaction_id), transaction_id: other.transaction_id },
      ...{ body, attempts: isTold ? 1 : 0, unsent_attempts: 0 },
      // At once, while it is still as it was.
      ...{ claimed_by: "", due_at: stage.clock.now() },
    };
    await stage.store.write((tx) => tx.run(adhoc((db) => db.insertInto("outbox").values(forged))));
    await until(async () => (await statusOf(service, { transaction_id: own })) === "settled");
    await stage.clock.advance(60_000, stage.idle);
    expect(bank.settles.some((sent) => sent.SvcTransactionReferenceId === other.transaction_id)).toBe(false);
    expect(await statusOf(service, other)).not.toBe("settled");
    expect(counted.alarms).toContain("settle:changed");
  });

  const others = [
    ['"SvcTransactionReferenceId":"of another"', "accepted", "declined"],
    ['"amount":"20.00"', "accepted", "paid"],
    ['"currency":"USD"', "accepted", "paid"],
  ] as const;
  test.each(others)("%s beside the word %s or %s is no answer to either order", async (said, ...words) => {
    const { service, bank, counted } = await open();
    const answers = (): (() => BankReply) => {
      const left = [...words];
      return () => (left.length === 0 ? accepted : { status: 200, body: `{"status":"${left.shift()}",${said}}` });
    };
    [bank.onStart, bank.onSettle] = [answers(), answers()];
    const asked = placeOrder(service, { sca_required: false });
    await until(() => bank.starts.length === 3);
    const transaction = await confirmIt(service, await asked);
    await until(async () => (await statusOf(service, transaction)) !== "settling");
    expect(await statusOf(service, transaction)).toBe("settled");
    expect(bank.settles).toHaveLength(3);
    expect(counted.alarms).toEqual(["start", "start", "settle", "settle"].map((call) => `${call}:other_order`));
  });

  const refusals: [string, BankReply][] = [
    ["declined", declined],
    ["422 with a word", { status: 422, body: '{"status":"refused"}' }],
  ];
  test.each(refusals)("%s is a definite no: failed, and never sent again", async (_, reply) => {
    const { service, bank } = await open();
    bank.onSettle = () => reply;
    const transaction = await settling(service);
    await real(async () => (await statusOf(service, transaction)) !== "settling");
    expect(await getTransaction(service, till, transaction.transaction_id)).toMatchObject({
      status: "failed",
      reason: "settle_declined",
    });
    await stage.clock.advance(600_000);
    expect(bank.settles).toHaveLength(1);
    expect(await rows()).toEqual([]);
  });

  test("a no after a try without an answer is marked until somebody has asked the bank about that one", async () => {
    const { service, bank } = await open();
    let calls = 0;
    bank.onSettle = () => {
      calls += 1;
      if (calls === 1) throw new Error("timeout");
      return declined;
    };
    const { transaction_id: id } = await settling(service);
    await until(async () => (await getTransaction(service, till, id)).status !== "settling");
    const finding = async () => {
      for await (const lines of reconcile(service, till, { fromMs: 0, toMs: 1e14 }))
        return lines.find((line) => line.transaction_id === id);
      return undefined;
    };
    expect(await finding()).toMatchObject({ status: "failed", finding: "no_after_silence", settle_attempts: 2 });
    expect(await listOpenWithdrawals(service, {})).toMatchObject([
      { transaction: id, needs: "close", finding: "no_after_silence", reason: "settle_declined" },
    ]);
    expect(await closeDispute(service, id, "olga", "the bank has not paid it")).toBe(true);
    expect(await finding()).toMatchObject({ finding: "closed", reason: "settle_declined" });
  });

  describe("a bank that the operator declared to answer by status code", () => {
    const declareByCode = () =>
      stage.store.write((tx) => tx.run(updatePartner(bankClient.partnerId, { answers: "by-status-code" })));
    const declareByWord = () =>
      stage.store.write((tx) => tx.run(updatePartner(bankClient.partnerId, { answers: null })));
    beforeEach(declareByCode);
    afterEach(declareByWord);

    test.each([
      [{ status: 204, body: "" }, "settled"],
      [{ status: 422, body: "" }, "failed"],
    ] as const)("%j decides at the first try: %s", async (reply, status) => {
      const { service, bank } = await open();
      bank.onStart = () => ({ status: 204, body: "" });
      bank.onSettle = () => reply;
      const transaction = await settling(service);
      await real(async () => (await statusOf(service, transaction)) !== "settling");
      expect(await statusOf(service, transaction)).toBe(status);
      expect(bank.settles).toHaveLength(1);
    });

    test.each([422, 204])(
      "after a try that was cut off, %d says nothing: the bank may be working on it",
      async (code) => {
        const { service, bank } = await open();
        let calls = 0;
        bank.onSettle = () => {
          calls += 1;
          if (calls === 1) throw new Error("timeout");
          return calls < 4 ? { status: code, body: "" } : accepted;
        };
        const transaction = await settling(service);
        await until(async () => (await statusOf(service, transaction)) !== "settling");
        expect(await statusOf(service, transaction)).toBe("settled");
        expect(bank.settles).toHaveLength(4);
      },
    );

    test("a process that was killed in the call counts as a try: its successor believes only a word", async () => {
      const dying = await open({ pollMs: 1e9 });
      const silence = Promise.withResolvers<BankReply>();
      dying.bank.onSettle = () => silence.promise;
      const transaction = await settling(dying.service);
      const next = await open({}, await stage.place.open(stage.clock));
      let calls = 0;
      next.bank.onSettle = () => {
        calls += 1;
        return calls === 1 ? { status: 422, body: "" } : accepted;
      };
      await until(async () => (await statusOf(next.service, transaction)) !== "settling");
      expect(await statusOf(next.service, transaction)).toBe("settled");
      silence.resolve(accepted);
    });
  });

  test.each([
    [429, "20", 20_000],
    [503, "86400", 60_000],
  ])("a %d with Retry-After %s is honoured, for a minute at most", async (status, retryAfter, pauseMs) => {
    const { service, bank } = await open();
    const times: number[] = [];
    bank.onSettle = () => {
      times.push(stage.clock.now());
      return times.length === 1 ? { status, body: "", retryAfter } : accepted;
    };
    const transaction = await settling(service);
    await until(async () => (await statusOf(service, transaction)) === "settled");
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(pauseMs);
    expect(second - first).toBeLessThanOrEqual(pauseMs + 1_000);
  });
});
