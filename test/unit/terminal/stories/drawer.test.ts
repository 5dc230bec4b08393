/** Drawers that fail, or do not know. */
import { describe, expect, test } from "vitest";
import { handOver } from "../rig.ts";
import { id, payable } from "./at-stage.ts";

describe("the drawer", () => {
  test("that fails asks the cashier; opening it again pays once", async () => {
    const till = await payable();
    till.drawer.answers = ["failed", "opened"];
    await handOver(till);
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "failed" });
    expect(till.service.calls("/transaction/link")).toEqual([]);
    expect(await till.send({ type: "open_drawer" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("counting");
    await handOver(till);
    expect(till.screen().kind).toBe("done");
    expect(till.journal.types().filter((type) => type === "handed_out")).toHaveLength(1);
    expect([till.drawer.opens, till.service.calls("/transaction/link").length]).toEqual([2, 1]);
  });

  test("that does not know is asked, then the cashier", async () => {
    const till = await payable();
    till.drawer.answers = ["unknown"];
    till.drawer.now = "closed";
    await handOver(till);
    expect(till.screen()).toMatchObject({ kind: "opening", drawer: "unknown" });
    expect(await till.send({ type: "hand_out" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("done");
    expect(till.drawer.opens).toBe(1);
  });

  test("that does not know but stands open is open", async () => {
    const till = await payable();
    till.drawer.answers = ["unknown"];
    till.drawer.now = "open";
    await handOver(till);
    expect(till.screen().kind).toBe("done");
  });

  test("that failed may end without cash, and the service learns it", async () => {
    const till = await payable();
    till.drawer.answers = ["failed"];
    await handOver(till);
    await till.send({ type: "not_handed_out", reason: "drawer_failed" } as never);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
    expect(till.service.orders.get(id)?.status).toBe("undelivered");
  });

  test.each([
    ["of training is opened by hand outside of training", { training: false }],
    ["that is not there is opened by hand", { settings: { drawer: { kind: "none" } } }],
  ] as const)("%s: OK is the cashier's word", async (_, options) => {
    const till = await payable(options);
    expect(till.snapshot().settings.drawer).toEqual({ kind: "none" });
    await handOver(till);
    expect(till.screen().kind).toBe("done");
    expect(till.drawer.opens).toBe(0);
    const handedOut = till.journal.entries.find(({ body }) => body.includes('"handed_out"'));
    expect(JSON.parse(handedOut?.body ?? "")).toMatchObject({ by: "cashier" });
    expect(till.service.orders.get(id)?.status).toBe("linked");
  });

  test("OK pressed twice opens it once", async () => {
    const till = await payable();
    const { step } = till.screen();
    await Promise.all([1, 2, 3].map(() => till.terminal.dispatch({ type: "hand_out", step })));
    await till.clock.advance(100);
    expect(till.drawer.opens).toBe(1);
    expect(till.screen().kind).toBe("counting");
    expect(till.service.calls("/transaction/link")).toEqual([]);
  });
});
