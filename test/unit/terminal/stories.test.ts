/** Stories of bad days with a scripted service: each ends on a clear screen, and the money is where the books say. */
import { describe, expect, test } from "vitest";
import type { ServiceAnswer } from "../../../main/terminal/ports.ts";
import { createRig, handOver, idNumber, MemoryJournal, type Rig, type RigOptions } from "./rig.ts";

const id = idNumber(1);
const silence: ServiceAnswer = { kind: "silence", why: "timeout" };
const garbled: ServiceAnswer = { kind: "silence", why: "garbled" };
const http = (status: number, body: unknown = { code: "x" }): ServiceAnswer => ({
  kind: "answer",
  status,
  body,
  dateMs: null,
  retryAfterMs: null,
});

const waiting = async (options: RigOptions = {}): Promise<Rig & { journal: MemoryJournal }> => {
  const journal = new MemoryJournal();
  const till = await createRig({ ...options, journal });
  till.service.order({ transaction_id: id });
  await till.scan(id);
  await till.send({ type: "confirm" });
  expect(till.screen()).toMatchObject({ kind: "waiting", phase: "approval" });
  return { ...till, journal };
};

const setStatus = async (till: Rig, status: string, reason: string | null = null): Promise<void> => {
  const order = till.service.orders.get(id);
  if (order === undefined) throw new Error("no order");
  order.status = status;
  order.reason = reason;
  await till.clock.advance(1_500);
};

const payable = async (options: RigOptions = {}): Promise<Rig & { journal: MemoryJournal }> => {
  const till = await waiting(options);
  await setStatus(till, "settled");
  expect(till.screen().kind).toBe("payable");
  return till;
};

