/** The drawer's day at the terminal: opened, lowered by what is handed out, counted blind, closed once; and its bad days. */
import { describe, expect, test } from "vitest";
import type { Actor } from "../../../main/terminal/state/actor.ts";
import {
  cashier,
  close,
  count,
  expected,
  float,
  manager,
  move,
  none,
  open,
  payable,
  reports,
  restart,
  rig,
  serve,
  sum,
  view,
} from "./day-stage.ts";
import { createRig, idNumber, MemoryJournal } from "./rig.ts";

describe("switched off", () => {
  test("an upgraded shop sees nothing of it: withdrawals go on, commands are refused, the journal says no word", async () => {
    const journal = new MemoryJournal();
    const till = await createRig({ journal });
    expect(till.snapshot().settings.drawerMoney.enabled).toBe(false);
    expect(till.snapshot().header.day).toBeNull();
    await serve(till, 1);
    expect(till.screen().kind).toBe("done");
    expect(await open(till)).toEqual({ ok: false, code: "invalid" });
    expect(journal.types().filter((type) => type.includes("day") || type.includes("cash"))).toEqual([]);
  });

  test("a checkpoint before the first day is one that an older program can read", async () => {
    const journal = new MemoryJournal();
    journal.append(
      1,
      Array.from({ length: 5_001 }, () => JSON.stringify({ type: "journal_recovered", failedForMs: 1 })),
    );
    await createRig({ journal });
    const checkpoint = JSON.parse(journal.entries.find(({ body }) => body.includes('"checkpoint"'))?.body ?? "{}");
    expect(checkpoint.format).toBe(2);
    expect(checkpoint).not.toHaveProperty("drawerMoney");
  });
});

describe("a day", () => {
  test("opens with a counted float, falls with each hand-out, and closes with a report that adds up", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    till.service.order({ transaction_id: idNumber(1) });
    expect(await till.scan(idNumber(1))).toEqual({ ok: false, code: "no_day" });
    expect(till.service.calls("/transaction")).toEqual([]);
    expect(await open(till)).toEqual({ ok: true });
    expect(await expected(till)).toBe(30_000);
    await serve(till, 1);
    expect(await expected(till)).toBe(25_000);
    await move(till, "in", 4_000, "a");
    await move(till, "out", 1_500, "b");
    await serve(till, 2);
    expect(await expected(till)).toBe(22_500);
    expect(await count(till, sum(22_490))).toEqual({ ok: true });
    expect(await close(till)).toEqual({ ok: false, code: "reason_needed" });
    expect(await close(till, { reason: "a coin fell", takeOut: sum(2_490) })).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([
      {
        number: 1,
        floatMinor: 30_000,
        inMinor: 4_000,
        outMinor: 1_500,
        handOuts: 2,
        handedOutMinor: 10_000,
        expectedMinor: 22_500,
        countedMinor: 22_490,
        differenceMinor: -10,
        reason: "a coin fell",
        takenOutMinor: 2_490,
        leftMinor: 20_000,
        over: [],
      },
    ]);
    expect(await view(till)).toEqual({ kind: "closed", next: 2, leftMinor: 20_000, currency: "EUR" });
    expect(await open(till, sum(20_000), 2)).toEqual({ ok: true });
  });

  test("the terminal warns before a withdrawal that the drawer cannot pay, and says so of notes", async () => {
    const till = await rig();
    await open(till, { pieces: [{ valueMinor: 20_000, count: 1 }], otherMinor: 0 });
    till.service.order({ transaction_id: idNumber(1) });
    await till.scan(idNumber(1));
    expect(till.screen()).toMatchObject({ kind: "review", drawer: "no_notes" });
    await till.send({ type: "reject" });
    await till.clock.advance(5_000);
    await move(till, "out", 19_000, "a");
    till.service.order({ transaction_id: idNumber(2) });
    await till.send({ type: "dismiss" });
    await till.scan(idNumber(2));
    expect(till.screen()).toMatchObject({ kind: "review", drawer: "short" });
  });

  test("what was not handed out stays in the drawer; what a manager says was handed out does not", async () => {
    const till = await rig();
    await open(till);
    await payable(till, 1);
    await till.send({ type: "not_handed_out", reason: "customer_left" } as never);
    expect(await expected(till)).toBe(30_000);
    const journal = new MemoryJournal();
    const other = await rig({ journal });
    await open(other);
    await payable(other, 2);
    await other.terminal.close();
    // Without its key the withdrawal in front is a manager's to decide.
    const keyless = await rig({ journal, clock: other.clock, service: other.service, credential: null, idsFrom: 900 });
    const listed = await keyless.terminal.dispatch({ type: "list_problems" }, manager);
    const [{ withdrawalId = "" } = {}] = (listed.ok ? listed.data : []) as { withdrawalId?: string }[];
    const decision = { type: "decide_withdrawal", withdrawalId, decision: "handed_out", note: "seen" } as const;
    expect(await keyless.terminal.dispatch(decision, manager)).toEqual({ ok: true });
    expect(await expected(keyless)).toBe(25_000);
  });

  test("a drawer that opens and a terminal that dies before the cashier's word: lowered when the word comes, once", async () => {
    const journal = new MemoryJournal();
    const till = await rig({ journal });
    await open(till);
    await payable(till, 1);
    await till.send({ type: "hand_out" });
    expect(till.screen().kind).toBe("counting");
    const again = await restart(till, journal.cut(journal.entries.length));
    await again.clock.advance(3_000);
    expect(await expected(again)).toBe(30_000);
    expect(again.screen()).toMatchObject({ kind: "payable", handOutBegun: true });
    await again.send({ type: "hand_out", alreadyGiven: true } as never);
    expect(await expected(again)).toBe(25_000);
  });
});

