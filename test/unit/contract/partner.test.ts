import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { settleOrderSchema, startOrderSchema } from "../../../backend/contract/partner.ts";
import { interfaceSections } from "../../../backend/http/interface-text.ts";
import { negativeWords, positiveWords, readPartnerAnswer, retryAfterMs } from "../../../backend/partner/answer.ts";

const word = { answers: "by-status-word", afterUnansweredTry: false } as const;
const code = { answers: "by-status-code", afterUnansweredTry: false } as const;
const codeAgain = { answers: "by-status-code", afterUnansweredTry: true } as const;

/** What every bank says the same way, at the first try and after one that went unanswered. */
const words = [
  [200, '{"status":"accepted"}', "accepted"],
  [201, '{"status":"paid"}', "accepted"],
  [200, '{"status":" Settled "}', "accepted"],
  [200, '{"status":"declined","reason":"no funds"}', "declined"],
  [200, '{"status":"DECLINED"}', "declined"],
  [200, '{"Status":"declined"}', "declined"],
  [400, '{"status":"rejected"}', "declined"],
  [402, '{"status":"denied"}', "declined"],
  [410, '{"status":"refused"}', "declined"],
  [422, '{"status":"declined"}', "declined"],
  [422, '{"status":"accepted"}', "none"],
  [201, '{"status":"declined"}', "none"],
  [200, '{"status":"error"}', "none"],
  [200, '{"status":"pending"}', "none"],
  [422, '{"status":"processing"}', "none"],
  [200, '{"status":"canceled"}', "none"],
  [200, '{"status":"insufficient_funds"}', "none"],
  [200, '{"status":"not_settled"}', "none"],
  [200, '{"status":false}', "none"],
  [200, '{"status":{"code":"declined"}}', "none"],
  [200, '{"status":""}', "none"],
  [200, '{"status":"accepted","STATUS":"declined"}', "none"],
  [200, '{"status":"declined","status":"accepted"}', "none"],
  [200, '{"status":"accepted","status":"declined"}', "none"],
  [422, '{"status":"accepted","status":"declined"}', "none"],
  [422, '{"reason":"limit","reason":"none"}', "none"],
  [200, '{"status":"accepted","id":{"a":1,"a":2}}', "none"],
  [200, '{"st\\u0061tus":"declined","status":"accepted"}', "none"],
  [200, '{"status":["accepted"]}', "none"],
  [200, '{"status":["declined"]}', "none"],
  [422, '{"status":["declined"]}', "none"],
  [200, '{"status":[]}', "none"],
  [200, '{"status":["accepted"],"STATUS":"accepted"}', "none"],
  [200, '{"status":"accepted","error":"account closed"}', "none"],
  [200, '{"status":"accepted","error":false}', "none"],
  [200, '{"status":"accepted","error":" "}', "none"],
  [200, '{"status":"accepted","error":{"code":7}}', "none"],
  [200, '{"status":"accepted","error":0}', "none"],
  [200, '{"status":"accepted","errors":["account closed"]}', "none"],
  [200, '{"status":"accepted","Errors":[null]}', "none"],
  [201, '{"status":"paid","ERRORS":{"amount":"too much"}}', "none"],
  [200, '{"status":"accepted","errors":"account closed"}', "none"],
  [200, '{"status":"accepted","error":null,"errors":["closed"]}', "none"],
  [200, '{"status":"accepted","error":"","Error":"closed"}', "none"],
  [200, '{"status":"ok","success":false}', "none"],
  [200, '{"status":"ok","ok":false}', "none"],
  [200, '{"status":"accepted","Ok":"False"}', "none"],
  [200, '{"status":"accepted","ok":true,"OK":false}', "none"],
  [200, '{"status":"accepted","error":""}', "accepted"],
  [200, '{"status":"accepted","error":null,"errors":[]}', "accepted"],
  [200, '{"status":"accepted","Errors":{},"ok":true,"success":true}', "accepted"],
  [200, '{"errors":["account closed"]}', "none"],
  [200, '{"Errors":{"amount":"too much"}}', "none"],
  [201, '{"errors":"account closed"}', "none"],
  [200, '{"ok":false}', "none"],
  [201, '{"OK":"FALSE"}', "none"],
  [200, "", "none"],
  [200, " \n", "none"],
  [200, '{"error":"account closed"}', "none"],
  [200, '{"success":false}', "none"],
  [200, '{"SUCCESS":"false"}', "none"],
  [200, "<html>Welcome to nginx</html>", "none"],
  [200, '{"status":"accep', "none"],
  [200, "[]", "none"],
  [200, "null", "none"],
  [200, '"accepted"', "none"],
  [202, '{"status":"accepted"}', "none"],
  [302, "", "none"],
  [401, "{}", "none"],
  [403, "{}", "none"],
  [409, "{}", "none"],
  [429, "{}", "none"],
  [401, '{"status":"declined"}', "none"],
  [403, '{"status":"declined"}', "none"],
  [404, '{"status":"declined"}', "none"],
  [409, '{"status":"declined"}', "none"],
  [429, '{"status":"declined"}', "none"],
  [500, '{"status":"accepted"}', "none"],
  [503, '{"status":"declined"}', "none"],
] as const;