describe("how an order ends while the till waits", () => {
  test.each([
    ["canceled", "sca_denied", "sca_denied"],
    ["canceled", "sca_timeout", "sca_timeout"],
    ["canceled", "user_canceled", "user_canceled"],
    ["failed", "settle_declined", "settle_declined"],
    ["expired", "order_expired", "order_expired"],
    ["declined", "partner_declined", "declined"],
    ["rejected", "cashier_rejected", "rejected_before"],
    ["linked", null, "already_used"],
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
    ["canceled", null, "sca_timeout"],
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

  test("is not sent when the disk is full, and the cashier is told", async () => {
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
  ] as const)("%s: asks, then repeats under the same ids", async (_, fault) => {
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
  });

  test("of an order that another till confirmed: no cash here", async () => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    order.transaction_id_partner = "till-2.abc.W1";
    order.status = "settled";
    await till.send({ type: "confirm" });
    await till.clock.advance(100);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "in_use_elsewhere" });
    expect(till.service.calls("/transaction/confirm")).toHaveLength(1);
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
});

describe("the customer's time", () => {
  test("runs out: the till rejects by itself and says so", async () => {
    const till = await waiting();
    await till.clock.advance(36_000);
    expect(till.screen()).toMatchObject({ kind: "waiting" });
    await till.clock.advance(1_500);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "sca_timeout" });
    expect(till.service.orders.get(id)?.status).toBe("rejected");
  });

  test("does not run faster or slower when the clock jumps by an hour", async () => {
    const till = await waiting();
    // The service keeps its own time: only what this machine takes for the hour jumps.
    till.clock.jump(3_600_000);
    till.service.dateOffMs = -3_600_000;
    await till.clock.advance(20_000);
    expect(till.screen()).toMatchObject({ kind: "waiting", countdown: { remainingMs: 17_000 } });
    till.clock.jump(-7_200_000);
    till.service.dateOffMs = 3_600_000;
    await till.clock.advance(16_900);
    expect(till.screen().kind).toBe("waiting");
    await till.clock.advance(200);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "sca_timeout" });
  });

  test("a reject that comes after the approval follows the money", async () => {
    const till = await waiting();
    const order = till.service.orders.get(id);
    if (order === undefined) throw new Error("no order");
    till.service.holds = false;
    order.status = "settling";
    await till.send({ type: "reject" });
    expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
    await setStatus(till, "settled");
    expect(till.screen()).toMatchObject({ kind: "payable" });
    expect(await till.send({ type: "not_handed_out", reason: "customer_left" } as never)).toEqual({ ok: true });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
    expect(order.status).toBe("undelivered");
  });

  test("a reject without an answer ends in a screen that lets the next customer come", async () => {
    const till = await waiting();
    till.service.fault = () => "drop";
    await till.send({ type: "reject" });
    expect(till.screen()).toMatchObject({ kind: "closing", why: "cashier" });
    await till.clock.advance(5_000);
    expect(till.screen()).toMatchObject({ kind: "unknown" });
    expect(await till.send({ type: "dismiss" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("ready");
    expect(till.snapshot().header.open).toMatchObject([{ state: "closing", transactionId: id }]);
    expect(till.snapshot().header).toMatchObject({ connection: "offline", pendingReports: { count: 1 } });
    till.service.fault = () => null;
    await till.clock.advance(60_000);
    expect(till.service.orders.get(id)?.status).toBe("rejected");
    expect(till.snapshot().header).toMatchObject({ open: [], pendingReports: null, connection: "online" });
  });
});

test("cash handed out before the confirm's own answer came is not offered again, and is linked", async () => {
  const till = await createRig();
  const order = till.service.order({ transaction_id: id });
  const answers: ((answer: ServiceAnswer) => void)[] = [];
  const send = till.service.send.bind(till.service);
  let isDark = false;
  till.service.send = (request) => {
    if (request.path === "/transaction/confirm" && !isDark) {
      order.transaction_id_partner = (request.body as { transaction_id_partner: string }).transaction_id_partner;
      return new Promise((resolve) => answers.push(resolve));
    }
    return send(request);
  };
  till.service.fault = ({ path }) =>
    (isDark && path.startsWith("/transaction")) || path === "/transaction/link" ? "drop" : null;
  await till.scan(id);
  isDark = true;
  await till.send({ type: "confirm" });
  await till.clock.advance(27_000);
  isDark = false;
  await till.clock.advance(5_500);
  expect(answers).toHaveLength(1);
  order.status = "settled";
  await till.clock.advance(5_000);
  expect(till.screen().kind).toBe("payable");
  await handOver(till);
  expect(till.screen().kind).toBe("done");
  answers[0]?.({ kind: "answer", status: 201, body: order, dateMs: null, retryAfterMs: null });
  await till.clock.advance(60_000);
  expect(till.screen().kind).toBe("ready");
  expect(till.snapshot().header).toMatchObject({ open: [], pendingReports: { count: 1 } });
  till.service.fault = () => null;
  await till.clock.advance(6 * 60_000);
  expect(order.status).toBe("linked");
});

describe("a slow bank", () => {
  test("lets the next customer come, and the payable screen comes back by itself", async () => {
    const till = await waiting();
    await setStatus(till, "settling");
    await till.clock.advance(60_000);
    expect(till.screen()).toMatchObject({ kind: "waiting", phase: "payment" });
    expect(await till.send({ type: "dismiss" })).toEqual({ ok: true });
    expect(till.snapshot().header.open).toMatchObject([{ state: "unknown" }]);

    till.service.order({ transaction_id: idNumber(2) });
    await till.scan(idNumber(2));
    expect(till.screen().kind).toBe("review");
    await setStatus(till, "settled");
    expect(till.screen().kind).toBe("review");
    expect(till.snapshot().header.open).toMatchObject([{ state: "payable", transactionId: id }]);

    await till.send({ type: "reject" });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "rejected" });
    await till.send({ type: "dismiss" });
    expect(till.screen()).toMatchObject({ kind: "payable", recovered: true, transactionId: id });
  });
});

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

