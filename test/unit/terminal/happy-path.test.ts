/** The job itself: scan, confirm, the customer approves, cash, link. */
import { expect, test } from "vitest";
import { createRig, handOver, idNumber, MemoryJournal } from "./rig.ts";

test("a withdrawal from scan to link", async () => {
  const journal = new MemoryJournal();
  const till = await createRig({ journal });
  const order = till.service.order({ transaction_id: idNumber(1) });
  expect(till.screen().kind).toBe("ready");

  expect(await till.scan(idNumber(1))).toEqual({ ok: true });
  expect(till.screen()).toMatchObject({
    kind: "review",
    money: { amount: "50.00", currency: "EUR" },
    shop: "demo-shop",
  });

  expect(await till.send({ type: "confirm" })).toEqual({ ok: true });
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "approval", countdown: { totalMs: 37_000 } });

  order.status = "settling";
  await till.clock.advance(100);
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment", countdown: null });

  order.status = "settled";
  await till.clock.advance(100);
  expect(till.screen()).toMatchObject({ kind: "payable", recovered: false, handOutBegun: false });
  expect(till.drawer.opens).toBe(0);

  expect(await till.send({ type: "hand_out" })).toEqual({ ok: true });
  expect(till.drawer.opens).toBe(1);
  expect(till.screen()).toMatchObject({ kind: "counting", money: { amount: "50.00" } });
  expect(order.status).toBe("settled");

  expect(await till.send({ type: "hand_out" })).toEqual({ ok: true });
  expect(till.screen()).toMatchObject({ kind: "done", money: { amount: "50.00" } });
  expect(order.status).toBe("linked");

  await till.clock.advance(3_000);
  expect(till.screen().kind).toBe("ready");
  expect(journal.types()).toEqual([
    "book_opened",
    "confirm_intended",
    "confirm_accepted",
    "settled",
    "hand_out_intended",
    "drawer_opened",
    "handed_out",
    "report_accepted",
  ]);
  expect(till.service.calls("POST /transaction/confirm")).toHaveLength(1);
  expect(till.service.calls("POST /transaction/link")).toHaveLength(1);
  expect(till.snapshot().header).toMatchObject({ connection: "online", pendingReports: null, open: [] });
});

test("a withdrawal is unfinished from the confirm until the service has taken the link, first try included", async () => {
  const till = await createRig({});
  const order = till.service.order({ transaction_id: idNumber(1) });
  const unfinished = () => till.snapshot().header.unfinished;
  await till.scan(idNumber(1));
  expect(unfinished()).toBe(0);
  await till.send({ type: "confirm" });
  expect(unfinished()).toBe(1);
  order.status = "settled";
  await till.clock.advance(1_500);
  expect(till.screen().kind).toBe("payable");
  expect(unfinished()).toBe(1);
  till.service.fault = ({ path }) => (path === "/transaction/link" ? "hang" : null);
  await handOver(till);
  expect(till.snapshot().header).toMatchObject({ pendingReports: null, open: [], unfinished: 1 });
  till.service.fault = () => null;
  await till.clock.advance(60_000);
  expect(unfinished()).toBe(0);
});

test("a reject before the confirm holds nobody back", async () => {
  const till = await createRig({});
  till.service.order({ transaction_id: idNumber(1) });
  await till.scan(idNumber(1));
  till.service.fault = () => "hang";
  await till.send({ type: "reject" });
  expect(till.snapshot().header.unfinished).toBe(0);
});
