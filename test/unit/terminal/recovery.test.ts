/** After a crash, a power cut or an update: the cashier is where they were, and what the journal lost is shown. */
import { describe, expect, test } from "vitest";
import { customerViewOf } from "../../../main/customer-display/customer-view.ts";
import { createRig, handOver, idNumber, MemoryJournal } from "./rig.ts";

const id = idNumber(1);

const atStage = async (stage: "confirming" | "waiting" | "payable" | "handed_out", journal = new MemoryJournal()) => {
  const till = await createRig({ journal });
  const order = till.service.order({ transaction_id: id });
  if (stage === "confirming") till.service.fault = ({ path }) => (path === "/transaction/confirm" ? "hang" : null);
  await till.scan(id);
  await till.send({ type: "confirm" });
  if (stage === "payable" || stage === "handed_out") {
    order.status = "settled";
    await till.clock.advance(1_500);
  }
  if (stage === "handed_out") {
    till.service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
    await handOver(till);
  }
  await till.terminal.close();
  till.service.fault = () => null;
  const again = () =>
    createRig({ journal, clock: till.clock, service: till.service, drawer: till.drawer, idsFrom: 1_000 });
  return { ...till, order, again };
};

describe("the cashier is put where they were", () => {
  test("an intent without an answer is asked about, then repeated under the same ids", async () => {
    const before = await atStage("confirming");
    expect(before.order.status).toBe("ready");
    const till = await before.again();
    await till.clock.advance(500);
    expect(till.screen()).toMatchObject({ kind: "waiting", phase: "approval", transactionId: id });
    const bodies = till.service.calls("/transaction/confirm").map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(2);
    expect(new Set(bodies).size).toBe(1);
    const order = till.service.requests.map(({ method, path }) => `${method} ${path.split("?")[0]}`);
    const [first, last] = [order.indexOf("POST /transaction/confirm"), order.lastIndexOf("POST /transaction/confirm")];
    expect(order.slice(first, last)).toContain("GET /transaction");
  });

  test("an old intent that never arrived is not sent any more: the order is rejected", async () => {
    const before = await atStage("confirming");
    await before.clock.advance(6 * 60_000);
    const till = await before.again();
    await till.clock.advance(2_000);
    expect(before.order.status).toBe("rejected");
    expect(till.service.calls("/transaction/confirm")).toHaveLength(1);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "given_up" });
  });

  test("a customer who approves meanwhile is paid when the till is back", async () => {
    const before = await atStage("waiting");
    before.order.status = "settled";
    const till = await before.again();
    await till.clock.advance(500);
    expect(till.screen()).toMatchObject({ kind: "payable", recovered: true, handOutBegun: false });
    expect(till.drawer.opens).toBe(0);
  });

  test("a payment that the bank takes its time over has no countdown, and the till serves the next customer", async () => {
    const journal = new MemoryJournal();
    const before = await createRig({ journal });
    const slow = before.service.order({ transaction_id: id, sca_required: false });
    await before.scan(id);
    await before.send({ type: "confirm" });
    await before.terminal.close();
    const till = await createRig({ journal, clock: before.clock, service: before.service, idsFrom: 1_000 });
    expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment", countdown: null });
    await till.clock.advance(36_000);
    expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
    // Whoever stands there now need not be its customer.
    expect(customerViewOf(before.snapshot()).moment.kind).toBe("paying");
    expect(customerViewOf(till.snapshot()).moment).toEqual({ kind: "cashier_asks" });
    await till.send({ type: "dismiss" });
    const next = till.service.order({ transaction_id: idNumber(2), sca_required: false });
    await till.scan(idNumber(2));
    await till.send({ type: "confirm" });
    expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
    next.status = "settled";
    slow.status = "settled";
    await till.clock.advance(2_000);
    expect(till.screen()).toMatchObject({ kind: "payable", transactionId: idNumber(2) });
    expect(till.snapshot().header.open).toMatchObject([{ state: "payable", transactionId: id }]);
  });

  test.each([
    ["has the cash: it is linked and the drawer stays shut", true, 0],
    ["has no cash: the drawer opens", undefined, 1],
  ] as const)("after a hand-out that was begun the customer %s", async (_, alreadyGiven, opens) => {
    const journal = new MemoryJournal();
    const before = await atStage("payable", journal);
    const of = JSON.parse(journal.entries.at(-1)?.body ?? "{}").of;
    journal.append(before.clock.now(), [JSON.stringify({ type: "hand_out_intended", withdrawal: of })]);
    const till = await before.again();
    const { step } = till.screen();
    expect(await till.send({ type: "hand_out", step, ...(alreadyGiven && { alreadyGiven }) })).toEqual({ ok: true });
    if (opens > 0)
      expect(till.snapshots.map(({ screen }) => screen)).toContainEqual(
        expect.objectContaining({ kind: "opening", recovered: true }),
      );
    await till.clock.advance(1_000);
    if (till.screen().kind === "counting") await handOver(till);
    expect(till.drawer.opens).toBe(opens);
    expect(before.order.status).toBe("linked");
  });

  test("what is payable is not offered before the service has said so again, and the next customer is served meanwhile", async () => {
    const before = await atStage("payable");
    before.service.fault = () => "drop";
    const till = await before.again();
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "unknown", doing: "asking_service", transactionId: id });
    expect(await till.send({ type: "hand_out" })).toEqual({ ok: false, code: "busy" });
    expect(await till.send({ type: "not_handed_out", reason: "other" } as never)).toEqual({ ok: false, code: "busy" });
    expect(await till.send({ type: "dismiss" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("ready");
    expect(till.snapshot().header.open).toMatchObject([{ state: "unknown", transactionId: id }]);
    till.service.order({ transaction_id: idNumber(2) });
    expect(await till.scan(idNumber(2))).toEqual({ ok: true });
    await till.clock.advance(5_000);
    await till.send({ type: "dismiss" });
    till.service.fault = () => null;
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "payable", recovered: true, transactionId: id });
    const asked = till.service.calls("GET /transaction").length;
    await till.clock.advance(60_000);
    expect(till.service.calls("GET /transaction")).toHaveLength(asked + 2);
    expect(await till.send({ type: "hand_out" })).toEqual({ ok: true });
    expect(till.drawer.opens).toBe(1);
  });

  test("cash that was handed out is linked, and never offered again", async () => {
    const before = await atStage("handed_out");
    expect(before.order.status).toBe("settled");
    const till = await before.again();
    await till.clock.advance(1_000);
    expect(till.screen().kind).toBe("ready");
    expect(before.order.status).toBe("linked");
    expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
  });

  test("a wall clock that went back by a day changes nothing of it", async () => {
    const before = await atStage("waiting");
    before.clock.jump(-86_400_000);
    before.service.dateOffMs = 86_400_000;
    const till = await before.again();
    expect(till.screen()).toMatchObject({ kind: "waiting", countdown: { totalMs: 37_000, remainingMs: 37_000 } });
  });
});
