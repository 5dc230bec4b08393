/** How an order ends, and what a look-up can show. */
import { describe, expect, test } from "vitest";
import type { ServiceAnswer } from "../../../../main/terminal/ports.ts";
import { createRig, idNumber, type Rig } from "../rig.ts";
import { garbled, http, id, setStatus, silence, waiting } from "./at-stage.ts";

describe("how an order ends while the till waits", () => {
  test.each([
    ["canceled", "sca_denied", "sca_denied"],
    ["canceled", "sca_timeout", "sca_timeout"],
    ["canceled", "user_canceled", "user_canceled"],
    ["canceled", null, "canceled"],
    ["canceled", "a_word_of_next_year", "canceled"],
    ["failed", "settle_declined", "settle_declined"],
    ["expired", "order_expired", "order_expired"],
    ["declined", "partner_declined", "declined"],
    ["rejected", "cashier_rejected", "rejected_before"],
    ["linked", null, "handed_out_before"],
    ["undelivered", null, "already_used"],
  ])("%s (%s) shows %s", async (status, reason, outcome) => {
    const till = await waiting();
    await setStatus(till, status, reason);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome });
    expect(await till.send({ type: "dismiss" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("ready");
    expect(till.snapshot().header.open).toEqual([]);
  });
});

describe("what a look-up can show", () => {
  test.each([
    ["ready", null, "review"],
    ["requested", null, "looking_up"],
    ["awaiting_sca", null, "in_use_elsewhere"],
    ["settling", null, "in_use_elsewhere"],
    ["settled", null, "in_use_elsewhere"],
    ["linked", null, "already_used"],
    ["undelivered", null, "already_used"],
    ["canceled", "sca_denied", "sca_denied"],
    ["canceled", null, "canceled"],
    ["canceled", "a_word_of_next_year", "canceled"],
    ["canceled", "order_expired", "canceled"],
    ["expired", null, "order_expired"],
    ["declined", null, "declined"],
    ["rejected", null, "rejected_before"],
    ["failed", null, "settle_declined"],
  ])("%s (%s): %s", async (status, reason, expected) => {
    const till = await createRig();
    till.service.order({ transaction_id: id, status, reason });
    await till.scan(id);
    const screen = till.screen();
    expect(screen.kind === "ended" ? screen.outcome : screen.kind).toBe(expected);
  });

  test("an order still being secured is looked up again until it is ready", async () => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id, status: "requested" });
    await till.scan(id);
    await till.clock.advance(2_500);
    expect(till.screen().kind).toBe("looking_up");
    order.status = "ready";
    await till.clock.advance(1_500);
    expect(till.screen().kind).toBe("review");
  });

  test.each<[string, ServiceAnswer, string, boolean]>([
    ["HTML or half a JSON", garbled, "service_down", true],
    ["nothing", silence, "no_network", true],
    ["refused", { kind: "silence", why: "refused" }, "no_network", true],
    ["no network", { kind: "silence", why: "unreachable" }, "no_network", true],
    ["500", http(500), "service_down", true],
    ["503", http(503), "service_down", true],
    ["429", http(429), "service_down", true],
    ["404", http(404), "unknown_barcode", false],
    ["a proxy's 404", { ...http(404), body: undefined } as ServiceAnswer, "service_down", true],
    ["403", http(403), "service_refused", false],
    ["400", http(400), "service_refused", false],
    ["an array", http(200, []), "service_down", true],
    ["a string", http(200, "hello"), "service_down", true],
    ["null", http(200, null), "service_down", true],
    [
      "another transaction",
      http(200, { transaction_id: idNumber(9), status: "ready", amount: "5.00" }),
      "service_down",
      true,
    ],
    ["no amount", http(200, { transaction_id: id, status: "ready" }), "service_refused", false],
    ["a negative amount", http(200, { status: "ready", amount: "-5.00" }), "service_refused", false],
    ["an amount of nothing", http(200, { status: "ready", amount: "0.00" }), "service_refused", false],
    ["an amount that is text", http(200, { status: "ready", amount: "fifty" }), "service_refused", false],
  ])("%s", async (_, answer, outcome, canRetry) => {
    const till = await createRig();
    till.service.order({ transaction_id: id });
    till.service.fault = ({ path }) => (path.startsWith("/transaction?") ? answer : null);
    await till.scan(id);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome, canRetry });
    expect(till.service.calls("/transaction/confirm")).toEqual([]);
    till.service.fault = () => null;
    expect((await till.send({ type: "retry" })).ok).toBe(canRetry);
    if (canRetry) expect(till.screen().kind).toBe("review");
  });
});

describe("a review whose order has no time left", () => {
  const untilOver = 895_000;
  const lookUps = (till: Rig) => till.service.calls("/transaction?").length;

  test.each<[string, string, ServiceAnswer | null, string, boolean]>([
    ["and nothing happened meanwhile", "ready", null, "order_expired", false],
    ["and which the service has closed", "expired", null, "order_expired", false],
    ["and which another till has paid out", "linked", null, "already_used", false],
    ["while the service is silent", "linked", silence, "no_network", true],
  ])("%s", async (_, status, answer, outcome, canRetry) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    order.status = status;
    till.service.fault = () => answer;
    await till.clock.advance(untilOver - 1_000);
    expect(till.screen().kind).toBe("review");
    await till.clock.advance(7_000);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome, canRetry });
    expect(lookUps(till)).toBe(2);
    expect(till.snapshot().header.open).toEqual([]);
  });
});
