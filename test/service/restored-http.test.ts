/** What terminals and banks send and read over HTTP once the database was put back to a copy. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock, systemRandom } from "../../backend/adapters.ts";
import { makeTransactionId } from "../../backend/contract/ids.ts";
import { applyRestore } from "../../backend/withdrawals/restored.ts";
import { bank as bankCredential, createHttpStage, type HttpStage } from "./http-stage.ts";
import { stores } from "./stores.ts";
import { testKeys } from "./world.ts";

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  test("a terminal reads since when to repeat, repeats, and finds its line in both forms of the report", async () => {
    const [token, bankToken] = [await stage.token(), await stage.token(bankCredential)];
    const ready = await stage.withdrawal("50.00");
    const store = await stage.place.open();
    const forgotSince = systemClock.now() - 3_600_000;
    await applyRestore({ store, clock: systemClock, keys: testKeys }, { forgotSince });

    const shop = await stage.call("GET", "/ext/v1/till", { token });
    expect(shop.body).toMatchObject({
      forgot_since: new Date(forgotSince).toISOString(),
      restored_at: expect.stringMatching(/^20.*Z$/),
    });
    const later = new Date(systemClock.now() + 1_000).toISOString();
    const as_reported = {
      transaction_id_partner: "pos-1",
      amount: "50.00",
      currency: "EUR",
      confirmed_at: new Date().toISOString(),
      settled_at: new Date().toISOString().replace("Z", "+00:00"),
    };
    const known = await stage.call("POST", "/transaction/link", {
      token,
      json: { transaction_id: ready, as_reported },
    });
    expect([known.status, known.body]).toMatchObject([201, { status: "linked", reason: "restored" }]);
    const forgotten = {
      reason: "till_short",
      as_reported: { ...as_reported, transaction_id_partner: "pos-2", confirmed_at: later },
    };
    const unknown = makeTransactionId(systemRandom.bytes(15));
    const undelivered = await stage.call("POST", `/ext/v1/transactions/${unknown}/undelivered`, {
      token,
      json: forgotten,
    });
    expect([undelivered.status, undelivered.body]).toMatchObject([
      201,
      { status: "undelivered", reason: "till_short" },
    ]);

    const report = await stage.call("GET", "/ext/v1/reconciliation", { token });
    expect(report.body.lines.map((line: Record<string, unknown>) => [line.transaction_id, line.finding])).toEqual([
      [ready, "restored"],
      [unknown, "restored"],
    ]);
    const csv = await fetch(`${stage.baseUrl()}/ext/v1/reconciliation.csv`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect((await csv.text()).split("\r\n").filter((line) => line.includes("restored,50.00,EUR"))).toHaveLength(2);
    const ofBank = await stage.call("GET", "/ext/v1/reconciliation", { token: bankToken });
    expect(ofBank.body.lines).toMatchObject([{ transaction_id: ready, finding: "restored" }]);
    const approved = await stage.call("POST", `/ext/v1/withdrawals/${ready}/sca`, {
      token: bankToken,
      json: { outcome: "approved" },
    });
    expect([approved.status, approved.body]).toMatchObject([201, { status: "linked", reason: "restored" }]);
    const amount = { ...as_reported, amount: 50 };
    const wrong = await stage.call("POST", "/transaction/link", {
      token,
      json: { transaction_id: ready, as_reported: amount },
    });
    expect([wrong.status, wrong.body.errors[0].path]).toEqual([400, "as_reported.amount"]);
  });
});
