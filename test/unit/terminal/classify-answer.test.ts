/** What a status code and a body say about whether something was done. A wrong yes is cash; a wrong no is a lost payment. */
import { describe, expect, test } from "vitest";
import {
  type Answer,
  type AnswerClass,
  backOffMs,
  bodyOf,
  classifyAnswer,
  codeOf,
  httpOf,
} from "../../../main/terminal/service/answer.ts";

const answer = (status: number, body: unknown = null, retryAfterMs: number | null = null): Answer => ({
  kind: "answer",
  status,
  body,
  dateMs: null,
  retryAfterMs,
});

/** A body that is not JSON is none. */
const html = (status: number): Answer => ({
  kind: "answer",
  status,
  body: undefined,
  dateMs: null,
  retryAfterMs: null,
});

test.each<[string, Answer, AnswerClass]>([
  ["200", answer(200), "done"],
  ["201", answer(201), "done"],
  ["299", answer(299), "done"],
  ["300", answer(300), "unknown"],
  ["304", answer(304), "unknown"],
  ["302, as a captive portal sends", html(302), "unknown"],
  ["307", answer(307), "unknown"],
  ["199", answer(199), "unknown"],
  ["400", answer(400), "refused"],
  ["400 in HTML: a proxy's", html(400), "misrouted"],
  ["401", answer(401), "later"],
  ["403 for a scope that can be given back", answer(403, { code: "insufficient_scope" }), "later"],
  ["403 otherwise", answer(403, { code: "forbidden" }), "refused"],
  ["404", answer(404), "missing"],
  ["404 in HTML", html(404), "misrouted"],
  ["408", answer(408), "later"],
  ["409", answer(409), "conflict"],
  ["409 for a limit", answer(409, { code: "limit_reached" }), "refused"],
  ["410 for a limit", answer(410, { code: "limit_reached" }), "refused"],
  ["409 in HTML", html(409), "misrouted"],
  ["410", answer(410), "missing"],
  ["422", answer(422), "refused"],
  ["425", answer(425), "later"],
  ["429", answer(429), "later"],
  ["500", answer(500), "unknown"],
  ["501", answer(501), "refused"],
  ["502 in HTML", html(502), "unknown"],
  ["503", answer(503), "unknown"],
  ["silence", { kind: "silence", why: "timeout" }, "unknown"],
  ["no token to be had", { kind: "unauthorized", retryAfterMs: null } as Answer, "later"],
])("%s", (_, given, expected) => {
  expect(classifyAnswer(given)).toBe(expected);
});

describe("the service's own code", () => {
  test.each<[unknown, string | null]>([
    [{ code: "transaction_conflict" }, "transaction_conflict"],
    [{ code: "made_up" }, null],
    [{ code: "toString" }, null],
    [{ code: 409 }, null],
    [{ code: ["transaction_conflict"] }, null],
    [{}, null],
    [null, null],
    ["transaction_conflict", null],
  ])("of %j is %s", (body, expected) => {
    expect(codeOf(answer(409, body))).toBe(expected);
  });
});

test("what is no answer has neither a status nor a body", () => {
  const none: readonly Answer[] = [
    { kind: "silence", why: "timeout" },
    { kind: "unauthorized", why: "invalid_client", retryAfterMs: null },
  ];
  expect(none.map((one) => [httpOf(one), bodyOf(one)])).toEqual(none.map(() => [null, undefined]));
});

describe("the pause after failures", () => {
  const maxMs = 30_000;
  test.each<[number, number, number]>([
    [0, 0, 500],
    [1, 0, 500],
    [1, 1, 1_000],
    [2, 1, 2_000],
    [3, 1, 4_000],
    [50, 1, maxMs],
    [50, 0, maxMs / 2],
  ])("%i failures, spread %f: %i ms", (failures, fraction, expected) => {
    expect(backOffMs(failures, maxMs, fraction, { kind: "silence", why: "timeout" })).toBe(expected);
  });
  test("is never before the service's Retry-After, and that is bounded", () => {
    expect(backOffMs(1, maxMs, 0, answer(429, null, 20_000))).toBe(20_000);
    expect(backOffMs(1, maxMs, 0, answer(429, null, 10_000_000))).toBe(maxMs * 4);
  });
});
