import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { transactionSchema } from "../../backend/contract/transaction.ts";
import { adhoc } from "../../backend/store/store.ts";
import { bank, createHttpStage, type HttpStage, otherBank, otherTill, till, till2 } from "./http-stage.ts";
import { stores } from "./stores.ts";

describe.each(stores)("the API on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  const post = async (path: string, json: unknown, fields?: Record<string, unknown>, headers = {}) =>
    stage.call("POST", path, { token: await stage.token(fields), json, headers });

  test("a day as `to` is in the report up to its end, and in no report that ends the day before", async () => {
    const id = await stage.settled("day-1");
    const { body: confirmed } = await stage.call("GET", `/transaction?id=${id}`, { token: await stage.token() });
    const day = confirmed.confirmed_at.slice(0, 10);
    const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10);
    const ids = async (from: string, to: string) => {
      const path = `/ext/v1/reconciliation?from=${from}&to=${to}`;
      const { body } = await stage.call("GET", path, { token: await stage.token(bank) });
      return body.lines.map((line: { transaction_id: string }) => line.transaction_id);
    };
    expect(await ids(day, day)).toContain(id);
    expect(await ids(before, before)).not.toContain(id);
  });

  test("the history: every call with its X-Request-Id, for the shop and the bank alone", async () => {
    const as = (id: string) => ({ "x-request-id": id });
    const body = { user_id: "u", amount: "50.08", currency: "EUR", store: "demo-shop" };
    const key = { "idempotency-key": "history-1", ...as("bank-request") };
    const { transaction_id: id } = (await post("/ext/v1/withdrawals", body, bank, key)).body;
    const confirm = { transaction_id: id, transaction_id_partner: "history-1" };
    await post("/transaction/confirm", confirm, undefined, as("till-1-confirm"));
    await stage.call("GET", `/transaction?id=${id}&wait=20&status=settling`, { token: await stage.token() });
    await post("/transaction/link", { transaction_id: id }, undefined, as("till-1-link"));
    const path = `/ext/v1/transactions/${id}/events`;
    const read = async (fields?: typeof bank) => stage.call("GET", path, { token: await stage.token(fields) });
    const answer = await read();
    expect(answer.body.events.map(({ from, to }: { from: string; to: string }) => [from, to])).toEqual([
      [null, "requested"],
      ["requested", "ready"],
      ["ready", "settling"],
      ["settling", "settled"],
      ["settled", "linked"],
    ]);
    expect(answer.body.events.at(-1)).toMatchObject({ actor: "device", actor_id: "till-1" });
    expect(answer.body.events.map(({ request_id }: { request_id: unknown }) => request_id)).toEqual([
      "bank-request",
      "bank-request",
      "till-1-confirm",
      null,
      "till-1-link",
    ]);
    expect((await read(bank)).body).toEqual(answer.body);
    expect((await read(otherTill)).status).toBe(404);
    expect((await read(otherBank)).status).toBe(404);
  });

  test.each([
    ["/transaction/reject", { transaction_id: "ID" }, "requested", till],
    ["/ext/v1/withdrawals/ID/cancel", {}, "requested", bank],
    ["/ext/v1/withdrawals/ID/sca", { outcome: "denied" }, "confirmed", bank],
    ["/ext/v1/transactions/ID/undelivered", { reason: "till_short" }, "settled", till],
  ])("the history names the X-Request-Id of %s", async (path, json, before, caller) => {
    const id = before === "settled" ? await stage.settled(`named-${path}`) : await stage.withdrawal();
    if (before === "confirmed")
      await post("/transaction/confirm", { transaction_id: id, transaction_id_partner: `named-${path}` });
    const [ownPath, own] = JSON.parse(JSON.stringify([path, json]).replaceAll("ID", id));
    expect((await post(ownPath, own, caller, { "x-request-id": "by-this-call" })).status).toBe(201);
    const { body } = await stage.call("GET", `/ext/v1/transactions/${id}/events`, { token: await stage.token() });
    expect(body.events.at(-1)).toMatchObject({ request_id: "by-this-call" });
  });

  test.each([
    ["/transaction/link", { transaction_id: "ID" }, 1],
    ["/ext/v1/transactions/ID/undelivered", { reason: "till_short" }, 2],
  ])("%s takes the head of the terminal's journal along", async (path, json, seq) => {
    const id = await stage.settled(`head-${seq}`);
    const head = { seq, head: "a".repeat(43), at: "2026-11-20T09:00:00.000Z" };
    const [ownPath, own] = JSON.parse(JSON.stringify([path, json]).replaceAll("ID", id));
    expect((await post(ownPath, { ...own, journal_head: head })).body).toMatchObject({ journal_kept: true });
  });

  test("a withdrawal from the request to the cash", async () => {
    const id = await stage.withdrawal();
    const token = await stage.token();
    const seen = await stage.call("GET", `/transaction?id=${id}`, { token });
    expect(seen.status).toBe(200);
    expect(transactionSchema.parse(seen.body)).toMatchObject({ status: "ready", amount: "50.00", currency: "EUR" });
    expect(seen.text).not.toContain("customer-77");

    const confirm = { transaction_id: id, transaction_id_partner: "pos-1" };
    const confirmed = await post("/transaction/confirm", confirm);
    expect([confirmed.status, confirmed.body.status]).toEqual([201, "awaiting_sca"]);
    const again = await post("/transaction/confirm", confirm);
    expect([again.status, again.body]).toEqual([201, confirmed.body]);

    const held = stage.call("GET", `/transaction?id=${id}&wait=25&status=awaiting_sca`, { token });
    const approved = await post(`/ext/v1/withdrawals/${id}/sca`, { outcome: "approved" }, bank);
    expect(approved.status).toBe(201);
    expect((await held).body.status).toMatch(/^(settling|settled)$/);
    await stage.call("GET", `/transaction?id=${id}&wait=25&status=settling`, { token });

    const linked = await post("/transaction/link", { transaction_id: id });
    expect([linked.status, linked.body.status]).toEqual([201, "linked"]);
    expect((await post("/transaction/link", { transaction_id: id })).body).toEqual(linked.body);
  });

  test("what does not fit the status is a conflict that shows the transaction", async () => {
    const id = await stage.settled("pos-conflict");
    const refused = await post("/transaction/reject", { transaction_id: id });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      code: "transaction_conflict",
      status: 409,
      transaction: { status: "settled" },
    });
    const declared = await post(`/ext/v1/transactions/${id}/undelivered`, { reason: "customer_left" });
    expect([declared.status, declared.body.status]).toEqual([201, "undelivered"]);
    expect((await post("/transaction/link", { transaction_id: id })).status).toBe(409);
  });

  test("a reject says whether the cashier chose it or the time for the approval ran out", async () => {
    const rejected = async (pos: string, fields: object) => {
      const id = await stage.withdrawal();
      await post("/transaction/confirm", { transaction_id: id, transaction_id_partner: pos });
      return post("/transaction/reject", { transaction_id: id, ...fields });
    };
    expect((await rejected("pos-reject-1", {})).body).toMatchObject({ status: "rejected", reason: "cashier_rejected" });
    expect((await rejected("pos-reject-2", { reason: "sca_timeout" })).body).toMatchObject({
      status: "rejected",
      reason: "sca_timeout",
    });
    expect((await rejected("pos-reject-3", { reason: "settle_declined" })).status).toBe(400);
  });

  test("others see nothing: 404 and not 403", async () => {
    const id = await stage.withdrawal();
    const token = await stage.token(otherTill);
    const confirm = { transaction_id: id, transaction_id_partner: "x" };
    const seen = [
      await stage.call("GET", `/transaction?id=${id}`, { token }),
      await post("/transaction/confirm", confirm, otherTill),
      await post("/transaction/reject", { transaction_id: id }, otherTill),
      await post("/transaction/link", { transaction_id: id }, otherTill),
      await post(`/ext/v1/transactions/${id}/undelivered`, { reason: "till_short" }, otherTill),
      await post(`/ext/v1/withdrawals/${id}/sca`, { outcome: "approved" }, otherBank),
      await post(`/ext/v1/withdrawals/${id}/cancel`, undefined, otherBank),
    ];
    for (const answer of seen) expect([answer.status, answer.body.code]).toEqual([404, "transaction_not_found"]);
    await post("/transaction/confirm", confirm);
    const till2s = [
      await post("/transaction/reject", { transaction_id: id }, till2),
      await post("/transaction/link", { transaction_id: id }, till2),
      await post(`/ext/v1/transactions/${id}/undelivered`, { reason: "till_short" }, till2),
    ];
    expect(till2s.map(({ status }) => status)).toEqual([404, 404, 404]);
    expect((await stage.call("GET", `/transaction?id=${id}`, { token: await stage.token(till2) })).status).toBe(200);
  });

  test("reconciliation up to now has what was confirmed before the clock was set back", async () => {
    const id = await stage.settled("pos-from-the-future");
    const store = await stage.place.open();
    const ahead = Date.now() + 3_600_000;
    const set = adhoc((db) => db.updateTable("withdrawals").set({ confirmed_at: ahead }).where("id", "=", id));
    await store.write((tx) => tx.run(set));
    await store.close();
    const idsIn = async (query: string): Promise<string[]> => {
      const report = await stage.call("GET", `/ext/v1/reconciliation${query}`, { token: await stage.token(bank) });
      return report.body.lines.map((line: { transaction_id: string }) => line.transaction_id);
    };
    expect(await idsIn("")).toContain(id);
    expect(await idsIn(`?to=${new Date().toISOString()}`)).not.toContain(id);
  });

  test("reconciliation: every confirmed transaction, for its own people, as JSON and CSV", async () => {
    const settled = await stage.settled("=cmd|'/C'!A0");
    const unconfirmed = await stage.withdrawal();
    const report = await stage.call("GET", "/ext/v1/reconciliation", { token: await stage.token(bank) });
    expect(report.status).toBe(200);
    expect(report.body.count).toBe(report.body.lines.length);
    const ids = report.body.lines.map((line: { transaction_id: string }) => line.transaction_id);
    expect(ids).toContain(settled);
    expect(ids).not.toContain(unconfirmed);
    expect(report.body.lines.find((line: { transaction_id: string }) => line.transaction_id === settled)).toMatchObject(
      {
        finding: "not_linked",
        transaction_id_partner: "=cmd|'/C'!A0",
      },
    );

    const csv = await stage.call("GET", "/ext/v1/reconciliation?format=csv", { token: await stage.token() });
    const rows = csv.text.split("\r\n");
    expect(rows[0]).toMatch(/^transaction_id,transaction_id_partner,store,/);
    expect(rows).toHaveLength(report.body.lines.length + 2);
    expect(csv.text).toContain(`${settled},'=cmd|'/C'!A0,demo-shop,`);

    expect(report.body.lines[0]).toHaveProperty("partner_reference");
    expect(rows[0]).toMatch(/,partner_reference$/);
    const refused = async (query: string, fields = bank) => {
      const { status, body } = await stage.call("GET", `/ext/v1/reconciliation?${query}`, {
        token: await stage.token(fields),
      });
      return [status, body.errors?.[0]];
    };
    expect(await refused("store=demo-shop", otherTill)).toEqual([
      400,
      { path: "store", message: "is no store of yours" },
    ]);
    for (const store of ["nowhere", "demo-shops"])
      expect(await refused(`store=${store}`)).toEqual([400, { path: "store", message: "is no store of yours" }]);
    expect(await refused("stroe=demo-shop")).toEqual([400, { path: "stroe", message: "is no parameter of this call" }]);
    for (const query of ["from=2026-11-21&to=2026-11-20", "from=2026-11-20T10:00:00Z&to=2026-11-20T10:00:00Z"])
      expect(await refused(query)).toEqual([400, { path: "from", message: "must be before to" }]);
    expect((await refused("store=demo-shop"))[0]).toBe(200);
    for (const fields of [otherTill, otherBank]) {
      const others = await stage.call("GET", "/ext/v1/reconciliation", { token: await stage.token(fields) });
      expect(others.body.lines).toEqual([]);
    }
    for (const query of [
      "from=yesterday",
      "format=xml",
      "from=2026-02-30",
      "from=2026-11-22&to=2026-11-20",
      "to=1&to=2",
    ])
      expect(
        (await stage.call("GET", `/ext/v1/reconciliation?${query}`, { token: await stage.token(bank) })).status,
      ).toBe(400);
  });
});