/** What only a bank that the operator declared so says with the code alone. */
const codes = [
  [204, "", "accepted"],
  [200, "{}", "accepted"],
  [201, '{"transactionId":"7"}', "accepted"],
  [200, '{"status":null,"error":null}', "accepted"],
  [200, '{"error":"","errors":[],"ok":true}', "accepted"],
  [400, "", "declined"],
  [402, "not json", "declined"],
  [410, "{}", "declined"],
  [410, "gone", "declined"],
  [400, "<html>Bad Request</html>", "declined"],
  [422, '{"error":"limit"}', "declined"],
] as const;

describe("a bank that says a word", () => {
  it.each(words)("answers %d %j: %s", (status, body, kind) => {
    expect(readPartnerAnswer(status, body, word).kind).toBe(kind);
  });
  it.each(codes)("has not answered with %d %j", (status, body) => {
    expect(readPartnerAnswer(status, body, word).kind).toBe("none");
  });
});

describe("a bank that answers by status code", () => {
  it.each([...words, ...codes])("answers %d %j: %s", (status, body, kind) => {
    expect(readPartnerAnswer(status, body, code).kind).toBe(kind);
  });
  it.each(words)("after an unanswered try %d %j means %s as well", (status, body, kind) => {
    expect(readPartnerAnswer(status, body, codeAgain).kind).toBe(kind);
  });
  it.each(codes)("after an unanswered try %d %j decides nothing", (status, body) => {
    expect(readPartnerAnswer(status, body, codeAgain).kind).toBe("none");
  });
});

const ordered = { transactionId: "7F3K9Q2MX4T8WZ0G", amount: 5_000, currency: "EUR" };
/** What an answer repeats of its order, and whether it is an answer then: a yes, and a no. */
const repeated = [
  ['"SvcTransactionReferenceId":"7F3K9Q2MX4T8WZ0G"', true, true],
  ['"svcTransactionReferenceId":" 7f3k9q2mx4t8wz0g "', true, true],
  ['"svcTransactionReferenceId":null,"amount":null,"currency":null', true, true],
  ['"svcTransactionReferenceId":"","amount":"","currency":""', true, true],
  ['"TransactionId":"a name of the bank\'s own"', true, true],
  ['"amount":"50.00","currency":"EUR"', true, true],
  ['"Amount":50,"Currency":"eur"', true, true],
  ['"amount":5000', true, true],
  ['"amount":"-50.00"', true, true],
  ['"amount":{"value":"50.00"},"currency":"euro"', true, true],
  ['"amount":["20.00"]', true, true],
  ['"amount":"50,00"', true, true],
  ['"svcTransactionReferenceId":"8F3K9Q2MX4T8WZ0G"', false, false],
  ['"SvcTransactionReferenceId":7', false, false],
  ['"svcTransactionReferenceId":"7F3K9Q2MX4T8WZ0G","SVCTRANSACTIONREFERENCEID":"other"', false, false],
  ['"amount":"20.00"', false, true],
  ['"\\u0061mount":"20.00"', false, true],
  ['"AMOUNT":20', false, true],
  ['"amount":"5000.00"', false, true],
  ['"amount":"50.01"', false, true],
  ['"amount":50.001', false, true],
  ['"amount":"50.00","currency":"USD"', false, true],
  ['"amount":"0.00"', false, true],
] as const;
describe("an answer that repeats what was ordered", () => {
  it.each(repeated)("%s: a yes counts %s, a no %s", (said, isYes, isNo) => {
    const none = { kind: "none", why: "other_order" };
    const rows = [
      [200, `{"status":"settled",${said}}`, word, isYes ? { kind: "accepted" } : none],
      [201, `{${said}}`, code, isYes ? { kind: "accepted" } : none],
      [200, `{"status":"declined",${said}}`, word, isNo ? { kind: "declined" } : none],
      [422, `{${said}}`, code, isNo ? { kind: "declined" } : none],
    ] as const;
    for (const [status, body, rules, expected] of rows)
      expect(readPartnerAnswer(status, body, { ...rules, ordered }), body).toMatchObject(expected);
  });
  it("counts for a currency by its own digits", () => {
    const inYen = { ...word, ordered: { ...ordered, amount: 5_000, currency: "JPY" } };
    expect(readPartnerAnswer(200, '{"status":"paid","amount":"5000"}', inYen).kind).toBe("accepted");
    expect(readPartnerAnswer(200, '{"status":"paid","amount":"50.00"}', inYen).kind).toBe("none");
  });
});

