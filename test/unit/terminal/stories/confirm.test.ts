/** Confirming on bad days: pressed twice, a full disk, refusals and conflicts. */
import { describe, expect, test } from "vitest";
import { createRig, MemoryJournal } from "../rig.ts";
import { id, waiting } from "./at-stage.ts";

describe("confirm", () => {
  test("pressed twice in one frame confirms once", async () => {
    const till = await createRig();
    till.service.order({ transaction_id: id });
    await till.scan(id);
    const { step } = till.screen();
    const replies = await Promise.all([
      till.terminal.dispatch({ type: "confirm", step }),
      till.terminal.dispatch({ type: "confirm", step }),
      till.terminal.dispatch({ type: "reject", step }),
    ]);
    await till.clock.advance(100);
    expect(replies).toEqual([{ ok: true }, { ok: false, code: "stale" }, { ok: false, code: "stale" }]);
    expect(till.service.calls("/transaction/confirm")).toHaveLength(1);
    expect(till.service.calls("/transaction/reject")).toHaveLength(0);
  });

  test("is on disk before it is sent", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    till.service.order({ transaction_id: id });
    let onDisk: string[] = [];
    till.service.fault = ({ path }) => {
      if (path === "/transaction/confirm") onDisk = journal.types();
      return null;
    };
    await till.scan(id);
    await till.send({ type: "confirm" });
    expect(onDisk.at(-1)).toBe("confirm_intended");
  });

  test("is not sent when the disk is full; the same press works when it has room again", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    till.service.order({ transaction_id: id });
    await till.scan(id);
    journal.full = true;
    expect(await till.send({ type: "confirm" })).toEqual({ ok: false, code: "failed" });
    await till.clock.advance(10_000);
    expect(till.screen().kind).toBe("review");
    expect(till.service.calls("/transaction/confirm")).toEqual([]);
    journal.full = false;
    expect(await till.send({ type: "confirm" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("waiting");
  });

  test("a full disk shows in the header for as long as it lasts, and mends without anyone pressing anything", async () => {
    const till = await waiting();
    expect(till.snapshot().header.journalFailing).toBe(false);
    till.journal.full = true;
    await till.clock.advance(600_000);
    expect(till.screen()).toMatchObject({ kind: "waiting" });
    const shown = till.snapshots.map(({ header }) => header.journalFailing);
    expect(shown.slice(shown.indexOf(true))).not.toContain(false);
    expect(till.snapshot().header.journalFailing).toBe(true);
    till.journal.full = false;
    await till.clock.advance(3_000);
    expect(till.snapshot().header.journalFailing).toBe(false);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "sca_timeout" });
  });

  test.each([
    ["lost on the way", "drop"],
    ["done, its answer lost", "lose"],
  ] as const)("%s: asks first, and repeats what was lost on the way under the same ids", async (_, fault) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    till.service.fault = ({ path }, nth) => (path === "/transaction/confirm" && nth === 1 ? fault : null);
    await till.scan(id);
    await till.send({ type: "confirm" });
    expect(till.screen().kind).toBe("confirming");
    await till.clock.advance(5_100);
    expect(till.screen()).toMatchObject({ kind: "unknown", doing: "asking_service" });
    await till.clock.advance(2_000);
    expect(till.screen()).toMatchObject({ kind: "waiting", phase: "approval" });
    expect(order.status).toBe("awaiting_sca");
    const bodies = till.service.calls("/transaction/confirm").map(({ body }) => JSON.stringify(body));
    expect(new Set(bodies).size).toBe(1);
    expect(bodies).toHaveLength(fault === "drop" ? 2 : 1);
    const [, ...asked] = till.service.calls("/transaction").map(({ method }) => method);
    expect(asked).toEqual(fault === "drop" ? ["POST", "GET", "POST", "GET"] : ["POST", "GET", "GET"]);
  });
});
