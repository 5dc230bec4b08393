/** Which refusals of a report are for good: only the service's own words, or the same words for very long. */
import { describe, expect, test } from "vitest";
import { type ErrorCode, errorTable } from "../../../backend/contract/errors.ts";
import { isGivenUp, isRefusedForGood } from "../../../main/terminal/withdrawal/decide-reports.ts";
import type { Withdrawal } from "../../../main/terminal/withdrawal/withdrawal.ts";
import { handedOut, next } from "./decide-stage.ts";
import { answer, given, moment } from "./flow-stage.ts";

const forGood: readonly ErrorCode[] = [
  "validation_failed",
  "amount_out_of_range",
  "amount_step",
  "currency_mismatch",
  "store_unknown",
  "journal_forked",
  "transaction_not_found",
  "transaction_conflict",
  "payload_too_large",
  "unsupported_media_type",
  "idempotency_key_reused",
];
const missingCall: readonly ErrorCode[] = ["not_found", "method_not_allowed"];

describe("the service's own word", () => {
  test.each(Object.keys(errorTable) as ErrorCode[])("%s", (code) => {
    const refused = answer(400, { code });
    expect(isRefusedForGood("link", refused)).toBe(forGood.includes(code));
    expect(isRefusedForGood("undelivered", refused)).toBe(forGood.includes(code) || missingCall.includes(code));
    expect(isRefusedForGood("link", answer(500, { code }))).toBe(false);
  });

  test("a conflict is for good in whatever words, a gateway's refusal never at once", () => {
    expect(isRefusedForGood("link", answer(409))).toBe(true);
    for (const status of [400, 403, 404]) expect(isRefusedForGood("undelivered", answer(status))).toBe(false);
    expect(isRefusedForGood("link", answer(404, { code: "transaction_not_found" }))).toBe(true);
  });
});

describe("given up", () => {
  const of = (failures: number): Withdrawal => {
    const one = given(...handedOut, next({ failures })).open.get("W1");
    if (one === undefined) throw new Error("no withdrawal");
    return one;
  };
  const inDays = (days: number) => ({ ...moment, monotonicMs: moment.monotonicMs + days * 86_400_000 });
  test("a gateway's words about an undelivered report: after twelve tries; about a link: after seven days as well", () => {
    expect([10, 11].map((failures) => isGivenUp(of(failures), "undelivered", answer(404), moment))).toEqual([
      false,
      true,
    ]);
    expect([7, 7.001].map((days) => isGivenUp(of(99), "link", answer(404), inDays(days)))).toEqual([false, true]);
    expect(isGivenUp(of(10), "link", answer(404), inDays(8))).toBe(false);
  });

  test("what people can mend is kept for the seven days, an undelivered report too", () => {
    const blocked = answer(403, { code: "user_blocked" });
    expect([7, 7.001].map((days) => isGivenUp(of(99), "undelivered", blocked, inDays(days)))).toEqual([false, true]);
  });

  test("silence and errors of the service are tried for ever, a proxy's page for seven days", () => {
    for (const said of [answer(500), answer(429), { kind: "silence", why: "timeout" } as const])
      expect(isGivenUp(of(999), "link", said, inDays(999))).toBe(false);
    const page = { ...answer(404), body: undefined } as ReturnType<typeof answer>;
    expect([7, 7.001].map((days) => isGivenUp(of(99), "link", page, inDays(days)))).toEqual([false, true]);
  });

  test("without a time since which it is owed, from the withdrawal's beginning on", () => {
    const one = { ...of(99), reportDueSinceMs: null };
    expect([7, 7.001].map((days) => isGivenUp(one, "link", answer(404), inDays(days)))).toEqual([false, true]);
  });
});