describe("who may see and do what", () => {
  test("who may not see the expected sum gets none, before the count and after it, and only that it differs", async () => {
    const till = await rig();
    await open(till);
    expect(await view(till, cashier)).toMatchObject({ kind: "open", expected: null, counted: null });
    await count(till, sum(29_000));
    const seen = await view(till, cashier);
    expect(seen).toMatchObject({ kind: "counted", expected: null, counted: { countedMinor: 29_000, differs: true } });
    expect(JSON.stringify(seen)).not.toContain("differenceMinor");
    const reveal = { type: "get_day", reveal: true } as const;
    expect(await till.terminal.dispatch(reveal, cashier)).toEqual({ ok: false, code: "approval_needed" });
    expect(await till.terminal.dispatch(reveal, manager)).toMatchObject({ ok: true });
    expect(await view(till, manager)).toMatchObject({ expected: { expectedMinor: 30_000, differenceMinor: -1_000 } });
    expect(JSON.stringify(till.snapshots)).not.toContain("expectedMinor");
  });

  test("cash in and out needs a manager where the settings say so", async () => {
    const till = await rig();
    await open(till);
    expect(await move(till, "out", 500, "a", cashier)).toEqual({ ok: false, code: "approval_needed" });
    expect(await move(till, "out", 500, "a", manager)).toEqual({ ok: true });
    expect(await view(till)).toMatchObject({ moves: [{ by: "M1", amountMinor: 500, direction: "out" }] });
  });

  test("who agreed is named: in the move, in the report, and in the journal where the expected sum was shown", async () => {
    const journal = new MemoryJournal();
    const strict = {
      drawerMoney: { enabled: true, managerFor: ["close" as const, "cash_moves" as const, "expected" as const] },
    };
    const till = await rig({ journal, settings: strict });
    const agreed: Actor = { ...cashier, approvedBy: { code: "M1", role: "manager" } };
    await open(till);
    await move(till, "out", 500, "a", agreed);
    await move(till, "in", 500, "b", manager);
    await till.terminal.dispatch({ type: "get_day", reveal: true }, agreed);
    expect(journal.entries.at(-1)?.body).toContain('"act":"expected_shown","about":"M1"');
    await count(till, float);
    const command = { type: "close_day" as const, number: 1, counts: 1, takeOut: none, reason: "", over: [] };
    expect(await till.terminal.dispatch(command, agreed)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([
      {
        closedBy: "C2",
        approvedBy: "M1",
        moves: [
          { by: "C2", approvedBy: "M1" },
          { by: "M1", approvedBy: null },
        ],
      },
    ]);
  });

  test("closing needs one only where the settings say so", async () => {
    const strict = { drawerMoney: { enabled: true, managerFor: ["close" as const] } };
    const till = await rig({ settings: strict });
    await open(till);
    await count(till, float);
    const command = { type: "close_day" as const, number: 1, counts: 1, takeOut: none, reason: "", over: [] };
    expect(await till.terminal.dispatch(command, cashier)).toEqual({ ok: false, code: "approval_needed" });
    expect(await till.terminal.dispatch(command, manager)).toEqual({ ok: true });
    expect(await reports(till)).toMatchObject([{ closedBy: "M1" }]);
  });
});
