/** The tries of a Start order. */
import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { scaTimeoutSeconds } from "../../../backend/contract/sca.ts";
import { startOrder } from "../../../backend/partner/orders.ts";
import type { Partner } from "../../../backend/partner/partners.ts";
import type { PartnerReply } from "../../../backend/ports.ts";
import { rowWith } from "../../service/withdrawal-row.ts";
import { accepted, bank, declined } from "../../service/world.ts";
import { callStage, http, silent, turn } from "./call-stage.ts";

const stage = callStage();

const start = (answers: readonly (() => PartnerReply)[], admitted?: Partner) => {
  let n = 0;
  stage.answerWith(() => {
    n += 1;
    return (answers[Math.min(n, answers.length) - 1] ?? (() => accepted))();
  });
  const row = rowWith({ created_at: stage.clock.now(), expires_at: stage.clock.now() + 900_000 });
  return startOrder(stage.service, row, "Corner Shop", admitted);
};

test("a Start order holds what the bank has to know, and a definite word ends it", async () => {
  expect(await start([() => declined])).toEqual({
    answer: { kind: "declined", reason: "limit", address: "" },
    attempts: 1,
  });
  expect(stage.requests).toMatchObject([{ url: "http://bank/api/svc/startwithdrawal", timeoutMs: 5_000 }]);
  expect(stage.counted.alarms).toEqual([]);
  expect(stage.requests[0]?.headers).toMatchObject({
    "webhook-id": "start_7F3K0000000000AB",
    "partner-reference": "ref-1",
  });
  expect(JSON.parse(stage.requests[0]?.body ?? "")).toEqual({
    userId: "ann",
    amount: "50.00",
    dateOfTransaction: new Date(1_000_000).toISOString(),
    expiryTimeOfTheOrder: new Date(1_000_000 + 900_000 + scaTimeoutSeconds * 1000 + 300_000).toISOString(),
    svcTransactionReferenceId: "7F3K0000000000AB",
    store: "Corner Shop",
  });
});

test("a Start order says when it was asked for, however long it took until it goes out", async () => {
  stage.answerWith(() => accepted);
  const created_at = stage.clock.now() - 1_000;
  await startOrder(stage.service, rowWith({ created_at, expires_at: created_at + 900_000 }), "Corner Shop");
  expect(JSON.parse(stage.requests[0]?.body ?? "").dateOfTransaction).toBe(new Date(created_at).toISOString());
});

test.each([
  [
    "what was asked for",
    '"svcTransactionReferenceId":"7F3K0000000000AB","amount":"50.00","currency":"EUR"',
    "accepted",
  ],
  ["another withdrawal", '"svcTransactionReferenceId":"8F3K0000000000AB"', "none"],
  ["another amount", '"amount":"20.00"', "none"],
  ["another currency", '"amount":"50.00","currency":"CHF"', "none"],
])("a yes that repeats %s", async (_, said, kind) => {
  const reply: PartnerReply = { status: 200, body: `{"status":"accepted",${said}}` };
  expect(await stage.inTime(start([() => reply]))).toMatchObject({ answer: { kind } });
});

test("without an answer it is tried again, after what the bank asked for, until 15 s after the request", async () => {
  const result = await stage.inTime(start([http(503, "2"), silent]));
  const pauses = stage.times.slice(1).map((at, n) => at - (stage.times[n] ?? 0));
  expect(pauses.slice(0, 3)).toEqual([2_000, 500, 1_000]);
  expect(result).toMatchObject({ answer: { kind: "none", why: "http_500" }, attempts: stage.times.length });
  const last = stage.requests.at(-1);
  expect(last?.timeoutMs).toBe(Math.min(5_000, 1_000_000 + 15_000 - (stage.times.at(-1) ?? 0)));
  expect([stage.clock.now() >= 1_015_000, stage.clock.timers]).toEqual([true, 0]);
  expect(new Set(stage.requests.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(new Set(stage.counted.calls)).toEqual(new Set(["start:none"]));
  expect(stage.logged.slice(0, 2)).toMatchObject([{ attempt: 1 }, { attempt: 2 }]);
  expect(getEventListeners(stage.service.startSlots.stopping, "abort")).toEqual([]);
});

test("a bank that asks to be left alone for longer than that is not asked again, and the end comes in time", async () => {
  expect(await stage.inTime(start([http(429, "60")]))).toMatchObject({ attempts: 1 });
  expect(stage.clock.now()).toBeLessThanOrEqual(1_000_000 + 15_100);
});

test.each([
  ["decides at the first try", [http(410)], { answer: { kind: "declined" }, attempts: 1 }],
  ["decides nothing behind one without an answer", [silent, http(410)], { answer: { kind: "none" } }],
] as const)("a status code of a bank that answers by them %s", async (_, answers, result) => {
  await stage.setPartner({ answers: "by-status-code" });
  expect(await stage.inTime(start(answers))).toMatchObject(result);
});

test("a stop ends the pause, and begins no other try", async () => {
  const done = start([silent]);
  await turn();
  expect([stage.requests.length, stage.clock.timers]).toEqual([1, 1]);
  void stage.service.startSlots.stop();
  expect([await done, stage.clock.timers]).toMatchObject([{ attempts: 1 }, 0]);
});

test("a stop while a try is under way ends with its answer, without a pause", async () => {
  const stopping = (): PartnerReply => {
    void stage.service.startSlots.stop();
    return silent();
  };
  const done = start([stopping]);
  await turn();
  expect(stage.clock.timers).toBe(0);
  expect(await done).toMatchObject({ answer: { kind: "none" }, attempts: 1 });
});

test("the first try is made with the bank as it was when the request came in, each later one with it as it is then", async () => {
  const { partnerId: id } = bank;
  const before: Partner = {
    ...{ id, url: "http://before", secret: "secret", events_url: null, answers: null, previous_secret: null },
    ...{ previous_secret_until: null, slots: null, sca_url: null, user_day_max: null, user_day_currency: null },
  };
  await stage.inTime(start([silent, silent, () => accepted], before));
  expect(stage.requests.map(({ url }) => new URL(url).host)).toEqual(["before", "bank", "bank"]);
});

test("a request whose time is over, or that comes from the future, is not sent", async () => {
  const ask = async (created_at: number) => startOrder(stage.service, rowWith({ created_at }), "Corner Shop");
  for (const created_at of [stage.clock.now() - 15_000, stage.clock.now() + 1])
    expect(await ask(created_at)).toEqual({ answer: { kind: "none", why: "not_sent" }, attempts: 0 });
  expect(stage.requests).toEqual([]);
});