it("keeps the partner's reason, bounded", () => {
  const body = (reason: unknown) => JSON.stringify({ status: "declined", reason });
  expect(readPartnerAnswer(402, body("x".repeat(500)), word)).toEqual({ kind: "declined", reason: "x".repeat(200) });
  expect(readPartnerAnswer(402, body(7), word)).toEqual({ kind: "declined", reason: null });
  // No half of a character at the cut: the terminal refuses a body that has one.
  const cut = { kind: "declined", reason: `${"x".repeat(199)}\ufffd` };
  expect(readPartnerAnswer(402, body(`${"x".repeat(199)}💶`), word)).toEqual(cut);
});

it.each([
  ['{"status":"declined","status":"accepted"}', "ambiguous_json"],
  ['{"status":["accepted"]}', "status_unknown"],
  ['{"status":"pending"}', "status_unknown"],
  ['{"status":"accepted","error":false}', "error_beside_status"],
  ['{"status":"accepted","errors":["closed"]}', "error_beside_status"],
  ['{"status":"accepted","ok":false}', "error_beside_status"],
  ['{"status":"ok","success":false}', "error_beside_status"],
  ['{"status":"ok","success":0}', "error_beside_status"],
  ['{"status":"accepted","OK":"0"}', "error_beside_status"],
  ['{"status":"accepted","success":"No"}', "error_beside_status"],
  ['{"status":"accepted","success":" FALSE "}', "error_beside_status"],
  ['{"status":"accepted","success":""}', "error_beside_status"],
  ['{"error":"closed"}', "no_status"],
  ["{}", "no_status"],
  ["<html>", "not_json"],
  ["null", "not_json"],
  ["[]", "not_json"],
  ['"accepted"', "not_json"],
])("says of %s why it is no answer: %s", (body, why) => {
  expect(readPartnerAnswer(200, body, word)).toEqual({ kind: "none", why });
});

it("is no answer by its status code, where that is another success", () => {
  expect(readPartnerAnswer(201, '{"status":"pending"}', word)).toEqual({ kind: "none", why: "http_201" });
});

it("is compared with no order where none is known", () => {
  const body = '{"status":"accepted","svcTransactionReferenceId":"7F3K9Q2MX4T8WZ0G","amount":"1.00"}';
  expect(readPartnerAnswer(200, body, word)).toEqual({ kind: "accepted" });
});

it.each(["0", '"0"', '"no"', '" false "', '""'])("%s as `ok` is no yes by the status code either", (value) => {
  const byCode = { answers: "by-status-code", afterUnansweredTry: false } as const;
  expect(readPartnerAnswer(200, `{"ok":${value}}`, byCode)).toEqual({ kind: "none", why: "no_status" });
  expect(readPartnerAnswer(200, '{"ok":1,"success":"yes"}', byCode)).toEqual({ kind: "accepted" });
});

it.each([
  [503, "7", 7_000],
  [429, "0", 0],
  [503, "3600", 60_000],
  [503, "Fri, 20 Nov 2026 10:00:30 GMT", 30_000],
  [503, "Fri, 20 Nov 2026 09:00:00 GMT", 0],
  [503, "soon", 0],
  [503, "-5", 0],
  [503, "+7", 0],
  [503, "7 s", 0],
  [503, "2026-11-20T10:00:30Z", 30_000],
  [503, undefined, 0],
  [500, "7", 0],
] as const)("a %d with Retry-After %s asks for %d ms", (status, header, ms) => {
  expect(retryAfterMs(status, header, Date.UTC(2026, 10, 20, 10))).toBe(ms);
});

describe("what is written about it", () => {
  it("docs/api.md lists every word for yes and for no", () => {
    const text = readFileSync(path.resolve(import.meta.dirname, "../../../docs/api.md"), "utf8");
    const [, yes = ""] = /is a word for yes \(([^)]+)\)/.exec(text) ?? [];
    const [, no = ""] = /whose `status` is ([\w, ]+) \|/.exec(text) ?? [];
    expect(yes.split(", ").sort()).toEqual([...positiveWords].sort());
    expect(no.split(/, | or /).sort()).toEqual([...negativeWords].sort());
  });

  it.each([
    ["4.2", startOrderSchema],
    ["4.4", settleOrderSchema],
  ] as const)("the interface's section %s names the fields that are sent", (section, schema) => {
    const { text = "" } = interfaceSections.find((one) => one.section === section) ?? {};
    const named = [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named).toEqual(Object.keys(schema.shape));
  });
});