describe("the outbox", () => {
  test.each([
    ["silence", silence],
    ["500", http(500)],
    ["429", http(429)],
    ["503", http(503)],
  ])(
    "keeps a link through %s, for days and across restarts",
    async (_, answer) => {
      const till = await payable();
      till.service.fault = ({ path }) => (path === "/transaction/link" ? answer : null);
      await handOver(till);
      await till.clock.advance(60_000);
      expect(till.snapshot().header.pendingReports).toMatchObject({ count: 1 });
      await till.terminal.close();
      const again = await createRig({ journal: till.journal, clock: till.clock, service: till.service, idsFrom: 100 });
      expect(again.screen().kind).toBe("ready");
      await again.clock.advance(3 * 86_400_000);
      expect(again.snapshot().header.pendingReports?.count).toBe(1);
      expect(again.snapshot().header.pendingReports?.oldestMs).toBeGreaterThan(3 * 86_400_000);
      const tries = till.service.calls("/transaction/link").length;
      expect(tries).toBeGreaterThan(500);
      expect(tries).toBeLessThan(2_500);
      till.service.fault = () => null;
      await again.clock.advance(6 * 60_000);
      expect(till.service.orders.get(id)?.status).toBe("linked");
      expect(again.snapshot().header.pendingReports).toBeNull();
    },
    60_000,
  );

  test.each([
    ["conflict", http(409)],
    ["transaction_not_found", http(404, { code: "transaction_not_found" })],
    ["validation_failed", http(400, { code: "validation_failed" })],
  ])("stops at the service's own %s and leaves a line for the manager", async (_, answer) => {
    const till = await payable();
    till.service.fault = ({ path }) => (path === "/transaction/link" ? answer : null);
    await handOver(till);
    await till.clock.advance(60_000);
    expect(till.service.calls("/transaction/link")).toHaveLength(1);
    expect(till.snapshot().header.pendingReports).toBeNull();
    const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ ok: true, data: [{ outcome: "handed_out", discrepancy: "link_refused" }] });
    await till.scan(id);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "already_used" });
  });

  test.each([
    ["a gateway's empty 404", http(404, null)],
    ["a gateway's page", { ...http(404), body: undefined } as ServiceAnswer],
    ["a gateway's 403", http(403, { message: "Forbidden" })],
    ["a gateway's 400", http(400, null)],
    ["a credential without its scope", http(403, { code: "insufficient_scope" })],
    ["a route that is gone for now", http(404, { code: "not_found" })],
    ["answers about another transaction", http(200, { transaction_id: idNumber(9), status: "linked" })],
  ])("keeps a link through %s for three days", async (_, answer) => {
    const till = await payable();
    till.service.fault = ({ path }) => (path === "/transaction/link" ? answer : null);
    await handOver(till);
    await till.clock.advance(3 * 86_400_000);
    expect(till.snapshot().header.pendingReports).toMatchObject({ count: 1 });
    till.service.fault = () => null;
    await till.clock.advance(6 * 60_000);
    expect(till.service.orders.get(id)?.status).toBe("linked");
    expect(till.snapshot().header.pendingReports).toBeNull();
  });

  test("gives a link up after more than a week of gateways' pages, with a line for the manager", async () => {
    const till = await payable();
    till.service.fault = ({ path }) => (path === "/transaction/link" ? http(404, null) : null);
    await handOver(till);
    await till.clock.advance(4 * 86_400_000);
    await till.terminal.close();
    const again = await createRig({ journal: till.journal, clock: till.clock, service: till.service, idsFrom: 100 });
    await again.clock.advance(3.1 * 86_400_000);
    expect(again.snapshot().header.pendingReports).toBeNull();
    const history = await again.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "handed_out", discrepancy: "link_refused" }] });
  });

  test("of a server without the extension is left to the manager after a few tries, not at the first stray 404", async () => {
    const till = await payable();
    till.service.fault = ({ path }, nth) => (path.includes("undelivered") && nth < 3 ? http(404, null) : null);
    await till.send({ type: "not_handed_out", reason: "till_short" } as never);
    await till.clock.advance(60_000);
    expect(till.service.orders.get(id)?.status).toBe("undelivered");
    const plain = await payable();
    plain.service.fault = ({ path }) => (path.includes("undelivered") ? http(404, null) : null);
    await plain.send({ type: "not_handed_out", reason: "till_short" } as never);
    await plain.clock.advance(40 * 60_000);
    expect(plain.snapshot().header.pendingReports).toBeNull();
    const history = await plain.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "not_handed_out", discrepancy: "undelivered_refused" }] });
  });

  test("a reject is repeated through a gateway's 404s", async () => {
    const till = await waiting();
    till.service.fault = ({ path }, nth) => (path === "/transaction/reject" && nth <= 4 ? http(404, null) : null);
    await till.send({ type: "reject" });
    await till.clock.advance(15_000);
    expect(till.service.orders.get(id)?.status).toBe("rejected");
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "rejected" });
  });

  test("is counted from the notice on, not from the withdrawal's beginning", async () => {
    const till = await waiting();
    await setStatus(till, "settling");
    await till.clock.advance(600_000);
    await setStatus(till, "settled");
    till.service.fault = ({ path }) => (path === "/transaction/link" ? "drop" : null);
    await handOver(till);
    await till.clock.advance(60_000);
    const oldestMs = () => till.snapshot().header.pendingReports?.oldestMs ?? 0;
    expect(oldestMs()).toBe(60_000);
    await till.terminal.close();
    const again = await createRig({ journal: till.journal, clock: till.clock, service: till.service, idsFrom: 100 });
    await again.clock.advance(60_000);
    expect(again.snapshot().header.pendingReports?.oldestMs).toBe(120_000);
  });

  test("a token that the service no longer takes is renewed once, and nothing is lost", async () => {
    const till = await payable();
    till.service.fault = ({ token, path }) => (path === "/transaction/link" && token === "token-1" ? http(401) : null);
    await handOver(till);
    expect(till.service.tokens).toBe(2);
    expect(till.service.orders.get(id)?.status).toBe("linked");
  });
});

