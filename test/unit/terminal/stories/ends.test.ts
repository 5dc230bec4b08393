/** A look-up whose order is not ready yet, and a review whose order has no time left. */
import { describe, expect, test } from "vitest";
import type { ServiceAnswer } from "../../../../main/terminal/ports.ts";
import { createRig, type Rig } from "../rig.ts";
import { id, silence } from "./at-stage.ts";

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
