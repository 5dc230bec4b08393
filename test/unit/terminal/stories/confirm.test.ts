/** Confirming on bad days: pressed twice, a full disk, refusals and conflicts. */
import { describe, expect, test } from "vitest";
import { createRig, MemoryJournal } from "../rig.ts";
import { http, id, waiting } from "./at-stage.ts";

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

  test("a disk that was full while nothing was going on is tried until it takes an entry", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    till.service.order({ transaction_id: id });
    await till.scan(id);
    journal.full = true;
    expect(await till.send({ type: "confirm" })).toEqual({ ok: false, code: "failed" });
    expect(till.snapshot().header.journalFailing).toBe(true);
    await till.send({ type: "reject" });
    await till.clock.advance(20_000);
    expect(till.snapshot().header.journalFailing).toBe(true);
    journal.full = false;
    await till.clock.advance(5_000);
    expect(till.snapshot().header.journalFailing).toBe(false);
    expect(JSON.parse(journal.entries.at(-1)?.body ?? "")).toEqual({ type: "journal_recovered", failedForMs: 25_000 });
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

  test("of an order that expired meanwhile explains it", async () => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    order.status = "expired";
    await till.send({ type: "confirm" });
    await till.clock.advance(100);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "order_expired" });
  });

  test.each([
    [404, "unknown_barcode"],
    [422, "service_refused"],
  ])("answered %i ends as %s", async (status, outcome) => {
    const till = await createRig();
    till.service.order({ transaction_id: id });
    till.service.fault = ({ path }) => (path === "/transaction/confirm" ? http(status) : null);
    await till.scan(id);
    await till.send({ type: "confirm" });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome });
  });

  test("refused for good with 409 while the order stays ready is not tried for ever", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    till.service.order({ transaction_id: id });
    till.service.fault = ({ path }) => (path === "/transaction/confirm" ? http(409) : null);
    await till.scan(id);
    await till.send({ type: "confirm" });
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "service_refused" });
    expect(till.service.calls("/transaction/confirm")).toHaveLength(1);
    expect(journal.types()).toContain("discrepancy");
  });

  test.each([
    ["at once", 0, "limit_reached", "ready"],
    // A confirm that stayed without an answer could be taken after all: the order is closed.
    ["after a silence", 1, "given_up", "rejected"],
  ] as const)(
    "refused by the terminal's limit %s says so and leaves nothing for a manager",
    async (_, silences, outcome, status) => {
      const journal = new MemoryJournal();
      const till = await createRig({ journal });
      const order = till.service.order({ transaction_id: id });
      till.service.fault = ({ path }, nth) => {
        if (path !== "/transaction/confirm") return null;
        return nth <= silences ? "drop" : http(409, { code: "limit_reached", limits: { limit: "terminal_hour" } });
      };
      await till.scan(id);
      await till.send({ type: "confirm" });
      await till.clock.advance(60_000);
      expect(till.screen()).toMatchObject({ kind: "ended", outcome });
      expect(order.status).toBe(status);
      expect(journal.types()).not.toContain("discrepancy");
    },
  );
});