describe("a server of the plain specification", () => {
  test("without wait, without /ext, with thin bodies: the job is done by asking every second", async () => {
    const till = await createRig();
    till.service.holds = false;
    till.service.extended = false;
    till.service.shape = ({ status, amount }) => ({ status, amount });
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    expect(till.screen()).toMatchObject({
      kind: "review",
      money: { amount: "50.00", currency: "XXX" },
      expires: null,
      orderedMsAgo: null,
    });
    await till.send({ type: "confirm" });
    await till.clock.advance(10_000);
    expect(till.service.calls("GET /transaction").length).toBeLessThan(15);
    order.status = "settled";
    await till.clock.advance(1_100);
    expect(till.screen().kind).toBe("payable");
    await till.send({ type: "not_handed_out", reason: "till_short" } as never);
    expect(till.snapshot().header.pendingReports).toBeNull();
    const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "not_handed_out", discrepancy: "undelivered_refused" }] });
  });

  test("a confirm whose fate a thin body does not tell is repeated, never assumed", async () => {
    const till = await createRig();
    till.service.holds = false;
    till.service.shape = ({ status, amount }) => ({ status, amount });
    till.service.order({ transaction_id: id, sca_required: false });
    till.service.fault = ({ path }, nth) => (path === "/transaction/confirm" && nth === 1 ? "lose" : null);
    await till.scan(id);
    await till.send({ type: "confirm" });
    const order = till.service.orders.get(id);
    if (order !== undefined) order.status = "settled";
    await till.clock.advance(8_000);
    expect(till.service.calls("/transaction/confirm")).toHaveLength(2);
    expect(till.screen().kind).toBe("payable");
  });

  test("a settled order whose confirm was refused to this till is not payable here", async () => {
    const till = await createRig();
    till.service.holds = false;
    till.service.shape = ({ status, amount }) => ({ status, amount });
    const order = till.service.order({ transaction_id: id });
    await till.scan(id);
    order.status = "settled";
    order.transaction_id_partner = "another";
    await till.send({ type: "confirm" });
    await till.clock.advance(5_000);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "in_use_elsewhere" });
  });

  test("a settled order whose confirm may have been this till's may have been paid, and says so", async () => {
    const till = await createRig();
    till.service.holds = false;
    till.service.shape = ({ status, amount }) => ({ status, amount });
    const order = till.service.order({ transaction_id: id });
    till.service.fault = ({ path }, nth) => (path === "/transaction/confirm" && nth === 1 ? "drop" : null);
    await till.scan(id);
    await till.send({ type: "confirm" });
    order.status = "settled";
    order.transaction_id_partner = "another";
    await till.clock.advance(15_000);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "unclear" });
  });

  test.each(["SETTLED", "paid", "Settled", "success", ""])("the status word %j is not payable", async (word) => {
    const till = await waiting();
    await setStatus(till, word);
    await till.clock.advance(10_000);
    expect(till.screen().kind).toBe("waiting");
    await till.clock.advance(30_000);
    expect(["ended", "unknown", "closing"]).toContain(till.screen().kind);
    expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
  });

  test("a reject answered in a word nobody knows is asked about, never taken for a reject", async () => {
    const till = await waiting();
    till.service.shape = (fields) => ({ ...fields, status: "COMPLETED" });
    till.service.fault = ({ path }) => {
      const order = till.service.orders.get(id);
      return path === "/transaction/reject" ? http(200, { ...order, status: "COMPLETED" }) : null;
    };
    await setStatus(till, "settled");
    await till.clock.advance(60_000);
    expect(till.screen().kind).toBe("unknown");
    await till.clock.advance(12 * 60_000);
    const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "unclear", discrepancy: "status_unclear" }] });
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "unclear" });
  });

  test("what it says in words nobody knows is left to reconciliation in the end", async () => {
    const till = await waiting();
    till.service.fault = ({ path }) => (path === "/transaction/reject" ? http(409) : null);
    await setStatus(till, "PAID");
    await till.clock.advance(45_000);
    expect(till.screen().kind).toBe("unknown");
    await till.send({ type: "dismiss" });
    expect(till.snapshot().header.open).toHaveLength(1);
    await till.clock.advance(12 * 60_000);
    expect(till.snapshot().header.open).toEqual([]);
    const history = await till.terminal.dispatch({ type: "list_history", before: null, limit: 10 });
    expect(history).toMatchObject({ data: [{ outcome: "unclear", discrepancy: "status_unclear" }] });
  });
});

