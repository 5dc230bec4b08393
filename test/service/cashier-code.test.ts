/** The code of whoever handed out, with the link: in the history and the report of the shop, and nothing for a bank. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bank, createHttpStage, type HttpStage } from "./http-stage.ts";
import { stores } from "./stores.ts";

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  const linked = async (posId: string, fields: object) => {
    const id = await stage.settled(posId);
    const token = await stage.token();
    const link = (more: object) =>
      stage.call("POST", "/transaction/link", { token, json: { transaction_id: id, ...more } });
    return { id, token, answer: await link(fields), link };
  };
  const report = async (token: string, id: string) => {
    const { body } = await stage.call("GET", "/ext/v1/reconciliation", { token });
    return body.lines.find((line: { transaction_id: string }) => line.transaction_id === id)?.cashier;
  };
  const history = async (token: string, id: string) => {
    const { body } = await stage.call("GET", `/ext/v1/transactions/${id}/events`, { token });
    return body.events.map(({ to, cashier }: { to: string; cashier: string | null }) => [to, cashier]).at(-1);
  };

  // No random id holds a code with a #.
  test("the shop sees it, its bank does not, and a repeat changes nothing", async () => {
    const { id, token, answer, link } = await linked("by-1", { cashier: "C#2" });
    expect(answer.status).toBe(201);
    expect((await link({ cashier: "C3" })).status).toBe(201);
    expect([await history(token, id), await report(token, id)]).toEqual([["linked", "C#2"], "C#2"]);
    const atBank = await stage.token(bank);
    expect([await history(atBank, id), await report(atBank, id)]).toEqual([["linked", null], null]);
    const csvOf = async (reader: string) =>
      (await stage.call("GET", "/ext/v1/reconciliation.csv", { token: reader })).text.split("\n");
    const shown = await stage.call("GET", `/ext/v1/withdrawals/${id}`, { token: atBank });
    const [ofShop, ofBank] = [await csvOf(token), await csvOf(atBank)].map((lines) =>
      lines.find((line) => line.startsWith(id)),
    );
    expect([ofShop, ofBank, shown.text].map((text) => text?.includes("C#2"))).toEqual([true, false, false]);
  });

  test("without one there is none; with 'not handed out' it counts as well", async () => {
    const without = await linked("by-2", {});
    expect([without.answer.status, await report(without.token, without.id)]).toEqual([201, null]);
    const id = await stage.settled("by-3");
    const path = `/ext/v1/transactions/${id}/undelivered`;
    await stage.call("POST", path, { token: without.token, json: { reason: "till_short", cashier: "M1" } });
    expect([await history(without.token, id), await report(without.token, id)]).toEqual([["undelivered", "M1"], "M1"]);
  });

  test.each(["", "Ida Berg", "x".repeat(33), 7, "C2\n"])("%j is no code", async (cashier) => {
    const { id, token, answer, link } = await linked(`by-${JSON.stringify(cashier).length}-${typeof cashier}`, {
      cashier,
    });
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path: "cashier" }]]);
    expect(await history(token, id)).toEqual(["settled", null]);
    expect((await link({ cashier: "C2" })).status).toBe(201);
    expect([await history(token, id), await report(token, id)]).toEqual([["linked", "C2"], "C2"]);
  });
});
