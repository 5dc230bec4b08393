import { expect, it } from "vitest";
import { readPartnerAnswer } from "../../../backend/contract/partner.ts";

it.each([
  [200, '{"status":"accepted"}', "accepted"],
  [200, "", "accepted"],
  [200, " \n", "accepted"],
  [200, "{}", "accepted"],
  [200, '{"transactionId":"7"}', "accepted"],
  [200, '{"status":"declined","reason":"no funds"}', "declined"],
  [200, '{"status":"DECLINED"}', "declined"],
  [200, '{"status":"error"}', "none"],
  [200, '{"status":"pending"}', "none"],
  [200, '{"status":"canceled"}', "none"],
  [200, '{"status":"insufficient_funds"}', "none"],
  [200, '{"status":"not_settled"}', "none"],
  [200, '{"status":false}', "none"],
  [200, '{"status":{"code":"declined"}}', "none"],
  [200, '{"status":""}', "none"],
  [200, '{"status":null}', "accepted"],
  [200, '{"status":" Settled "}', "accepted"],
  [200, '{"Status":"declined"}', "declined"],
  [200, '{"status":"accepted","STATUS":"declined"}', "none"],
  [400, "", "declined"],
  [402, "not json", "declined"],
  [410, "{}", "declined"],
  [422, '{"status":"accepted"}', "declined"],
  [200, "<html>Welcome to nginx</html>", "none"],
  [200, '{"status":"accep', "none"],
  [200, "[]", "none"],
  [200, "null", "none"],
  [200, '"accepted"', "none"],
  [201, '{"status":"accepted"}', "none"],
  [204, "", "none"],
  [302, "", "none"],
  [401, '{"status":"declined"}', "none"],
  [403, "", "none"],
  [404, "", "none"],
  [409, "", "none"],
  [429, "", "none"],
  [500, '{"status":"accepted"}', "none"],
  [503, "", "none"],
] as const)("a partner's %d %j means %s", (status, body, kind) => {
  expect(readPartnerAnswer(status, body).kind).toBe(kind);
});

it("keeps the partner's reason, bounded", () => {
  expect(readPartnerAnswer(402, `{"reason":"${"x".repeat(500)}"}`)).toEqual({
    kind: "declined",
    reason: "x".repeat(200),
  });
  expect(readPartnerAnswer(402, '{"reason":7}')).toEqual({ kind: "declined", reason: null });
});
