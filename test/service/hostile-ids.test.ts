/** Ids that no database has, in every place of an address that leads to one: an answer as to any unknown one, on both stores. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bank, createHttpStage, type HttpStage, till } from "./http-stage.ts";
import { stores } from "./stores.ts";

describe.each(stores)("on %s", (dialect) => {
  let stage: HttpStage;
  beforeAll(async () => {
    stage = await createHttpStage(dialect);
  });
  afterAll(() => stage.dispose());

  test.each([
    ["GET", "/ext/v1/reconciliation?store=%00", 400],
    ["GET", "/ext/v1/reconciliation?store=shop%07", 400],
    ["GET", "/transaction?id=%00", 400],
    ["POST", "/ext/v1/transactions/%00/undelivered", 404],
    ["GET", "/ext/v1/transactions/%00/events", 404],
    ["GET", "/ext/v1/withdrawals/%00", 404],
    ["GET", "/ext/v1/withdrawals?store=%00", 400],
    ["POST", "/ext/v1/withdrawals/%00/sca", 404],
    ["POST", "/ext/v1/withdrawals/%00/cancel", 404],
    ["GET", "/websdk/%00?token=abc", 404],
    ["GET", "/websdk/%00", 404],
    ["GET", "/websdk/%00/live?seen=ready", 404],
    ["GET", "/sandbox/bank/sca/%00", 404],
    ["GET", "/sandbox/bank/sca/%00/live?seen=ready", 404],
  ])("%s %s is %i", async (method, path, status) => {
    const answer = await stage.call(method, path, {
      token: await stage.token(path.startsWith("/ext/v1/withdrawals") ? bank : till),
      headers: { cookie: "tillcash_session=abc" },
      ...(method === "POST" ? { json: { reason: "other", outcome: "approved" } } : {}),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f]{16}$/);
  });
});