describe("one look at the service", () => {
  test("an amount that changed after the review is never paid, and the books hear of it", async () => {
    const till = await waiting();
    const order = till.service.orders.get(id);
    if (order !== undefined) order.amount = "500.00";
    await setStatus(till, "settled");
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
    expect(till.snapshots.some(({ screen }) => screen.kind === "payable")).toBe(false);
    expect(till.service.orders.get(id)?.status).toBe("undelivered");
    expect(till.journal.types()).toContain("discrepancy");
  });

  test.each<[string, object, object]>([
    ["a number, then a text without its zeros", { amount: 50 }, { amount: "50" }],
    ["a text with one zero, then with two", { amount: "50.0" }, { amount: "50.00" }],
    ["no currency at the look-up", { currency: undefined }, {}],
    ["no currency at the look-up, three digits", { amount: 12.345, currency: undefined }, { amount: "12.345" }],
    ["no currency at the end", {}, { currency: undefined }],
    ["the code for no currency", { currency: "XXX" }, {}],
  ])("an amount that is only spelt otherwise is paid: %s", async (_, first, then) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    let answers = 0;
    till.service.shape = (fields) => ({ ...fields, ...(answers++ === 0 ? first : then) });
    await till.scan(id);
    await till.send({ type: "confirm" });
    order.status = "settled";
    await till.clock.advance(1_500);
    expect(till.screen().kind).toBe("payable");
  });

  test.each<[string, object, object]>([
    ["ten times as much", { amount: "50" }, { amount: "500" }],
    ["ten times as much, spelt with zeros", { amount: 50 }, { amount: "500.00" }],
    ["a cent more", { amount: "50.00" }, { amount: 50.01 }],
    ["another currency", { currency: "EUR" }, { currency: "CHF" }],
  ])("another amount is not: %s", async (_, first, then) => {
    const till = await createRig();
    const order = till.service.order({ transaction_id: id });
    let answers = 0;
    till.service.shape = (fields) => ({ ...fields, ...(answers++ === 0 ? first : then) });
    await till.scan(id);
    await till.send({ type: "confirm" });
    order.status = "settled";
    await till.clock.advance(1_500);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "not_handed_out" });
  });

  test("a clock that is off by more than a minute is told", async () => {
    const till = await createRig();
    till.service.dateOffMs = -90_000;
    till.service.order({ transaction_id: id });
    await till.scan(id);
    expect(till.snapshot().header.clockOffMs).toBe(90_000);
    till.service.dateOffMs = -59_000;
    await till.send({ type: "confirm" });
    expect(till.snapshot().header.clockOffMs).toBeNull();
  });

  test("a confirm under this device's name that this till never made is told", async () => {
    const till = await createRig();
    await till.clock.advance(1_000);
    till.service.order({
      transaction_id: id,
      status: "awaiting_sca",
      transaction_id_partner: "till-1.another1.W9",
      confirmed_at: new Date(till.clock.now()).toISOString(),
    });
    await till.scan(id);
    expect(till.snapshot().header.sameDeviceElsewhere).toBe(true);
    expect(till.screen()).toMatchObject({ kind: "ended", outcome: "in_use_elsewhere" });
  });

  describe("a till copied with its journal", () => {
    const copied = async () => {
      const journal = new MemoryJournal();
      const first = await createRig({ journal });
      const { clock, service } = first;
      const second = await createRig({ journal: journal.cut(journal.entries.length), clock, service, idsFrom: 5_000 });
      await clock.advance(1_000);
      service.order({ transaction_id: id });
      await first.scan(id);
      await first.send({ type: "confirm" });
      return { first, second };
    };

    test("is told when it meets the other's confirm; its own it knows", async () => {
      const { first, second } = await copied();
      await second.scan(id);
      expect(second.snapshot().header.sameDeviceElsewhere).toBe(true);
      await first.clock.advance(10_000);
      expect(first.snapshot().header.sameDeviceElsewhere).toBe(false);
    });

    test("is told by the report", async () => {
      const { first, second } = await copied();
      const { service } = first;
      const order = service.orders.get(id);
      service.fault = ({ path }) =>
        path.startsWith("/ext/v1/reconciliation") ? http(200, [{ ...order, device_id: "till-1" }]) : null;
      await first.clock.advance(11 * 60_000);
      expect(second.snapshot().header.sameDeviceElsewhere).toBe(true);
      expect(first.snapshot().header.sameDeviceElsewhere).toBe(false);
    });
  });

  test("a confirm from before this till was installed is no duplicate device's, however wrong its clock is", async () => {
    const till = await createRig();
    till.clock.jump(-86_400_000);
    till.service.dateOffMs = 86_400_000;
    const again = await createRig({ clock: till.clock, service: till.service });
    await again.clock.advance(5_000);
    till.service.order({
      transaction_id: id,
      status: "awaiting_sca",
      transaction_id_partner: "till-1.another1.W9",
      confirmed_at: new Date(again.clock.now() + 86_400_000 - 60_000).toISOString(),
    });
    await again.scan(id);
    expect(again.snapshot().header.sameDeviceElsewhere).toBe(false);
  });

  test("a credential that the service refuses leads to the set-up, and enrolling mends it", async () => {
    const till = await createRig({ credential: null });
    expect(till.screen()).toMatchObject({ kind: "setup", why: "not_enrolled" });
    expect(await till.scan(id)).toEqual({ ok: false, code: "not_enrolled" });
    const enroll = {
      type: "enroll",
      serviceUrl: "http://service",
      merchantId: "demo-shop",
      deviceId: "till-1",
    } as const;
    expect(await till.send({ ...enroll, secret: "wrong" })).toEqual({ ok: false, code: "denied" });
    expect(till.secrets.credential).toBeNull();
    expect(await till.send({ ...enroll, secret: "till-secret" })).toEqual({ ok: true });
    expect(till.screen().kind).toBe("ready");
    till.service.secret = "rotated";
    till.service.fault = ({ token }) => (token === null ? null : http(401));
    till.service.order({ transaction_id: id });
    await till.scan(id);
    await till.send({ type: "dismiss" });
    expect(till.screen()).toMatchObject({ kind: "setup", why: "credential_refused" });
    expect(JSON.stringify(till.snapshots)).not.toContain("till-secret");
  });
});
