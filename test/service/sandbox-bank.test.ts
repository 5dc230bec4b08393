/** Each steering amount as a till, the service and the bank's books see it (conventions, "Sandbox"). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../backend/adapters.ts";
import { settleOrderPath, startOrderPath } from "../../backend/contract/partner.ts";
import type { Transaction } from "../../backend/contract/transaction.ts";
import { signedHeaders } from "../../backend/partner/send.ts";
import { secure, settle, withSandbox } from "../../backend/sandbox/ledger.ts";
import { adhoc, type Store, statement } from "../../backend/store/store.ts";
import { createDatabaseWork } from "./database-work.ts";
import {
  type Caller,
  callAs,
  type Ledger,
  partnerSecret,
  readLedger,
  requestWithdrawal,
  type Stage,
  startStage,
} from "./sandbox-stage.ts";
import { createPlace, type Place, stores } from "./stores.ts";
import { VirtualClock } from "./virtual-clock.ts";

const addYenShop = statement("test_yen_shop", (db, _: Readonly<Record<never, never>>) =>
  db.insertInto("merchants").values({
    id: "yen-shop",
    name: "Yen Shop",
    currency: "JPY",
    amount_min: 1_000,
    amount_max: 50_000,
    amount_step: 1,
    created_at: 0,
  }),
);

const paymentsOf = (ledger: Ledger, id: string) => ledger.payments.filter(({ reference }) => reference === id);
const holdsOf = (ledger: Ledger, id: string) => ledger.holds.filter(({ reference }) => reference === id);

describe.each(stores)("the sandbox bank on %s", (dialect) => {
  let place: Place;
  let store: Store;
  let stage: Stage;
  let till: Caller;
  let bank: Caller;
  const { counted, idle } = createDatabaseWork(dialect);
  // Signatures are checked with the machine's own.
  const clock = new VirtualClock(Date.now());

  const start = async (): Promise<void> => {
    store = counted(await place.open());
    stage = await startStage(store, {}, clock);
    till = await callAs(stage, "till");
    bank = await callAs(stage, "bank");
  };
  beforeAll(async () => {
    place = await createPlace(dialect);
    await start();
    await store.write((tx) => tx.run(addYenShop({})));
  });
  afterAll(async () => {
    await stage.stop();
    await place.dispose();
  });

  /** Time passes in steps so small that a call that is answered at once has its answer before it is given up. */
  const waitForChange = async (id: string, status: string): Promise<Transaction> => {
    for (;;) {
      const { body } = await till.get(`/transaction?id=${id}`);
      if (body.status !== status) return body;
      await idle();
      await clock.advance(status === "settling" ? 100 : 1_000, idle);
    }
  };

  /** Confirms, lets the customer approve where the bank waits for it, and waits for the end of the payment. */
  const serve = async (id: string): Promise<Transaction> => {
    const { body } = await till.post("/transaction/confirm", {
      transaction_id: id,
      transaction_id_partner: `pos-${id}`,
    });
    if (body.status === "awaiting_sca" && !body.amount.endsWith("06") && !body.amount.endsWith("07")) {
      await bank.post(`/ext/v1/withdrawals/${id}/sca`, { outcome: "approved" });
      return waitForChange(id, "settling");
    }
    const after = body.status === "awaiting_sca" ? await waitForChange(id, "awaiting_sca") : body;
    return after.status === "settling" ? waitForChange(id, "settling") : after;
  };

  test.each([
    ["50.00", "settled", null, { attempts: 1 }],
    ["50.02", "failed", "settle_declined", null],
    ["50.03", "settled", null, { attempts: 2 }],
    ["50.04", "settled", null, { attempts: 4 }],
    ["50.05", "settled", null, { attempts: 2 }],
    ["50.06", "settled", null, { attempts: 1 }],
    ["50.07", "canceled", "sca_timeout", null],
    ["50.08", "settled", null, { attempts: 1 }],
    ["123.45", "settled", null, { attempts: 1 }],
  ] as const)("%s ends as %s (%s)", async (amount, status, reason, payment) => {
    const asked = await requestWithdrawal(bank, amount);
    const id = asked.body.transaction_id;
    expect(asked.body).toMatchObject({ status: "ready", amount, sca_required: !amount.endsWith(".08") });
    expect(holdsOf(await readLedger(stage), id)).toMatchObject([{ reference: id, amount, user_id: "ann" }]);

    expect(await serve(id)).toMatchObject({ transaction_id: id, status, reason });

    const ledger = await readLedger(stage);
    const booked = payment === null ? [] : [{ reference: id, amount, currency: "EUR", user_id: "ann", ...payment }];
    expect(paymentsOf(ledger, id)).toMatchObject(booked);
    expect(paymentsOf(ledger, id)).toHaveLength(booked.length);
    const heldStill = status === "canceled" ? 1 : 0;
    expect(holdsOf(ledger, id)).toHaveLength(heldStill);
  });

  test("a hold that has ended is not paid; one that was paid before stays paid", async () => {
    const hold = { user_id: "ann", shop: "Shop", amount: 5_000, currency: "EUR", expires_at: 1_000 };
    await secure(store, { ...hold, reference: `ended ${dialect}` });
    expect(await settle(store, `ended ${dialect}`, 1_000)).toEqual({ kind: "decline" });
    await secure(store, { ...hold, reference: `paid ${dialect}` });
    expect(await settle(store, `paid ${dialect}`, 999)).toMatchObject({ kind: "book" });
    expect(await settle(store, `paid ${dialect}`, 2_000)).toMatchObject({ kind: "book" });
  });

  test("50.01 is declined at once and leaves no trace in the books", async () => {
    const { body } = await requestWithdrawal(bank, "50.01");
    expect(body).toMatchObject({ status: "declined", reason: "partner_declined" });
    const ledger = await readLedger(stage);
    expect([...holdsOf(ledger, body.transaction_id), ...paymentsOf(ledger, body.transaction_id)]).toEqual([]);
  });

  test("the last two digits steer a currency without decimals", async () => {
    const declined = await requestWithdrawal(bank, "5001", { currency: "JPY", store: "yen-shop" });
    expect(declined.body).toMatchObject({ status: "declined", amount: "5001" });
    const { body } = await requestWithdrawal(bank, "5000", { currency: "JPY", store: "yen-shop" });
    expect(holdsOf(await readLedger(stage), body.transaction_id)).toMatchObject([{ amount: "5000", currency: "JPY" }]);
  });

  test("what a request says about SCA counts more than the amount", async () => {
    const { body } = await requestWithdrawal(bank, "60.08", { sca_required: true });
    expect(body.sca_required).toBe(true);
  });

  test("a restart does not forget an approval that the bank owes", async () => {
    const { body } = await requestWithdrawal(bank, "70.06");
    const id = body.transaction_id;
    await till.post("/transaction/confirm", { transaction_id: id, transaction_id_partner: `pos-${id}` });
    await stage.stop();
    await store.close();
    await start();
    const approved = await waitForChange(id, "awaiting_sca");
    const paid = approved.status === "settling" ? await waitForChange(id, "settling") : approved;
    expect(paid.status).toBe("settled");
    expect(paymentsOf(await readLedger(stage), id)).toHaveLength(1);
  });

  describe("calls of a partner", () => {
    const send = async (path: string, body: object, headers: (text: string) => Record<string, string>) => {
      const text = JSON.stringify(body);
      const reply = await fetch(`${stage.url}/sandbox/bank${path}`, {
        method: "POST",
        headers: headers(text),
        body: text,
      });
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
    };
    const signed = (secret: string, nowMs: number) => (text: string) => signedHeaders([secret], "msg_1", nowMs, text);
    const startOf = (reference: string) => ({
      userId: "ann",
      amount: "80.00",
      dateOfTransaction: new Date().toISOString(),
      expiryTimeOfTheOrder: new Date(Date.now() + 60_000).toISOString(),
      svcTransactionReferenceId: reference,
      store: "Demo Shop",
    });
    const settleOf = (reference: string) => ({
      userId: "ann",
      TransactionId: "pos-1",
      DateOperation: new Date().toISOString(),
      SvcTransactionReferenceId: reference,
    });

    test.each([
      ["no signature", () => ({ "content-type": "application/json" })],
      ["another secret", signed(`whsec_${Buffer.from("another secret, 24 bytes").toString("base64")}`, Date.now())],
      ["a signature of an hour ago", signed(partnerSecret, Date.now() - 3_600_000)],
      [
        "a signature of another body",
        (text: string) => signedHeaders([partnerSecret], "msg_1", Date.now(), `${text} `),
      ],
    ] as const)("with %s are refused and change nothing", async (_, headers) => {
      const reference = "UNSIGNED00000000";
      const before = await readLedger(stage);
      expect((await send(startOrderPath, startOf(reference), headers)).status).toBe(401);
      expect((await send(settleOrderPath, settleOf(reference), headers)).status).toBe(401);
      expect(await readLedger(stage)).toEqual(before);
    });

    test("repeated a hundred times at once pay once", async () => {
      const reference = "REPEATED00000000";
      const good = signed(partnerSecret, Date.now());
      await Promise.all(Array.from({ length: 20 }, () => send(startOrderPath, startOf(reference), good)));
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => send(settleOrderPath, settleOf(reference), good)),
      );
      expect(answers.every(({ status, body }) => status === 200 && body.status === "accepted")).toBe(true);
      expect(paymentsOf(await readLedger(stage), reference)).toMatchObject([{ amount: "80.00", attempts: 100 }]);
    });

    test.each([
      ["amount", "80.001"],
      ["expiryTimeOfTheOrder", "at noon"],
      ["svcTransactionReferenceId", 7],
    ])("whose %s is %j are declined, and secure nothing", async (field, value) => {
      const before = await readLedger(stage);
      const order = { ...startOf("MALFORMED0000000"), [field]: value };
      expect(await send(startOrderPath, order, signed(partnerSecret, Date.now()))).toEqual({
        status: 400,
        body: { status: "declined", reason: "malformed" },
      });
      expect(await readLedger(stage)).toEqual(before);
    });

    test("for a reference that was never secured are declined", async () => {
      const { body } = await send(settleOrderPath, settleOf("NEVERSECURED0000"), signed(partnerSecret, Date.now()));
      expect(body.status).toBe("declined");
    });
  });
});

test("a service without the sandbox has none of it: no pages, no bank, no credentials, no tables", async () => {
  const place = await createPlace("sqlite");
  const store = await place.open();
  const stage = await startStage(store, {}, systemClock, false);
  for (const path of ["/sandbox", "/sandbox/bank/ledger", "/sandbox/bank/sca/7F3K9Q2MX4T8WZ0G"]) {
    expect((await fetch(stage.url + path)).status).toBe(404);
  }
  const signed = await fetch(`${stage.url}/sandbox/bank${startOrderPath}`, { method: "POST", body: "{}" });
  expect(signed.status).toBe(404);
  const grant = { grant_type: "client_credentials", scope: "", merchant_id: "demo-bank", device_id: "server-1" };
  const refused = await fetch(`${stage.url}/oauth2/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...grant, device_type: "client", password: "bank-secret" }),
  });
  expect(refused.status).toBe(401);
  await expect(
    store.read((tx) => tx.all(adhoc((db) => withSandbox(db).selectFrom("sandbox_holds").selectAll()))),
  ).rejects.toThrow();
  await stage.stop();
  await place.dispose();
});
